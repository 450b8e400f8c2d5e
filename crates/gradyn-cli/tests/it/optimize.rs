//! `gradyn optimize`: results, histories, interruptions, written models.

use crate::common::{Folder, csv, values};
use serde_json::Value;

const MODEL: &str = "five_bar_balance.toml";
const HISTORY: &str = "five_bar_balance.history.jsonl";
const BALANCED: [f64; 2] = [2.43192357446, 1.84486888681];

fn balance() -> Folder {
    Folder::example("five_bar_balance")
}

fn optimize<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["optimize", MODEL][..], more].concat()
}

#[track_caller]
fn assert_balanced(x: &[f64]) {
    assert!(x.iter().zip(BALANCED).all(|(x, exact)| (x - exact).abs() < 1e-6), "{x:?}");
}

/// What is the same in every run: without times.
fn lasting(mut o: Value) -> Value {
    o["statistics"].take();
    // certificates tell how long they took
    for last in o["final"].as_array_mut().into_iter().flatten() {
        last["certificate"]["seconds"].take();
    }
    o
}

#[test]
fn five_bar_is_balanced() {
    let folder = balance();
    let o = folder.json(&optimize(&[]));
    assert_eq!((o["status"].as_str(), o["optimizer"].as_str()), (Some("optimal"), Some("lbfgsb")));
    assert_balanced(&values(&o["parameters"]));
    assert!(o["objective"]["final"].as_f64().unwrap() < 1e-12);
    let evaluations = o["evaluations"].as_u64().unwrap() as usize;
    assert!(evaluations <= 10, "{evaluations}");
    assert_eq!(o["history"].as_array().unwrap().len(), evaluations);
    assert_eq!(o["history"][0]["objective"], o["objective"]["initial"]);
    // a line for what it is, and one for each evaluation
    assert_eq!(folder.read(HISTORY).lines().count(), 1 + evaluations);
    let text = folder.done(&optimize(&["--resume"]));
    for part in [
        "optimal",
        "L_s1",
        "2.431923574",
        &format!("{evaluations} evaluations, {evaluations} from the history"),
    ] {
        assert!(text.contains(part), "{text}");
    }
}

/// The written model is the old one with other values, and it is at rest.
#[test]
fn the_model_and_the_tables_are_written() {
    let folder = balance();
    let o = folder.json(&optimize(&["--write", "new.toml", "--out", "motion.csv", "--set", "L_s2=2"]));
    let [l1, l2] = values(&o["parameters"])[..] else { panic!() };
    let (old, new) = (folder.read(MODEL), folder.read("new.toml"));
    let expected =
        old.replace("\"sqrt(5)\"", &format!("{l1:?}")).replace("\"sqrt(4.25)\"", &format!("{l2:?}"));
    assert_eq!(new, expected);
    let run = folder.json(&["simulate", "new.toml"]);
    assert!(run["objectives"][0]["value"].as_f64().unwrap() < 1e-12);
    let way = |file: &str| {
        let (columns, rows) = csv(&folder.read(file));
        let at = columns.iter().position(|c| c == "B12.P2.x").unwrap();
        rows.iter().map(|r| (r[at] - 0.5).abs()).fold(0.0, f64::max)
    };
    assert!(way("motion.csv") < 1e-6 && way("motion.before.csv") > 0.1);
}

/// A history cut anywhere, also within a line, leads to the same bits: result and file.
#[test]
fn a_cut_history_is_continued_to_the_same_bits() {
    let folder = balance();
    let whole = lasting(folder.json(&optimize(&[])));
    let history = folder.read(HISTORY);
    let ends: Vec<usize> = history.match_indices('\n').map(|(at, _)| at + 1).collect();
    let cuts = ends.iter().flat_map(|end| [*end, end - 1, end.saturating_sub(40)]).chain([0, 5]);
    for cut in cuts {
        let folder = balance();
        folder.write(HISTORY, &history[..cut]);
        assert_eq!(lasting(folder.json(&optimize(&["--resume"]))), whole, "cut at byte {cut}");
        assert_eq!(folder.read(HISTORY), history, "cut at byte {cut}");
    }
}

