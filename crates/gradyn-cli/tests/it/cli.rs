//! The commands and their options.

use crate::common::{Folder, assert_close, listed, numbers, values};
use serde_json::Value;

const COMMANDS: [&str; 11] = [
    "check",
    "simulate",
    "gradient",
    "equilibrium",
    "verify",
    "optimize",
    "sweep",
    "suite",
    "list",
    "example",
    "schema",
];
const KINDS: [&str; 10] = [
    "coordinates",
    "formulations",
    "integrators",
    "sensitivities",
    "options",
    "joints",
    "forces",
    "sensors",
    "optimizers",
    "examples",
];

#[test]
fn help() {
    let folder = Folder::new();
    let all = folder.done(&["--help"]);
    KINDS.iter().for_each(|kind| assert!(all.contains(kind), "`gradyn --help` does not mention {kind}"));
    insta::assert_snapshot!("help", all);
    for command in COMMANDS {
        insta::assert_snapshot!(format!("help_{command}"), folder.done(&[command, "--help"]));
    }
}

#[test]
fn lists() {
    let folder = Folder::new();
    for kind in KINDS {
        insta::assert_snapshot!(format!("list_{kind}"), folder.done(&["list", kind]));
    }
}

#[test]
fn wrong_commands_exit_with_2() {
    let folder = Folder::new();
    for args in [
        &["simulat"][..],
        &["list", "things"],
        &["simulate"],
        &["simulate", "model.toml", "--steps", "1"],
        &[],
    ] {
        assert_eq!(folder.run(args).code, 2, "{args:?}");
    }
}

/// Every example is accepted by every command, and is written as it is printed.
#[test]
fn examples_work() {
    for name in listed("examples") {
        let (folder, file) = (Folder::example(&name), format!("{name}.toml"));
        assert_eq!(folder.read(&file), folder.done(&["example", &name]));
        let check = folder.json(&["check", &file]);
        assert_eq!(check["warnings"], Value::Array(vec![]), "{name}");
        assert!(folder.done(&["check", &file]).contains("degrees of freedom"));
        // a final time that is a parameter stays one
        let parameter = folder.read(&file).contains("t_end  = \"t1\"");
        let short = if parameter { ["--set", "t1=0.021"] } else { ["--t-end", "0.021"] };
        assert!(folder.done(&[&["simulate", &file][..], &short].concat()).contains(" steps"), "{name}");
        let text = folder.done(&[&["gradient", &file][..], &short].concat());
        for p in check["parameters"].as_array().unwrap() {
            assert!(text.contains(&format!("d/d{}", p["name"].as_str().unwrap())), "{name}\n{text}");
        }
    }
}

/// What `check --expand` prints is a model file, and the same model.
#[test]
fn expanded_model_is_the_same() {
    let folder = Folder::example("pendulum_array");
    let expanded = Folder::with("expanded.toml", &folder.done(&["check", "pendulum_array.toml", "--expand"]));
    let [a, b] =
        [folder.json(&["gradient", "pendulum_array.toml"]), expanded.json(&["gradient", "expanded.toml"])];
    assert_eq!((&a["objectives"], &a["gradient"]), (&b["objectives"], &b["gradient"]));
}

#[test]
fn check_of_the_four_bar() {
    let text = Folder::example("four_bar").done(&["check", "four_bar.toml"]);
    let (rounding, rest): (Vec<&str>, Vec<&str>) = text.lines().partition(|l| l.starts_with("  assembly"));
    assert_eq!(rounding.len(), 1);
    insta::assert_snapshot!(rest.join("\n"));
}

#[test]
fn schema_is_json() {
    let schema: Value = serde_json::from_str(&Folder::new().done(&["schema"])).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["required"], serde_json::json!(["name"]));
    let joints = schema["properties"]["joint"]["additionalProperties"]["oneOf"].as_array().unwrap();
    let types: Vec<&str> =
        joints.iter().map(|j| j["properties"]["type"]["const"].as_str().unwrap()).collect();
    assert_eq!(types, listed("joints"));
}

/// `head` may close the pipe before everything is written.
#[test]
#[cfg(unix)]
fn a_closed_pipe_is_no_error() {
    use std::process::{Command, Stdio};
    let folder = Folder::example("pendulum");
    let text = folder.read("pendulum.toml");
    let elsewhere = std::env::temp_dir().join(format!("gradyn-pipe-{}.toml", std::process::id()));
    std::fs::write(&elsewhere, text).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("gradyn");
    let mut child = Command::new(program)
        .args(["simulate", "--json"])
        .arg(&elsewhere)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    std::fs::remove_file(elsewhere).unwrap();
}

