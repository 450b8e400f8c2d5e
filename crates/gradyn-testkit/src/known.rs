//! Models whose ψ is known: closed forms, and integrations of their own in minimal coordinates.
//!
//! They are written for dual numbers, so that ∇ψ is known to rounding too.

mod bodies;
mod chattering;
mod edges;
mod rail;
mod roots;
mod signals;
mod vibrations;

use gradyn_num::Wide;

/// A model with ψ as a function of its parameters, of which there are eight at most.
pub struct Known {
    /// What it is.
    pub name: &'static str,
    /// Names and values of its parameters.
    pub parameters: &'static [(&'static str, f64)],
    /// Is it a mass of 1 kg on a rail, which starts at x0 with v0?
    pub on_rail: bool,
    /// The other sections of its file.
    pub sections: &'static str,
    /// ψ of each objective.
    pub psi: fn(&[Wide]) -> Vec<Wide>,
}

/// The rail: point A of body m moves along x, with W 2 m behind its origin.
const RAIL: &str = r#"
ground.points = { O = [0, 0], W = [-2, 0] }
body.m = { points = { A = [0, 0] }, mass = 1, inertia = 1 }
joint.guide = { type = "prismatic", between = ["ground.O", "m.A"] }
initial.position = { "m.A.x" = "x0" }
initial.velocity = { "m.A.x" = "v0" }
"#;

impl Known {
    /// Every model that is known.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        let laws = [chattering::ALL, signals::ALL, vibrations::ALL, edges::ALL, roots::ALL, rail::ALL];
        laws.into_iter().chain([bodies::ALL]).flatten()
    }
    /// Laws that jump or kink where a condition tells.
    pub fn edges() -> impl Iterator<Item = &'static Self> {
        edges::ALL.iter()
    }
    /// Laws of contact that begin like a root.
    pub fn roots() -> impl Iterator<Item = &'static Self> {
        roots::ALL.iter()
    }
    /// The model of that name.
    pub fn find(name: &str) -> Option<&'static Self> {
        Self::all().find(|k| k.name == name)
    }
    /// The model file.
    pub fn text(&self) -> String {
        let list: Vec<String> = self.parameters.iter().map(|(name, x)| format!("{name} = {x:?}")).collect();
        let rail = if self.on_rail { RAIL } else { "" };
        format!(
            "name = \"known\"\nparameters = {{ {} }}\n{rail}{}",
            list.join(", "),
            self.sections.replace("\n            ", "\n")
        )
    }
    /// Is any number right, for changes of the design that matter?
    pub fn has_truth(&self) -> bool {
        !self.truth().0.is_empty()
    }
    /// Values of the parameters.
    pub fn rho(&self) -> Vec<f64> {
        self.parameters.iter().map(|p| p.1).collect()
    }
    /// ψ, and ∇ψ with a row for each objective.
    pub fn truth(&self) -> (Vec<f64>, Vec<Vec<f64>>) {
        self.truth_at(&self.rho())
    }
    /// ψ and ∇ψ at other parameters.
    pub fn truth_at(&self, rho: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
        let variables: Vec<Wide> = rho.iter().enumerate().map(|(k, x)| Wide::var(*x, k)).collect();
        let psi = (self.psi)(&variables);
        let row = |x: &Wide| x.eps[..variables.len()].to_vec();
        (psi.iter().map(|x| x.re).collect(), psi.iter().map(row).collect())
    }
}

/// A number that depends on no parameter.
fn n(x: f64) -> Wide {
    Wide::from(x)
}

/// Position and velocity after a time t of a mass of 1 kg on a spring of stiffness k.
fn oscillation(k: Wide, [x0, v0]: [Wide; 2], t: Wide) -> [Wide; 2] {
    use gradyn_num::Scalar;
    let w = k.sqrt();
    let (s, c) = ((w * t).sin(), (w * t).cos());
    [x0 * c + v0 / w * s, v0 * c - w * x0 * s]
}

/// y(t) of ẏ = f(y) by the classical Runge–Kutta scheme of order 4.
fn integrated<const N: usize>(
    f: impl Fn([Wide; N]) -> [Wide; N],
    y: [Wide; N],
    t: f64,
    steps: usize,
) -> [Wide; N] {
    let h = t / steps as f64;
    let plus = |y: [Wide; N], k: [Wide; N], h: f64| std::array::from_fn(|i| y[i] + k[i] * h);
    (0..steps).fold(y, |y, _| {
        let a = f(y);
        let b = f(plus(y, a, 0.5 * h));
        let c = f(plus(y, b, 0.5 * h));
        let d = f(plus(y, c, h));
        std::array::from_fn(|i| y[i] + (a[i] + (b[i] + c[i]) * 2.0 + d[i]) * (h / 6.0))
    })
}
