//! `gradyn sweep`.

mod parquet;
mod samples;

use crate::args::SweepArgs;
use crate::diagnostic::Failure;
use crate::lines::Lines;
use crate::loaded::Loaded;
use crate::output;
use crate::progress::Progress;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Samples that a thread takes before the table grows.
const SHARE: usize = 4;

/// `gradyn sweep`.
pub(crate) fn sweep(a: &SweepArgs) -> Result<(), Failure> {
    // what can be refused before the first run
    if a.model.json {
        let message = "a sweep is a table: there is no --json";
        return Err(Failure::command(message, "leave it out; --out FILE writes the table"));
    }
    let (grows, packed) = a.out.as_deref().map_or(Ok((None, false)), destination)?;
    let mut l = Loaded::new(&a.model)?;
    l.times()?;
    let method = l.method(&a.method)?;
    let sensitivity = l.sensitivity(a.sensitivity.as_deref(), a.model.quiet)?;
    // samples, and row = the line of one of them
    let samples = samples::samples(a, &l.prepared)?;
    let columns = columns(&l);
    let row = |rho: &Vec<f64>| {
        let design = l.prepared.at_on_branch(rho).and_then(|p| p.design(&method, sensitivity));
        row(rho, design.map_err(|e| e.to_string()), columns.len())
    };
    // threads; table = the file, continued where it ends
    let pool = rayon::ThreadPoolBuilder::new().num_threads(a.threads.unwrap_or(0) as usize).build();
    let pool = pool.map_err(|e| Failure::command(format!("there are no threads: {e}"), ""))?;
    let mut table = Table::open(grows.as_deref(), &columns, a.resume, |old| samples.get(old).map(row))?;
    let total = samples.len();
    let old = table.rows;
    let mut progress = Progress::new(0.0, 1.0, a.model.quiet);
    // rows in the order of the samples, share by share
    for share in samples[old..].chunks(SHARE * pool.current_num_threads()) {
        progress.part(table.rows, total, "samples");
        let rows: Vec<String> = pool.install(|| share.par_iter().map(row).collect());
        rows.iter().try_for_each(|row| table.append(row))?;
    }
    progress.finish();
    drop(table);
    a.out.as_deref().filter(|_| packed).map_or(Ok(()), parquet::finish)?;
    if let (Some(path), false) = (&a.out, a.model.quiet) {
        crate::output::complain(&format!("{total} rows in {}, {} of them new", path.display(), total - old));
    }
    Ok(())
}

/// The table that grows, and whether it becomes a Parquet file in the end.
fn destination(out: &Path) -> Result<(Option<PathBuf>, bool), Failure> {
    output::check_folder(out)?;
    if parquet::asked(out)? {
        if out.exists() {
            return Err(Failure::command(
                format!("{} exists", out.display()),
                "give another file by --out, or delete it",
            ));
        }
        return Ok((Some(parquet::growing(out)), true));
    }
    if out.extension().is_none_or(|e| e != "csv") {
        return Err(Failure::command(
            format!("{}: unknown kind of file", out.display()),
            "use a name that ends in .csv or .parquet",
        ));
    }
    Ok((Some(out.to_owned()), false))
}

/// Where rows go: a file, or the screen.
struct Table {
    lines: Option<Lines>,
    /// Rows that it has.
    rows: usize,
}

impl Table {
    /// A new table, or one to go on with: `again` computes its last row once more, and the last one that did
    /// not fail; they must come out the same.
    fn open(
        path: Option<&Path>,
        columns: &[String],
        resume: bool,
        again: impl Fn(usize) -> Option<String>,
    ) -> Result<Self, Failure> {
        // header, alone where the table goes to standard output
        let header = columns.iter().map(|c| output::cell(c)).collect::<Vec<_>>().join(",");
        let Some(path) = path else {
            output::say(&(header + "\n"));
            return Ok(Self { lines: None, rows: 0 });
        };
        // sound = the last row that succeeded: it and the last row are computed again
        let mut lines = Lines::read(path, resume, "--out")?;
        let rows = lines.old.len().saturating_sub(1);
        let sound = lines.old.iter().rposition(|row| row.ends_with(',')).map_or(0, |line| line.min(rows));
        let repeats = |line: usize| line == 0 || again(line - 1).as_ref() == lines.old.get(line);
        // same = header and both rows are those of this sweep
        let same = lines.old.first().is_none_or(|first| *first == header)
            && repeats(rows)
            && (sound == rows || repeats(sound));
        if !same {
            let message = format!("{} is the table of another sweep", path.display());
            return Err(Failure::command(message, "give another file by --out"));
        }
        lines.start(&header)?;
        Ok(Self { lines: Some(lines), rows })
    }
    /// Appends one more row to the table.
    fn append(&mut self, row: &str) -> Result<(), Failure> {
        self.rows += 1;
        match &mut self.lines {
            Some(lines) => lines.append(row),
            None => {
                output::say(&format!("{row}\n"));
                Ok(())
            }
        }
    }
}

/// Parameters, objectives, derivatives, reason.
fn columns(l: &Loaded) -> Vec<String> {
    let names = output::parameter_names(&l.prepared);
    let objectives = l.prepared.objectives();
    let derivatives = objectives.iter().flat_map(|o| names.iter().map(move |p| format!("d{o}/d{p}")));
    names.iter().chain(objectives).cloned().chain(derivatives).chain(["failed".into()]).collect()
}

/// A line of the table.
fn row(rho: &[f64], design: Result<(Vec<f64>, Vec<Vec<f64>>), String>, width: usize) -> String {
    let numbers = |list: &[f64]| list.iter().map(|x| x.to_string()).collect::<Vec<_>>();
    let mut cells = numbers(rho);
    match design {
        Ok((psi, rows)) => {
            cells.extend(numbers(&psi).into_iter().chain(numbers(&rows.concat())));
            cells.resize(width, String::new());
        }
        Err(reason) => {
            cells.resize(width - 1, String::new());
            cells.push(output::cell(&reason.replace('\n', " ")));
        }
    }
    cells.join(",")
}
