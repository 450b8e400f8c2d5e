//! Maggi's equations: M13's own form of the partials, with ∂R/∂z, against the ones of the code, which need
//! none; freedoms that the user names.
//!
//! ```text
//! f(t, z, ż; ρ) = M̄⁻¹ Q̄,   M̄ = RᵀMR,   Q̄ = Rᵀ(Q - M S c)                     (1)  [M13, Eqs. 10–12]
//! f_z = -M̄⁻¹ (K̄ + M̄_z z̈),   f_ż = -M̄⁻¹ C̄,   f_ρ = M̄⁻¹ (Q̄_ρ - M̄_ρ z̈)        (2)  [M13, Eqs. 69, 70]
//! ```
//! The sign of M̄_ρ z̈ is that of M13, Eq. 68. (42) and (44) of M13 leave R_ρ out: they hold for parameters
//! that do not enter Φ.

use gradyn::registry::variants;
use gradyn::{Coordinates, Formulation, Method, Prepared, Sensitivity};
use gradyn_dynamics::block::{Block, choose, prepare};
use gradyn_dynamics::{Integrated, Lagrange};
use gradyn_model::{At, Evaluator, Kinematics, Level, Mechanics};
use gradyn_num::{Pattern, Wide};
use gradyn_testkit::compare::distance;
use std::f64::consts::PI;

type Matrix = Vec<Vec<f64>>;

fn times(a: &Matrix, b: &Matrix) -> Matrix {
    let cols = b.first().map_or(0, Vec::len);
    a.iter().map(|r| (0..cols).map(|j| r.iter().zip(b).map(|(x, b)| x * b[j]).sum()).collect()).collect()
}
fn apply(a: &Matrix, x: &[f64]) -> Vec<f64> {
    a.iter().map(|r| r.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}
fn transposed(a: &Matrix) -> Matrix {
    (0..a[0].len()).map(|j| a.iter().map(|r| r[j]).collect()).collect()
}
/// a + s b.
fn sum(a: &Matrix, s: f64, b: &Matrix) -> Matrix {
    a.iter().zip(b).map(|(a, b)| a.iter().zip(b).map(|(a, b)| a + s * b).collect()).collect()
}
fn scaled(s: f64, a: &Matrix) -> Matrix {
    a.iter().map(|r| r.iter().map(|x| s * x).collect()).collect()
}
fn plus(x: &[f64], s: f64, y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + s * y).collect()
}
/// The matrix with these columns.
fn columns(count: usize, column: impl FnMut(usize) -> Vec<f64>) -> Matrix {
    transposed(&(0..count).map(column).collect())
}
fn column(a: &Matrix, j: usize) -> Vec<f64> {
    a.iter().map(|r| r[j]).collect()
}
/// Gauss–Jordan with pivoting.
fn inverse(a: &Matrix) -> Matrix {
    let n = a.len();
    let unit = |i: usize| (0..n).map(move |j| f64::from(u8::from(i == j)));
    let mut rows: Matrix =
        a.iter().enumerate().map(|(i, r)| r.iter().copied().chain(unit(i)).collect()).collect();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs())).expect("a row");
        rows.swap(k, pivot);
        let head: Vec<f64> = rows[k].iter().map(|x| x / rows[k][k]).collect();
        for row in &mut rows {
            let s = row[k];
            row.iter_mut().zip(&head).for_each(|(x, h)| *x -= s * h);
        }
        rows[k] = head;
    }
    rows.into_iter().map(|r| r[n..].to_vec()).collect()
}
fn dense(p: &Pattern, values: &[f64]) -> Matrix {
    let mut rows = vec![vec![0.0; p.cols()]; p.rows()];
    p.iter().for_each(|(i, j, k)| rows[i][j] = values[k]);
    rows
}

