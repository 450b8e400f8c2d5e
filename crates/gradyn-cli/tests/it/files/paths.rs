//! Records and samples are plain files below the folder of the model.

use super::{BALANCE, balance, message, refused};
use crate::common::Folder;

const FIT: &str = "five_bar_identification.toml";

/// A model in a folder of its own that fits a record at some path.
fn fit(record: &str) -> (Folder, String) {
    let folder = Folder::example("five_bar_identification");
    let text = folder.read(FIT);
    let at = text.find("rows    = [").unwrap();
    let rows = text[at..].lines().filter_map(|l| l.strip_prefix("    [")?.strip_suffix("],"));
    let csv = rows.fold("t,x,y,angle\n".to_owned(), |csv, row| csv + row + "\n");
    std::fs::create_dir_all(folder.path().join("models/data")).unwrap();
    folder.write("models/fit.toml", &format!("{}record  = \"{record}\"\n", &text[..at]));
    folder.write("models/data/measured.csv", &csv);
    folder.write("measured.csv", &csv);
    (folder, csv)
}

/// A record is below the folder of the model, also through links, unless other folders are allowed.
#[test]
fn records() {
    let check = ["check", "models/fit.toml"];
    let outside = "it is not below the folder of the model";
    fit("data/measured.csv").0.done(&check);
    for record in ["../measured.csv", "/etc/passwd", "data/../../measured.csv"] {
        let (folder, _) = fit(record);
        refused(&folder, &check, outside);
        refused(&folder, &["optimize", "models/fit.toml"], outside);
    }
    let (folder, _) = fit("../measured.csv");
    folder.done(&["check", "models/fit.toml", "--allow-path"]);
    folder.done(&["optimize", "models/fit.toml", "--allow-path", "--max-evaluations", "1"]);
    #[cfg(unix)]
    {
        let (folder, _) = fit("data/link.csv");
        std::os::unix::fs::symlink("../../measured.csv", folder.path().join("models/data/link.csv")).unwrap();
        refused(&folder, &check, outside);
        folder.done(&["check", "models/fit.toml", "--allow-path"]);
    }
}

/// What is no plain file is not read, nor one that is too large.
#[test]
fn special_and_large_files() {
    let (folder, _) = fit("data/measured.csv");
    let measured = folder.path().join("models/data/measured.csv");
    let file = std::fs::File::create(&measured).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    refused(&folder, &["check", "models/fit.toml"], "it has more than 67108864 bytes");
    std::fs::rename(&measured, folder.path().join("models/huge.toml")).unwrap();
    refused(&folder, &["check", "models/huge.toml"], "it has more than 67108864 bytes");
    std::fs::create_dir(&measured).unwrap();
    refused(&folder, &["check", "models/fit.toml"], "it is no plain file");
    #[cfg(target_os = "linux")]
    {
        let (folder, _) = fit("/dev/zero");
        refused(&folder, &["check", "models/fit.toml", "--allow-path"], "it is no plain file");
        refused(&folder, &["check", "/dev/zero"], "it has more than");
        let sweep = ["sweep", "models/fit.toml", "--allow-path", "--samples", "/dev/zero"];
        refused(&folder, &sweep, "it is no plain file");
    }
}

/// Samples too are below the folder of the model.
#[test]
fn samples() {
    let folder = balance();
    std::fs::create_dir(folder.path().join("models")).unwrap();
    folder.write("models/m.toml", &folder.read(BALANCE));
    folder.write("models/s.csv", "L_s1\n2\n");
    folder.write("s.csv", "L_s1\n2\n");
    let sweep = ["sweep", "models/m.toml", "--t-end=0.05", "--samples"];
    folder.done(&[&sweep[..], &["models/s.csv"]].concat());
    refused(&folder, &[&sweep[..], &["s.csv"]].concat(), "it is not below the folder of the model");
    folder.done(&[&sweep[..], &["s.csv", "--allow-path"]].concat());
}

/// Messages about a record or samples quote nothing of what they read.
#[test]
fn nothing_is_quoted() {
    let secret = "xyzzy";
    let quiet = |folder: &Folder, args: &[&str]| {
        let out = folder.run(args);
        assert_eq!(out.code, 2, "{}", out.stderr);
        assert!(!message(&out).contains(secret), "{}", message(&out));
    };
    let (folder, csv) = fit("data/measured.csv");
    for text in [
        format!("{secret}:x:0:0\n"),
        format!("t,x,y,{secret}\n0,1,2,3\n"),
        format!("t,x,y,angle,{secret},{secret}\n0,1,2,3,4,5\n"),
        csv.replace("0.4999", secret),
        format!("{csv}0.1,{secret},1,1\n"),
        format!("{csv}0.1,{secret}\n"),
    ] {
        folder.write("models/data/measured.csv", &text);
        quiet(&folder, &["check", "models/fit.toml"]);
    }
    let folder = balance();
    for text in [format!("{secret}\n1\n"), format!("L_s1\n{secret}\n"), format!("L_s1\n1,{secret}\n")] {
        folder.write("s.csv", &text);
        quiet(&folder, &["sweep", BALANCE, "--samples", "s.csv"]);
    }
}
