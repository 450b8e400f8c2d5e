//! Mistakes of adjoints, made on purpose: the records of a run with one wrong transpose.
//!
//! ```text
//! (R_x - E)ᵀ μ' = b,   μ' = μ + R_x⁻ᵀ Eᵀ μ        where E is below the diagonal of blocks                 (1)
//! μ = R_x⁻ᵀ (b - b_z) + R_x⁻ᵀ b_z                 the second is what integrands read                      (2)
//! ```

use gradyn_dynamics::{Chain, Layout, Products, Residual, Span, StepArgs, StepError};
use gradyn_model::Kinematics;
use gradyn_num::Wide;
use gradyn_sensitivity::{Case, Design, Records, Wrap};

/// A classic mistake in the transposes of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slip {
    /// (Φ_qᵀλ)_q is left out of the tangent.
    GeometricStiffness,
    /// The adjoints of the constraint rows have the other sign.
    SignOfReaction,
    /// (Φ_q q̇)_q is left out of the velocities of record 0.
    RateOfConstraints,
    /// No adjoint of the initial positions.
    InitialPosition,
    /// No adjoint of the initial velocities.
    InitialVelocity,
    /// No adjoint of the initial accelerations and multipliers.
    InitialAcceleration,
    /// The first node has half of its weight in integrals.
    HalfAtStart,
    /// The last node has half of its weight in integrals.
    HalfAtEnd,
    /// The projected node counts as the one before the projection.
    Projection,
    /// ∂g/∂ρ is left out.
    ExplicitIntegrand,
    /// Derivatives are those over ρ by its scale.
    Scale,
    /// R_h and R_t of the last step are left out.
    FinalTime,
    /// The time of an event does not move.
    Event,
    /// Velocities after an event do not follow from those before.
    Restart,
    /// The integrand at a node between two steps counts twice.
    SharedNode,
    /// The forces on a point that two bodies share count twice.
    SharedPoint,
    /// The positions of an equilibrium do not move.
    Equilibrium,
}

