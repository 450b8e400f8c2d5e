//! Tyres, roads and the three vehicles: formulas of the data sheets, nominal forces, agreement of methods,
//! refusals.

use gradyn::{Coordinates, Formulation, Integrator, Method, Prepared, Run, Sensitivity};
use gradyn_model::FunctionalSet;

/// A bundled example with some texts replaced; each must be there.
fn example(name: &str, edits: &[(&str, &str)]) -> Prepared {
    prepared(&edited(gradyn::examples::find(name).expect("bundled"), edits))
}

fn edited(text: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(text.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}\n{text}");
        text.replace(old, new)
    })
}

fn prepared(text: &str) -> Prepared {
    prepared_in(text, Coordinates::Natural)
}

fn prepared_in(text: &str, family: Coordinates) -> Prepared {
    let file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    Prepared::new_in(&file.mechanism, family).unwrap_or_else(|e| panic!("{}: {e}", family.name()))
}

fn tight(p: &Prepared, formulation: Formulation, integrator: Integrator) -> Run {
    let method = Method { formulation, integrator, ..Method::default() }.tolerance(1e-12, 1e-12);
    p.run(&method).unwrap_or_else(|e| panic!("{formulation:?}: {e}"))
}

/// The output columns at record `n`.
fn outputs(p: &Prepared, run: &Run, n: usize) -> Vec<f64> {
    let (sys, lay) = (&p.model.system, run.trajectory.layout);
    let mut terms = sys.evaluator(&p.slots());
    let mut out = vec![0.0; sys.functionals(FunctionalSet::Output)];
    let at = lay.node(run.trajectory.plan.t[n], run.trajectory.present(n));
    terms.set_branches(&run.trajectory.branches(n));
    terms.at(at.t, at.q);
    terms.measure(FunctionalSet::Output, &at, &mut out);
    out.truncate(p.model.columns.len());
    out
}

/// Shared axes leave 2 of the 6 redundant constraints of the Iltis, and none of the others; `mobility.rs`
/// counts joints.
#[test]
fn natural_coordinates_have_few_redundant_rows() {
    for (name, redundant) in [("iltis", 2), ("four_wheeler", 0), ("coach", 0)] {
        assert_eq!(example(name, &[]).assembled.redundant.len(), redundant, "{name}");
    }
}

/// [P14, Tables 5 and 6]: 2728.9 N of the leaf springs, 128.0 N of the springs, none of the dampers, 3829.6 N
/// and 3593.6 N of the tyres.
#[test]
fn iltis_has_its_nominal_forces() {
    let p = example(
        "iltis",
        &[
            (
                "equilibrium = { \"chassis.com.x\" = 0, \"chassis.com.y\" = 0, \"chassis.yaw\" = 0 }",
                "position = { \"chassis.com\" = [0, 0, 0.57], \"chassis.yaw\" = 0, \"chassis.pitch\" = \
                 0, \"chassis.roll\" = 0 }",
            ),
            (
                "equilibrium = { \"bearing.angle\" = 0 }",
                "position = { \"arm_pivot.angle\" = 0, \"bearing.angle\" = 0 }",
            ),
            (
                "Fn_r  = \"rl_tyre.normal\"",
                "Fn_r = \"rl_tyre.normal\"\nleaf = \"fr_leaf.force\"\nspring = \"rr_damper.force\"",
            ),
            ("t_end  = 3", "t_end = 1e-5"),
        ],
    );
    let run = tight(&p, Formulation::Maggi, Integrator::Dopri5);
    let y = outputs(&p, &run, 0);
    for (value, expected) in y[4..].iter().zip([3829.6, 3593.6, -2728.9, -128.03]) {
        // 0.1 %: the digits of the paper
        assert!((value - expected).abs() < 1e-3 * f64::abs(expected), "{value} for {expected}");
    }
}

