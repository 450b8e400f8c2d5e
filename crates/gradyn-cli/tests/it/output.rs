//! What the commands write: JSON objects, tables, histories of gradients.

use crate::common::{Folder, assert_close, csv, numbers, values};
use serde_json::Value;

const PENDULUM: &str = "pendulum.toml";
/// Steps that are not too small: Newmark divides the rounding of q by βh².
const COARSE: [&str; 4] = ["--t-end", "0.6", "--step", "0.01"];
/// Direct methods that keep the history of every sensor.
const DIRECT: [&str; 2] = ["--sensitivity", "discrete-direct"];

fn pendulum() -> Folder {
    Folder::example("pendulum")
}

fn keys(v: &Value) -> Vec<&str> {
    v.as_object().unwrap().keys().map(String::as_str).collect()
}

#[track_caller]
fn has_keys(v: &Value, expected: &[&str]) {
    expected.iter().for_each(|k| assert!(keys(v).contains(k), "{k} is missing in {:?}", keys(v)));
}

/// Every number of a JSON text is the shortest that reads back as the same number.
fn numbers_round_trip(text: &str) -> usize {
    let tokens = text
        .split([',', '[', ']', '{', '}', ':', '\n'])
        .filter(|t| t.starts_with(|c: char| c == '-' || c.is_ascii_digit()));
    let count = tokens.clone().count();
    for token in tokens.filter(|t| t.contains('.') || t.contains('e')) {
        let x: f64 = token.parse().unwrap();
        assert_eq!(Value::from(x).to_string(), token);
    }
    count
}

/// DESIGN.md, section 13.
#[test]
fn gradient_json() {
    let text = pendulum().done(&["gradient", PENDULUM, "--t-end", "0.1", "--json"]);
    let out: Value = serde_json::from_str(&text).unwrap();
    has_keys(&out, &["model", "method", "parameters", "objectives", "statistics", "certificate"]);
    assert_eq!(keys(&out["method"]), ["coordinates", "formulation", "integrator", "sensitivity", "step"]);
    let statistics = [
        "steps",
        "newton_iterations",
        "factorizations",
        "forward_s",
        "gradient_s",
        "real_time",
        "peak_memory_bytes",
    ];
    has_keys(&out["statistics"], &statistics);
    assert_eq!((&out["model"], &out["statistics"]["steps"]), (&Value::from("pendulum"), &Value::from(100)));
    let parameters = ["m", "L", "theta0", "omega0"];
    assert_eq!(keys(&out["parameters"]), parameters);
    let objectives = out["objectives"].as_array().unwrap();
    assert_eq!(
        objectives.iter().map(|o| o["name"].as_str().unwrap()).collect::<Vec<_>>(),
        ["sway", "tip", "load"]
    );
    for o in objectives {
        assert_eq!((keys(o), keys(&o["gradient"])), (vec!["name", "value", "gradient"], parameters.to_vec()));
        assert!(o["value"].is_f64());
    }
    assert!(numbers_round_trip(&text) > 20);
}

/// Adaptive runs name their tolerances instead of a step; the certificate says what is known of the gradient.
#[test]
fn gradient_json_of_an_adaptive_run() {
    let args = [
        "gradient",
        PENDULUM,
        "--t-end",
        "0.1",
        "--formulation",
        "index1",
        "--integrator",
        "dopri5",
        "--rtol",
        "1e-9",
    ];
    let out = pendulum().json(&args);
    assert_eq!(
        keys(&out["method"]),
        ["coordinates", "formulation", "integrator", "sensitivity", "rtol", "atol"]
    );
    let c = &out["certificate"];
    assert_eq!((&c["verdict"], &c["reasons"]), (&Value::from("trusted"), &Value::Array(vec![])));
    assert!(c["direction_by_complex_step"].as_f64().unwrap() < 1e-9); // rounding of one direction
    assert_eq!(c["moved"][0]["outcome"], "agrees");
    assert!(c["errors"]["objectives"]["sway"]["gradient"]["L"].as_f64().unwrap() < 1e-6);
    let without = pendulum().json(&[&args[..], &["--no-certificate"]].concat());
    assert_eq!(without["certificate"], Value::Null);
    assert_eq!(without["objectives"], out["objectives"]);
}

