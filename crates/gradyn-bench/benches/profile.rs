//! Question: where does the time of a vehicle's step go?
//!
//! One call of each term of `Evaluator` and of the matrices of a step, at the start of each vehicle in each
//! family of coordinates, the fastest of many calls. `-- NAME` takes one vehicle.

use gradyn::{Coordinates, Prepared};
use gradyn_bench::best;
use gradyn_model::{At, FunctionalSet, Level};
use gradyn_num::{Kkt, Saddle};

/// µs of one call.
fn time(mut f: impl FnMut()) -> f64 {
    best(7, || (0..50).for_each(|_| f())) * 1e6 / 50.0
}

fn main() {
    let wanted =
        |name: &str| std::env::args().all(|a| !gradyn::examples::VEHICLES.contains(&a.as_str()) || a == name);
    for name in gradyn::examples::VEHICLES.iter().filter(|name| wanted(name)) {
        let text = gradyn::examples::find(name).expect("bundled");
        let m = gradyn::file::read_toml(text).expect("reads").mechanism;
        for family in [Coordinates::Natural, Coordinates::Relative0] {
            let model = Prepared::new_in(&m, family).unwrap_or_else(|e| panic!("{name}: {e}"));
            println!("{name}, {}: {}", family.name(), profile(&model));
        }
    }
}

/// One line for each term.
fn profile(model: &Prepared) -> String {
    let sys = &model.model.system;
    let p = model.slots();
    let (dims, pat) = (sys.dims(), sys.patterns());
    let (n, m) = (dims.n, dims.m);
    let (q, v) = (&model.assembled.q, vec![0.1; n]);
    let (a, lam) = (vec![0.1; n], vec![1.0; m]);
    let at = At { t: 0.0, q, v: &v, a: &a, lam: &lam };
    let mut terms = sys.evaluator(&p);
    terms.set_branches(&model.model.angles);
    terms.at(0.0, at.q);
    let (mut top, mut rows, mut grad) = (vec![0.0; n], vec![0.0; m], vec![0.0; p.len() + 64]);
    let (mut k, mut c) = (vec![0.0; pat.nn.nnz()], vec![0.0; pat.nn.nnz()]);
    let mut mn = vec![0.0; pat.mn.nnz()];
    let mut out =
        format!("{n} coordinates, {m} rows, {} and {} entries; µs a call\n", pat.nn.nnz(), pat.mn.nnz());
    let mut line = |name: &str, t: f64| out += &format!("  {name:<22} {t:8.2}\n");
    line("place", time(|| terms.at(0.0, at.q)));
    line("forces", time(|| terms.forces(&at, &mut top)));
    line("constraint, level 0", time(|| terms.constraint(&at, Level::POSITION, &mut rows)));
    line("constraint, level 2", time(|| terms.constraint(&at, Level::ACCELERATION, &mut rows)));
    line("balance", time(|| terms.balance(&a, &lam, &mut top)));
    let (mut bar, mut rate) = (vec![0.0; n], vec![0.0; n]);
    line(
        "pull",
        time(|| {
            assert!(terms.pull(&at, Level::ACCELERATION, [&a, &lam], 1.0, [&mut bar, &mut rate, &mut grad]))
        }),
    );
    let mut values = vec![0.0; sys.functionals(FunctionalSet::Integrand)];
    line("measure", time(|| terms.measure(FunctionalSet::Integrand, &at, &mut values)));
    let mut row = vec![0.0; 3 * n + m + sys.support(FunctionalSet::Integrand).len()];
    line("measure_row", time(|| terms.measure_row(FunctionalSet::Integrand, 0, &at, &mut row)));
    line("force_tangents", time(|| terms.force_tangents(&at, &mut k, &mut c)));
    line("balance_q", time(|| terms.balance_q(&at, &a, &lam, &mut k)));
    line("constraint_q, level 0", time(|| terms.constraint_q(&at, Level::POSITION, &mut mn)));
    line("constraint_q, level 2", time(|| terms.constraint_q(&at, Level::ACCELERATION, &mut mn)));
    line("constraint_v, level 2", time(|| terms.constraint_v(&at, Level::ACCELERATION, &mut mn)));
    line("constraint_p_t", time(|| terms.constraint_p_t(&at, Level::ACCELERATION, &lam, 1.0, &mut grad)));
    line("balance_p_t", time(|| terms.balance_p_t(&at, &a, &lam, &a, 1.0, &mut grad)));
    line("forces_p_t", time(|| terms.forces_p_t(&at, &a, 1.0, &mut grad)));
    let mut saddle = Saddle::new(&pat.nn, &pat.mn).expect("square").released(sys.dropped());
    let (mass, phi_q) = (terms.mass(), terms.phi_q());
    line(
        "tangent, factor",
        time(|| saddle.refactor(|i| mass[i], |i| phi_q[i], phi_q, |_| 1e-9, 1.0).expect("regular")),
    );
    let mut b = vec![1.0; n + m];
    line("tangent, solve", time(|| saddle.solve(&mut b)));
    line("tangent, solve_t", time(|| saddle.solve_t(&mut b)));
    let mut kkt = Kkt::sparser(&pat.nn, &pat.mn, &pat.mass).expect("square");
    kkt.release(sys.dropped());
    match sys.constant_mass() {
        true => kkt.prepare(mass).expect("finite"),
        false => kkt.vary(),
    }
    let refactor = |kkt: &mut Kkt| {
        if !sys.constant_mass() {
            kkt.set(mass);
        }
        kkt.refactor(phi_q, |_| 0.0).expect("regular");
    };
    line("projection, factor", time(|| refactor(&mut kkt)));
    line("projection, solve", time(|| kkt.solve(&mut b)));
    out
}