/// Where the vehicles start: Z, pitch, angles of arms, loaded radii, speeds of the wheels, and what is zero.
#[test]
fn vehicles_start_where_the_data_sheets_say() {
    let wheels = |pivot: &str, radius: [&str; 2], rear: &str| {
        format!(
            "[output]\nz0 = \"chassis.com.z\"\nz1 = \"chassis.pitch\"\nz2 = \"fl_{pivot}.angle\"\nz3 \
             = \"-fr_{pivot}.angle\"\n\
             r_f = \"{}.radius\"\nr_r = \"{}.radius\"\nw_f = \"vel(fl_bearing.angle)\"\nw_r \
             = \"vel(rl_bearing.angle)\"\n\
             zero = \"norm2(vel(chassis.com) - [vel(chassis.com.x), 0, 0]) + chassis.roll^2 + chassis.yaw^2 \
             + norm2(chassis.omega)\"\n{rear}\n",
            radius[0], radius[1]
        )
    };
    let rear = |pivot: &str| format!("a_r = \"rl_{pivot}.angle\"");
    let axle = "d_x = \"local(axle.com - chassis.com, chassis).x + 2.2\"\nd_z = \"local(axle.com - \
        chassis.com, chassis).z + 0.805\"";
    let (iltis, four) = (
        wheels("arm_pivot", ["fl_tyre", "rr_tyre"], &rear("arm_pivot")),
        wheels("lower_pivot", ["fl_tyre", "rr_tyre"], &rear("lower_pivot")),
    );
    let coach = wheels("lower_pivot", ["fl_tyre", "rr_inner_tyre"], axle);
    let (z, pitch, a) = (
        [0.562898660476665, 0.44973500275585343, 1.2999911932190913],
        [0.0025654613639981227, -0.0002775230292749953, 4.309891962104003e-06],
        [0.030414870928228317, -1.0787252070122119e-06, 5.4922098979572036e-05],
    );
    let cases = [
        (
            "iltis",
            iltis,
            "t_end  = 3",
            [5.0 / 14.045100084686522, 5.0 / 14.044789874855015, 14.045100084686522, 14.044789874855015],
            vec![0.014044623261748162],
        ),
        (
            "four_wheeler",
            four,
            "t_end  = 4",
            [0.2725260733758295, 0.2719741266241705, 11.0, 11.0],
            vec![8.88958303190138e-06],
        ),
        (
            "coach",
            coach,
            "t_end  = 8\nbreaks = [1, 3.5, 4, 6.5]",
            [
                16.6667 / 33.87538455516722,
                16.6667 / 33.670092806224716,
                33.87538455516722,
                33.670092806224716,
            ],
            vec![-8.497498715193238e-09, -5.54379845473005e-07],
        ),
    ];
    for (k, (name, output, end, [r_f, r_r, w_f, w_r], rest)) in cases.into_iter().enumerate() {
        let p = example(name, &[("[output]\n", &output), (end, "t_end = 1e-5")]);
        let y = outputs(&p, &tight(&p, Formulation::Maggi, Integrator::Dopri5), 0);
        let expected = [vec![z[k], pitch[k], a[k], a[k], r_f, r_r, w_f, w_r, 0.0], rest].concat();
        for (y, expected) in y.iter().zip(&expected) {
            // 1e-10: lengths of metres to rounding, over stiffnesses that differ by 1e3
            assert!((y - expected).abs() < 1e-10, "{name}: {y} for {expected}");
        }
    }
}

/// A drawing that is put elsewhere, and turned, goes there as a whole: the same equilibrium.
#[test]
fn drawings_move_as_a_whole() {
    let level = ("road      = \"step\"\n", "");
    let away = (
        "\"chassis.com.x\" = 0, \"chassis.com.y\" = 0, \"chassis.yaw\" = 0 }",
        "\"chassis.com.x\" = -40, \"chassis.com.y\" = 7, \"chassis.yaw\" = 2.5 }",
    );
    let coach = (
        "\"chassis.com.x\" = -3.8\n\"chassis.com.y\" = 0\n\"chassis.yaw\"   = 0",
        "\"chassis.com.x\" = 50\n\"chassis.com.y\" = 7\n\"chassis.yaw\" = 2.5",
    );
    for (name, edits, column) in
        [("iltis", &[level, away][..], "Z"), ("four_wheeler", &[level, away], "Z"), ("coach", &[coach], "Fz")]
    {
        let of = |p: Prepared| {
            p.equilibrium(false)
                .expect("an equilibrium")
                .outputs
                .into_iter()
                .find(|c| c.0 == column)
                .expect("a column")
                .1
        };
        let [here, there] = [of(example(name, &[])), of(example(name, edits))];
        // 1e-9: roundings of 50 m over deflections of a centimetre
        assert!((there / here - 1.0).abs() < 1e-9, "{name}: {there} for {here}");
    }
}

/// The front wheels begin to go down the step.
const AT_STEP: &[(&str, &str)] =
    &[("\"chassis.com.x\" = 0", "\"chassis.com.x\" = 4.95"), ("t_end  = 3", "t_end  = 0.03")];