/// The contracted terms of a model at (t, q, v), dense.
struct Terms<'a> {
    sys: &'a Mechanics,
    d: Evaluator<f64>,
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Terms<'_> {
    fn at<'x>(&self, q: &'x [f64], v: &'x [f64], zero: &'x [f64]) -> At<'x> {
        let dims = self.sys.dims();
        At { t: self.t, q, v, a: &zero[..dims.n], lam: &zero[..dims.m] }
    }
    /// Φ, Φ̇ or Φ̈ at a = 0 with another velocity.
    fn constraint(&mut self, level: usize, v: &[f64]) -> Vec<f64> {
        let (q, zero, mut out) = (self.q.clone(), vec![0.0; 100], vec![0.0; self.sys.dims().m]);
        self.d.constraint(&self.at(&q, v, &zero), Level::ALL[level], &mut out);
        out
    }
    /// Its derivative over q.
    fn constraint_q(&mut self, level: usize, v: &[f64]) -> Matrix {
        let (q, zero, mut out) = (self.q.clone(), vec![0.0; 100], vec![0.0; self.sys.patterns().mn.nnz()]);
        self.d.constraint_q(&self.at(&q, v, &zero), Level::ALL[level], &mut out);
        dense(&self.sys.patterns().mn, &out)
    }
    /// Φ̈_v.
    fn ddphi_v(&mut self) -> Matrix {
        let (q, v, zero) = (self.q.clone(), self.v.clone(), vec![0.0; 100]);
        let mut out = vec![0.0; self.sys.patterns().mn.nnz()];
        self.d.constraint_v(&self.at(&q, &v, &zero), Level::ACCELERATION, &mut out);
        dense(&self.sys.patterns().mn, &out)
    }
    /// Φ_qq u = Σ_j ∂Φ_q/∂q_j u_j, which is (Φ̇ at v = u)_q without Φ_tq  [M13, Eq. 31].
    fn phi_qq(&mut self, u: &[f64]) -> Matrix {
        let still = self.constraint_q(1, &vec![0.0; u.len()]);
        sum(&self.constraint_q(1, u), -1.0, &still)
    }
    fn mass(&self) -> Matrix {
        dense(&self.sys.patterns().nn, self.d.mass())
    }
    /// Q, K, C.
    fn forces(&mut self) -> (Vec<f64>, Matrix, Matrix) {
        let (q, v, zero, nn) = (self.q.clone(), self.v.clone(), vec![0.0; 100], &self.sys.patterns().nn);
        let (mut minus, mut k, mut c) = (vec![0.0; q.len()], vec![0.0; nn.nnz()], vec![0.0; nn.nnz()]);
        let at = self.at(&q, &v, &zero);
        self.d.forces(&at, &mut minus);
        self.d.force_tangents(&at, &mut k, &mut c);
        (minus.iter().map(|x| -x).collect(), dense(nn, &k), dense(nn, &c))
    }
    /// Q_ρ - M_ρ w along δp.
    fn forces_less_inertia_p(&mut self, w: &[f64], delta: &[f64]) -> Vec<f64> {
        let (q, v, zero, mut out) = (self.q.clone(), self.v.clone(), vec![0.0; 100], vec![0.0; self.q.len()]);
        let at = self.at(&q, &v, &zero);
        self.d.forces_p(&at, delta, &mut out);
        self.d.balance_p(&at, w, &zero[..self.sys.dims().m], delta, &mut out);
        out.iter().map(|x| -x).collect()
    }
    /// Does a direction of the slots enter Φ, Φ̇ or Φ̈?
    fn moves_geometry(&mut self, delta: &[f64]) -> bool {
        let (q, v, zero) = (self.q.clone(), self.v.clone(), vec![0.0; 100]);
        (0..3).any(|level| {
            let mut out = vec![0.0; self.sys.dims().m];
            self.d.constraint_p(&self.at(&q, &v, &zero), Level::ALL[level], delta, &mut out);
            out.iter().any(|x| *x != 0.0)
        })
    }
}

