//! Damaged histories and tables.

use super::{BALANCE, HISTORY, balance, refused};
use crate::common::Folder;

const TABLE: &str = "table.csv";
const OPTIMIZE: [&str; 3] = ["optimize", BALANCE, "--resume"];
const SWEEP: [&str; 7] = ["sweep", BALANCE, "--vary", "L_s1=2:3:3", "--t-end=0.1", "--out", TABLE];

/// A finished history, and a finished table.
fn finished() -> Folder {
    let folder = balance();
    folder.done(&OPTIMIZE[..2]);
    folder.done(&SWEEP);
    folder
}

fn resumed() -> Vec<&'static str> {
    [&SWEEP[..], &["--resume"]].concat()
}

/// The lines of a text without the checksums that they end with.
fn bare(text: &str) -> String {
    let line = |line: &str| match line.rsplit_once(",\"check\":\"") {
        Some((open, _)) => format!("{open}}}\n"),
        None => format!("{}\n", line.rsplit_once(',').unwrap().0),
    };
    text.lines().map(line).collect()
}

/// What a command says about each of some texts of a file.
fn each(folder: &Folder, file: &str, args: &[&str], texts: impl Iterator<Item = (Vec<u8>, String)>) {
    for (text, why) in texts {
        std::fs::write(folder.path().join(file), &text).unwrap();
        refused(folder, args, &why);
        assert_eq!(std::fs::read(folder.path().join(file)).unwrap(), text, "the file stays as it is");
    }
}

/// A changed byte is found in its line, wherever it is; only at the very end of the file it makes half a
/// line, which is evaluated again.
fn changed_bytes(step: usize) {
    let folder = finished();
    for (file, args) in [(HISTORY, OPTIMIZE.to_vec()), (TABLE, resumed())] {
        let text = folder.read(file).into_bytes();
        let changed = |at: usize, by: u8| {
            let mut new = text.clone();
            new[at] ^= by;
            let line = 1 + text[..at].iter().filter(|b| **b == b'\n').count();
            let first = line == 1 && file == TABLE;
            (new, if first { "table".into() } else { format!("{file}, line {line}: ") })
        };
        let places = (0..text.len() - 1).step_by(step);
        each(&folder, file, &args, places.map(|at| changed(at, [1, 0x80, 0x20][at % 3])));
        let ends = (1..text.len() - 1).filter(|at| text[*at] == b'\n' || text[at - 1] == b'\n');
        each(&folder, file, &args, ends.map(|at| changed(at, 2)));
    }
}

#[test]
fn a_changed_byte_is_found() {
    changed_bytes(211);
}

#[test]
#[ignore = "all"]
fn every_changed_byte_is_found() {
    changed_bytes(3);
}

/// Rows that were swapped, repeated, lost or taken from another run are found where the order breaks.
#[test]
fn lines_elsewhere_are_found() {
    let folder = finished();
    for (file, args) in [(HISTORY, OPTIMIZE.to_vec()), (TABLE, resumed())] {
        let text = folder.read(file);
        let lines: Vec<&str> = text.lines().collect();
        let with = |order: &[usize]| -> Vec<u8> {
            order.iter().map(|k| format!("{}\n", lines[*k])).collect::<String>().into_bytes()
        };
        let orders = [
            (with(&[0, 2, 1, 3]), 2),
            (with(&[0, 1, 1, 2, 3]), 3),
            (with(&[0, 1, 3]), 3),
            (with(&[0, 2]), 2),
        ];
        let why = |line: usize| format!("{file}, line {line}: it was changed, or lines were put elsewhere");
        each(&folder, file, &args, orders.into_iter().map(|(text, line)| (text, why(line))));
        let without = text.replacen(lines[2], bare(lines[2]).trim_end(), 1);
        let why = format!("{file}, line 3: it has no checksum");
        each(&folder, file, &args, [(without.into_bytes(), why)].into_iter());
    }
}

/// Records beyond the end of a run are named, and stay.
#[test]
fn records_beyond_the_end_are_found() {
    let folder = finished();
    let history = folder.read(HISTORY);
    refused(
        &folder,
        &[&OPTIMIZE[..], &["--max-evaluations", "3"]].concat(),
        "evaluation 4 of the history, of 7, is beyond the end of the run, which is evaluation-limit after \
         evaluation 3",
    );
    assert_eq!(folder.read(HISTORY), history);
    let short = ["sweep", BALANCE, "--vary", "L_s1=2,2.5", "--t-end=0.1", "--out", TABLE, "--resume"];
    refused(&folder, &short, "line 4 is beyond its end, which is after 2 rows");
}

/// Files without checksums are read, and go on without them to the same numbers.
#[test]
fn old_files_are_read() {
    let folder = finished();
    let history = folder.read(HISTORY);
    let table = folder.read(TABLE);
    let old = bare(&history);
    let lines: Vec<&str> = old.lines().collect();
    folder.write(HISTORY, &format!("{}\n{}", lines[..3].join("\n"), &lines[3][..20]));
    let o = folder.json(&OPTIMIZE);
    assert_eq!(o["statistics"]["evaluations_of_history"], 2);
    assert_eq!(folder.read(HISTORY), old);
    let old = bare(&table);
    let names = old.lines().next().unwrap();
    assert!(names.ends_with(",failed"), "{names}");
    folder.write(TABLE, &old.lines().take(2).map(|l| format!("{l}\n")).collect::<String>());
    folder.done(&resumed());
    assert_eq!(folder.read(TABLE), old);
}

/// The last record is evaluated again, which finds what no checksum can.
#[test]
fn the_last_record_is_evaluated_again() {
    let folder = finished();
    let old = bare(&folder.read(HISTORY));
    let at = old.rfind("\"value\":").unwrap() + 8;
    folder.write(HISTORY, &format!("{}1{}", &old[..at], &old[at..]));
    refused(&folder, &OPTIMIZE, "evaluation 7 of the history has other numbers now");
    let old = bare(&folder.read(TABLE));
    let cut = old.trim_end().rfind('\n').unwrap() + 1;
    let last = old[cut..].replacen(",", ",1", 2);
    folder.write(TABLE, &format!("{}{last}", &old[..cut]));
    refused(&folder, &resumed(), "line 4 has another sample or other numbers now");
}

/// A table is that of one model with one method.
#[test]
fn the_table_of_another_model_is_refused() {
    let folder = finished();
    let changed = "the model, its method or what is set of it has changed since";
    refused(&folder, &[&resumed()[..], &["--set", "L_s2=2"]].concat(), changed);
    refused(&folder, &[&resumed()[..], &["--integrator", "hht"]].concat(), changed);
    let model = folder.read(BALANCE);
    folder.write(BALANCE, &format!("{model}# a remark\n"));
    refused(&folder, &resumed(), changed);
    folder.write(BALANCE, &model);
    assert!(folder.run(&resumed()).stderr.contains("3 rows in table.csv, 0 of them new"));
}