/// Formulations with projections and high order agree on a short run over the step.
#[test]
fn methods_agree_on_the_step() {
    let p = example("iltis", AT_STEP);
    let reference = tight(&p, Formulation::Maggi, Integrator::Dop853);
    assert!(reference.psi[0] > 1e-3, "the step is felt: {:?}", reference.psi);
    for (f, i) in [(Formulation::Index1, Integrator::Dop853), (Formulation::Maggi, Integrator::Dopri5)] {
        let psi = tight(&p, f, i).psi[0];
        // 1e-8: tolerances of 1e-12 times accelerations to the fourth power
        assert!((psi / reference.psi[0] - 1.0).abs() < 1e-8, "{f:?} {i:?}: {psi} for {:?}", reference.psi);
    }
}

/// Discrete direct and adjoint gradients are the same numbers, complex step included.
#[test]
fn gradients_of_vehicles_agree() {
    let short: [(&str, &[(&str, &str)]); 3] = [
        ("iltis", AT_STEP),
        (
            "four_wheeler",
            &[("\"chassis.com.x\" = 0", "\"chassis.com.x\" = 4.42"), ("t_end  = 4", "t_end = 0.02")],
        ),
        ("coach", &[("t_end  = 8\nbreaks = [1, 3.5, 4, 6.5]", "t_start = 1.6\nt_end = 1.62")]),
    ];
    for (name, edits) in short {
        let p = example(name, edits);
        let method =
            Method { formulation: Formulation::Ali3p, integrator: Integrator::Newmark, ..Method::default() }
                .step(2e-3);
        let run = p.run(&method).unwrap_or_else(|e| panic!("{name}: {e}"));
        let of = |s: Sensitivity| p.gradient(&run, s).unwrap_or_else(|e| panic!("{name}, {s:?}: {e}")).rows;
        let (direct, adjoint) = (of(Sensitivity::DiscreteDirect), of(Sensitivity::DiscreteAdjoint));
        let (complex, duals) = (of(Sensitivity::ComplexStep), of(Sensitivity::Automatic));
        for (a, b) in direct.iter().zip(&duals) {
            a.iter().zip(b).for_each(|(a, b)| {
                assert!((a - b).abs() <= 1e-8 * a.abs().max(b.abs()), "{name}: duals {a} {b}")
            });
        }
        for ((a, b), c) in direct.iter().zip(&adjoint).zip(&complex) {
            for k in 0..a.len() {
                let scale = p.parameters()[k].scale;
                let size = a.iter().zip(p.parameters()).map(|(g, p)| (g * p.scale).abs()).fold(0.0, f64::max);
                assert!((a[k] - b[k]).abs() * scale <= 1e-9 * size, "{name}: adjoint {a:?} {b:?}");
                assert!((a[k] - c[k]).abs() * scale <= 1e-8 * size, "{name}: complex step {a:?} {c:?}");
            }
        }
    }
}

/// Natural coordinates, where axes are shared, and joint coordinates, where rows of the rear suspension hold
/// by themselves.
const FAMILIES: [Coordinates; 2] = [Coordinates::Natural, Coordinates::Relative0];

/// ∂ψ/∂ρ times the scales of the parameters.
fn scaled(p: &Prepared, run: &Run, s: Sensitivity) -> Vec<f64> {
    let row = p.gradient(run, s).unwrap_or_else(|e| panic!("{s:?}: {e}")).rows.swap_remove(0);
    row.iter().zip(p.parameters()).map(|(g, p)| g * p.scale).collect()
}

fn newmark(p: &Prepared, h: f64) -> Run {
    let method =
        Method { formulation: Formulation::Ali3p, integrator: Integrator::Newmark, ..Method::default() }
            .step(h);
    p.run(&method).unwrap_or_else(|e| panic!("{e}"))
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |s, x| s.max(x.abs()))
}

/// The Iltis with 54 coordinates of hard points.
fn hard_points(family: Coordinates, edits: &[(&str, &str)]) -> Prepared {
    prepared_in(&edited(&crate::kit::hard_points::iltis(false), edits), family)
}

