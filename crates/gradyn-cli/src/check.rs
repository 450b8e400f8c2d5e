//! `gradyn check`: what a model is, as it is understood.

use crate::args::{CheckArgs, MethodArgs};
use crate::commands::print;
use crate::diagnostic::Failure;
use crate::loaded::{Loaded, expanded};
use crate::output;
use gradyn::optimize::Optimization;
use gradyn::{Coordinates, Error, Family, Mobility, ParameterInfo, Prepared};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What parameters reach, by name.
type Reach = BTreeMap<String, Vec<String>>;

/// `gradyn check`.
pub(crate) fn check(a: &CheckArgs) -> Result<(), Failure> {
    // text = the file without templates
    if a.expand {
        output::say(&expanded(&a.model)?);
        return Ok(());
    }
    // method, sensitivity, study: read as a run would, so that their mistakes show
    let mut l = Loaded::new(&a.model)?;
    if a.allow_path {
        l.study.allow_path();
    }
    l.times()?;
    let method = l.method(&MethodArgs::none())?;
    let sensitivity = l.sensitivity(None, true)?;
    if l.file().study.optimize.is_some() {
        Optimization::new(l.file(), &l.prepared, method, sensitivity, None).map_err(|e| l.fail(e))?;
    }
    // counts of all coordinates; those of the model itself are known already
    let p = &l.prepared;
    let reach = gradyn::reach::parameter_users(&l.file().mechanism);
    let mut mobility = Mobility::of(&l.file().mechanism);
    let own = mobility.iter_mut().flat_map(|m| &mut m.families).filter(|f| f.0 == p.model.family);
    own.for_each(|f| f.1 = Family::Counted(p.counts()));
    if a.model.json {
        print(&object(p, &mobility, &reach));
    } else {
        output::say(&text(p, &mobility, &reach));
    }
    Ok(())
}

fn object(p: &Prepared, mobility: &Result<Mobility, Error>, reach: &Reach) -> Value {
    // names of rows and coordinates, counts
    let counts = p.counts();
    let [bodies, joints, forces, drivers] = p.model.counts;
    let rows: Vec<String> = p.model.system.row_names().iter().map(ToString::to_string).collect();
    let dropped: Vec<String> = p.redundant().into_iter().map(|r| r.0).collect();
    // parameters with what they reach
    let parameter = |x: &ParameterInfo| {
        json!({
            "name": x.name, "value": x.value, "unit": x.unit, "scale": x.scale, "used": x.used,
            "reaches": reach[&x.name],
        })
    };
    let parameters: Vec<Value> = p.parameters().iter().map(parameter).collect();
    // the object
    let mut o = json!({
        "model": p.model.name, "bodies": bodies, "joints": joints, "drivers": drivers, "forces": forces,
        "family": p.model.family.name(), "coordinates": counts.coordinates, "constraints": counts.constraints,
        "degrees_of_freedom": counts.freedom[0], "velocity_degrees_of_freedom": counts.freedom[1],
        "assembly_residual": p.assembled.residual, "assembly_moved": p.assembled.moved,
        "condition": p.assembled.condition,
        "coordinate_names": names(p), "rows": rows, "rows_kept": p.kept().concat(), "rows_dropped": dropped,
        "redundant_rows": p.redundant(),
        "parameters": parameters, "objectives": p.objectives(), "columns": p.model.columns,
        "warnings": output::texts(&p.model.warnings),
    });
    // joint constraints of all coordinates, or why they are not counted
    if let Err(e) = mobility {
        o["not_counted"] = e.to_string().into();
    }
    if let Ok(m) = mobility {
        let groups: Vec<Value> =
            m.groups.iter().map(|g| json!({"redundant": g.redundant, "among": g.among})).collect();
        o["joint_constraints"] = m.constraints.into();
        o["redundant"] = m.redundant.into();
        o["redundant_joints"] = groups.into();
        o["families"] = m.families.iter().map(|(f, c)| (f.name(), family_object(c))).collect();
    }
    o
}

fn family_object(family: &Family) -> Value {
    match family {
        Family::Refused(e) => json!({"refused": e.to_string()}),
        Family::Large => json!({"large": true}),
        Family::Counted(c) => json!({
            "coordinates": c.coordinates, "constraints": c.constraints, "redundant": c.redundant,
            "degrees_of_freedom": c.freedom[0], "velocity_degrees_of_freedom": c.freedom[1],
        }),
    }
}

fn names(p: &Prepared) -> Vec<String> {
    gradyn::coordinate_names(p).drain(..gradyn::dims(p).n).collect()
}

