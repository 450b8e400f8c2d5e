//! `gradyn sweep`.

mod parquet;
mod samples;

use crate::args::SweepArgs;
use crate::diagnostic::Failure;
use crate::files::{Checksum, Form, Lines, Targets, check_folder, is_begun};
use crate::loaded::Loaded;
use crate::output;
use crate::progress::Progress;
use gradyn::{Method, Prepared, Sensitivity, Tally};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// The column of verdicts.
const VERDICT: &str = "verdict";

/// Samples that a thread takes before the table grows.
const SHARE: usize = 4;

/// `gradyn sweep`.
pub(crate) fn sweep(a: &SweepArgs) -> Result<(), Failure> {
    // what can be refused before the first run
    if a.model.json {
        let message = "a sweep is a table: there is no --json";
        return Err(Failure::command(message, "leave it out; --out FILE writes the table"));
    }
    let inputs: Vec<&Path> = std::iter::once(&*a.model.model).chain(a.samples.as_deref()).collect();
    // with a table to go on from, a finished one may be what the same command wrote before
    let goes_on = a.resume && a.out.as_deref().is_some_and(|out| is_begun(&parquet::grown(out)));
    let targets = Targets::new(a.overwrite || goes_on, &inputs);
    let grows = a.out.as_deref().map(|out| destination(out, &targets)).transpose()?;
    let mut l = Loaded::new(&a.model)?;
    l.times()?;
    let method = l.method(&a.method)?;
    let sensitivity = l.sensitivity(a.sensitivity.as_deref(), a.model.quiet)?;
    // samples, and row = the line of one of them
    let samples = samples::samples(a, &l.prepared)?;
    let columns = columns(&l, a.certificate);
    let row = |rho: &Vec<f64>| {
        let design = Design::new(&l.prepared, rho, &method, (sensitivity, a.certificate));
        row(rho, design.map_err(|e| e.to_string()), columns.len())
    };
    // threads; table = the file, continued where it ends
    let pool = rayon::ThreadPoolBuilder::new().num_threads(a.threads.unwrap_or(0) as usize).build();
    let pool = pool.map_err(|e| Failure::command(format!("there are no threads: {e}"), ""))?;
    let header = Header { columns: &columns, model: checksum(a, &l, &method, sensitivity) };
    let total = samples.len();
    let mut table = Table::open(grows.as_deref(), a, &header, total, |old| row(&samples[old]))?;
    let old = table.rows;
    let mut progress = Progress::new(0.0, 1.0, a.model.quiet);
    // rows in the order of the samples, share by share
    for share in samples[old..].chunks(SHARE * pool.current_num_threads()) {
        progress.part(table.rows, total, "samples");
        let rows: Vec<String> = pool.install(|| share.par_iter().map(row).collect());
        table.append(&rows)?;
    }
    progress.finish();
    drop(table);
    a.out.as_deref().map_or(Ok(()), |out| parquet::finish(out, &targets))?;
    if let (Some(path), false) = (&a.out, a.model.quiet) {
        crate::output::complain(&format!("{total} rows in {}, {} of them new", path.display(), total - old));
    }
    Ok(())
}

/// The table that grows: the one that is asked for, or what becomes a Parquet file in the end.
fn destination(out: &Path, targets: &Targets) -> Result<PathBuf, Failure> {
    check_folder(out)?;
    if parquet::asked(out)? {
        targets.check(out)?;
        return Ok(parquet::growing(out));
    }
    if out.extension().is_none_or(|e| e != "csv") {
        return Err(Failure::command(
            format!("{}: unknown kind of file", out.display()),
            "use a name that ends in .csv or .parquet",
        ));
    }
    // whether a table that is there may be replaced is asked where it is read
    targets.check_input(out)?;
    Ok(out.to_owned())
}

/// Everything of a sweep that decides its numbers, but for the samples, which its rows have.
fn checksum(a: &SweepArgs, l: &Loaded, method: &Method, sensitivity: Sensitivity) -> Checksum {
    let version = env!("CARGO_PKG_VERSION");
    let family = l.prepared.model.family.name();
    // memory changes no number
    let method = Method { memory: Default::default(), ..method.clone() };
    let set = (&a.model.set, &a.model.t_end, family, method, sensitivity.name());
    Checksum::of(l.text()).then(&format!("{version} {set:?}"))
}

/// The first line of a table.
struct Header<'a> {
    columns: &'a [String],
    /// The checksum of the model and the method.
    model: Checksum,
}

impl Header<'_> {
    /// The names of the columns.
    fn names(&self) -> String {
        self.columns.iter().map(|c| output::cell(c)).collect::<Vec<_>>().join(",")
    }
    /// With the name of the column of checksums, which is that of the model.
    fn line(&self) -> String {
        format!("{},model {}", self.names(), self.model.text())
    }
    /// Refuses the first line of another sweep.
    fn check(&self, path: &Path, lines: &Lines) -> Result<(), Failure> {
        let Some(first) = lines.old.first() else { return Ok(()) };
        if *first == if lines.is_sealed() { self.line() } else { self.names() } {
            return Ok(());
        }
        let names = first.rsplit_once(',').map_or("", |(names, _)| names);
        let why = match lines.is_sealed() && names == self.names() {
            true => "the model, its method or what is set of it has changed since",
            false => "it has other columns",
        };
        Err(foreign(path, why))
    }
}