/// (2) as the paper writes it; M_q = 0, because M is constant in natural coordinates. Columns of f_ρ for
/// directions of the slots.
fn paper(x: &mut Terms, choice: &[u32], zdd: &[f64], directions: &[Vec<f64>]) -> [Matrix; 3] {
    let (n, m, free) = (x.q.len(), x.sys.dims().m, choice.len());
    let v = x.v.clone();
    let zd: Vec<f64> = choice.iter().map(|&i| v[i as usize]).collect();
    // [Φ_q; B]⁻¹ = [S R]                                                       [M13, Eqs. 13–16]
    let mut stack = dense(&x.sys.patterns().mn, x.d.phi_q());
    stack.extend(
        choice.iter().map(|&i| (0..n).map(|j| f64::from(u8::from(i as usize == j))).collect::<Vec<_>>()),
    );
    let both = inverse(&stack);
    let s: Matrix = both.iter().map(|r| r[..m].to_vec()).collect();
    let r: Matrix = both.iter().map(|r| r[m..].to_vec()).collect();
    let rt = transposed(&r);
    // b, c and their derivatives                                               [M13, Eqs. 3, 4, 50, 51]
    let zero = vec![0.0; n];
    let sb = apply(&s, &scaled(-1.0, &vec![x.constraint(1, &zero)])[0]);
    let sc = apply(&s, &scaled(-1.0, &vec![x.constraint(2, &v)])[0]);
    let b_q = scaled(-1.0, &x.constraint_q(1, &zero));
    let c_q = scaled(-1.0, &x.constraint_q(2, &v));
    let c_v = scaled(-1.0, &x.ddphi_v());
    // R_{z_i} = -S (Φ_qq R_i) R,  R_{q_j} = -S (Φ_qq e_j) R                    [M13, Eqs. 29, 32]
    let mut along = |u: &[f64]| scaled(-1.0, &times(&times(&s, &x.phi_qq(u)), &r));
    let r_z: Vec<Matrix> = (0..free).map(|i| along(&column(&r, i))).collect();
    let unit = |j: usize| (0..n).map(|i| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
    let r_q: Vec<Matrix> = (0..n).map(|j| along(&unit(j))).collect();
    // q̇_z = R_z ż + (Sb)_z,  (Sb)_z = S (-Φ_qq Sb + b_q) R                     [M13, Eqs. 27, 28, 30]
    let sb_z = times(&times(&s, &sum(&b_q, -1.0, &x.phi_qq(&sb))), &r);
    let v_z = sum(&columns(free, |i| apply(&r_z[i], &zd)), 1.0, &sb_z);
    // (Sc)_q = S (-Φ_qq Sc + c_q),  (Sc)_v = S c_v                             [M13, Eqs. 48, 49]
    let sc_q = times(&s, &sum(&c_q, -1.0, &x.phi_qq(&sc)));
    let sc_v = times(&s, &c_v);
    let (mass, (q, k, c)) = (x.mass(), x.forces());
    // Q̄_q = R_qᵀ (Q - M S c) - Rᵀ (K + M (Sc)_q),  Q̄_v = -Rᵀ (C + M (Sc)_v)      [M13, Eqs. 45, 46]
    let load = plus(&q, -1.0, &apply(&mass, &sc));
    let geometric = columns(n, |j| apply(&transposed(&r_q[j]), &load));
    let q_bar_q = sum(&geometric, -1.0, &times(&rt, &sum(&k, 1.0, &times(&mass, &sc_q))));
    let q_bar_v = scaled(-1.0, &times(&rt, &sum(&c, 1.0, &times(&mass, &sc_v))));
    // K̄, C̄                                                                    [M13, Eqs. 40, 41]
    let k_bar = scaled(-1.0, &sum(&times(&q_bar_q, &r), 1.0, &times(&q_bar_v, &v_z)));
    let c_bar = scaled(-1.0, &times(&q_bar_v, &r));
    // M̄_z z̈ = R_zᵀ M R z̈ + Rᵀ M R_z z̈                                          [M13, Eq. 43]
    let rz = apply(&r, zdd);
    let m_bar_z = columns(free, |i| {
        plus(
            &apply(&transposed(&r_z[i]), &apply(&mass, &rz)),
            1.0,
            &apply(&rt, &apply(&mass, &apply(&r_z[i], zdd))),
        )
    });
    // Q̄_ρ - M̄_ρ z̈ = Rᵀ (Q_ρ - M_ρ (S c + R z̈))                                [M13, Eqs. 42, 44]
    let w = plus(&sc, 1.0, &rz);
    let rho = columns(directions.len(), |k| apply(&rt, &x.forces_less_inertia_p(&w, &directions[k])));
    // (2)
    let solve = inverse(&times(&rt, &times(&mass, &r)));
    [
        scaled(-1.0, &times(&solve, &sum(&k_bar, 1.0, &m_bar_z))),
        scaled(-1.0, &times(&solve, &c_bar)),
        times(&solve, &rho),
    ]
}

/// The same from the linearised rows of a block: B δa for δz, δż and δρ.
fn code(block: &mut Block, sys: &Mechanics, choice: &[u32], directions: &[Vec<f64>]) -> [Matrix; 3] {
    let (n, m, free) = (sys.dims().n, sys.dims().m, choice.len());
    let mut accelerations = |mut b: Vec<f64>| {
        block.solve(sys, &mut b);
        choice.iter().map(|&i| b[2 * n + i as usize]).collect::<Vec<f64>>()
    };
    let mut unit =
        |row: usize| accelerations((0..3 * n + m).map(|i| f64::from(u8::from(i == row))).collect());
    let first = n - free;
    let [z, zd] = [0, 1].map(|level| columns(free, |j| unit(level * n + first + j)));
    let rho = columns(directions.len(), |k| {
        let mut b = vec![0.0; 3 * n + m];
        block.slot_mul(sys, &directions[k], &mut b);
        b.iter_mut().for_each(|b| *b = -*b);
        block.solve(sys, &mut b);
        choice.iter().map(|&i| b[2 * n + i as usize]).collect()
    });
    [z, zd, rho]
}

fn read(text: &str) -> Prepared {
    Prepared::new(&gradyn::file::read_toml(text).expect("parses").mechanism).expect("assembles")
}

fn example(name: &str) -> String {
    gradyn::examples::find(name).expect("bundled").to_owned()
}

/// Directions p' of the parameters.
fn directions(model: &Prepared) -> Vec<Vec<f64>> {
    let seed = |k: usize| {
        let part = |i: usize| if i == k { Wide::var(model.rho()[i], 0) } else { Wide::from(model.rho()[i]) };
        let rho: Vec<Wide> = (0..model.rho().len()).map(part).collect();
        model.model.slots(&rho).iter().map(|p| p.eps[0]).collect()
    };
    (0..model.rho().len()).map(seed).collect()
}

/// Largest distance of two matrices, relative to the largest entry of the second.
fn apart(a: &Matrix, b: &Matrix) -> f64 {
    let largest = |m: &Matrix| gradyn_num::largest(m.iter().flatten().copied());
    largest(&sum(a, -1.0, b)) / largest(b).max(1e-300)
}

/// A loop in the plane, one with a driver (b and Φ_t are not zero), one in space; springs with damping.
fn loops() -> Vec<(&'static str, Prepared)> {
    let five_bar = example("five_bar").replace("stiffness = 100,", "stiffness = 100, damping = 7,");
    let driven = five_bar
        .replace(
            "[initial]",
            "[driver]\ncrank = { angle = \"A1\", value = \"-135 deg + 2*t + t^2\" }\n[initial]",
        )
        .replace("\"A1.angle\" = \"-135 deg\", ", "")
        .replace("velocity = \"rest\"", "velocity = { \"B12.angle\" = 0.3 }");
    let damper = "[force]\nd = { type = \"spring-damper\", between = [\"crank.B\", \"rocker.D\"], stiffness \
        = 50, damping = 3, length = 0.2 }\n";
    let rssr = example("rssr").replace("[initial]", &format!("{damper}[initial]"));
    vec![("five-bar", read(&five_bar)), ("driven five-bar", read(&driven)), ("rssr", read(&rssr))]
}

/// M13 Eqs. 26–55 and 67–70 are the partials of the code, on the way of a motion; the parameters that enter Φ
/// need what Eqs. 42 and 44 leave out.
#[test]
fn the_papers_partials_are_those_of_the_code() {
    for (name, model) in loops() {
        let (sys, p, directions) = (&model.model.system, model.slots(), directions(&model));
        let method = Method::new("maggi", "rk4").expect("registered").step(2e-3);
        let run = model.run(&method).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (n, m) = (sys.dims().n, sys.dims().m);
        let (mut d, kkt) = prepare(sys, &p).expect("factors");
        let mut block = Block::new(sys, Lagrange::ACCELERATION, Integrated::Independent, &p, &kkt);
        for k in [20, 77, 150, 333] {
            let (t, x) = (run.trajectory.plan.t[k], &run.trajectory.record(k)[..3 * n + m]);
            d.set_branches(&run.trajectory.branches(k));
            d.at(t, &x[..n]);
            let choice = choose(sys, Kinematics::Velocity, d.phi_q());
            block.linear.terms.set_branches(&run.trajectory.branches(k));
            block.set(sys, &At::of(t, x, n, m), &choice).expect("regular");
            let ours = code(&mut block, sys, &choice, &directions);
            let zdd: Vec<f64> = choice.iter().map(|&i| x[2 * n + i as usize]).collect();
            let mut terms = Terms { sys, d: d.clone(), t, q: x[..n].to_vec(), v: x[n..2 * n].to_vec() };
            let theirs = paper(&mut terms, &choice, &zdd, &directions);
            for (what, a, b) in [("f_z", &theirs[0], &ours[0]), ("f_ż", &theirs[1], &ours[1])] {
                // 1e-10: inverses of matrices with a condition of 1e3
                assert!(apart(a, b) <= 1e-10, "{name}, t = {t}: {what} {:.1e}", apart(a, b));
            }
            let size = gradyn_num::largest(ours[2].iter().flatten().copied());
            for (k, delta) in directions.iter().enumerate() {
                let off =
                    gradyn_num::largest(plus(&column(&theirs[2], k), -1.0, &column(&ours[2], k))) / size;
                let (geometry, parameter) = (terms.moves_geometry(delta), &model.model.parameters[k].name);
                assert!((off <= 1e-10) != geometry, "{name}, t = {t}: f_ρ of {parameter} {off:.1e}");
            }
        }
    }
}

fn named(formulation: &str, integrator: &str, freedoms: &str) -> Method {
    let mut m = Method::new(formulation, integrator).expect("registered");
    m.set("freedoms", freedoms).expect("names");
    m
}

/// Named coordinates stay, and the four exact methods agree, for every step of maggi, with rows of velocity
/// level also.
#[test]
fn named_freedoms_stay_and_their_gradients_are_exact() {
    let cases = [
        ("five_bar", "B12.P2.x, B12.P2.y"),
        ("rssr", "coupler.C.z"),
        ("knife_edge", "sleigh.A.x, sleigh.uy, sleigh.A.y"),
    ];
    for (name, freedoms) in cases {
        let mut m = gradyn::file::read_toml(&example(name)).expect("parses").mechanism;
        m.t_end = 0.039.into();
        let model = Prepared::new(&m).expect("assembles");
        let scales: Vec<f64> = model.model.parameters.iter().map(|p| p.scale).collect();
        for v in variants().into_iter().filter(|v| v.formulation == Formulation::Maggi) {
            let mut method = Method::of(&v).expect("registered").step(2e-3);
            method.set("freedoms", freedoms).expect("names");
            let run = model.run(&method).unwrap_or_else(|e| panic!("{name}, {v}: {e}"));
            let plan = &run.trajectory.plan;
            let first =
                gradyn::coordinate_names(&model).iter().position(|n| freedoms.starts_with(n.as_str()));
            let chosen: Vec<usize> = (1..=plan.steps()).map(|n| plan.choice(n)[0] as usize).collect();
            assert!(chosen.iter().all(|c| Some(*c) == first), "{name}, {v}: {chosen:?}");
            let gradient = |s| model.gradient(&run, s).unwrap_or_else(|e| panic!("{name}, {v}: {e}")).rows;
            let adjoint = gradient(Sensitivity::DiscreteAdjoint);
            for s in [Sensitivity::DiscreteDirect, Sensitivity::Automatic, Sensitivity::ComplexStep] {
                let d = distance(&gradient(s), &adjoint, &scales);
                assert!(d <= 1e-10, "{name}, {v}: {} is {d:.1e} from discrete-adjoint", s.name());
            }
        }
    }
}

/// The motion does not depend on the coordinates, nor does its gradient.
#[test]
fn named_freedoms_give_the_motion_of_chosen_ones() {
    let mut m = gradyn::file::read_toml(&example("five_bar")).expect("parses").mechanism;
    m.t_end = 0.5.into();
    let model = Prepared::new(&m).expect("assembles");
    let result = |method: Method| {
        let run = model.run(&method.tolerance(1e-11, 1e-11)).expect("runs");
        (run.psi.clone(), model.gradient(&run, Sensitivity::DiscreteAdjoint).expect("a gradient").rows)
    };
    let chosen = result(Method::new("maggi", "dopri5").expect("registered"));
    let fixed = result(named("maggi", "dopri5", "B12.P2.x, B12.P2.y"));
    for (a, b) in chosen.0.iter().zip(&fixed.0) {
        assert!((a - b).abs() <= 1e-8 * b.abs(), "{a} {b}");
    }
    let d = distance(&chosen.1, &fixed.1, &[1.0; 5]);
    assert!(d <= 1e-8, "{d:.1e}");
}

/// Names that do not exist, repeat, are too many, or determine nothing are refused by name.
#[test]
fn freedoms_that_do_not_fit_are_refused() {
    let model = read(&example("five_bar"));
    for (freedoms, message) in [
        ("B12.P2.x, B12.P2.u", "freedoms: there is no coordinate `B12.P2.u`"),
        ("B12.P2.x, B12.P2.x", "freedoms: `B12.P2.x` is named twice"),
        ("B12.P2.x", "freedoms: the model has 2 degrees of freedom, not 1"),
        (
            "A1.P1.x, A1.P1.y",
            "the freedoms do not determine the velocities at the start: `A1.P1.x`, `A1.P1.y` follow from \
             each other",
        ),
    ] {
        let e = model.run(&named("maggi", "rk4", freedoms)).err().expect("refused").to_string();
        assert!(e.starts_with(message), "{e}");
    }
    let run = model.run(&named("index1", "rk4", "nothing").step(0.02)).expect("index1 has none");
    let warnings: Vec<String> = run.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["unused-option: freedoms has no effect with index1 + rk4"]);
}

