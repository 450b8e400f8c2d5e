//! Measured orders of (q, v, a, λ) on the five-bar against those of the registry, for every formulation ×
//! integrator.

use gradyn::registry::{combinations, orders};
use gradyn::{Coordinates, Formulation, Integrator, Method, Prepared};
use gradyn_testkit::models;

/// Blocks of the last record of a second of the five-bar.
fn last(model: &Prepared, method: &Method) -> [Vec<f64>; 4] {
    let run = model.run(method).unwrap_or_else(|e| panic!("{method:?}: {e}")).trajectory;
    let blocks = run.layout.blocks();
    [0, 1, 2, 3].map(|k| run.last()[blocks[k].1.clone()].to_vec())
}

/// Not below the theoretical order by more than 0.3; where blocks differ in order, not above either.
#[test]
fn blocks_have_the_orders_of_the_registry() {
    let mut m = models::five_bar();
    m.t_end = 1.0.into();
    let model = Prepared::new(&m).expect("the five-bar builds");
    for (formulation, integrator) in combinations() {
        let expected = orders(formulation, integrator);
        // positions at acceleration level are exact for maggi; penalty has its own limit
        let exact = if formulation == Formulation::Penalty { formulation } else { Formulation::Maggi };
        let exact = Method { formulation: exact, integrator: Integrator::Dop853, ..Method::default() }
            .tolerance(1e-13, 1e-13);
        let truth = last(&model, &exact);
        let h = match integrator.order() {
            1..=3 => 5e-3,
            4 => 0.02,
            5 => 0.0125,
            _ => 0.1,
        };
        let errors = |h: f64| {
            let x = last(&model, &Method { formulation, integrator, ..Method::default() }.step(h));
            let norm =
                |k: usize| x[k].iter().zip(&truth[k]).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
            [0, 1, 2, 3].map(norm)
        };
        let (coarse, fine) = (errors(h), errors(0.5 * h));
        let slopes = [0, 1, 2, 3].map(|k| (coarse[k] / fine[k]).log2());
        let what =
            format!("{} + {}: {slopes:.2?}, expected {expected:?}", formulation.name(), integrator.name());
        for k in 0..4 {
            assert!(slopes[k] >= expected[k] as f64 - 0.3, "{what}");
            assert!(expected == [expected[0]; 4] || slopes[k] <= expected[k] as f64 + 0.25, "{what}");
        }
    }
}

/// Largest deviation of the energy of a pendulum over `t_end` seconds by gauss4 at 10 ms.
fn drift(family: Coordinates, formulation: &str, options: &[(&str, &str)], t_end: f64) -> f64 {
    let text = include_str!("kit/pendulum.toml");
    let mut m = gradyn::file::read_toml(text).expect("parses").mechanism;
    m.t_end = t_end.into();
    let mut method = Method::new(formulation, "gauss4").expect("exists").step(1e-2);
    options.iter().for_each(|(name, value)| method.set(name, value).expect("an option"));
    let model = Prepared::new_in(&m, family).expect("builds");
    model.run(&method).expect("runs").energy.1
}

/// The energy of a pendulum by gauss4 does not drift, but for Baumgarte's terms, which brake a scheme that
/// leaves the constraints: METHODS says so.
#[test]
fn gauss4_keeps_the_energy_but_for_baumgarte() {
    let natural = Coordinates::Natural;
    let projected = ("stabilisation", "projection");
    for (family, formulation, options) in [
        (Coordinates::Relative0, "index1", vec![]),
        (natural, "maggi", vec![]),
        (natural, "index1", vec![projected]),
        (natural, "index1", vec![("omega", "0")]),
    ] {
        let [short, long] = [10.0, 100.0].map(|t| drift(family, formulation, &options, t));
        // of 2.45 J, bounded: ten times the time changes nothing
        assert!(long < 1e-6 && long < 1.1 * short, "{formulation} {options:?}: {short:.1e}, {long:.1e} J");
    }
    let [short, long] = [10.0, 100.0].map(|t| drift(natural, "index1", &[], t));
    assert!(long > 8.0 * short && long < 1e-4, "{short:.1e}, {long:.1e} J");
}
