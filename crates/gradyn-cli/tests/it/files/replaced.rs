//! Nothing that exists is replaced without being asked, and what a command reads is not replaced at all.

use super::{BALANCE, HISTORY, balance, left, refused};
use crate::common::Folder;

/// Every command refuses a file that exists, before it works, and replaces it by `--overwrite`.
#[test]
fn files_that_exist_stay() {
    for (args, files) in [
        (&["simulate", BALANCE, "--out", "a.csv"][..], &["a.csv"][..]),
        (&["simulate", BALANCE, "--out", "a.json"], &["a.json"]),
        (&["gradient", BALANCE, "--out", "a.csv"], &["a.csv", "a.initial.csv"]),
        (&["gradient", BALANCE, "--out", "a.csv", "--sensitivity", "discrete-direct"], &["a.csv"]),
        (&["example", "iltis", "--out", "a.toml"], &["a.toml"]),
        (&["sweep", BALANCE, "--vary", "L_s1=2,3", "--t-end=0.05", "--out", "a.csv"], &["a.csv"]),
        (
            &["optimize", BALANCE, "--max-evaluations", "2", "--write", "a.toml", "--out", "a.csv"],
            &["a.toml", "a.csv", "a.before.csv", HISTORY],
        ),
    ] {
        for file in files {
            let folder = balance();
            folder.write(file, "mine");
            refused(&folder, args, &format!("{file} exists"));
            assert_eq!(folder.read(file), "mine");
            folder.done(&[args, &["--overwrite"]].concat());
            assert_ne!(folder.read(file), "mine");
            assert_eq!(left(&folder), 0);
        }
    }
}

/// `--resume` replaces what the same command wrote before: without a history nothing was.
#[test]
fn resuming_nothing_replaces_nothing() {
    let folder = balance();
    let args = ["optimize", BALANCE, "--resume", "--out", "a.csv", "--max-evaluations", "2"];
    folder.write("a.csv", "mine");
    refused(&folder, &args, "a.csv exists");
    assert_eq!(folder.read("a.csv"), "mine");
    assert!(!folder.exists(HISTORY));
}

/// The model, the samples, the record and the history are not replaced by tables, by whatever name.
#[test]
fn what_is_read_stays() {
    let folder = balance();
    let json = serde_json::json!({
        "name": "fall", "body": {"m": {"mass": 1, "inertia": 1, "points": {"P": [0, 0]}}},
        "joint": {"j": {"type": "free", "between": ["ground.O", "m.P"]}}, "ground": {"points": {"O": [0, 0]}},
        "initial": {"position": {"m.P.x": 0, "m.P.y": 0, "m.angle": 0}, "velocity": "rest"},
        "study": {"t_end": 0.1},
    });
    folder.write("m.json", &json.to_string());
    let why = "is another file of this command: it is not replaced";
    refused(&folder, &["simulate", "m.json", "--out", "m.json", "--overwrite"], why);
    refused(&folder, &["simulate", "m.json", "--out", "./m.json", "--overwrite"], why);
    assert_eq!(folder.read("m.json"), json.to_string());
    folder.write("s.csv", "L_s1\n2\n");
    let sweep = ["sweep", BALANCE, "--samples", "s.csv", "--t-end=0.05", "--out"];
    refused(&folder, &[&sweep[..], &["s.csv", "--overwrite"]].concat(), why);
    refused(&folder, &[&sweep[..], &["s.csv", "--resume"]].concat(), why);
    assert_eq!(folder.read("s.csv"), "L_s1\n2\n");
    let twice = "would be written twice, or is the model";
    refused(&folder, &["optimize", BALANCE, "--history", &format!("./{BALANCE}"), "--overwrite"], twice);
    // the model may be written anew, if that is asked for
    let model = folder.read(BALANCE);
    refused(&folder, &["optimize", BALANCE, "--write", BALANCE], "exists");
    refused(&folder, &["optimize", BALANCE, "--write", BALANCE, "--resume"], "exists");
    assert_eq!(folder.read(BALANCE), model);
    folder.done(&["optimize", BALANCE, "--write", BALANCE, "--overwrite"]);
    assert_ne!(folder.read(BALANCE), model);
}

/// The record of a fit is not replaced by a table, whose name may be that of the record by chance.
#[test]
fn a_record_stays() {
    let folder = Folder::example("five_bar_identification");
    let file = "five_bar_identification.toml";
    let text = folder.read(file);
    let at = text.find("rows    = [").unwrap();
    let rows = text[at..].lines().filter_map(|l| l.strip_prefix("    [")?.strip_suffix("],"));
    let csv = rows.fold("t,x,y,angle\n".to_owned(), |csv, row| csv + row + "\n");
    folder.write("measured.csv", &csv);
    folder.write(file, &format!("{}record  = \"measured.csv\"\n", &text[..at]));
    for flag in ["--out", "--write"] {
        let args = ["optimize", file, flag, "measured.csv", "--overwrite"];
        refused(&folder, &args, "is another file of this command: it is not replaced");
    }
    assert_eq!(folder.read("measured.csv"), csv);
}

/// `--overwrite` begins a history anew, unless another run writes it.
#[test]
fn a_history_begins_anew() {
    let folder = balance();
    folder.done(&["optimize", BALANCE]);
    let history = folder.read(HISTORY);
    folder.done(&["optimize", BALANCE, "--overwrite", "--max-evaluations", "2"]);
    assert!(history.starts_with(&folder.read(HISTORY)) && history != folder.read(HISTORY));
    let file = std::fs::OpenOptions::new().append(true).open(folder.path().join(HISTORY)).unwrap();
    file.lock().unwrap();
    refused(&folder, &["optimize", BALANCE, "--overwrite"], "is being written by another run");
}

/// Links stay links, permissions stay, and files that are read only are not replaced.
#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = balance();
    let path = |name: &str| folder.path().join(name);
    let simulate = ["simulate", BALANCE, "--overwrite", "--out"];
    folder.write("real.csv", "mine");
    std::fs::set_permissions(path("real.csv"), std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real.csv", path("link.csv")).unwrap();
    folder.done(&[&simulate[..], &["link.csv"]].concat());
    assert!(std::fs::symlink_metadata(path("link.csv")).unwrap().is_symlink());
    assert_eq!(folder.read("real.csv"), folder.read("link.csv"));
    assert!(folder.read("real.csv").starts_with("t,"));
    assert_eq!(std::fs::metadata(path("real.csv")).unwrap().permissions().mode() & 0o777, 0o640);
    std::fs::set_permissions(path("real.csv"), std::fs::Permissions::from_mode(0o444)).unwrap();
    refused(&folder, &[&simulate[..], &["real.csv"]].concat(), "cannot be written");
}

/// Scenarios do not lead tables into other folders.
#[test]
fn scenarios_stay_in_the_folder() {
    let folder = balance();
    let text = folder
        .read(BALANCE)
        .replace("minimise = \"psi\"", "minimise = \"psi\"\nscenario = { \"../../out\" = { set = { } } }");
    folder.write(BALANCE, &text);
    refused(&folder, &["optimize", BALANCE, "--out", "o.csv"], "its table would be in another folder");
}