// options

const SHORT: [&str; 4] = ["simulate", "pendulum.toml", "--t-end", "0.05"];

fn short(folder: &Folder, more: &[&str]) -> Value {
    folder.json(&[&SHORT, more].concat())
}

/// Parameters: any number or expression with a unit; the last one counts.
#[test]
fn set() {
    let folder = Folder::example("pendulum");
    let run =
        short(&folder, &["--set", "L=1.5", "--set", "theta0=-30 deg", "--set", "m=3", "--set", "m = 4"]);
    assert_eq!(values(&run["parameters"]), [4.0, 1.5, -30.0 * (std::f64::consts::PI / 180.0), 0.0]);
    let angle = run["rows"][0][1].as_f64().unwrap();
    assert!((angle + std::f64::consts::PI / 6.0).abs() < 1e-14, "{angle}");
}

/// `--t-end` is an expression of parameters, like that of the file.
#[test]
fn t_end() {
    let folder = Folder::example("pendulum");
    let last = |t: &str| {
        folder.json(&["simulate", "pendulum.toml", "--t-end", t])["rows"].as_array().unwrap().last().unwrap()
            [0]
        .clone()
    };
    assert_eq!(last("0.05"), 0.05);
    assert_eq!(last("50 ms"), 0.05);
    assert_eq!(last("L/10"), 0.1);
}

#[test]
fn step() {
    let folder = Folder::example("pendulum");
    let [a, b, c] = ["1 ms", "0.001", "0.005"].map(|h| short(&folder, &["--step", h]));
    assert_eq!((&a["rows"], &a["method"]["step"]), (&b["rows"], &Value::from(1e-3)));
    assert_eq!((a["statistics"]["steps"].as_u64(), c["statistics"]["steps"].as_u64()), (Some(50), Some(10)));
}

/// Tolerances of the command line replace the step of the file; without either, dopri5 has its own.
#[test]
fn tolerances() {
    let folder = Folder::example("pendulum");
    let adaptive = ["--formulation", "index1", "--integrator", "dopri5", "--rtol"];
    let run = |rtol: &str| short(&folder, &[&adaptive[..], &[rtol]].concat());
    let (loose, tight) = (run("1e-4"), run("1e-10"));
    assert_eq!(
        (&tight["method"]["rtol"], &tight["method"]["atol"]),
        (&Value::from(1e-10), &Value::from(1e-10))
    );
    assert!(loose["statistics"]["steps"].as_u64() < tight["statistics"]["steps"].as_u64());
}

/// An option of the command line is that of the file.
#[test]
fn option() {
    let folder = Folder::example("pendulum");
    let text = folder
        .read("pendulum.toml")
        .replace("\"index3\"", "\"penalty\"")
        .replace("\"1 ms\" }", "\"1 ms\", options = { alpha = 1e4 } }");
    let other = Folder::with("pendulum.toml", &text);
    let [flag, file, default] = [
        short(&folder, &["--formulation", "penalty", "--option", "alpha=1e4"]),
        short(&other, &[]),
        short(&folder, &["--formulation", "penalty"]),
    ];
    assert_eq!(flag["rows"], file["rows"]);
    assert_ne!(flag["rows"], default["rows"]);
}

/// Warnings go to standard error, unless they are unwanted.
#[test]
fn quiet() {
    let folder = Folder::example("pendulum");
    let args = [&SHORT[..], &["--option", "rho_inf=1"]].concat();
    assert!(folder.run(&args).stderr.starts_with("warning: unused-option"));
    assert_eq!(folder.run(&[&args[..], &["--quiet"]].concat()).stderr, "");
}

// methods