/// `--strict` asks for a gradient that is trusted: a step that does not resolve the motion is not.
#[test]
fn strict_gradients() {
    let run = |step: &str| pendulum().run(&["gradient", PENDULUM, "--strict", "--step", step]);
    assert_eq!(run("1 ms").code, 0);
    let coarse = run("0.2");
    assert_eq!(coarse.code, 1);
    assert!(coarse.stdout.contains("certificate: coarse"), "{}", coarse.stdout);
    // every reason about an objective has its line
    let line = 1 + pendulum().read(PENDULUM).lines().position(|l| l.starts_with("sway")).unwrap();
    assert!(coarse.stdout.contains(&format!("(line {line})")), "{}", coarse.stdout);
}

/// `--penalty-error` adds the value at α, at 10 α and 10/9 of their difference.
#[test]
fn penalty_error() {
    let args =
        [PENDULUM, "--t-end", "0.1", "--formulation", "penalty", "--option", "alpha=1e5", "--penalty-error"];
    let folder = pendulum();
    let [run, gradient] =
        ["simulate", "gradient"].map(|c| folder.json(&[&[c], &args[..]].concat())["penalty_error"].clone());
    assert_eq!(run["alpha"], 1e5);
    let check = |x: &Value| {
        let [a, b, e] = ["value", "at_10_alpha", "error"].map(|k| x[k].as_f64().unwrap());
        assert!(e != 0.0 && (e - (a - b) * 10.0 / 9.0).abs() <= 1e-12 * e.abs(), "{x}");
    };
    run["objectives"].as_array().unwrap().iter().for_each(check);
    check(&gradient["objectives"][0]["gradient"]["L"]);
    assert!(folder.done(&[&["gradient"], &args[..]].concat()).contains("penalty error, by a second run"));
}

#[test]
fn simulate_json() {
    let folder = pendulum();
    let text = folder.done(&["simulate", PENDULUM, "--t-end", "0.1", "--json", "--out", "table.csv"]);
    let out: Value = serde_json::from_str(&text).unwrap();
    has_keys(&out, &["model", "method", "columns", "rows", "objectives", "statistics"]);
    assert_eq!(keys(&out["method"]), ["coordinates", "formulation", "integrator", "step"]);
    assert_eq!(out["columns"], serde_json::json!(["t", "angle", "speed", "energy"]));
    out["objectives"].as_array().unwrap().iter().for_each(|o| assert_eq!(keys(o), ["name", "value"]));
    assert!(numbers_round_trip(&text) > 400);

    // the same table as the file, to the last bit or to the last of serde_json's reader
    let (header, rows) = csv(&folder.read("table.csv"));
    assert_eq!(header, ["t", "angle", "speed", "energy"]);
    assert_eq!((rows.len(), out["rows"].as_array().unwrap().len()), (101, 101));
    for (row, json) in rows.iter().zip(out["rows"].as_array().unwrap()) {
        assert_close(row, &numbers(json), 1e-15, "a row");
    }
    assert_eq!((rows[0][0], rows[100][0]), (0.0, 0.1));
}

/// A file and the screen say the same.
#[test]
fn simulate_to_a_json_file() {
    let folder = pendulum();
    let screen = folder.json(&["simulate", PENDULUM, "--t-end", "0.02", "--out", "table.json"]);
    let file: Value = serde_json::from_str(&folder.read("table.json")).unwrap();
    assert_eq!(
        (&screen["columns"], &screen["rows"], &screen["method"]),
        (&file["columns"], &file["rows"], &file["method"])
    );
}

