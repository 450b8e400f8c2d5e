//! What the command says of its flags and of files that do not fit. What it says of models is in `errors` and
//! in the messages of the library.

use crate::common::Folder;

/// A swing with a study.
const SWING: &str = r#"name = "swing"
parameters.m = { value = 2, min = 1, max = 3 }
parameters.L = { value = 1, min = 0.5, max = 2 }
ground.points = { O = [0, 0], W = [2, 0] }
body.bar = { rod = { points = ["A", "B"], length = "L", mass = "m" } }
joint.pin = { type = "revolute", between = ["ground.O", "bar.A"] }
force.s = { type = "spring-damper", between = ["bar.B", "ground.W"], stiffness = 50, length = 1 }
initial = { position = { "bar.angle" = "-60 deg" }, velocity = "rest" }
objective.sway = { integral = "bar.B.x^2" }
output.x = "bar.B.x"
study.t_end = 0.1
study.method = { formulation = "index1", integrator = "newmark", step = "5 ms" }
"#;

const MINIMISED: &str = "study.optimize = { minimise = \"sway\", options = { max_evaluations = 3 } }\n";
const FITTED: &str = "study.optimize.fit = { record = \"r.csv\", columns = { x = {} } }\n";

/// What commands say that must fail, one below the other.
fn said(folder: &Folder, commands: &[&[&str]]) -> String {
    let one = |args: &&[&str]| {
        let out = folder.run(args);
        assert_ne!(out.code, 0, "{}\n{}", out.command, out.stdout);
        out.shown() + "\n\n"
    };
    commands.iter().map(one).collect()
}

#[test]
fn flags() {
    let folder = Folder::with("m.toml", &format!("{SWING}{MINIMISED}"));
    folder.write("twice.csv", "m,m\n1,2\n");
    folder.write("short.csv", "m,L\n1.5\n");
    folder.write("empty.csv", "m,L\n");
    let sweep = ["sweep", "m.toml", "--vary", "m=1:2:2"];
    insta::assert_snapshot!(said(
        &folder,
        &[
            &[&sweep[..], &["--json"]].concat(),
            &[&sweep[..], &["--vary", "m=1,2"]].concat(),
            &["sweep", "m.toml", "--vary", "m=1:2:1e6", "--vary", "L=1:2:1e6"],
            &["sweep", "m.toml", "--vary", "m=0:2:3"],
            &["sweep", "m.toml", "--vary", "m=1:2,3"],
            &["sweep", "m.toml", "--vary", "m=1,2", "--random", "3"],
            &["sweep", "m.toml", "--samples", "twice.csv"],
            &["sweep", "m.toml", "--samples", "short.csv"],
            &["sweep", "m.toml", "--samples", "empty.csv"],
            &["optimize", "m.toml", "--seed", "3"],
            &["optimize", "m.toml", "--sampling", "halton", "--starts", "2"],
            &["optimize", "m.toml", "--optimizer", "gauss-newton"],
            &["optimize", "m.toml", "--history", "m.toml", "--overwrite"],
            &["verify", "m.toml", "--budget", "soon"],
            &["check", "m.toml", "--set", "m"],
            &["simulate", "m.toml", "--step", "-1"],
            &["simulate", "m.toml", "--output-step", "1e-12"],
            &["simulate", "m.toml", "--rtol", "2", "--integrator", "dopri5"],
        ]
    ));
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet() {
    let folder = Folder::with("m.toml", SWING);
    insta::assert_snapshot!(said(
        &folder,
        &[&["sweep", "m.toml", "--vary", "m=1:2:2", "--out", "t.parquet"]]
    ));
}

/// Files of something else, of another run, or damaged.
#[test]
fn files() {
    let folder = Folder::with("m.toml", &format!("{SWING}{MINIMISED}"));
    std::fs::write(folder.path().join("bytes.toml"), b"name = \xff").unwrap();
    let optimize = ["optimize", "m.toml", "--history", "h.jsonl"];
    let again = [&optimize[..], &["--resume"]].concat();
    let sweep = ["sweep", "m.toml", "--vary", "m=1:2:2", "--out", "t.csv"];
    let resumed = [&sweep[..], &["--resume"]].concat();
    folder.done(&optimize);
    folder.done(&sweep);
    // each file is changed, seen, and put back
    let history = std::fs::read(folder.path().join("h.jsonl")).unwrap();
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let mut out = said(
        &folder,
        &[
            &["check", "bytes.toml"],
            &[&again[..], &["--option", "xi=0.5"]].concat(),
            &[&resumed[..], &["--set", "L=1.5"]].concat(),
            &["sweep", "m.toml", "--vary", "m=1:2:2", "--out", "notes.txt"],
        ],
    );
    put("h.jsonl", &[&history[..40], b"\xff", &history[41..]].concat());
    out += &said(&folder, &[&again]);
    put("h.jsonl", &[&history[..40], b"?", &history[41..]].concat());
    out += &said(&folder, &[&again]);
    put("h.jsonl", b"notes of mine, without an end of the line");
    out += &said(&folder, &[&again]);
    put("h.jsonl", b"notes of mine\n");
    out += &said(&folder, &[&again]);
    put("h.jsonl", &history);
    folder.write("m.toml", &format!("{SWING}{MINIMISED}# a remark\n"));
    out += &said(&folder, &[&again]);
    // lines of JSON that are no evaluations
    let first = history.iter().position(|b| *b == b'\n').unwrap();
    let head = String::from_utf8(history[..first].to_vec()).unwrap();
    let bare = head.rsplit_once(",\"check\"").unwrap().0;
    folder.write("m.toml", &format!("{SWING}{MINIMISED}"));
    put("h.jsonl", format!("{bare}}}\n{{\"evaluation\":1}}\n").as_bytes());
    out += &said(&folder, &[&again]);
    insta::assert_snapshot!(out);
}

/// The history of a fit belongs to its record.
#[test]
fn records() {
    let folder = Folder::with("m.toml", &format!("{SWING}{FITTED}"));
    let optimize = ["optimize", "m.toml", "--history", "h.jsonl"];
    folder.write("r.csv", "t,x\n0,0.5\n0.05,0.6\n0.1,0.7\n");
    folder.run(&optimize);
    folder.write("r.csv", "t,x\n0,0.5\n0.05,0.6\n0.1,0.8\n");
    let mut out = said(&folder, &[&[&optimize[..], &["--resume"]].concat()]);
    for wrong in ["x\n0\n", "t,y\n0,1\n", "t,x,x\n0,1,1\n", "t,x\n0\n", "t,x\n0,one\n", "t,x\n0,nan\n"] {
        folder.write("r.csv", wrong);
        out += &said(&folder, &[&["check", "m.toml"]]);
    }
    insta::assert_snapshot!(out);
}