/// The height of a pendulum has its extreme at the bottom: no run goes on beyond it, with whatever steps.
#[test]
fn freedoms_that_pass_an_extreme_stop_the_run() {
    let model = read(&example("pendulum"));
    for v in variants().into_iter().filter(|v| v.formulation == Formulation::Maggi) {
        let method = || Method::of(&v).expect("registered");
        let adaptive = [1e-4, 1e-10]
            .map(|tol| method().tolerance(tol, tol))
            .into_iter()
            .filter(|m| m.integrator.adapts());
        for mut method in [0.01, 0.002].map(|h| method().step(h)).into_iter().chain(adaptive) {
            method.set("freedoms", "bar.B.y").expect("a name");
            let e = model.run(&method).err().unwrap_or_else(|| panic!("{v} goes on")).to_string();
            assert!(e.contains("the freedoms `bar.B.y` do not determine the velocities"), "{v}: {e}");
        }
    }
}

/// A rotor that turns freely at 364 rad/s, by steps in which it turns by so many rad.
fn free_rotor(angle: f64, method: &Method) -> Result<(f64, f64), gradyn::Error> {
    let text = r#"
        name = "rotor"
        parameters = { w = 364 }
        ground.points = { O = [0, 0] }
        body.rotor = { mass = 2, inertia = 0.1, com = [0.1, 0], points = { A = [0, 0], B = [0.3, 0] } }
        joint.spin = { type = "revolute", between = ["ground.O", "rotor.A"] }
        initial = { position = { "rotor.angle" = 0.4 }, velocity = { "rotor.angle" = "w" } }
        objective = { turned = { terminal = "rotor.angle - 0.4" }, speed = { terminal = "vel(rotor.angle)" } }
        study = { t_end = 1 }
    "#;
    let mut m = gradyn::file::read_toml(text).expect("parses").mechanism;
    let h = angle / 364.0;
    m.t_end = (40.0 * h).into();
    let run = Prepared::new_in(&m, Coordinates::Natural).expect("assembles").run(&method.clone().step(h))?;
    Ok((run.psi[0] - 40.0 * angle, run.psi[1] / 364.0 - 1.0))
}