#[test]
fn simulate_text() {
    let text = pendulum().done(&["simulate", PENDULUM, "--t-end", "0.02", "--out", "table.csv"]);
    assert!(
        text.contains("index3 + newmark, step 0.001 s, 20 steps") && text.contains("21 rows to table.csv"),
        "{text}"
    );
}

/// Equal times: at nodes the nodes' values, between them those of a finer run, to the order of the
/// interpolant.
#[test]
fn output_step() {
    for (formulation, integrator, between) in [
        ("index3", "newmark", 1e-4), // h² of the scheme with h = 0.01
        ("index1", "rk4", 1e-6),     // h³ of the cubic Hermite interpolant, in the speed
        ("index1", "dopri5", 1e-6),
    ] {
        let folder = pendulum();
        let run = |step: &str, more: &[&str]| {
            let args = [
                "simulate",
                PENDULUM,
                "--t-end",
                "0.5",
                "--formulation",
                formulation,
                "--integrator",
                integrator,
                "--step",
                step,
                "--overwrite",
                "--out",
                "t.csv",
            ];
            folder.done(&[&args[..], more].concat());
            csv(&folder.read("t.csv")).1
        };
        let (nodes, fine) = (run("0.01", &[]), run("0.005", &[]));
        let (same, coarse, dense) = (
            run("0.01", &["--output-step", "10 ms"]),
            run("0.01", &["--output-step", "0.1"]),
            run("0.01", &["--output-step", "0.005"]),
        );
        assert_eq!((nodes.len(), same.len(), coarse.len(), dense.len()), (51, 51, 6, 101), "{integrator}");
        for (a, b) in same.iter().zip(&nodes).chain(coarse.iter().zip(nodes.iter().step_by(10))) {
            assert_close(a, b, 1e-9, integrator); // rounding of the accelerations over h²
        }
        for (a, b) in dense.iter().zip(&fine) {
            assert_close(a, b, between, integrator);
        }
    }
}

// histories of gradients

/// The gradient of every objective, one after the other.
fn gradient(out: &Value) -> Vec<f64> {
    out["objectives"].as_array().unwrap().iter().flat_map(|o| values(&o["gradient"])).collect()
}

/// Contributions of the steps add up to the gradient; what is gathered from the start on is all of it.
#[test]
fn adjoint_history() {
    let folder = pendulum();
    let args = [&["gradient", PENDULUM][..], &COARSE, &["--out"]].concat();
    let out = folder.json(&[&args[..], &["history.csv"]].concat());
    folder.done(&[&args[..], &["history.json"]].concat());
    let total = gradient(&out);
    let n = total.len();
    let (header, rows) = csv(&folder.read("history.csv"));
    assert_eq!((rows.len(), header.len(), n), (61, 1 + 2 * n, 12));
    assert_eq!((header[1].as_str(), header[1 + n].as_str()), ("dsway/dm", "running dsway/dm"));

    // 1e-12: 60 sums, and the rounding of q over βh² in the reactions
    let sum: Vec<f64> = (0..n).map(|k| rows.iter().map(|r| r[1 + k]).sum()).collect();
    assert_close(&sum, &total, 1e-12, "sum of the contributions");
    assert_close(&rows[0][1 + n..], &total, 1e-12, "running gradient at the start");
    for k in 0..n {
        assert_eq!(
            rows[60][1 + k],
            rows[60][1 + n + k],
            "the running gradient of the last record is its contribution"
        );
    }

    let json: Value = serde_json::from_str(&folder.read("history.json")).unwrap();
    assert_eq!(json["history"]["columns"], serde_json::json!(header));
    for (a, b) in rows.iter().zip(json["history"]["rows"].as_array().unwrap()) {
        assert_close(a, &numbers(b), 1e-15, "csv and json");
    }
}

