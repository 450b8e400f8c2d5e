//! The mass-orthogonal projection of velocities never raises the kinetic energy.

use gradyn_dynamics::Compliance;
use gradyn_dynamics::initial::{prepare_kkt, refactor_kkt};
use gradyn_dynamics::projection::{project, violation};
use gradyn_model::{At, Level, Mechanics, Mechanism};
use gradyn_testkit::models::{Ready, all, five_bar, ready};

/// Numbers in (-1, 1).
struct Random(u64);
impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 11) as f64) / (1u64 << 52) as f64 - 1.0
    }
}

/// The five-bar with two rods without mass: the point between them has none.
fn massless() -> Mechanism {
    let mut m = five_bar();
    m.name = "massless".into();
    m.bodies
        .iter_mut()
        .filter(|b| ["B12", "B23"].contains(&b.name.text.as_str()))
        .for_each(|b| b.mass = None);
    m
}

/// ½ v·M v.
fn kinetic(sys: &Mechanics, mass: &[f64], v: &[f64]) -> f64 {
    let mut p = vec![0.0; v.len()];
    sys.patterns().nn.mul(mass, 0.5, v, &mut p);
    p.iter().zip(v).map(|(p, v)| p * v).sum()
}

/// Random positions near the assembled ones, random velocities: (T before, T after, |Φ̇| after, relative).
fn energies(r: &Ready, compliance: f64, random: &mut Random) -> Option<(f64, f64, f64)> {
    let (sys, dims, t) = (&r.model.system, r.model.system.dims(), 0.1);
    let (n, m) = (dims.n, dims.m);
    let mut x: Vec<f64> = r.q.iter().map(|q| q + 0.05 * random.next()).collect();
    x.extend((0..n).map(|_| random.next()));
    x.resize(3 * n + m, 0.0);
    let mut terms = sys.evaluator(&r.p);
    terms.set_branches(&r.model.angles);
    terms.at(t, &x[..n]);
    // a driver moves the set onto which v is projected
    let (still, mut rate) = (vec![0.0; n.max(m)], vec![0.0; m]);
    terms.constraint(
        &At { t, q: &x[..n], v: &still[..n], a: &still[..n], lam: &still[..m] },
        Level::VELOCITY,
        &mut rate,
    );
    if rate.iter().any(|r| *r != 0.0) {
        return None;
    }
    let mass = terms.mass().to_vec();
    let before = kinetic(sys, &mass, &x[n..2 * n]);
    let mut kkt = prepare_kkt(sys, &terms).expect("a pattern");
    refactor_kkt(sys, t, &terms, Compliance::uniform(compliance), &mut kkt)
        .unwrap_or_else(|e| panic!("{}: {e}", r.model.name));
    project(sys, t, 1, &mut terms, |b| kkt.solve(b), &mut x, &mut vec![0.0; n + m]);
    let left = violation(&At::of(t, &x, n, m), &mut terms, &mut rate);
    Some((before, kinetic(sys, &mass, &x[n..2 * n]), left))
}

#[test]
fn velocity_projections_never_raise_the_kinetic_energy() {
    let mut random = Random(3);
    let mut tried = 0;
    for (name, m) in all().into_iter().chain([("massless", massless())]) {
        let r = ready(&m);
        for compliance in [0.0, 1e-9, 1e-3, 1.0] {
            for _ in 0..50 {
                let Some((before, after, left)) = energies(&r, compliance, &mut random) else { continue };
                // 1e-13: rounding of a sum of squares
                assert!(after <= before * (1.0 + 1e-13), "{name}, {compliance}: {after} > {before}");
                assert!(compliance > 0.0 || left < 1e-12, "{name}: |Φ̇| = {left:e}");
                tried += 1;
            }
        }
    }
    assert!(tried > 1000, "{tried} states");
}

#[test]
fn the_massless_model_has_massless_coordinates() {
    let r = ready(&massless());
    let sys = &r.model.system;
    let terms = sys.evaluator(&r.p);
    let nn = &sys.patterns().nn;
    let diagonal = |i: usize| nn.row(i).find(|p| nn.col(*p) == i).map_or(0.0, |p| terms.mass()[p]);
    assert!((0..sys.dims().n).any(|i| diagonal(i) == 0.0));
}