/// Coordinates are chosen for the middle of a step: long steps are right, or refused by name.
#[test]
fn long_steps_of_a_rotor_are_right_or_refused() {
    let named = ["do not follow", "Newton stopped", "turns too far"];
    for v in variants().into_iter().filter(|v| v.formulation == Formulation::Maggi) {
        let method = Method::of(&v).expect("registered");
        let resolved = if method.integrator.multistep() { 0.2 } else { 0.7 };
        for angle in [0.1, 0.2, 0.4, 0.7, 1.0, 1.3] {
            let what = format!("{v}, {angle} rad a step");
            match free_rotor(angle, &method) {
                // 40 steps, to the nearest turn
                Ok((off, _)) => assert!(off.abs() <= PI || angle > resolved, "{what}: off by {off:.1e} rad"),
                Err(e) => assert!(named.iter().any(|n| e.message.contains(n)), "{what}: {}", e.message),
            }
        }
    }
    let accurate = Method::new("maggi", "dop853").expect("registered");
    let (off, speed) = free_rotor(0.7, &accurate).unwrap_or_else(|e| panic!("{e}"));
    assert!(off.abs() <= 1e-3 && speed.abs() <= 1e-4, "{off:.1e} rad, {speed:.1e}");
    let e = free_rotor(0.7, &Method::new("maggi", "rk4").expect("registered")).expect_err("it is refused");
    assert!(e.message.contains("do not follow the motion in one step"), "{}", e.message);
}
