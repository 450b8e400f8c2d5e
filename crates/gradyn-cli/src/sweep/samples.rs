//! The samples of a sweep: a grid, random ones, or those of a file.

use crate::args::SweepArgs;
use crate::diagnostic::Failure;
use crate::files::beside;
use crate::loaded::{constant, pair};
use gradyn::Prepared;
use gradyn_optimize::latin_hypercube;

/// Parameters of every sample.
pub(crate) fn samples(a: &SweepArgs, p: &Prepared) -> Result<Vec<Vec<f64>>, Failure> {
    let list = unchecked(a, p)?;
    for (k, info) in p.parameters().iter().enumerate() {
        let least = info.bounds.0.unwrap_or(f64::NEG_INFINITY);
        let most = info.bounds.1.unwrap_or(f64::INFINITY);
        if let Some(x) = list.iter().map(|rho| rho[k]).find(|x| !(least..=most).contains(x)) {
            let message = format!("`{}` = {x} is outside its bounds {least} … {most}", info.name);
            return Err(Failure::command(message, "change the samples, or the bounds in the model"));
        }
    }
    Ok(list)
}

fn unchecked(a: &SweepArgs, p: &Prepared) -> Result<Vec<Vec<f64>>, Failure> {
    if let Some(path) = &a.samples {
        let text = beside(path, &a.model.model, a.allow_path)?;
        return listed(&path.display().to_string(), &text, p);
    }
    let varied = a.vary.iter().map(|v| varied(v, p)).collect::<Result<Vec<_>, _>>()?;
    for (i, (at, ..)) in varied.iter().enumerate() {
        if varied[..i].iter().any(|v| v.0 == *at) {
            let message = format!("--vary {}: the parameter is there twice", a.vary[i]);
            return Err(Failure::command(message, "write all of its values in one list, NAME=A,B,C"));
        }
    }
    match a.random {
        Some(count) => random(&varied, count as usize, a.seed, a, p),
        None => grid(&varied, a, p),
    }
}

/// Which parameter, its numbers, and were they given as a range?
type Varied = (usize, Vec<f64>, bool);

/// The place of a parameter; `wrong` says what to call a name that is none.
fn index(name: &str, p: &Prepared, wrong: impl Fn() -> String) -> Result<usize, Failure> {
    let names: Vec<&str> = p.parameters().iter().map(|p| p.name.as_str()).collect();
    let found = names.iter().position(|n| *n == name);
    found.ok_or_else(|| Failure::command(wrong(), format!("valid: {}", names.join(", "))))
}

fn varied(text: &str, p: &Prepared) -> Result<Varied, Failure> {
    let (name, values) = pair("--vary", text)?;
    let range = values.contains(':');
    if range && values.contains(',') {
        return Err(Failure::command(
            format!("--vary {text}: a range or a list?"),
            "write NAME=FROM:TO:COUNT or NAME=A,B,C",
        ));
    }
    let number = |part: &str| constant("--vary", &format!("values of `{name}`"), part, 0..part.len());
    let parts = values.split([':', ',']).map(|part| number(part.trim())).collect::<Result<Vec<_>, _>>()?;
    let at = index(name, p, || format!("--vary {text}: there is no parameter `{name}`"))?;
    Ok((at, parts, range))
}

/// All combinations, the last parameter fastest.
fn grid(varied: &[Varied], a: &SweepArgs, p: &Prepared) -> Result<Vec<Vec<f64>>, Failure> {
    let mut all = vec![nominal(p)];
    for (k, (at, parts, range)) in varied.iter().enumerate() {
        // values = list, or count equal parts from … to
        let values = match parts[..] {
            _ if !range => parts.clone(),
            [from, to, count] if count >= 2.0 && count.fract() == 0.0 && count <= 1e6 => {
                let part = |i: usize| i as f64 / (count - 1.0);
                (0..count as usize).map(|i| from * (1.0 - part(i)) + to * part(i)).collect()
            }
            _ => {
                return Err(Failure::command(
                    format!("--vary {}: no grid", a.vary[k]),
                    "write NAME=FROM:TO:COUNT or NAME=A,B,C",
                ));
            }
        };
        // product with what there is
        if all.len() * values.len() > 10_000_000 {
            return Err(Failure::command(
                "the grid has more than ten million samples",
                "take fewer values, or --random",
            ));
        }
        let with = |rho: &Vec<f64>, x: f64| {
            (0..rho.len()).map(|i| if i == *at { x } else { rho[i] }).collect::<Vec<f64>>()
        };
        all = all.iter().flat_map(|rho| values.iter().map(move |x| with(rho, *x))).collect();
    }
    Ok(all)
}

/// A Latin hypercube between the ranges.
fn random(
    varied: &[Varied],
    count: usize,
    seed: u64,
    a: &SweepArgs,
    p: &Prepared,
) -> Result<Vec<Vec<f64>>, Failure> {
    // ranges only
    for (k, (_, parts, range)) in varied.iter().enumerate() {
        if !range || parts.len() != 2 {
            return Err(Failure::command(
                format!("--vary {}: no range", a.vary[k]),
                "with --random write NAME=FROM:TO",
            ));
        }
    }
    // place = the sample at u ∈ [0, 1]ⁿ
    let place = |u: Vec<f64>| {
        let mut rho = nominal(p);
        for ((at, range, _), u) in varied.iter().zip(u) {
            rho[*at] = range[0] * (1.0 - u) + range[1] * u;
        }
        rho
    };
    Ok(latin_hypercube(varied.len(), count, seed).into_iter().map(place).collect())
}

/// Rows of a file; its first line names the parameters. What is wrong is not quoted.
fn listed(name: &str, text: &str, p: &Prepared) -> Result<Vec<Vec<f64>>, Failure> {
    // at = parameter of each column
    let mut lines =
        text.trim_start_matches('\u{feff}').lines().map(|l| l.split(',').map(str::trim).collect::<Vec<_>>());
    let columns = lines.next().unwrap_or_default();
    let column = |(k, c): (usize, &&str)| {
        index(c, p, || format!("{name}, line 1, column {}: this is no parameter of the model", k + 1))
    };
    let at = columns.iter().enumerate().map(column).collect::<Result<Vec<_>, _>>()?;
    if let Some(i) = (1..at.len()).find(|&i| at[..i].contains(&at[i])) {
        let parameter = &p.parameters()[at[i]].name;
        let message = format!("{name}: the column `{parameter}` is there twice");
        return Err(Failure::command(message, "leave one of them out"));
    }
    // row = nominal values with those of the line
    let row = |(k, cells): (usize, Vec<&str>)| {
        let wrong = || {
            let message = format!("{name}, line {}: {} numbers are expected here", k + 2, at.len());
            Failure::command(message, "one for each column, with commas between them")
        };
        let numbers =
            cells.iter().map(|c| c.parse::<f64>()).collect::<Result<Vec<_>, _>>().map_err(|_| wrong())?;
        let mut rho = nominal(p);
        if numbers.len() != at.len() {
            return Err(wrong());
        }
        at.iter().zip(numbers).for_each(|(at, x)| rho[*at] = x);
        Ok(rho)
    };
    match lines.enumerate().map(row).collect::<Result<Vec<_>, _>>()? {
        list if list.is_empty() => {
            Err(Failure::command(format!("{name} has no samples"), "a line of names, then lines of numbers"))
        }
        list => Ok(list),
    }
}

fn nominal(p: &Prepared) -> Vec<f64> {
    p.rho()[..p.parameters().len()].to_vec()
}