/// All coordinates of the hard points of both suspensions, 54 of them, by one adjoint: it equals complex
/// steps.
#[test]
fn one_adjoint_gives_all_hard_points() {
    for family in FAMILIES {
        let p = hard_points(family, AT_STEP);
        let run = newmark(&p, 3e-3);
        let [adjoint, complex] =
            [Sensitivity::DiscreteAdjoint, Sensitivity::ComplexStep].map(|s| scaled(&p, &run, s));
        assert_eq!(adjoint.len(), 60);
        let size = largest(&adjoint);
        for (p, (a, c)) in p.parameters().iter().zip(adjoint.iter().zip(&complex)) {
            assert!(
                (a - c).abs() <= 1e-7 * size,
                "{}, {}: {a} for {c}, largest {size}",
                family.name(),
                p.name
            );
        }
        // x of a point on an axis along x is felt by its inertia only; most of the others are felt
        assert!(adjoint.iter().filter(|x| x.abs() > 1e-4 * size).count() >= 30, "{adjoint:?}");
    }
}

/// Hard points move points and no axes: in joint coordinates the rows of the rear suspension that hold by
/// themselves do so for every value.
#[test]
fn hard_points_do_not_depend_on_coordinates() {
    // on the step, a damper without limits: gradients are off by 1e-6 where one is passed within a step of
    // the integrator
    let smooth = [
        ("join(speed, -0.2, -0.2, join(speed, 0.21, speed, 0.21))", "speed"),
        ("\"chassis.com.x\" = 0", "\"chassis.com.x\" = 4.985"),
        ("t_end  = 3", "t_end  = 0.015"),
    ];
    let [natural, relative] = FAMILIES.map(|family| {
        let p = hard_points(family, &smooth);
        let run = tight(&p, Formulation::Maggi, Integrator::Dop853);
        (run.psi[0], scaled(&p, &run, Sensitivity::DiscreteAdjoint))
    });
    let size = largest(&natural.1);
    let off = natural.1.iter().zip(&relative.1).map(|(a, b)| (a - b).abs() / size).fold(0.0, f64::max);
    // 1e-8: tolerances of 1e-12 times accelerations to the fourth power
    assert!((natural.0 / relative.0 - 1.0).abs() < 1e-8, "{} for {}", relative.0, natural.0);
    // 1e-7: the steps are chosen for the motion, not for its derivatives
    assert!(off < 1e-7, "{off:.1e}: {:?} for {:?}", relative.1, natural.1);
}

/// The car falls on its bump stops: entry by entry the adjoint equals complex steps.
#[test]
fn gradients_pass_bump_stops() {
    let falls = [
        ("kb    = 0 ", "kb    = 1e7 "),
        ("\"chassis.com\" = [\"start\", 0, 0]", "\"chassis.com\" = [\"start\", 0, -3]"),
        ("t_end  = 3", "t_end  = 0.06"),
    ];
    let text = |edits: &[(&str, &str)]| edited(gradyn::examples::find("iltis").expect("bundled"), edits);
    let without = newmark(&prepared(&text(&falls[1..])), 1e-3).psi[0];
    for family in FAMILIES {
        let p = prepared_in(&text(&falls), family);
        let run = newmark(&p, 1e-3);
        assert!(
            run.psi[0] > 10.0 * without,
            "{}: the stops are not felt: {} for {without}",
            family.name(),
            run.psi[0]
        );
        let [adjoint, complex] =
            [Sensitivity::DiscreteAdjoint, Sensitivity::ComplexStep].map(|s| scaled(&p, &run, s));
        for (p, (a, c)) in p.parameters().iter().zip(adjoint.iter().zip(&complex)) {
            // 1e-9: corners of the dampers cut steps of 1 ms to 20 µs, and the rounding of positions grows
            // like 1/h
            assert!((a / c - 1.0).abs() <= 1e-9, "{}, {}: {a} for {c}", family.name(), p.name);
        }
    }
}

/// A wheel that slides and spins at a given attitude, with a tyre of some keys.
fn wheel(tyre: &str, more: &str, velocity: [f64; 3], spin: f64) -> String {
    format!(
        "name = \"wheel\"\ndimension = 3\n{more}\n[body.w]\nmass = 10\ninertia = [1, 1.5, 1]\npoints = {{ c \
         = [0, 0, 0] }}\n\
         [force]\nf = {{ type = \"tyre\", at = \"w.c\", {tyre} }}\n\
         [initial]\nposition = {{ \"w.c\" = [0.3, 0, 0.29], \"w.roll\" = 0.05, \"w.pitch\" = 0, \"w.yaw\" = \
         0.1 }}\n\
         velocity = {{ \"w.c\" = {velocity:?}, \"w.omega\" = [0.2, {spin}, 0.4] }}\n\
         [objective]\no = {{ integral = \"w.c.x\" }}\n\
         [output]\nn = \"f.normal\"\nk = \"f.kappa\"\na = \"f.alpha\"\nx = \"f.force.x\"\ny \
         = \"f.force.y\"\nr = \"f.radius\"\n\
         [study]\nt_end = 1e-4\n"
    )
}