/// The Iltis in a hurry, with its equilibrium in every design.
const ILTIS: &str = "iltis.history.jsonl";
const HURRY: [&str; 16] = [
    "optimize",
    "iltis.toml",
    "--formulation",
    "index1",
    "--integrator",
    "adams-bashforth",
    "--step",
    "1 ms",
    "--coordinates",
    "relative-0",
    "--set",
    "start=40",
    "--t-end",
    "0.2",
    "--max-evaluations",
    "6",
];

/// The ride becomes softer, and a cut history leads to the same bits.
#[test]
fn the_iltis_is_continued_to_the_same_bits() {
    let (whole, cut) = (Folder::example("iltis"), Folder::example("iltis"));
    let o = whole.json(&HURRY);
    assert!(o["objective"]["final"].as_f64() < o["objective"]["initial"].as_f64());
    let history = whole.read(ILTIS);
    let half = history.lines().take(4).map(|l| format!("{l}\n")).collect::<String>();
    cut.write(ILTIS, &half);
    assert_eq!(lasting(cut.json(&[&HURRY[..], &["--resume"]].concat())), lasting(o));
    assert_eq!(cut.read(ILTIS), history);
}

/// A limit ends a run; with a higher one it goes on.
#[test]
fn a_limited_run_goes_on() {
    let (whole, parts) = (balance(), balance());
    let o = parts.json(&optimize(&["--max-evaluations", "3"]));
    assert_eq!((o["status"].as_str(), o["evaluations"].as_u64()), (Some("evaluation-limit"), Some(3)));
    let [a, b] = [whole.json(&optimize(&[])), parts.json(&optimize(&["--resume"]))];
    assert_eq!(lasting(a), lasting(b));
}

/// Histories of something else, and those that would be lost, are refused.
#[test]
fn wrong_histories_are_refused() {
    let folder = balance();
    folder.done(&optimize(&[]));
    let text = folder.read(MODEL);
    let refused = |args: &[&str], message: &str| {
        let out = folder.run(&optimize(args));
        assert_eq!(out.code, 2, "{}", out.stderr);
        let line = out.stderr.split_whitespace().collect::<Vec<_>>().join(" ").replace("│ ", "");
        assert!(line.contains(message), "{line}");
    };
    refused(&[], "five_bar_balance.history.jsonl exists");
    refused(&["--resume", "--optimizer", "sqp"], "`optimizer` was \"lbfgsb\", now it is \"sqp\"");
    refused(&["--resume", "--set", "L_s1=2"], "`set` was [], now it is [\"L_s1=2\"]");
    refused(&["--resume", "--integrator", "hht"], "`method` was");
    refused(&["--resume", "--history", MODEL], "would be written twice, or is the model");
    folder.write("copy.toml", &text);
    refused(&["--resume", "--history", "copy.toml"], "is not the history of an optimisation");
    folder.write("note", "one line");
    refused(&["--resume", "--history", "note"], "note is something else");
    assert_eq!(folder.read("note"), "one line");
    refused(&["--history", "none/h.jsonl"], "there is no directory none");
    refused(&["--write", "none/m.toml", "--resume"], "there is no directory none");
    refused(&["--optimizer", "lbfgs"], "there is no optimizer `lbfgs`");
    folder.write(
        MODEL,
        &text.replace("scale = 1 }  # free length of spring 2", "scale = 2 }  # free length of spring 2"),
    );
    refused(&["--resume"], "the model file has changed since");
    folder.write(MODEL, &text);
    let history = folder.read(HISTORY);
    folder.write(HISTORY, &history.replacen("\"gradient\"", "\"gardient\"", 1));
    refused(&["--resume"], "line 2: it was changed, or lines were put elsewhere");
    let old = |line: &str| format!("{}}}\n", line.split(",\"check\"").next().unwrap());
    let old: String = history.lines().map(old).collect();
    folder.write(HISTORY, &old.replacen("\"gradient\"", "\"gardient\"", 1));
    refused(&["--resume"], "line 2: this is no evaluation");
}

/// A start that cannot be assembled is an error of the model, with its place.
#[test]
fn a_start_that_fails_is_an_error() {
    let folder = balance();
    let text = folder.read(MODEL).replace("t_end  = 1\n", "t_end  = 1\nbreaks = [0.5]\n");
    let text = text
        .replace("stiffness = 100, length = \"L_s1\"", "stiffness = \"100/(t - 0.25)\", length = \"L_s1\"");
    folder.write(MODEL, &text);
    let out = folder.run(&optimize(&[]));
    assert_eq!(out.code, 1, "{}", out.stderr);
}

