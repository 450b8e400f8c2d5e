//! Which combinations are run, and in which order.
//!
//! The star has two centres, one with a coordinate step and one with a state step; the method of the model
//! file is one of them. Every formulation, every integrator and every sensitivity is in it at least once.

use crate::method::Method;
use crate::prepared::Prepared;
use crate::registry::{Formulation, Integrator, Sensitivity, combinations};
use gradyn_model::Coordinates;

/// Formulation, integrator, sensitivity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Combination {
    /// How the constraints enter the equations of motion.
    pub formulation: Formulation,
    /// The scheme that makes the steps.
    pub integrator: Integrator,
    /// The method of the gradient.
    pub sensitivity: Sensitivity,
    /// Coordinates of the model.
    pub coordinates: Coordinates,
}

/// How many combinations are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every formulation with one integrator, every integrator with one formulation, all coordinates and
    /// every sensitivity with both centres.
    Star,
    /// Everything that fits together.
    Full,
}

/// Part of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// One integrator.
    Formulations,
    /// One formulation.
    Integrators,
    /// The centres in other coordinates.
    Coordinates,
    /// All sensitivities at the centres.
    Sensitivities,
    /// The rest of the product.
    Others,
}

impl Section {
    /// Name of the section in tables.
    pub fn name(self) -> &'static str {
        match self {
            Section::Formulations => "formulations",
            Section::Integrators => "integrators",
            Section::Coordinates => "coordinates",
            Section::Sensitivities => "sensitivities",
            Section::Others => "all others",
        }
    }
}

impl Combination {
    fn new(
        (formulation, integrator): (Formulation, Integrator),
        sensitivity: Sensitivity,
        coordinates: Coordinates,
    ) -> Self {
        Self { formulation, integrator, sensitivity, coordinates }
    }
    /// Do both differentiate the same run?
    pub(crate) fn same_run(&self, other: &Self) -> bool {
        let run = |c: &Self| (c.formulation, c.integrator, c.coordinates);
        run(self) == run(other)
    }
}

impl std::fmt::Display for Combination {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} + {}, {}", self.formulation.name(), self.integrator.name(), self.sensitivity.name())?;
        match self.coordinates {
            Coordinates::Natural => Ok(()),
            c => write!(f, ", {}", c.name()),
        }
    }
}

/// A combination, where it is printed.
pub(super) struct Item {
    pub combination: Combination,
    pub section: Section,
    pub place: usize,
}

/// The centres of the star: a coordinate step and a state step. The method asked for is one of them, if the
/// model accepts it.
pub(super) fn centres(model: &Prepared, method: &Method) -> [(Formulation, Integrator); 2] {
    let accepts = |c: &(Formulation, Integrator)| {
        let m = Method { formulation: c.0, integrator: c.1, ..method.clone() };
        c.0.fits(c.1) && model.check_method(&Method { stepping: crate::Stepping::Default, ..m }).is_ok()
    };
    let asked = (method.formulation, method.integrator);
    let first = |coordinate: bool, others: [Formulation; 2], integrator: Integrator| {
        let own = (asked.1.coordinate() == coordinate).then_some(asked);
        let all = own.into_iter().chain(others.map(|f| (f, integrator)));
        all.clone().find(accepts).unwrap_or((others[1], integrator))
    };
    [
        first(true, [Formulation::Index3, Formulation::Index1], Integrator::Newmark),
        first(false, [Formulation::Maggi, Formulation::Index1], Integrator::Dop853),
    ]
}

/// The combinations of a plan, the cheap ones of each section first.
pub(super) fn list(
    centres: &[(Formulation, Integrator); 2],
    scope: Scope,
    families: &[Coordinates],
) -> Vec<Item> {
    let mut items = vec![];
    let sweep = Sensitivity::DiscreteAdjoint;
    let own = families[0];
    for &f in Formulation::ALL {
        let integrator = centres.iter().map(|c| c.1).find(|i| f.fits(*i)).unwrap_or(Integrator::Newmark);
        add(&mut items, Section::Formulations, Combination::new((f, integrator), sweep, own));
    }
    for &i in Integrator::ALL {
        // index1 works with every integrator
        add(&mut items, Section::Integrators, Combination::new((Formulation::Index1, i), sweep, own));
    }
    for &family in &families[1..] {
        centres
            .iter()
            .for_each(|c| add(&mut items, Section::Coordinates, Combination::new(*c, sweep, family)));
    }
    for &centre in centres {
        for s in Sensitivity::ALL.iter().filter(|s| s.fits(centre.0)) {
            add(&mut items, Section::Sensitivities, Combination::new(centre, *s, own));
        }
    }
    if scope == Scope::Full {
        for pair in combinations() {
            for s in Sensitivity::ALL.iter().filter(|s| s.fits(pair.0)) {
                add(&mut items, Section::Others, Combination::new(pair, *s, own));
            }
        }
    }
    items.sort_by_key(cost);
    items
}

fn add(items: &mut Vec<Item>, section: Section, combination: Combination) {
    if !items.iter().any(|i| i.combination == combination) {
        items.push(Item { combination, section, place: items.len() });
    }
}

/// Order of running: by section; the rest by run, so that each run is made once.
fn cost(item: &Item) -> (Section, [usize; 3]) {
    use Integrator::{Adams, Bashforth, Dop853, Dopri5, Rk4};
    let c = &item.combination;
    let integrator = match c.integrator {
        Dop853 | Adams => 0,
        Dopri5 => 1,
        Rk4 | Bashforth => 2,
        i if i.coordinate() => 3,
        // implicit ones of high order need fewer steps
        i => 12 - i.order(),
    };
    let place = |x: usize| if item.section == Section::Others { x } else { 0 };
    let run = place(combinations().iter().position(|p| *p == (c.formulation, c.integrator)).unwrap_or(0));
    (item.section, [integrator, run, sensitivity(c.sensitivity)])
}

/// One gradient; one column for each parameter; runs for each parameter.
fn sensitivity(s: Sensitivity) -> usize {
    match s {
        Sensitivity::DiscreteAdjoint => 0,
        Sensitivity::Automatic => 3,
        Sensitivity::ComplexStep => 4,
        Sensitivity::FiniteDifference => 5,
        Sensitivity::Extrapolated => 6,
        s if s.is_continuous() => 2,
        _ => 1,
    }
}