/// (F_n, κ, α, F_x, F_y along the ground, r) by the formulas of the data sheet: b = u × n/|u × n|, κ = -b·(v
/// - ω × r n)/(b·v), α = -asin((n × b)·v_t/|v_t|); the slip forces by `law(F_n, κ, α)`.
fn by_hand(velocity: [f64; 3], spin: f64, law: impl Fn(f64, f64, f64) -> [f64; 2]) -> [f64; 6] {
    let (roll, yaw, r, v, w) = (0.05f64, 0.1f64, 0.29, velocity, [0.2, spin, 0.4]);
    let u = [-yaw.sin() * roll.cos(), yaw.cos() * roll.cos(), roll.sin()];
    let size = f64::hypot(u[0], u[1]);
    let b = [u[1] / size, -u[0] / size];
    let s = [-b[1], b[0]];
    let normal = 2e5 * (0.3 - r); // beyond the corner
    // ω × r n = r (ω_y, -ω_x, 0)
    let sliding = b[0] * (v[0] - r * w[1]) + b[1] * (v[1] + r * w[0]);
    let kappa = -sliding / (b[0] * v[0] + b[1] * v[1]);
    let alpha = -((s[0] * v[0] + s[1] * v[1]) / f64::hypot(v[0], v[1])).asin();
    let [fx, fy] = law(normal, kappa, alpha);
    [normal, kappa, alpha, fx * b[0] + fy * s[0], fx * b[1] + fy * s[1], r]
}

fn first(text: &str) -> Vec<f64> {
    let p = prepared(text);
    let run = tight(&p, Formulation::Index1, Integrator::Dopri5);
    outputs(&p, &run, 0)
}

fn assert_close(got: &[f64], expected: &[f64], what: &str) {
    for (a, b) in got.iter().zip(expected) {
        // 1e-12: some hundred operations, differences of speeds
        assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{what}: {got:?} for {expected:?}");
    }
}

const RADIAL: &str = "axis = [0, 1, 0], radius = 0.3, stiffness = 2e5";
const MAGIC: &str = "FZ0 = 3500, PCX1 = 1.7204, PDX1 = 0.77751, PDX2 = -0.24431, PEX1 = 0.46659, PEX2 = \
    0.393, PEX3 = 0.076024, PKX1 = 14.848, \
    PKX2 = -9.8161, PKX3 = 0.15818, PCY1 = 1.5874, PDY1 = 0.73957, PDY2 = -0.075004, PEY1 = 0.37562, PEY2 = \
    -0.069325, PKY1 = 10.289, \
    PKY2 = 3.3343, RBX1 = 11.13, RBY1 = 13.271";

fn tanh_law(normal: f64, kappa: f64, alpha: f64) -> [f64; 2] {
    let (gx, gy) = (kappa / 0.16, alpha / 0.14);
    let rho = (gx * gx + gy * gy + 1e-6).sqrt();
    [0.8 * normal * gx * rho.tanh() / rho, 0.7 * normal * gy * rho.tanh() / rho]
}

/// [P14, Eqs. 58, 59, 62–64] with moduli.
fn linear_law(normal: f64, kappa: f64, alpha: f64) -> [f64; 2] {
    let fx = 0.8 * normal * (kappa / 0.16).clamp(-1.0, 1.0);
    let fy = 0.7 * normal * (alpha / 0.14).clamp(-1.0, 1.0);
    let size = f64::hypot(fx / 0.8, fy / 0.7);
    if size > normal { [fx * normal / size, fy * normal / size] } else { [fx, fy] }
}