#[test]
fn a_study_without_a_goal_is_refused() {
    let folder = Folder::example("five_bar");
    let out = folder.run(&["optimize", "five_bar.toml"]);
    assert_eq!(out.code, 2);
    assert!(out.stderr.contains("does not say what to optimise"), "{}", out.stderr);
    insta::assert_snapshot!("no_goal", out.shown());
}

#[test]
fn wrong_studies_are_shown_at_their_place() {
    let folder = balance();
    folder.write(MODEL, &folder.read(MODEL).replace("minimise = \"psi\"", "minimise = \"phi\""));
    for command in ["check", "optimize"] {
        let out = folder.run(&[command, MODEL]);
        assert_eq!(out.code, 2);
        insta::assert_snapshot!(
            "unknown_objective",
            out.shown().lines().skip(1).collect::<Vec<_>>().join("\n")
        );
    }
}

const SYNTHESIS: [&str; 4] = ["optimize", "four_bar_synthesis.toml", "--starts", "3"];

/// Many starts: what became of each, lines with their numbers, and a cut history leads to the same bits.
#[test]
fn many_starts_are_reported_and_continued() {
    let folder = Folder::example("four_bar_synthesis");
    let whole = lasting(folder.json(&SYNTHESIS));
    let starts = &whole["starts"];
    assert_eq!((starts["count"].as_u64(), starts["ends"].as_array().map(Vec::len)), (Some(3), Some(3)));
    let converged =
        ["optimal", "value-converged", "stagnated"].map(|s| starts["status"][s].as_u64().unwrap_or(0));
    assert_eq!(converged.iter().sum::<u64>(), 3);
    assert_eq!(starts["optima"][0]["objective"], whole["objective"]["final"]);
    assert!(whole["objective"]["final"].as_f64().unwrap() < 1e-9);
    let history = folder.read("four_bar_synthesis.history.jsonl");
    let ends: Vec<usize> = history.match_indices('\n').map(|(at, _)| at + 1).collect();
    assert_eq!(ends.len() as u64, 1 + whole["evaluations"].as_u64().unwrap());
    for start in 0..3 {
        assert!(history.contains(&format!("\"start\":{start},\"x\"")));
    }
    for cut in [ends[0], ends[1], ends[4] - 9, ends[ends.len() / 2], history.len()] {
        let folder = Folder::example("four_bar_synthesis");
        folder.write("four_bar_synthesis.history.jsonl", &history[..cut]);
        let threads = [&SYNTHESIS[..], &["--resume"]].concat();
        assert_eq!(lasting(folder.json(&threads)), whole, "cut at byte {cut}");
        assert_eq!(folder.read("four_bar_synthesis.history.jsonl"), history, "cut at byte {cut}");
    }
    let text = folder.done(&[&SYNTHESIS[..], &["--resume"]].concat());
    for part in ["3 of 3 at a local optimum", "1 distinct", "3 of the starts"] {
        assert!(text.contains(part), "{text}");
    }
    let out = folder.run(&[&SYNTHESIS[..], &["--resume", "--seed", "2"]].concat());
    assert!(out.code == 2 && out.stderr.contains("`starts` was"), "{}", out.stderr);
}

/// Files that would overwrite each other are refused before anything runs; a start that fails leaves no
/// history.
#[test]
fn files_do_not_clash() {
    let folder = balance();
    for args in [
        &["--write", HISTORY][..],
        &["--out", "o.csv", "--write", "o.csv"],
        &["--history", "five_bar_balance.toml"],
    ] {
        let out = folder.run(&optimize(args));
        assert!(out.code == 2 && out.stderr.contains("written twice"), "{}", out.stderr);
        assert!(!folder.exists(HISTORY));
    }
    let out = folder.run(&optimize(&["--set", "L_s1=1e6"]));
    assert!(out.code != 0 && !out.stderr.is_empty(), "{}", out.stderr);
    assert!(!folder.exists(HISTORY));
}

