//! `gradyn verify`: the table, the object, exit codes.

use crate::common::Folder;
use serde_json::Value;

const SHORT: [&str; 6] = ["verify", "pendulum.toml", "--t-end", "0.3", "--step", "5 ms"];

/// Times, and what is rounding: numbers of derivatives of the same run, and distances below 1e-8.
fn stable(text: &str) -> String {
    let time = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.len() > 2 && ["ms", "s", "min"].contains(&words[words.len() - 1])
    };
    let without_time = |line: &str| {
        let cut = line.trim_end().rsplitn(3, ' ').last().unwrap_or("").trim_end();
        cut.trim_end_matches("; in").trim_end_matches(';').to_owned()
    };
    let shown = |line: &str| -> String {
        let line = if time(line) { without_time(line) } else { line.to_owned() };
        let words: Vec<&str> = line.split_whitespace().collect();
        let small =
            |w: &&str| w.split_once("e-").is_some_and(|(_, e)| e.parse::<u32>().is_ok_and(|e| e >= 9));
        match () {
            () if line.contains("known to") => "  known to …".into(),
            () if line.contains("same run") || (line.contains('✓') && words.iter().any(small)) => {
                format!("  {} … {}", words[..3].join(" "), words[words.len() - 2..].join(" "))
            }
            () => line.split("; largest distance").next().unwrap_or("").into(),
        }
    };
    text.lines().map(shown).map(|l| l.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

#[test]
fn table_of_the_pendulum() {
    let text = Folder::example("pendulum").done(&SHORT);
    assert!(
        text.lines().last().is_some_and(|l| l.starts_with("40 of 40 agree; largest distance ")),
        "{text}"
    );
    insta::assert_snapshot!(stable(&text));
}

/// The object has everything that the documentation names.
#[test]
fn object() {
    let o = Folder::example("pendulum").json(&[&SHORT[..], &["--budget", "2min"]].concat());
    let has = |v: &Value, keys: &[&str]| {
        keys.iter().for_each(|k| assert!(v.get(k).is_some(), "{k} is missing in {v}"))
    };
    has(&o, &["model", "parameters", "reference", "rows", "skipped", "summary", "seconds"]);
    has(&o["reference"], &["method", "steps", "objectives", "error", "certificate", "seconds"]);
    let row = &o["rows"][0];
    has(
        row,
        &[
            "section",
            "method",
            "verdict",
            "seconds",
            "objectives",
            "steps",
            "against",
            "distance",
            "order",
            "moved",
            "warnings",
        ],
    );
    has(&row["distance"], &["entry", "off", "expected", "ratio"]);
    assert_eq!(row["method"]["step"], 0.005);
    assert_eq!(o["summary"]["agrees"], o["summary"]["rows"]);
    assert!(o["summary"]["largest"]["ratio"].as_f64().is_some_and(|r| r < 10.0));
}

/// Every combination is in the table or in the list below it; nothing compared is no agreement.
#[test]
fn what_a_budget_skips_is_listed() {
    let out = Folder::example("pendulum").run(&[&SHORT[..], &["--full", "--budget", "1 ms"]].concat());
    assert_eq!(out.code, 1, "nothing is compared");
    let text = out.stdout;
    let skipped =
        text.lines().skip_while(|l| !l.starts_with("skipped")).filter(|l| l.starts_with("  ")).count();
    assert!(skipped > 300, "{text}");
    assert!(text.lines().last().is_some_and(|l| l.contains(&format!(", {skipped} skipped"))), "{text}");
}

#[test]
fn wrong_input_exits_with_2() {
    let folder = Folder::example("pendulum");
    for more in [
        &["--budget", "soon"][..],
        &["--budget", "0s"],
        &["--budget", "-5s"],
        &["--integrator", "euler"],
        &["--formulation", "maggi"],
    ] {
        let out = folder.run(&[&SHORT[..], more].concat());
        assert_eq!(out.code, 2, "{more:?}: {}", out.stderr);
        assert_eq!(out.stderr.matches("×").count(), 1, "{more:?}: {}", out.stderr);
    }
    let bare = "name = \"bare\"\nstudy.t_end = 1\n\
        body.bar.rod = { points = [\"A\", \"B\"], length = 1, mass = 2 }\n";
    assert_eq!(Folder::with("bare.toml", bare).run(&["verify", "bare.toml"]).code, 2);
}