/// dψ/d(condition): the initial angle and speed are parameters that enter through conditions alone, so their
/// gradients are the derivatives with respect to the conditions; differences of ψ agree.
#[test]
fn derivatives_with_respect_to_conditions() {
    let folder = pendulum();
    let at = |more: &[&str]| folder.json(&[&["gradient", PENDULUM][..], &COARSE, more].concat());
    let total = at(&["--out", "history.json"]);
    at(&["--out", "history.csv"]);
    let json: Value = serde_json::from_str(&folder.read("history.json")).unwrap();
    assert_eq!(json["initial"]["conditions"], serde_json::json!(["bar.angle", "rate of bar.angle"]));
    let state = json["initial"]["state"].as_array().unwrap().len();
    let (header, rows) = csv(&folder.read("history.initial.csv"));
    assert_eq!((header.len(), rows.len()), (state + 2, 3));

    let psi = |out: &Value, k: usize| out["objectives"][k]["value"].as_f64().unwrap();
    let differences = [("theta0", -std::f64::consts::FRAC_PI_3), ("omega0", 0.0)].map(|(name, x)| {
        let [a, b] = [-1e-5, 1e-5].map(|e| at(&["--set", &format!("{name}={:.17}", x + e)]));
        [0, 1, 2].map(|k| (psi(&b, k) - psi(&a, k)) / 2e-5)
    });
    for k in 0..3 {
        let conditions = numbers(&json["initial"]["d_conditions"][k]);
        let g = &total["objectives"][k]["gradient"];
        assert_close(
            &conditions,
            &[g["theta0"].as_f64().unwrap(), g["omega0"].as_f64().unwrap()],
            1e-12,
            "the gradient",
        );
        // 1e-7: ε² and rounding / ε
        assert_close(&conditions, &[differences[0][k], differences[1][k]], 1e-7, "differences");
        assert_close(&rows[k][state..], &conditions, 1e-15, "csv");
    }
}

/// Sensitivities of the sensors against time, and differences of two runs.
#[test]
fn direct_history() {
    let folder = pendulum();
    let args = [&COARSE[..], &["--overwrite", "--out", "t.csv"]].concat();
    folder.done(&[&["gradient", PENDULUM][..], &DIRECT, &args].concat());
    let (header, rows) = csv(&folder.read("t.csv"));
    assert_eq!((rows.len(), header.len()), (61, 1 + 3 * 4));
    let sensors = ["angle", "speed", "energy"];
    for (name, x) in [("L", 1.0), ("theta0", -std::f64::consts::FRAC_PI_3)] {
        let [a, b] = [-1e-5, 1e-5].map(|e| {
            folder.done(
                &[&["simulate", PENDULUM, "--set", &format!("{name}={:.17}", x + e)][..], &args].concat(),
            );
            csv(&folder.read("t.csv")).1
        });
        for (s, sensor) in sensors.iter().enumerate() {
            let column = header.iter().position(|h| *h == format!("d{sensor}/d{name}")).unwrap();
            let exact: Vec<f64> = rows.iter().map(|r| r[column]).collect();
            let difference: Vec<f64> = a.iter().zip(&b).map(|(a, b)| (b[1 + s] - a[1 + s]) / 2e-5).collect();
            assert_close(&difference, &exact, 1e-7, &header[column]); // ε² and rounding / ε
        }
    }
}

/// The last row of a direct history is the gradient of a terminal objective.
#[test]
fn direct_history_ends_with_the_gradient() {
    let folder = Folder::example("oscillator");
    let out = folder.json(&[&["gradient", "oscillator.toml"][..], &DIRECT, &["--out", "t.csv"]].concat());
    let (header, rows) = csv(&folder.read("t.csv"));
    assert_eq!(header[1], "dy/dc");
    assert_close(&rows.last().unwrap()[1..4], &gradient(&out), 1e-14, "dy/dρ at the end");
    // dψ/dc = -1/4, dψ/dz0 = 1, dψ/dm = 1/4 of the exact solution; h² = 1e-6
    assert_close(&gradient(&out), &[-0.25, 1.0, 0.25], 1e-6, "exact solution");
}
