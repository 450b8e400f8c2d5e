//! Mutated lines of histories: what is read as a record writes and reads the same.

use gradyn::optimize::history::{line, record};
use gradyn_testkit::fuzz::{self, Case, Corpus, Fate};
use std::ops::Range;
use std::sync::LazyLock;

const LINES: [&str; 3] = [
    r#"{"evaluation":1,"start":0,"x":[1.0,2.5],"value":3.5e-7,"gradient":[0.1,-2.0],"constraints":[1.0],
        "jacobian":[3.0,4.0]}"#,
    r#"{"evaluation":2,"start":1,"x":[1.0,-2.5],"failed":"step 3 at t = 0.1 s"}"#,
    r#"{"evaluation":3,"start":0,"x":[1.0],"residuals":[0.5,0.25],"slopes":[1.0,2.0],"constraints":[],
        "jacobian":[]}"#,
];

fn case(case: &mut Case) -> Fate {
    static WORDS: LazyLock<Corpus> = LazyLock::new(|| Corpus::new(LINES.into_iter()));
    // line
    let r = &mut case.random;
    let input = WORDS.mutated(LINES[r.below(LINES.len())], r);
    case.set(input);

    // record, and what becomes of it when it is written
    let Some(read) = record(&case.input) else { return Ok("refused") };
    let again = record(&line(1, &read)).ok_or("a record that is not read again")?;
    let same = format!("{read:?}") == format!("{again:?}");
    if same { Ok("read") } else { Err(format!("{read:?} becomes {again:?}")) }
}

pub(super) fn check(cases: Range<u64>) {
    let counts = fuzz::check("history", cases, case);
    assert!(counts.of("read") > 0 && counts.of("refused") > 0);
}
