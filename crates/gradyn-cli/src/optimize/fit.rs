//! What a fit says about its parameters.

use super::report::digits;
use gradyn::optimize::{Direction, Estimate, Identification, Report};
use serde_json::{Value, json};

/// Correlations above this are reported.
const HIGH: f64 = 0.95;

/// Number and norm of the residuals.
fn residuals(report: &Report) -> (usize, f64) {
    let r = report.best().and_then(|e| e.residuals.as_ref());
    r.map_or((0, f64::NAN), |r| (r.values.len(), r.values.iter().map(|r| r * r).sum::<f64>().sqrt()))
}

pub(crate) fn object(report: &Report, fit: &Identification) -> Value {
    let (count, norm) = residuals(report);
    // objects of a parameter, of a direction, of a pair
    let estimate = |e: &Estimate| {
        json!({
            "name": e.name, "value": e.value, "deviation": e.deviation, "interval": e.interval,
            "proposed_scale": e.proposed_scale,
        })
    };
    let direction = |d: &Direction| {
        let component = |(name, x): &(String, f64)| json!({"name": name, "component": x});
        let components: Vec<_> = d.components.iter().map(component).collect();
        json!({"strength": d.strength, "components": components})
    };
    let correlation = |(a, b, r): (&str, &str, f64)| json!({"parameters": [a, b], "correlation": r});
    // the object
    json!({
        "residuals": count, "residual_norm": norm, "residual_deviation": fit.residual_deviation,
        "freedoms": fit.freedoms,
        "estimates": fit.estimates.iter().map(estimate).collect::<Vec<_>>(), "covariance": fit.covariance,
        "correlations": fit.correlations(HIGH).into_iter().map(correlation).collect::<Vec<_>>(),
        "unidentifiable": fit.unidentifiable.iter().map(direction).collect::<Vec<_>>(),
    })
}

pub(crate) fn text(report: &Report, fit: &Identification) -> String {
    let (count, norm) = residuals(report);
    // size of the residuals
    let mut text = format!(
        "  fit             {count} residuals, norm {norm:.3e}; σ = {:.3e} of their scales, {} degrees of \
         freedom\n",
        fit.residual_deviation, fit.freedoms
    );
    // a line of each parameter: deviation, interval, scale
    let width = fit.estimates.iter().map(|e| e.name.chars().count()).max().unwrap_or(0).max(9);
    text += &format!(
        "  {:<w$}    {:>12}    {:^40}    proposed scale\n",
        "estimates",
        "deviation",
        "95 % interval",
        w = width + 2
    );
    for e in &fit.estimates {
        let interval = match e.deviation.is_finite() {
            true => format!("{:>18} … {:<18}", digits(e.interval[0]), digits(e.interval[1])),
            false if fit.freedoms == 0 => "no degree of freedom is left".into(),
            false => "not identified".into(),
        };
        text += &format!(
            "    {:<width$}    {:>12.3e}    {interval:^40}    {:.1e}\n",
            e.name, e.deviation, e.proposed_scale
        );
    }
    // pairs that are correlated, directions that nothing determines
    for (a, b, r) in fit.correlations(HIGH) {
        text += &format!("  correlated      {a} and {b}: {r:.4}\n");
    }
    for d in &fit.unidentifiable {
        let parts: Vec<String> = d.components.iter().map(|(name, x)| format!("{x:+.3} {name}")).collect();
        text += &format!("  unidentifiable  {} (in their scales) changes no residual\n", parts.join(" "));
    }
    text
}
