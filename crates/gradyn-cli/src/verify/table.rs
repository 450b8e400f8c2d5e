//! The table of `gradyn verify`.

use crate::output::{moved_text, tally_text, texts};
use gradyn::verify::{Against, Answer, Entry, Measured, Reference, Report, Row, Section, Verdict};
use gradyn::{Method, Prepared, Stepping};
use std::fmt::Write as _;

/// Models with at most so many entries show all of them.
const NARROW: usize = 4;

/// The whole report as text.
pub(crate) fn report(p: &Prepared, r: &Report) -> String {
    let mut out = head(p, r);
    let layout = Layout::new(p, r);
    for (k, row) in r.rows.iter().enumerate() {
        if k == 0 || r.rows[k - 1].section != row.section {
            let numbers = r.rows.iter().any(|other| other.section == row.section && other.measured.is_some());
            let name = row.section.name();
            let _ = writeln!(out, "\n{}", if numbers { layout.head(name) } else { name.into() });
        }
        let _ = writeln!(out, "{}", layout.row(p, row));
    }
    if !r.skipped.is_empty() {
        let _ = writeln!(out, "\nskipped, beyond the budget:");
        r.skipped.iter().for_each(|c| out += &format!("  {c}\n"));
    }
    out + "\n" + &summary(r) + "\n"
}

/// Model and reference.
fn head(p: &Prepared, r: &Report) -> String {
    // line 1 = name and sizes
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let sizes =
        [plural(p.objectives().len(), "objective"), plural(p.parameters().len(), "parameter")].join(", ");
    let mut out = format!("{}: {sizes}\n", p.model.name);
    // the reference and how well it is known, or why there is none
    match &r.reference {
        Ok(x) => {
            let f = x.method.formulation.name();
            let i = x.method.integrator.name();
            let Reference { steps, error, certificate, .. } = x;
            let _ = writeln!(
                out,
                "reference: {f} + {i}, {}, {steps} steps, discrete-adjoint; in {}",
                stepping(&x.method),
                time(x.seconds)
            );
            let _ = writeln!(
                out,
                "  known to {error:.1e}; one direction is {certificate:.1e} from a complex step through the \
                 program"
            );
            for (name, m) in p.objectives().iter().zip(&x.moved) {
                let _ = writeln!(out, "  moved designs, {name}: {}", moved_text(m));
            }
            texts(&x.warnings).iter().for_each(|w| out += &format!("  warning: {w}\n"));
        }
        Err(reasons) => {
            let _ = writeln!(out, "no reference: nothing is compared");
            reasons.iter().for_each(|r| out += &format!("  {r}\n"));
        }
    }
    out
}

/// The last line.
fn summary(r: &Report) -> String {
    // how many agree
    let count = |name: &str| r.count(|v| v.name() == name);
    let compared = r.rows.iter().filter(|row| row.measured.is_some()).count();
    let mut out = format!("{} of {compared} agree", count("agrees") + count("loose"));
    // counts of other verdicts, where there are some
    let words = ["differs", "loose", "explained", "refused", "stopped"]
        .map(|w| (count(w), w.trim_end_matches('s').to_owned()));
    let skipped = (r.skipped.len(), "skipped".to_owned());
    for (n, word) in words.into_iter().chain([skipped]).filter(|x| x.0 > 0) {
        let _ = write!(out, ", {n} {word}");
    }
    // kinds of warnings
    let warnings = r.warnings();
    if !warnings.is_empty() {
        out += &format!("; warnings: {}", tally_text(&warnings, compared, "rows"));
    }
    // the row that is farthest off
    if let Some((row, m)) = r.farthest().and_then(|row| Some((row, row.measured.as_ref()?))) {
        let _ = write!(
            out,
            "; largest distance {} expected errors: {}",
            ratio(m.distance.ratio),
            row.combination
        );
    }
    let _ = write!(out, "; {}", time(r.seconds));
    // agreement of methods with each other is not agreement with the problem
    match &r.doubt {
        Some(doubt) => format!("{out}\nnot the gradient of the problem, though methods may agree: {doubt}"),
        None => out,
    }
}

/// Widths of the columns.
struct Layout {
    names: [usize; 3],
    entry: usize,
    columns: Vec<(String, Entry)>,
}

