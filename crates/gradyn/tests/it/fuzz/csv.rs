//! Mutated records of a fit.

use gradyn::file::{Fit, Measured};
use gradyn::optimize::Measured as Record;
use gradyn_testkit::fuzz::{self, Case, Corpus, Fate, bytes_mutated};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const RECORD: &str = "t,x,y\n0,0.1,0.2\n0.1,0.12,0.19\n0.2,-1e-3,0.18\n\n0.3,1E5,\"0.17\"\n";

/// A folder of this process.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("gradyn-fuzz-csv-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn case(case: &mut Case, folder: &Path) -> Fate {
    static WORDS: LazyLock<Corpus> =
        LazyLock::new(|| Corpus::new([RECORD, "t,y,z\nnan,inf,1e999"].into_iter()));
    // record = mutated text, or mutated bytes
    let r = &mut case.random;
    let bytes =
        if r.below(3) == 0 { bytes_mutated(RECORD.as_bytes(), r) } else { WORDS.mutated(RECORD, r).into() };
    case.set(String::from_utf8_lossy(&bytes).into_owned());
    std::fs::write(folder.join("r.csv"), &bytes).map_err(|e| e.to_string())?;

    // its times and values
    let columns = vec![("x".into(), 1.0), ("y".into(), 1.0)];
    let fit = Fit { record: Measured::File("r.csv".into()), place: None, columns };
    match Record::new(&fit, folder, false) {
        Err(e) if e.message.contains("r.csv") || e.message.contains("row ") => Ok("refused"),
        Err(e) => Err(format!("an error without the file or its row: {e}")),
        Ok(record) => {
            let ordered = record.times.windows(2).all(|t| t[0] <= t[1]);
            let full = record.values.iter().all(|v| v.len() == 2 && v.iter().all(|x| x.is_finite()));
            if ordered && full { Ok("read") } else { Err("a record that is none".into()) }
        }
    }
}

pub(super) fn check(cases: Range<u64>) {
    let folder = Folder::new();
    let counts = fuzz::check("csv", cases, move |c| case(c, &folder.0));
    assert!(counts.of("read") > 0 && counts.of("refused") > 0);
}