/// Two runs do not write one history.
#[test]
fn a_history_belongs_to_one_run() {
    let folder = balance();
    folder.done(&optimize(&["--max-evaluations", "3"]));
    let whole = folder.read(HISTORY);
    let file = std::fs::OpenOptions::new().append(true).open(folder.path().join(HISTORY)).unwrap();
    file.lock().unwrap();
    let out = folder.run(&optimize(&["--resume"]));
    assert!(out.code == 2 && out.stderr.contains("is being written by another run"), "{}", out.stderr);
    assert_eq!(folder.read(HISTORY), whole);
    drop(file);
    folder.done(&optimize(&["--resume"]));
}

/// Starts that cannot be drawn are refused.
#[test]
fn wrong_starts_are_refused() {
    let folder = balance();
    for (args, message) in [
        (&["--starts", "5"][..], "multistart draws between bounds"),
        (&["--seed", "5"], "add --starts N"),
        (&["--starts", "5", "--sampling", "halton"], "there is no sampling `halton`"),
        (&["--starts", "0"], "0 is not in 1..=10000"),
    ] {
        let out = folder.run(&optimize(args));
        assert_eq!(out.code, 2, "{}", out.stderr);
        assert!(out.stderr.contains(message), "{}", out.stderr);
        assert!(!folder.exists(HISTORY));
    }
}

const IDENTIFICATION: [&str; 2] = ["optimize", "five_bar_identification.toml"];

