//! Roads and tyres.

use super::*;
use gradyn_model::build::tyre::LawReader;

/// Reads a road: its height as a function of the place.
pub(crate) fn road(name: Text, t: &Table) -> Result<Road, ModelError> {
    // an expression of x
    let Some(rows) = t.get("points") else {
        if let Some((key, _)) = t.entries.iter().find(|(k, _)| k.text == "ends") {
            let e = ModelError::new(format!("road `{name}`: `ends` belongs to `points`"))
                .at(&Some(key.place.clone()));
            return Err(e);
        }
        return Ok(Road { name, height: Height::Expression(number(t, "height", 0.0)) });
    };
    // points of a spline
    let point = |row: &Node| {
        <[Number; 2]>::try_from(row.numbers()).map_err(|row_of| {
            let e = ModelError::new(format!(
                "road `{name}`, points: [x, z] is expected here, not {} numbers",
                row_of.len()
            ));
            e.at(&Some(row.place.clone()))
        })
    };
    let points = rows.items().iter().map(point).collect::<Result<_, _>>()?;
    let ends = [("natural", false), ("clamped", true)];
    let clamped = choice(t, "ends", &format!("road `{name}`"), &ends)?.unwrap_or(false);
    Ok(Road { height: Height::Points { points, clamped }, name })
}

/// Reads a tyre on a road.
pub(crate) fn tyre(name: &Text, t: &Table) -> Result<Tyre, ModelError> {
    Ok(Tyre {
        at: word(t, "at"),
        axis: vector(t, "axis").unwrap_or([0.0, 1.0, 0.0].into()),
        offset: number(t, "offset", 0.0),
        road: text(t, "road"),
        radius: number(t, "radius", 0.0),
        stiffness: number(t, "stiffness", 0.0),
        damping: number(t, "damping", 0.0),
        width: number(t, "width", 1e-3),
        law: section(t, "law").map_or(Ok(TyreLaw::None), |l| law(name, l))?,
    })
}

/// A law along the ground: each reads its own keys.
fn law(name: &Text, t: &Table) -> Result<TyreLaw, ModelError> {
    let both = |key: &str| match values(t, key).as_slice() {
        [x] => Ok([x.clone(), x.clone()]),
        [x, y] => Ok([x.clone(), y.clone()]),
        list => {
            let e = ModelError::new(format!(
                "force `{name}`, law, {key}: one number or two are expected here, not {}",
                list.len()
            ));
            Err(e.at(&t.get(key).map(|n| n.place.clone())))
        }
    };
    let from = LawReader { one: &|key, default| number(t, key, default), both: &both };
    let kind = word(t, "type");
    let unknown = || no_type(&format!("force `{name}`, law"), "law type", &kind);
    TyreLaw::from_name(&kind.text, &from).ok_or_else(unknown)?
}