/// A table that is not of this sweep.
fn foreign(path: &Path, why: &str) -> Failure {
    let message = format!("{} is the table of another sweep: {why}", path.display());
    Failure::command(message, "give another file by --out, or begin it anew by --overwrite")
}

/// Where rows go: a file, or the screen.
struct Table {
    lines: Option<Lines>,
    /// Rows that it has.
    rows: usize,
}

impl Table {
    /// A new table, or one of `total` rows to go on with: `again` computes its last row once more, and the
    /// last one that did not fail; they must come out the same.
    fn open(
        path: Option<&Path>,
        a: &SweepArgs,
        header: &Header,
        total: usize,
        again: impl Fn(usize) -> String,
    ) -> Result<Self, Failure> {
        // names alone where the table goes to standard output
        let Some(path) = path else {
            output::say(&(header.names() + "\n"));
            return Ok(Self { lines: None, rows: 0 });
        };
        let mut lines = Lines::read(path, Form::Csv, "--out", a.resume, a.overwrite)?;
        header.check(path, &lines)?;
        let rows = lines.old.len().saturating_sub(1);
        if rows > total {
            let why = format!("line {} is beyond its end, which is after {total} rows", total + 2);
            return Err(foreign(path, &why));
        }
        // sound = the last row that succeeded: it and the last row are computed again
        let sound = lines.old.iter().rposition(|row| row.ends_with(',')).map_or(0, |line| line.min(rows));
        let differs = |line: &usize| *line > 0 && again(*line - 1) != lines.old[*line];
        let twice = if sound == rows { 1 } else { 2 };
        if let Some(line) = [rows, sound].into_iter().take(twice).find(differs) {
            return Err(foreign(path, &format!("line {} has another sample or other numbers now", line + 1)));
        }
        lines.start(&header.line())?;
        Ok(Self { lines: Some(lines), rows })
    }
    /// Appends more rows to the table.
    fn append(&mut self, rows: &[String]) -> Result<(), Failure> {
        self.rows += rows.len();
        match &mut self.lines {
            Some(lines) => lines.append(rows),
            None => {
                output::say(&rows.iter().map(|row| format!("{row}\n")).collect::<String>());
                Ok(())
            }
        }
    }
}

/// Parameters, objectives, derivatives, verdict if it is asked for, warnings, reason.
fn columns(l: &Loaded, certificate: bool) -> Vec<String> {
    let names = output::parameter_names(&l.prepared);
    let objectives = l.prepared.objectives();
    let derivatives = objectives.iter().flat_map(|o| names.iter().map(move |p| format!("d{o}/d{p}")));
    let texts = parquet::TEXTS.iter().filter(|name| certificate || **name != VERDICT);
    let numbers = names.iter().chain(objectives).cloned().chain(derivatives);
    numbers.chain(texts.map(|name| (*name).into())).collect()
}

/// What a row says of its sample.
struct Design {
    /// Objectives, then their derivatives.
    numbers: Vec<f64>,
    /// Verdict of the certificate if it is asked for, and warnings.
    texts: Vec<String>,
}

impl Design {
    /// Run and gradient of a sample, with the certificate if it is asked for.
    fn new(
        nominal: &Prepared,
        rho: &[f64],
        method: &Method,
        (sensitivity, certify): (Sensitivity, bool),
    ) -> Result<Self, gradyn::Error> {
        let model = nominal.at_on_branch(rho)?;
        let run = model.run(method)?;
        let gradient = model.gradient(&run, sensitivity)?;
        let certificate = certify.then(|| model.certify(&run, &gradient)).transpose()?;
        // numbers and texts of the row
        let warnings = Tally::of(model.model.warnings.iter().chain(&run.warnings).chain(&gradient.warnings));
        let verdict = certificate.map(|c| c.verdict.name().to_owned());
        let numbers = run.psi.iter().copied().chain(gradient.rows.concat()).collect();
        Ok(Self { numbers, texts: verdict.into_iter().chain([warnings.to_string()]).collect() })
    }
}

/// A line of the table.
fn row(rho: &[f64], design: Result<Design, String>, width: usize) -> String {
    let numbers = |list: &[f64]| list.iter().map(|x| x.to_string()).collect::<Vec<_>>();
    let mut cells = numbers(rho);
    match design {
        Ok(Design { numbers: own, texts }) => {
            cells.extend(numbers(&own).into_iter().chain(texts));
            cells.resize(width, String::new());
        }
        Err(reason) => {
            cells.resize(width - 1, String::new());
            cells.push(output::cell(&crate::escape::escaped(&reason.replace('\n', " "))));
        }
    }
    cells.join(",")
}