/// A mistake, and a run where it matters.
pub(crate) struct Fault {
    pub slip: Slip,
    pub name: &'static str,
    /// Example, and its final time and step where they are not its own.
    pub example: &'static str,
    pub end: Option<f64>,
    /// Formulation, integrator, and an option with its value.
    pub method: [&'static str; 2],
    pub option: Option<[&'static str; 2]>,
    pub step: f64,
}

impl Fault {
    const fn of(slip: Slip, name: &'static str, example: &'static str, end: f64) -> Self {
        let method = ["index3", "newmark"];
        Self { slip, name, example, end: Some(end), method, option: None, step: 5e-3 }
    }
    /// With the final time of the example.
    const fn whole(self) -> Self {
        Self { end: None, ..self }
    }
    const fn by(self, formulation: &'static str, integrator: &'static str, step: f64) -> Self {
        Self { method: [formulation, integrator], step, ..self }
    }
    const fn with(self, option: &'static str, value: &'static str) -> Self {
        Self { option: Some([option, value]), ..self }
    }
}

/// Every mistake with its run.
pub(crate) const FAULTS: &[Fault] = &[
    Fault::of(Slip::GeometricStiffness, "dropped (Φ_qᵀλ)_q", "five_bar", 0.5),
    Fault::of(Slip::SignOfReaction, "sign of a reaction", "five_bar", 0.5).with("projection", "off"),
    Fault::of(Slip::RateOfConstraints, "missing (Φ_q q̇)_q", "redundant_four_bar", 0.5)
        .by("index1", "rk4", 5e-3),
    Fault::of(Slip::InitialPosition, "missing initial position adjoint", "five_bar", 0.5),
    Fault::of(Slip::InitialVelocity, "missing initial velocity adjoint", "pendulum", 0.5),
    Fault::of(Slip::InitialAcceleration, "missing initial acceleration adjoint", "five_bar", 0.5),
    Fault::of(Slip::HalfAtStart, "half weight at t₀", "five_bar", 0.5),
    Fault::of(Slip::HalfAtEnd, "half weight at t_F", "five_bar", 0.5),
    Fault::of(Slip::Projection, "missing projection adjoint", "five_bar", 1.0)
        .by("index1", "rk4", 5e-2)
        .with("stabilisation", "projection"),
    Fault::of(Slip::ExplicitIntegrand, "missing explicit ∂g/∂ρ", "quarter_car", 0.5)
        .by("index1", "rk4", 5e-3),
    Fault::of(Slip::Scale, "wrong parameter scale", "five_bar", 0.5),
    Fault::of(Slip::FinalTime, "missing final-time term", "manipulator", 0.0).whole(),
    Fault::of(Slip::Event, "missing event term", "bouncing_ball", 1.5).by("index1", "rk4", 5e-3),
    Fault::of(Slip::Restart, "missing restart term", "bouncing_ball", 1.5).by("index1", "rk4", 5e-3),
    Fault::of(Slip::SharedNode, "shared node counted twice", "five_bar", 0.5),
    Fault::of(Slip::SharedPoint, "shared point counted twice", "five_bar", 0.5),
    Fault::of(Slip::Equilibrium, "missing equilibrium sensitivity", "quarter_car", 0.5)
        .by("index1", "rk4", 5e-3),
];

/// Records with a mistake.
pub(crate) fn wrap(slip: Slip) -> Wrap {
    Wrap::new(move |inner| Box::new(Wrong { inner, slip, at: None }))
}

/// Records with a mistake, and what is known of the one that was linearised last.
struct Wrong {
    inner: Box<dyn Records>,
    slip: Slip,
    at: Option<Place>,
}

/// What a mistake asks of a record.
struct Place {
    n: usize,
    last: usize,
    lay: Layout,
    restart: bool,
    event: bool,
    /// Rows of record 0 that say r = 0 in an equilibrium.
    balance: std::ops::Range<usize>,
    /// (Φ_q q̇)_q of record 0, row by row.
    rates: Vec<Vec<f64>>,
    /// Columns where there are none.
    none: Vec<f64>,
}

impl Place {
    fn new(case: &Case, n: usize, p: &[f64]) -> Self {
        let plan = &case.run.plan;
        let lay = case.run.layout;
        let sys = case.recipe.system();
        let held = sys.independent(Kinematics::Position).len();
        let balance = sys.statics().map_or(lay.n..lay.n, |s| held + s.held.len()..lay.n);
        Self {
            n,
            last: plan.steps(),
            lay,
            restart: plan.restarts[n],
            event: plan.edges[n].is_some(),
            balance,
            rates: if n == 0 { rates(case, p) } else { vec![] },
            none: vec![0.0; lay.len],
        }
    }
    /// What is left of a vector in the rows of integrals.
    fn integrals(&self, x: &[f64]) -> Vec<f64> {
        let z = self.lay.z()..self.lay.head();
        x.iter().enumerate().map(|(i, x)| if z.contains(&i) { *x } else { 0.0 }).collect()
    }
}

/// (Φ_q q̇)_q of record 0, by duals through the residual.
fn rates(case: &Case, p: &[f64]) -> Vec<Vec<f64>> {
    let lay = case.run.layout;
    let rows = case.recipe.system().independent(Kinematics::Velocity).len();
    let lift = |x: &[f64]| x.iter().map(|&x| Wide::from(x)).collect::<Vec<_>>();
    let mut residual = case.recipe.residual(&lift(p));
    let link = case.run.link(0);
    let args = link.args(p);
    let span = Span { t: Wide::from(args.span.t), h: Wide::from(0.0) };
    let mut all = vec![vec![0.0; lay.n]; rows];
    let mut r = lift(&vec![0.0; lay.len]);
    for first in (0..lay.n).step_by(8) {
        let columns = first..lay.n.min(first + 8);
        let mut x = lift(args.x);
        columns.clone().for_each(|i| x[i] = Wide::var(args.x[i], i - first));
        residual.residual(&StepArgs { span, frozen: args.frozen, x: &x, past: &[] }, &mut r);
        for (k, row) in all.iter_mut().enumerate() {
            columns.clone().for_each(|i| row[i] = r[lay.n + k].eps[i - first]);
        }
    }
    all
}

impl Records for Wrong {
    fn linearise(&mut self, case: &Case, n: usize, p: &[f64]) -> Result<(), StepError> {
        self.at = Some(Place::new(case, n, p));
        self.inner.linearise(case, n, p)
    }
    fn time_columns(&self) -> [&[f64]; 2] {
        match &self.at {
            Some(at) if self.slip == Slip::FinalTime && at.n == at.last => [&at.none, &at.none],
            _ => self.inner.time_columns(),
        }
    }
    fn pull_back(&self, case: &Case, slots: &[f64]) -> Vec<f64> {
        let mut row = self.inner.pull_back(case, slots);
        if let (Slip::Scale, Design::Model(model)) = (self.slip, case.design) {
            row.iter_mut().zip(&model.parameters).for_each(|(x, p)| *x *= p.scale);
        }
        row
    }
    fn chain(&mut self) -> &mut Chain {
        self.inner.chain()
    }
}

impl Products for Wrong {
    fn solve(&mut self, b: &mut [f64]) {
        self.inner.solve(b);
    }
    fn past_mul(&mut self, s: &[f64], r: &mut [f64]) {
        self.inner.past_mul(s, r);
    }
    fn slot_mul(&mut self, delta: &[f64], r: &mut [f64]) {
        self.inner.slot_mul(delta, r);
    }
    fn solve_t(&mut self, b: &mut [f64]) {
        let Self { inner, slip, at } = self;
        let at = at.as_ref().expect("linearised");
        let lay = at.lay;
        let (n, z) = (lay.n, lay.z());
        // what is wrong with the right-hand side
        let mut halved = vec![0.0; b.len()];
        match slip {
            Slip::HalfAtEnd if at.n == at.last && at.n > 0 => {
                halved = at.integrals(b);
                inner.solve_t(&mut halved);
                halved[z..lay.head()].fill(0.0);
            }
            Slip::Projection if at.n > 0 => {
                // a record ends with the node before the projection, σ_q and σ_v
                let tilde = b.len() - z - 2 * lay.m;
                for i in 0..z {
                    b[tilde + i] += std::mem::take(&mut b[i]);
                }
            }
            _ => {}
        }
        inner.solve_t(b);
        b.iter_mut().zip(&halved).for_each(|(mu, x)| *mu -= 0.5 * x); // (2)
        // what is wrong with μ
        match slip {
            Slip::SignOfReaction => b[lay.lam()..z].iter_mut().for_each(|mu| *mu = -*mu),
            Slip::Event if at.event => b[lay.len - 1] = 0.0,
            _ => {}
        }
        if at.n > 0 {
            return;
        }
        match slip {
            Slip::RateOfConstraints => {
                // (1)
                let mut more = vec![0.0; b.len()];
                for (row, mu) in at.rates.iter().zip(&b[n..]) {
                    more[..n].iter_mut().zip(row).for_each(|(x, e)| *x += e * mu);
                }
                inner.solve_t(&mut more);
                b.iter_mut().zip(&more).for_each(|(mu, x)| *mu += x);
            }
            Slip::InitialPosition => b[..n].fill(0.0),
            Slip::InitialVelocity => b[n..2 * n].fill(0.0),
            Slip::InitialAcceleration => b[2 * n..z].fill(0.0),
            Slip::Equilibrium => b[at.balance.clone()].fill(0.0),
            _ => {}
        }
    }
    fn past_mul_t(&mut self, mu: &[f64], out: &mut [f64]) {
        let Self { inner, slip, at } = self;
        let at = at.as_ref().expect("linearised");
        let z = at.lay.z();
        let mut right = vec![0.0; out.len()];
        inner.past_mul_t(mu, &mut right);
        // what integrands read of the past
        let share = match slip {
            Slip::HalfAtStart if at.n == 1 => -0.5,
            Slip::SharedNode if at.n == at.last / 2 => 1.0,
            _ => 0.0,
        };
        if share != 0.0 {
            let mut read = vec![0.0; out.len()];
            inner.past_mul_t(&at.integrals(mu), &mut read);
            right[..z].iter_mut().zip(&read).for_each(|(x, read)| *x += share * read);
        }
        match slip {
            Slip::SharedPoint if at.n > 0 => right[..2].iter_mut().for_each(|x| *x *= 2.0),
            Slip::Restart if at.restart => {
                let n = at.lay.n;
                right[n..2 * n].iter_mut().zip(&mu[n..]).for_each(|(x, mu)| *x = -mu);
            }
            _ => {}
        }
        out.iter_mut().zip(&right).for_each(|(out, x)| *out += x);
    }
    fn slot_mul_t(&mut self, mu: &[f64], s: f64, grad: &mut [f64]) {
        let at = self.at.as_ref().expect("linearised");
        let mut mu = mu.to_vec();
        if self.slip == Slip::ExplicitIntegrand {
            mu[at.lay.z()..at.lay.head()].fill(0.0);
        }
        self.inner.slot_mul_t(&mu, s, grad);
    }
}
