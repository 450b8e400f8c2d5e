//! `gradyn optimize`: results, histories, interruptions, written models.

mod common;
use common::{Folder, csv, values};
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
    for part in ["optimal", "L_s1", "2.431923574", &format!("{evaluations} evaluations, {evaluations} from the history")] {
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
    let expected = old.replace("\"sqrt(5)\"", &format!("{l1:?}")).replace("\"sqrt(4.25)\"", &format!("{l2:?}"));
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
    refused(&["--resume", "--history", MODEL], "is not the history of an optimisation");
    folder.write("note", "one line");
    refused(&["--resume", "--history", "note"], "note is something else");
    assert_eq!(folder.read("note"), "one line");
    refused(&["--history", "none/h.jsonl"], "there is no directory none");
    refused(&["--write", "none/m.toml", "--resume"], "there is no directory none");
    refused(&["--optimizer", "lbfgs"], "there is no optimizer `lbfgs`");
    folder.write(MODEL, &text.replace("scale = 1 }  # free length of spring 2", "scale = 2 }  # free length of spring 2"));
    refused(&["--resume"], "the model file has changed since");
    folder.write(MODEL, &text);
    let history = folder.read(HISTORY);
    folder.write(HISTORY, &history.replacen("\"gradient\"", "\"gardient\"", 1));
    refused(&["--resume"], "line 2: this is no evaluation");
}

/// A start that cannot be assembled is an error of the model, with its place.
#[test]
fn a_start_that_fails_is_an_error() {
    let folder = balance();
    let text = folder.read(MODEL).replace("t_end  = 1\n", "t_end  = 1\nbreaks = [0.5]\n");
    let text = text.replace("stiffness = 100, length = \"L_s1\"", "stiffness = \"100/(t - 0.25)\", length = \"L_s1\"");
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
        insta::assert_snapshot!("unknown_objective", out.shown().lines().skip(1).collect::<Vec<_>>().join("\n"));
    }
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
        command.current_dir(folder.path()).args(args).arg("--json").stdout(Stdio::piped()).stderr(Stdio::piped());
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

    /// The Iltis, killed at a random moment of a random evaluation: every line is a whole one, and the rest comes to the same bits.
    #[test]
    fn the_iltis_killed() {
        let whole = Folder::example("iltis");
        let o = lasting(whole.json(&HURRY));
        let random = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().subsec_nanos();
        let (lines, delay) = (1 + random as usize / 1000 % 5, Duration::from_micros(u64::from(random / 5000 % 100_000)));
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
        let (stdout, stderr) = (String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap());
        assert_eq!(out.status.code(), Some(0), "{stderr}");
        assert!(stderr.contains("--resume goes on"), "{stderr}");
        let o: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!(o["status"], "interrupted");
        assert!(o["objective"]["final"].as_f64() <= o["objective"]["initial"].as_f64());
        assert_eq!(lasting(folder.json(&optimize(&[&SLOW[..], &["--resume"]].concat()))), whole());
    }
}