/// As the data sheet of the coach prints it, with the slip angle a = -α.
fn magic_law(fz: f64, kappa: f64, alpha: f64) -> [f64; 2] {
    let shape = |b: f64, c: f64, e: f64, x: f64| (c * (b * x - e * (b * x - (b * x).atan())).atan()).sin();
    let (fz0, df) = (3500.0, (fz - 3500.0) / 3500.0);
    let (d, e) = ((0.73957 - 0.075004 * df) * fz, 0.37562 - 0.069325 * df);
    let k = 10.289 * fz0 * (2.0 * (fz / (3.3343 * fz0)).atan()).sin();
    let fy = -d * shape(k / (1.5874 * d), 1.5874, e, -alpha);
    let (d, e) = ((0.77751 - 0.24431 * df) * fz, 0.46659 + 0.393 * df + 0.076024 * df * df);
    let k = fz * (14.848 - 9.8161 * df) * (0.15818 * df).exp();
    let fx = d * shape(k / (1.7204 * d), 1.7204, e, kappa);
    [fx / (1.0 + (11.13 * alpha).powi(2)).sqrt(), fy / (1.0 + (13.271 * kappa).powi(2)).sqrt()]
}

/// The laws are those of the data sheets, inside and outside of saturation.
#[test]
fn laws_are_those_of_the_data_sheets() {
    let saturation = "friction = [0.8, 0.7], critical = [0.16, 0.14]";
    type Law = fn(f64, f64, f64) -> [f64; 2];
    let laws: [(String, Law); 3] = [
        (format!("{{ type = \"tanh\", {saturation} }}"), tanh_law),
        (format!("{{ type = \"linear\", {saturation} }}"), linear_law),
        (format!("{{ type = \"magic-formula\", {MAGIC} }}"), magic_law),
    ];
    for (velocity, spin) in [([5.0, 0.6, 0.1], 18.0), ([5.0, 2.5, 0.0], 11.0), ([5.0, 0.45, -0.2], 17.4)] {
        for (text, law) in &laws {
            let expected = by_hand(velocity, spin, law);
            assert_close(
                &first(&wheel(&format!("{RADIAL}, law = {text}"), "", velocity, spin)),
                &expected,
                text,
            );
        }
    }
}

/// An axis that points to the other side is the same wheel.
#[test]
fn the_sign_of_the_axis_does_not_matter() {
    let law = format!("law = {{ type = \"magic-formula\", {MAGIC} }}");
    let text = wheel(&format!("{RADIAL}, {law}"), "", [5.0, 0.6, 0.1], 18.0);
    assert_close(&first(&text.replace("axis = [0, 1, 0]", "axis = [0, -2, 0]")), &first(&text), "axis");
}

/// Running backwards is running forwards seen from the other side.
#[test]
fn wheels_run_backwards() {
    let law = "law = { type = \"tanh\", friction = [0.8, 0.7], critical = [0.16, 0.14] }";
    let straight = |v: f64, w: f64| {
        let text = wheel(&format!("{RADIAL}, {law}"), "", [v, 0.0, 0.0], w);
        first(
            &text
                .replace("\"w.roll\" = 0.05", "\"w.roll\" = 0")
                .replace("\"w.yaw\" = 0.1", "\"w.yaw\" = 0")
                .replace("[0.2, ", "[0, ")
                .replace(", 0.4]", ", 0]"),
        )
    };
    let (ahead, back) = (straight(5.0, 18.0), straight(-5.0, -18.0));
    assert!(ahead[3] > 0.0, "a wheel that spins faster than it rolls is pushed ahead: {ahead:?}");
    assert_close(&back, &[ahead[0], ahead[1], ahead[2], -ahead[3], -ahead[4], ahead[5]], "backwards");
}

/// A mirrored tyre is the mirror image: the same slips with their signs, the same forces.
#[test]
fn mirrored_tyres_are_mirror_images() {
    let text = r#"
name = "pair"
dimension = 3
gravity = [0, 0, -9.81]
[road.hill]
height = "0.02 * sin(x)"
[template.side.body.w]
mass = 40
inertia = [1, 1.5, 1]
points = { c = [0, 0, 0], e = [0, 1, 0], g = [1, 0, 0] }
[template.side.force.f]
type = "tyre"
at = "w.c"
axis = [0, 1, 0]
offset = 0.1
road = "hill"
radius = 0.36
stiffness = 2e4
law = { type = "tanh", friction = 0.8, critical = 0.16 }
[template.side.initial]
position = { "w.c" = [0, 1, 0.29], "w.e.x" = -0.1, "w.e.z" = 0.34, "w.g.z" = 0.28 }
velocity = { "w.c" = [5, 0.6, 0.1], "w.e.x" = 5.2, "w.e.z" = 0.3, "w.g.z" = -17 }
[template.side.objective.o]
integral = "f.kappa + 2*f.alpha + 1e-3*f.normal + 3e-3*f.force.y + f.radius"
terminal = "w.c.y + f.gap"
[instance]
left = { use = "side" }
right = { use = "side", mirror = "y" }
[study]
t_end = 0.05
"#;
    let psi = tight(&prepared(text), Formulation::Index1, Integrator::Dop853).psi;
    assert!(psi[0].abs() > 0.1 && (psi[0] - psi[1]).abs() < 1e-12, "{psi:?}");
}

