//! `gradyn sweep`: samples, tables, threads, resumption.

use crate::common::Folder;

const MODEL: &str = "five_bar_balance.toml";
const GRID: [&str; 7] = ["sweep", MODEL, "--vary", "L_s1=2:3:3", "--vary", "L_s2=1.5,2", "--t-end=0.1"];

fn balance() -> Folder {
    Folder::example("five_bar_balance")
}

/// The rows of a table, without its header.
fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().skip(1).map(|l| l.split(',').collect()).collect()
}

/// A grid in order, and each row is what `gradient` says.
#[test]
fn a_grid() {
    let folder = balance();
    let text = folder.done(&GRID);
    assert_eq!(text.lines().next().unwrap(), "L_s1,L_s2,psi,dpsi/dL_s1,dpsi/dL_s2,warnings,failed");
    let designs: Vec<[&str; 2]> = rows(&text).iter().map(|r| [r[0], r[1]]).collect();
    assert_eq!(designs, [["2", "1.5"], ["2", "2"], ["2.5", "1.5"], ["2.5", "2"], ["3", "1.5"], ["3", "2"]]);
    let o = folder.json(&["gradient", MODEL, "--t-end=0.1", "--set", "L_s1=2.5", "--set", "L_s2=2"]);
    let exact = &o["objectives"][0];
    let row: Vec<f64> = rows(&text)[3][2..5].iter().map(|x| x.parse().unwrap()).collect();
    let exact = [&exact["value"], &exact["gradient"]["L_s1"], &exact["gradient"]["L_s2"]]
        .map(|x| x.as_f64().unwrap());
    crate::common::assert_close(&row, &exact, 1e-10, "the fourth row");
}

/// One thread, two threads, and a table that was cut anywhere: the same bytes.
#[test]
fn the_same_bytes_always() {
    let folder = balance();
    let run = |out: &str, more: &[&str]| folder.done(&[&GRID[..], &["--out", out], more].concat());
    run("one.csv", &["--threads", "1"]);
    run("two.csv", &["--threads", "2"]);
    let whole = folder.read("one.csv");
    assert_eq!(whole, folder.read("two.csv"));
    for (k, cut) in (0..whole.len()).step_by(97).chain([whole.len()]).enumerate() {
        let name = format!("cut{k}.csv");
        folder.write(&name, &whole[..cut]);
        run(&name, &["--resume"]);
        assert_eq!(folder.read(&name), whole, "cut at byte {cut}");
    }
}

/// Random samples lie in their ranges, one in each part of them, and depend on the seed.
#[test]
fn random_samples() {
    let folder = balance();
    let run = |seed: &str| {
        folder.done(&["sweep", MODEL, "--vary", "L_s2=1:2", "--random", "10", "--seed", seed, "--t-end=0.01"])
    };
    let text = run("7");
    let mut parts: Vec<usize> =
        rows(&text).iter().map(|r| ((r[1].parse::<f64>().unwrap() - 1.0) * 10.0) as usize).collect();
    parts.sort_unstable();
    assert_eq!(parts, (0..10).collect::<Vec<_>>());
    assert_eq!(text, run("7"));
    assert_ne!(text, run("8"));
}

/// Samples of a file; a design that cannot be simulated has a reason.
#[test]
fn samples_of_a_file() {
    let folder = Folder::example("five_bar");
    folder.write("list.csv", "\u{feff}L_A1\n1.5\n9\n");
    let text = folder.done(&["sweep", "five_bar.toml", "--samples", "list.csv", "--t-end=0.01"]);
    let list = rows(&text);
    assert_eq!((list.len(), list[0].last().unwrap().len()), (2, 0));
    assert!(list[1].last().unwrap().len() > 10, "{text}");
}

#[test]
fn wrong_sweeps_are_refused() {
    let folder = balance();
    folder.done(&[&GRID[..], &["--out", "table.csv"]].concat());
    let refused = |args: &[&str], message: &str| {
        let out = folder.run(&[&["sweep", MODEL], args].concat());
        assert_eq!(out.code, 2, "{}", out.stderr);
        let line = out.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(line.contains(message), "{line}");
    };
    refused(&[], "--vary");
    refused(&["--vary", "L=1:2:3"], "there is no parameter `L`");
    refused(&["--vary", "L_s1=1:2"], "no grid");
    refused(&["--vary", "L_s1=1:2,3"], "a range or a list?");
    refused(&["--vary", "L_s1=1:2:3", "--out", "table.json"], "unknown kind of file");
    folder.write("twice.csv", "L_s1,L_s1\n1,2\n");
    refused(&["--samples", "twice.csv"], "the column `L_s1` is there twice");
    folder.write("empty.csv", "L_s1\n");
    refused(&["--samples", "empty.csv"], "has no samples");
    refused(&["--vary", "L_s1=1:2:3", "--vary", "L_s1=1,2"], "twice");
    refused(&["--vary", "L_s1=1:2:3", "--random", "4"], "no range");
    refused(&["--vary", "L_s1=1,2", "--out", "table.csv"], "table.csv exists");
    refused(&["--vary", "L_s1=1,2", "--out", "table.csv", "--resume"], "table of another sweep");
    refused(&["--samples", "none.csv"], "cannot be read");
}

/// A Parquet file has what the .csv has, numbers to the bit; without the feature it is refused.
#[test]
fn a_parquet_file() {
    let folder = balance();
    let out = folder.run(&[&GRID[..], &["--out", "t.parquet"]].concat());
    #[cfg(not(feature = "parquet"))]
    assert!(out.shown().contains("without Parquet"), "{}", out.shown());
    #[cfg(feature = "parquet")]
    {
        use parquet::file::reader::{FileReader, SerializedFileReader};
        let _ = out;
        let text = folder.done(&GRID);
        let file =
            SerializedFileReader::new(std::fs::File::open(folder.path().join("t.parquet")).unwrap()).unwrap();
        let names: Vec<String> =
            file.metadata().file_metadata().schema().get_fields().iter().map(|f| f.name().into()).collect();
        assert_eq!(names.join(","), text.lines().next().unwrap());
        let read = |row: parquet::record::Row| -> Vec<String> {
            let cell = |f: &parquet::record::Field| {
                if let parquet::record::Field::Double(x) = f { x.to_string() } else { String::new() }
            };
            row.get_column_iter().map(|(_, f)| cell(f)).collect()
        };
        let found: Vec<Vec<String>> = file.get_row_iter(None).unwrap().map(|r| read(r.unwrap())).collect();
        assert_eq!(found, rows(&text));
        assert!(!folder.exists("t.parquet.csv"));
    }
}