fn text(p: &Prepared, mobility: &Result<Mobility, Error>, reach: &Reach) -> String {
    // line 1 = name and counts of elements
    let [bodies, joints, forces, drivers] = p.model.counts;
    let parts = [
        (bodies, "body", "bodies"),
        (joints, "joint", "joints"),
        (drivers, "driver", "drivers"),
        (forces, "force", "forces"),
    ];
    let mut text =
        format!("{}: {}\n", p.model.name, parts.map(|(n, one, many)| count(n, one, many)).join(", "));
    // degrees of freedom, joints, coordinates, rows
    text += &format!("  degrees of freedom    {}\n", freedom(p.counts().freedom));
    text += &match mobility {
        Ok(m) => joints_text(m) + &families_text(m),
        Err(e) => format!("  joint constraints     not counted: {e}\n"),
    };
    text += &rows_text(p);
    // how far the assembly moved, and how well it is conditioned
    text += &format!(
        "  assembly              residual {:.1e}, {:.3e} from the drawn configuration, σ_min/σ_max of Φ_q \
         {:.1e}\n",
        p.assembled.residual, p.assembled.moved, p.assembled.condition
    );
    // objectives, and parameters in aligned columns
    text += &format!("  objectives            {}\n  parameters\n", p.objectives().join(", "));
    let sizes = p.parameters().iter().map(|x| (x.name.chars().count(), x.unit.chars().count()));
    let (name, unit) = sizes.fold((0, 0), |w, s| (w.0.max(s.0), w.1.max(s.1)));
    for x in p.parameters() {
        let to = if x.used { shortened(&reach[&x.name]) } else { "nothing: not used".into() };
        text += &format!("    {:<name$} = {:<20} {:<unit$} reaches {to}\n", x.name, x.value, x.unit);
    }
    text
}

/// Constraints of the joints, and which of them repeat each other.
fn joints_text(m: &Mobility) -> String {
    let mut text =
        format!("  joint constraints     {}, {}\n", m.constraints, none_or(m.redundant, "redundant"));
    for g in &m.groups {
        text += &format!("    {} among {}\n", g.redundant, shortened(&g.among));
    }
    text
}

/// A line for each family of coordinates, and below them what is special.
fn families_text(m: &Mobility) -> String {
    // text = head of the table
    let mut text = format!("  {:<21} number  constraints  redundant  degrees of freedom\n", "coordinates");
    let mut notes = String::new();
    // a line of each kind of coordinates; a note below the table where there is one
    for (family, counted) in &m.families {
        let name = family.name();
        let (word, note) = match counted {
            Family::Refused(e) => ("refused".into(), Some(e.to_string())),
            Family::Large => ("large".into(), Some(format!("counted if asked for by --coordinates {name}"))),
            Family::Counted(c) => {
                let n = c.coordinates;
                let m = c.constraints;
                let r = c.redundant;
                let other = c.cartesian && *family != Coordinates::Cartesian;
                let note = other.then(|| {
                    "cartesian coordinates instead, because a load that joints share is read".into()
                });
                (format!("{n:>6}  {m:>11}  {r:>9}  {}", freedom(c.freedom)), note)
            }
        };
        text += &format!("    {name:<19} {word}\n");
        notes += &note.map_or(String::new(), |note| format!("    {name}: {note}\n"));
    }
    text + &notes
}

/// Coordinates of the run, rows kept and dropped.
fn rows_text(p: &Prepared) -> String {
    // line 1 = sizes, and how many rows are kept and dropped
    let c = p.counts();
    let [of_bodies, of_joints] = p.kept();
    let sizes = [
        count(c.coordinates, "coordinate", "coordinates"),
        count(c.constraints, "constraint", "constraints"),
    ]
    .join(", ");
    let dropped = format!("{} kept, {}", c.constraints - c.redundant, none_or(c.redundant, "dropped"));
    let mut text = format!("  {:<21} {sizes}, {dropped}\n", format!("{} coordinates", p.model.family.name()));
    // coordinates, and the rows that are kept
    text += &format!("    {}\n", shortened(&names(p)));
    let bodies = (!of_bodies.is_empty()).then(|| format!("{} of bodies", of_bodies.len()));
    let kept: Vec<String> = bodies.into_iter().chain(of_joints).collect();
    if !kept.is_empty() {
        text += &format!("    keeps {}\n", shortened(&kept));
    }
    // a line of each dropped row: what it follows from
    for (row, on) in p.redundant() {
        let on = on.iter().map(|o| format!("`{o}`")).collect::<Vec<_>>();
        let from = if on.is_empty() { "what its bodies share".into() } else { shortened(&on) };
        text += &format!("    drops `{row}`, which follows from {from}\n");
    }
    text
}

/// `1 body`, `2 bodies`.
fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// `none redundant`, `2 redundant`.
fn none_or(n: usize, what: &str) -> String {
    if n == 0 { format!("none {what}") } else { format!("{n} {what}") }
}

/// Of positions, and of velocities where they differ.
fn freedom([positions, velocities]: [usize; 2]) -> String {
    if positions == velocities {
        positions.to_string()
    } else {
        format!("{positions} of positions, {velocities} of velocities")
    }
}

/// A list of names, of which a large model has too many to read.
fn shortened(names: &[String]) -> String {
    const MOST: usize = 12;
    let more = names.len().saturating_sub(MOST);
    let tail = if more > 1 { format!(" and {more} more") } else { String::new() };
    let shown = if more > 1 { &names[..MOST] } else { names };
    shown.join(", ") + &tail
}