/// Every sensitivity method that is not continuous gives the derivative of the same program, so they agree to
/// rounding, whatever the formulation and the integrator. Different formulations and integrators agree to the
/// discretisation error.
#[test]
fn all_methods_agree() {
    let folder = Folder::example("pendulum");
    let (mut refused, mut of_runs) = (vec![], vec![]);
    for formulation in listed("formulations") {
        for integrator in listed("integrators") {
            let names = ["--formulation", &formulation, "--integrator", &integrator];
            let coarse =
                ["gradient", "pendulum.toml", "--t-end", "0.2", "--step", "0.01", "--option", "fd_step=1e-5"];
            let args = [&coarse[..], &names].concat();
            let gradient = |sensitivity: &str| -> Vec<Vec<f64>> {
                let out = folder.json(&[&args[..], &["--sensitivity", sensitivity]].concat());
                assert_eq!(out["method"]["sensitivity"], sensitivity);
                out["objectives"].as_array().unwrap().iter().map(|o| values(&o["gradient"])).collect()
            };
            let first = folder.run(&args);
            if first.code != 0 {
                assert!(first.code == 2 && first.stderr.contains("does not work with"), "{}", first.stderr);
                refused.push(format!("{formulation} + {integrator}"));
                continue;
            }
            let exact = gradient("complex-step");
            let fits =
                |s: &&gradyn::Sensitivity| s.fits(gradyn::Formulation::parse(&formulation).expect("listed"));
            for s in gradyn::Sensitivity::ALL.iter().filter(fits) {
                // 1e-6: rounding of q, over βh² in the reactions, over the step 1e-5 of the differences;
                // continuous ones differ by h², and by h in the reactions of index3
                let tolerance = match s {
                    s if s.is_exact() => 1e-9,
                    s if s.is_continuous() => 0.1,
                    _ => 1e-6,
                };
                for (row, exact) in gradient(s.name()).iter().zip(&exact) {
                    assert_close(
                        row,
                        exact,
                        tolerance,
                        &format!("{formulation} + {integrator}, {}", s.name()),
                    );
                }
            }
            of_runs.push((format!("{formulation} + {integrator}"), exact));
        }
    }
    let family = ["newmark", "hht", "generalized-alpha"];
    let states = |f: &str| {
        let all = gradyn::Integrator::ALL.iter().map(|i| i.name()).filter(|i| !family.contains(i));
        all.filter(|i| f != "index3" || !i.starts_with("radau"))
            .map(|i| format!("{f} + {i}"))
            .collect::<Vec<_>>()
    };
    let coordinate = family.map(|i| format!("maggi + {i}")).to_vec();
    assert_eq!(refused, [states("index3"), states("ali3p"), coordinate].concat());
    for (name, rows) in &of_runs {
        // h² = 1e-4 of Newmark, times a few; the reactions of index3 with projections have an error of order
        // h
        for ((row, reference), tolerance) in rows.iter().zip(&of_runs[0].1).zip([1e-3, 1e-3, 3e-2]) {
            assert_close(row, reference, tolerance, name);
        }
    }
}

/// What the file asks for is what runs.
#[test]
fn the_file_chooses_the_method() {
    let folder = Folder::example("pendulum");
    let text = folder.read("pendulum.toml").replace(
        "\"index3\", integrator = \"newmark\"",
        "\"index1\", integrator = \"rk4\", sensitivity = \"automatic\"",
    );
    let out = Folder::with("pendulum.toml", &text).json(&["gradient", "pendulum.toml", "--t-end", "0.02"]);
    let names =
        ["formulation", "integrator", "sensitivity"].map(|k| out["method"][k].as_str().unwrap().to_owned());
    assert_eq!(names, ["index1", "rk4", "automatic"]);
    assert_eq!(
        numbers(&out["objectives"].as_array().unwrap().iter().map(|o| o["value"].clone()).collect()).len(),
        3
    );
}

/// The program chooses the cheaper of direct and adjoint, and says so.
#[test]
fn auto() {
    let folder = Folder::example("pendulum");
    let args = ["gradient", "pendulum.toml", "--t-end", "0.02", "--sensitivity", "auto"];
    assert!(folder.run(&args).stderr.contains("auto: discrete-direct for 4 parameters and 3 objectives"));
    assert_eq!(folder.json(&args)["method"]["sensitivity"], "discrete-direct");
    let out = folder.run(&["gradient", "pendulum.toml", "--sensitivity", "adjoint-explicit"]);
    assert!(
        out.code == 2 && out.stderr.contains("adjoint-explicit does not work with index3"),
        "{}",
        out.stderr
    );
}

/// A condition ends the run; `--t-end` replaces it.
#[test]
fn until() {
    let folder = Folder::example("event_pendulum");
    let end = |more: &[&str]| {
        let out = folder.json(&[&["simulate", "event_pendulum.toml"][..], more].concat());
        out["rows"].as_array().unwrap().last().unwrap()[0].as_f64().unwrap()
    };
    assert!((end(&[]) - 0.439_453_701_17).abs() < 1e-9);
    assert_eq!(end(&["--t-end", "0.6"]), 0.6);
    // rows at equal times, and the final one, once
    assert!((end(&["--output-step", "0.1"]) - 0.439_453_701_17).abs() < 1e-9);
    let rows = |step: &str| {
        let out = folder.json(&["simulate", "event_pendulum.toml", "--t-end", "0.6", "--output-step", step]);
        out["rows"].as_array().unwrap().len()
    };
    assert_eq!((rows("0.1"), rows("0.25"), rows("0.7")), (7, 4, 2));
}