/// The record of the example as a csv file: the same fit, and what it says about the parameters.
#[test]
fn a_record_in_a_file_is_fitted() {
    let folder = Folder::example("five_bar_identification");
    let inline = lasting(folder.json(&IDENTIFICATION));
    let text = folder.read(IDENTIFICATION[1]);
    let at = text.find("rows    = [").unwrap();
    let rows = text[at..].lines().filter_map(|l| l.strip_prefix("    [")?.strip_suffix("],"));
    let csv = rows.fold("t,x,y,angle\n".to_owned(), |csv, row| csv + row + "\n");
    let folder = Folder::with("measured.csv", &csv);
    folder.write(IDENTIFICATION[1], &format!("{}record  = \"measured.csv\"\n", &text[..at]));
    let o = lasting(folder.json(&IDENTIFICATION));
    assert_eq!(o, inline);
    let fit = &o["fit"];
    assert_eq!((fit["residuals"].as_u64(), fit["freedoms"].as_u64()), (Some(123), Some(117)));
    let norm = fit["residual_norm"].as_f64().unwrap();
    assert!((0.5 * norm * norm / o["objective"]["final"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(fit["estimates"][0]["name"], "m_A1");
    let text = folder.done(&[&IDENTIFICATION[..], &["--resume"]].concat());
    for part in [
        "levenberg-marquardt",
        "discrete-direct",
        "123 residuals",
        "95 % interval",
        "correlated      m_B23 and m_B3",
        "the last design, certificate: trusted, holds for changes up to 1 %",
        "moved       ½rᵀr: norm of the derivatives of the residuals, ",
    ] {
        assert!(text.contains(part), "{text}");
    }
    // another record
    folder.write("measured.csv", &csv.replace("0.4999", "0.4998"));
    let out = folder.run(&[&IDENTIFICATION[..], &["--resume"]].concat());
    assert!(out.code == 2 && out.stderr.contains("is the history of another fit"), "{}", out.stderr);
    folder.write("measured.csv", &csv.replace("0.4999", "half"));
    let out = folder.run(&IDENTIFICATION);
    assert_eq!(out.code, 2);
    insta::assert_snapshot!("no_number", out.shown());
}

/// The certificate of a fit: an error of the squares and of every entry of their gradient. Long steps are no
/// fit that `--strict` accepts, and the reason ends with the line of the record.
#[test]
fn a_fit_has_a_certificate() {
    let folder = Folder::example("five_bar_identification");
    let text = folder.read(IDENTIFICATION[1]);
    folder.write(IDENTIFICATION[1], &text.replace("\"2 ms\"", "\"50 ms\""));
    let o = folder.json(&IDENTIFICATION);
    let c = &o["final"][0]["certificate"];
    assert_eq!((c["verdict"].as_str(), c["moved"][0]["objective"].as_str()), (Some("coarse"), Some("½rᵀr")));
    assert!(c["errors"]["objectives"]["½rᵀr"]["gradient"]["m_A1"].as_f64().is_some_and(|e| e > 0.0));
    let line = 1 + text.lines().position(|l| l.starts_with("rows")).unwrap();
    assert_eq!(c["reasons"][0]["places"][0]["line"].as_u64(), Some(line as u64));
    let strict = folder.run(&[&IDENTIFICATION[..], &["--strict", "--resume"]].concat());
    assert!(strict.code == 1 && strict.stdout.contains(&format!("(line {line})")), "{}", strict.stdout);
    let without = folder.json(&[&IDENTIFICATION[..], &["--no-certificate", "--resume"]].concat());
    assert_eq!(without["final"][0]["certificate"], serde_json::Value::Null);
}

/// Parameters of which only ratios matter are named.
#[test]
fn what_cannot_be_identified_is_named() {
    let folder = Folder::example("five_bar_identification");
    folder.write(IDENTIFICATION[1], &folder.read(IDENTIFICATION[1]).replace("\"L_s2\"]", "\"L_s2\", \"k\"]"));
    let text = folder.done(&IDENTIFICATION);
    let line = text.lines().find(|l| l.contains("unidentifiable")).unwrap_or_else(|| panic!("{text}"));
    assert!(["m_A1", "m_B12", "m_B23", "m_B3", " k "].iter().all(|name| line.contains(name)), "{line}");
    assert!(text.contains("not identified"), "{text}");
}

/// Runs that take a while, ended from outside.
#[cfg(unix)]
mod interrupted {
    use super::*;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant, SystemTime};

    /// Many short steps.
    const SLOW: [&str; 2] = ["--step", "0.02 ms"];

    /// A run under way, whose history has so many lines.
    fn start(folder: &Folder, args: &[&str], history: &str, lines: usize) -> Child {
        let program = assert_cmd::cargo::cargo_bin!("gradyn");
        let mut command = Command::new(program);
        command
            .current_dir(folder.path())
            .args(args)
            .arg("--json")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let started = Instant::now();
        while !folder.exists(history) || folder.read(history).lines().count() < lines {
            assert!(started.elapsed() < Duration::from_secs(120), "no evaluation");
            std::thread::sleep(Duration::from_millis(5));
        }
        child
    }

    fn balancing(folder: &Folder) -> Child {
        start(folder, &optimize(&SLOW), HISTORY, 3)
    }

    fn whole() -> Value {
        lasting(balance().json(&optimize(&SLOW)))
    }

    /// Killed at some moment, it loses the evaluation under way and nothing else.
    #[test]
    fn killed() {
        let folder = balance();
        let mut child = balancing(&folder);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(lasting(folder.json(&optimize(&[&SLOW[..], &["--resume"]].concat()))), whole());
    }

    /// The Iltis, killed at a random moment of a random evaluation: every line is a whole one, and the rest
    /// comes to the same bits.
    #[test]
    fn the_iltis_killed() {
        let whole = Folder::example("iltis");
        let o = lasting(whole.json(&HURRY));
        let random = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().subsec_nanos();
        let (lines, delay) =
            (1 + random as usize / 1000 % 5, Duration::from_micros(u64::from(random / 5000 % 100_000)));
        println!("killed {delay:?} after {lines} lines");
        let folder = Folder::example("iltis");
        let mut child = start(&folder, &HURRY, ILTIS, lines);
        std::thread::sleep(delay);
        child.kill().unwrap();
        child.wait().unwrap();
        let left = folder.read(ILTIS);
        assert!(left.ends_with('\n') && whole.read(ILTIS).starts_with(&left), "{left}");
        assert_eq!(lasting(folder.json(&[&HURRY[..], &["--resume"]].concat())), o);
        assert_eq!(folder.read(ILTIS), whole.read(ILTIS));
    }

    /// Ctrl-C ends after the evaluation under way, with the best design and how to go on.
    #[test]
    fn by_the_user() {
        let folder = balance();
        let child = balancing(&folder);
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let out = child.wait_with_output().unwrap();
        let (stdout, stderr) =
            (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
        assert_eq!(out.status.code(), Some(0), "{stderr}");
        assert!(stderr.contains("--resume goes on"), "{stderr}");
        let o: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(o["status"], "interrupted");
        assert!(o["objective"]["final"].as_f64() <= o["objective"]["initial"].as_f64());
        assert_eq!(lasting(folder.json(&optimize(&[&SLOW[..], &["--resume"]].concat()))), whole());
    }
}