impl Layout {
    fn new(p: &Prepared, r: &Report) -> Self {
        // widths of names and entries
        let names = |row: &Row| {
            let c = &row.combination;
            [c.formulation.name(), c.integrator.name(), third(row)].map(str::len)
        };
        let widest = |a: [usize; 3], b: [usize; 3]| [0, 1, 2].map(|k| a[k].max(b[k]));
        let entries = r
            .rows
            .iter()
            .filter_map(|row| Some(row.measured.as_ref()?.distance.entry.name(p).chars().count()));
        // all entries, if they fit as columns
        let objectives = p.objectives().len();
        let parameters = p.parameters().len();
        let all = (0..objectives).flat_map(|objective| {
            let parameter = std::iter::once(None).chain((0..parameters).map(Some));
            parameter.map(move |parameter| Entry { objective, parameter })
        });
        let narrow = objectives * (1 + parameters) <= NARROW;
        Self {
            names: r.rows.iter().map(names).fold([0; 3], widest),
            entry: entries.max().unwrap_or(0).max("worst entry".len()),
            columns: all.filter(|_| narrow).map(|e| (e.name(p), e)).collect(),
        }
    }
    /// The line above a section.
    fn head(&self, section: &str) -> String {
        let names: usize = 2 + self.names.iter().sum::<usize>() + 4;
        let values: String = match self.columns.is_empty() {
            true => format!("{:>13}", "value"),
            false => self.columns.iter().map(|c| format!("{:>13}", c.0)).collect(),
        };
        let w = self.entry;
        let entry = "worst entry";
        format!(
            "{section:<names$}  {:<11} {:>6}  {entry:<w$} {values}  {:<9} {:>8} {:>8} {:>6} {:>5}  {:<11} \
             {:>8}",
            "steps", "count", "against", "off", "expected", "ratio", "order", "verdict", "time"
        )
    }
    fn row(&self, p: &Prepared, r: &Row) -> String {
        let [f, i, s] = self.names;
        let c = &r.combination;
        let names = format!("  {:<f$}  {:<i$}  {:<s$}", c.formulation.name(), c.integrator.name(), third(r));
        let line = match &r.measured {
            Some(m) => format!("{names}  {:<11} {}", stepping(&r.method), self.numbers(p, r, m)),
            None => format!("{names}  - {}", r.verdict.name()),
        };
        let indent = " ".repeat(4);
        match (r.note(), &r.measured) {
            (Some(note), Some(_)) => format!("{line}\n{indent}{note}"),
            (Some(note), None) => format!("{line}: {note}"),
            _ => line,
        }
    }
    fn numbers(&self, p: &Prepared, r: &Row, m: &Measured) -> String {
        let d = &m.distance;
        let w = self.entry;
        // values = all entries, or the worst
        let cell = |x: &Answer, e: Entry| format!("{:>13}", short(x.at(e), 7));
        let values: String = match self.columns.is_empty() {
            true => cell(&m.answer, d.entry),
            false => self.columns.iter().map(|c| cell(&m.answer, c.1)).collect(),
        };
        // columns of the comparison
        let against = match m.against {
            Against::Reference => "reference",
            Against::SameRun => "same run",
        };
        let order = m.order.map_or(String::new(), |o| format!("{o:.1}"));
        let entry = d.entry.name(p);
        format!(
            "{:>6}  {entry:<w$} {values}  {against:<9} {:>8.1e} {:>8.1e} {:>6} {order:>5}  {} {:<9} {:>8}",
            m.steps,
            d.off,
            d.expected,
            ratio(d.ratio),
            mark(&r.verdict),
            r.verdict.name(),
            time(r.seconds)
        )
    }
}

fn mark(v: &Verdict) -> char {
    match v {
        Verdict::Agrees => '✓',
        Verdict::Loose { .. } => '~',
        Verdict::Explained { .. } => '!',
        Verdict::Differs { .. } => '✗',
        Verdict::Refused { .. } | Verdict::Stopped { .. } => '-',
    }
}

/// A number of so many digits.
fn short(x: f64, digits: i32) -> String {
    let size = x.abs();
    if size == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e6).contains(&size) {
        return format!("{x:.*e}", (digits - 2).max(0) as usize);
    }
    let places = (digits - 1 - size.log10().floor() as i32).max(0) as usize;
    format!("{x:.places$}")
}

fn ratio(x: f64) -> String {
    match x {
        x if x < 0.05 => format!("{x:.0e}"),
        x if x < 999.5 => format!("{x:.1}"),
        x => format!("{x:.0e}"),
    }
}

/// Four digits, without zeros at the end.
fn trimmed(x: f64) -> String {
    let text = short(x, 4);
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

fn stepping(m: &Method) -> String {
    match m.stepping {
        Stepping::Fixed(h) if h < 0.1 => format!("{} ms", trimmed(h * 1e3)),
        Stepping::Fixed(h) => format!("{} s", trimmed(h)),
        Stepping::Adaptive { rtol, .. } => format!("rtol {rtol:.0e}"),
        Stepping::Default => "default".into(),
    }
}

fn time(s: f64) -> String {
    match s {
        s if s < 0.9995 => format!("{:.0} ms", s * 1e3),
        s if s < 99.95 => format!("{s:.1} s"),
        s => format!("{:.1} min", s / 60.0),
    }
}

/// The third name of a row: its sensitivity, or its coordinates where these are compared.
fn third(row: &Row) -> &'static str {
    if row.section == Section::Coordinates {
        row.combination.coordinates.name()
    } else {
        row.combination.sensitivity.name()
    }
}