/// A table of a straight line is the line; a road by an expression may use x and y.
#[test]
fn roads_are_heights() {
    let tyre = |road: &str| wheel(&format!("{RADIAL}, road = \"r\""), road, [5.0, 0.0, 0.0], 17.0);
    let table = first(&tyre("[road.r]\npoints = [[-1, -0.13], [0, -0.03], [0.5, 0.02], [2, 0.17]]"));
    let line = first(&tyre("[road.r]\nheight = \"0.1*x - 0.03 + y\""));
    assert_close(&table, &line, "table");
    assert!((line[5] - 0.29).abs() < 1e-12, "{line:?}");
}

fn refused(text: &str, words: &[&str]) {
    let file = gradyn::file::read_toml(text);
    let message = match file {
        Err(e) => format!("{e:?}"),
        Ok(file) => match Prepared::new(&file.mechanism) {
            Err(e) => e.to_string(),
            Ok(p) => {
                let method = Method {
                    formulation: Formulation::Index1,
                    integrator: Integrator::Dopri5,
                    ..Method::default()
                };
                let run = p.run(&method.tolerance(1e-8, 1e-8));
                run.err().map(|e| e.to_string()).unwrap_or_else(|| panic!("{words:?} is not refused\n{text}"))
            }
        },
    };
    words.iter().for_each(|w| assert!(message.contains(w), "{w}: {message}"));
}

/// Where a tyre has no force, the run stops with its name.
#[test]
fn undefined_tyres_are_named() {
    let law = "law = { type = \"tanh\", friction = 0.8, critical = 0.16 }";
    let at_rest = wheel(&format!("{RADIAL}, {law}"), "", [0.0, 0.0, 0.0], 3.0);
    refused(&at_rest, &["`f`", "no slip"]);
    let road = "[road.short]\npoints = [[-1, 0], [0.3, 0], [0.6, 0]]";
    let leaves = wheel(&format!("{RADIAL}, road = \"short\", {law}"), road, [5.0, 0.0, 0.0], 17.0);
    refused(&leaves.replace("t_end = 1e-4", "t_end = 1"), &["`f`", "`short`", "0.6"]);
    refused(&leaves.replace("[0.3, 0, 0.29]", "[0.7, 0, 0.29]"), &["`f`", "`short`", "0.6"]);
    // a wheel that hardly begins to spin brakes until it stands
    let brakes = wheel(&format!("{RADIAL}, {law}"), "gravity = [0, 0, -9.81]", [0.5, 0.0, 0.0], 0.0);
    refused(
        &brakes.replace("t_end = 1e-4", "t_end = 1").replace("[1, 1.5, 1]", "[1e6, 1e6, 1e6]"),
        &["`f`", "no slip"],
    );
}

/// What no force holds at the equilibrium of a vehicle is named, one direction or all of them.
#[test]
fn vehicles_without_conditions_name_what_is_free() {
    let conditions = r#""chassis.com.x" = 0, "chassis.com.y" = 0, "chassis.yaw" = 0 }
velocity    = { "chassis.com" = ["start", 0, 0], "chassis.yaw" = 0,"#;
    let velocity = "}\nvelocity    = { \"chassis.com\" = [\"start\", 0, 0],";
    let yaw = r#""chassis.com.x" = 0, "chassis.com.y" = 0 "#;
    let x = r#""chassis.com.y" = 0, "chassis.yaw" = 0 "#;
    for (given, words) in [(yaw, "1 direction"), (x, "1 direction"), ("", "3 directions")] {
        let text = edited(
            gradyn::examples::find("iltis").expect("bundled"),
            &[(conditions, &format!("{given}{velocity}"))],
        );
        refused(&text, &[words, "no force holds"]);
    }
}

/// A road that begins in front of the wheels is named.
#[test]
fn an_equilibrium_off_the_road_is_named() {
    let road = ("height = \"-0.1 * smoothstep((x - 6)/0.1 + 0.5)\"", "points = [[1, 0], [5, 0], [8, -0.1]]");
    let text = edited(gradyn::examples::find("iltis").expect("bundled"), &[road]);
    refused(&text, &["_tyre` leaves the road `step`, which ends at x = 1 m"]);
}

/// Wheels without inertia about their axle, in all coordinates.
#[test]
fn wheels_without_inertia_are_named() {
    let text = edited(
        gradyn::examples::find("iltis").expect("bundled"),
        &[("inertia = [1.2402, 1.908, 1.2402]", "inertia = [1.2402, 0, 1.2402]")],
    );
    for family in Coordinates::ALL {
        let e = prepared_in(&text, family).run(&Method::default().step(1e-3)).err();
        let e = e.unwrap_or_else(|| panic!("{}: is refused", family.name())).to_string();
        assert!(e.contains("_wheel` has no inertia"), "{}: {e}", family.name());
    }
}

/// Mistakes in files have names and places.
#[test]
fn mistakes_are_refused() {
    let ok = wheel(RADIAL, "[road.r]\nheight = 0", [5.0, 0.0, 0.0], 17.0);
    prepared(&ok);
    let with = |old: &str, new: &str| ok.replace(old, new);
    refused(&with(RADIAL, &format!("{RADIAL}, road = \"q\"")), &["road", "`q`"]);
    refused(&with("height = 0", "height = 0\nends = \"clamped\""), &["ends"]);
    refused(&with("height = 0", "points = [[0, 0]]"), &["two points"]);
    refused(&with("height = 0", "points = [[0, 0], [0, 1]]"), &["does not come after"]);
    refused(&with("height = 0", "points = [[0, 0, 1], [1, 1, 1]]"), &["[x, z]"]);
    refused(&with("radius = 0.3", "radius = 0"), &["radius"]);
    refused(
        &with(RADIAL, &format!("{RADIAL}, law = {{ type = \"tanh\", friction = [1, 2, 3], critical = 1 }}")),
        &["one number or two"],
    );
    refused(
        &with(RADIAL, &format!("{RADIAL}, law = {{ type = \"tanh\", friction = 1, critical = 0 }}")),
        &["critical"],
    );
    refused(&with(RADIAL, &format!("{RADIAL}, law = {{ type = \"magic\" }}")), &["magic-formula"]);
    let plane = "name = \"p\"\n[body.w]\nmass = 1\ninertia = 1\npoints = { c = [0, 0] }\n[force]\nf = { \
        type = \"tyre\", at = \"w.c\", axis = [0, 1], radius = 1, stiffness = 1 }\n[initial]\nposition = \
        { \"w.c\" = [0, 0], \"w.angle\" = 0 }";
    refused(plane, &["space"]);
}

/// Full runs against the data sheets, with gradients: minutes without optimisation.
#[test]
#[ignore = "all"]
fn vehicles_have_the_objectives_of_the_data_sheets() {
    let iltis = [
        -0.0046157185789294074,
        0.013033477928511086,
        -0.10805919502588296,
        -0.23591248083457125,
        0.02193477414121042,
        0.017451928561630196,
    ];
    let four_wheeler = [1.277012e-06, 1.929381e-05, 1.498395e-06, 2.943063e-05, -0.0006354332];
    let coach = [
        -9.2744632e-07,
        -1.7958527e-06,
        0.25383985,
        0.17721771,
        -2.5752703e-06,
        -1.7222621e-07,
        1.2480804e-06,
    ];
    // the printed digits of gradients: 5 to 6 of the Iltis, whose damper is C¹, 7 of the others
    let cases: [(&str, &[f64], &[f64], f64); 3] = [
        ("iltis", &[677.168285], &iltis, 2e-5),
        ("four_wheeler", &[0.230496999], &four_wheeler, 1e-6),
        ("coach", &[0.07076307, 14.57354967], &coach, 1e-6),
    ];
    for (name, values, gradient, digits) in cases {
        let p = example(name, &[]);
        let method =
            Method { formulation: Formulation::Maggi, integrator: Integrator::Dop853, ..Method::default() };
        let run = p.run(&method.tolerance(1e-11, 1e-11)).expect("runs");
        for (psi, expected) in run.psi.iter().zip(values) {
            // the printed digits
            assert!((psi / expected - 1.0).abs() < 1e-7, "{name}: {:?} for {values:?}", run.psi);
        }
        let rows = p.gradient(&run, Sensitivity::DiscreteAdjoint).expect("a gradient").rows;
        for (g, expected) in rows[0].iter().zip(gradient) {
            assert!((g / expected - 1.0).abs() < digits, "{name}: {:?} for {gradient:?}", rows[0]);
        }
    }
}
