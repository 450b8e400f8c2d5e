//! Flat programs: values, simplifications, reverse sweep.

use gradyn_model::program::{Graph, Program, Sym};

fn values(program: &Program, x: &[f64]) -> Vec<f64> {
    let mut regs = vec![0.0; program.registers()];
    program.eval(x, &mut regs);
    (0..program.outputs()).map(|k| program.output(k, &regs)).collect()
}

fn gradient(program: &Program, k: usize, x: &[f64]) -> Vec<f64> {
    let mut regs = vec![0.0; program.registers()];
    let mut bars = vec![7.0; program.registers()];
    let mut xbar = vec![0.0; x.len()];
    program.eval(x, &mut regs);
    program.reverse(&regs, &[(k, 1.0)], &mut bars, &mut xbar);
    xbar
}

type Function = for<'g> fn(Sym<'g>, Sym<'g>) -> Sym<'g>;

/// Every instruction, with its value in closed form.
#[rustfmt::skip]
const INSTRUCTIONS: &[(&str, Function, fn(f64, f64) -> f64)] = &[
    ("add", |x, y| x + y, |x, y| x + y),
    ("sub", |x, y| x - y, |x, y| x - y),
    ("mul", |x, y| x * y, |x, y| x * y),
    ("div", |x, y| x / y, |x, y| x / y),
    ("scale", |x, y| 3.5 * x - y * 0.25, |x, y| 3.5 * x - y * 0.25),
    ("constants", |x, y| 2.0 - x + (y - 1.0) / 3.0 + 1.0 / y, |x, y| 2.0 - x + (y - 1.0) / 3.0 + 1.0 / y),
    ("neg", |x, y| -(x * y), |x, y| -(x * y)),
    ("square", |x, y| x.powi(2) + y, |x, y| x * x + y),
    ("cube", |x, _| x.powi(3), |x, _| x * x * x),
    ("inverse square", |x, _| x.powi(-2), |x, _| 1.0 / (x * x)),
    ("powf", |x, y| x.powf(y), |x, y| x.powf(y)),
    ("powf constant", |x, _| x.powf(x.graph().constant(1.5)), |x, _| x.powf(1.5)),
    ("sqrt", |x, _| x.sqrt(), |x, _| x.sqrt()),
    ("exp", |x, _| x.exp(), |x, _| x.exp()),
    ("ln", |x, _| x.ln(), |x, _| x.ln()),
    ("sin", |x, _| x.sin(), |x, _| x.sin()),
    ("cos", |x, _| x.cos(), |x, _| x.cos()),
    ("tan", |x, _| x.tan(), |x, _| x.tan()),
    ("asin", |x, _| x.asin(), |x, _| x.asin()),
    ("acos", |x, _| x.acos(), |x, _| x.acos()),
    ("atan", |x, _| x.atan(), |x, _| x.atan()),
    ("atan2", |x, y| x.atan2(-y), |x, y| x.atan2(-y)),
    ("sinh", |x, _| x.sinh(), |x, _| x.sinh()),
    ("cosh", |x, _| x.cosh(), |x, _| x.cosh()),
    ("tanh", |x, _| x.tanh(), |x, _| x.tanh()),
    ("abs", |x, y| (x - y).abs() * (y - x + 1.0).abs(), |x, y| (x - y).abs() * (y - x + 1.0).abs()),
    ("sign", |x, y| (x - y).sign() * x, |x, y| (x - y).signum() * x),
    ("min", |x, y| x.min(y) * x, |x, y| x.min(y) * x),
    ("max", |x, y| x.max(y) * x, |x, y| x.max(y) * x),
    ("lt", |x, y| x.lt(y) * x, |x, y| if x < y { x } else { 0.0 }),
    ("le", |x, y| x.le(y) * x, |x, y| if x <= y { x } else { 0.0 }),
    ("gt", |x, y| x.gt(y) * x, |x, y| if x > y { x } else { 0.0 }),
    ("ge", |x, y| x.ge(y) * x, |x, y| if x >= y { x } else { 0.0 }),
    ("eq", |x, y| x.eq(y) * x + y, |_, y| y),
    ("select", |x, y| (x - y).select(x * y, x / y), |x, y| if x > y { x * y } else { x / y }),
    ("shared",
     |x, y| { let s = (x * y).sin(); s * s + s / (s + 2.0) },
     |x, y| { let s = (x * y).sin(); s * s + s / (s + 2.0) }),
];

const POINTS: [[f64; 2]; 3] = [[0.3, 0.7], [0.8, 0.45], [0.05, 0.9]];

#[test]
fn values_are_the_closed_forms() {
    for (name, f, value) in INSTRUCTIONS {
        let graph = Graph::new();
        let program = graph.program(&[f(graph.input(0), graph.input(1))]);
        for [x, y] in POINTS {
            let (got, want) = (values(&program, &[x, y])[0], value(x, y));
            // 1e-15: powi against products
            assert!((got - want).abs() <= 1e-15 * (1.0 + want.abs()), "{name}: {got} against {want}");
        }
    }
}

#[test]
fn reverse_is_the_central_difference() {
    for (name, f, value) in INSTRUCTIONS {
        let graph = Graph::new();
        let program = graph.program(&[f(graph.input(0), graph.input(1))]);
        for [x, y] in POINTS {
            let h = 1e-5;
            let got = gradient(&program, 0, &[x, y]);
            let want = [
                (value(x + h, y) - value(x - h, y)) / (2.0 * h),
                (value(x, y + h) - value(x, y - h)) / (2.0 * h),
            ];
            for i in 0..2 {
                // h² f'''/6 with f''' ≲ 1e6 (x⁻² at 0.05), relative to f'
                assert!(
                    (got[i] - want[i]).abs() <= 1e-6 * (1.0 + want[i].abs()),
                    "{name}: {got:?} against {want:?}"
                );
            }
        }
    }
}

/// Folded constants are what the program computes.
#[test]
fn constants_fold_to_the_same_values() {
    for (name, f, _) in INSTRUCTIONS {
        let graph = Graph::new();
        let program = graph.program(&[f(graph.input(0), graph.input(1))]);
        for [x, y] in POINTS {
            let folded = f(graph.constant(x), graph.constant(y)).as_constant().expect(name);
            let want = values(&program, &[x, y])[0];
            assert!((folded - want).abs() <= 1e-15 * (1.0 + want.abs()), "{name}");
        }
    }
}

#[test]
fn exact_simplifications() {
    let graph = Graph::new();
    let (x, y, zero, one) = (graph.input(0), graph.input(1), graph.constant(0.0), graph.constant(1.0));
    #[rustfmt::skip]
    let same = [x + 0.0, 0.0 + x, x - 0.0, x * 1.0, 1.0 * x, x / 1.0, -(-x), x.powi(1), x.powf(one),
        -(x * -1.0), 0.0 - (0.0 - x),
                one.select(x, y), zero.select(y, x), y.select(x, x)];
    for (k, s) in same.into_iter().enumerate() {
        assert_eq!(s.id(), x.id(), "simplification {k}: {s:?}");
    }
    for s in [x * 0.0, 0.0 * x, 0.0 / x] {
        assert_eq!(s.as_constant(), Some(0.0));
    }
    for s in [x.powi(0), x.powf(zero)] {
        assert_eq!(s.as_constant(), Some(1.0));
    }
    assert_eq!(x.powf(graph.constant(2.0)).id(), (x * x).id());
    assert_eq!(x.powf(graph.constant(3.0)).id(), x.powi(3).id());
    assert_eq!(x.powf(graph.constant(0.5)).id(), x.sqrt().id());
    assert_eq!((x + y).id(), (y + x).id());
    assert_eq!((x * y).id(), (y * x).id());
    assert_ne!((x - y).id(), (y - x).id());
    assert!(x.as_constant().is_none());
}

#[test]
fn programs_keep_only_what_the_outputs_need() {
    let graph = Graph::new();
    let x: Vec<_> = (0..6).map(|i| graph.input(i)).collect();
    let unused = (x[0] * x[1]).sin() + x[5];
    let y = (x[4] * x[2]).exp();
    let program = graph.program(&[y, y + x[2], graph.constant(3.0), y]);
    assert_eq!(program.registers(), 6); // x2, x4, x4 x2, exp, sum, 3
    assert_eq!((program.outputs(), program.inputs(), program.used_inputs()), (4, 5, &[2, 4][..]));
    assert_eq!(unused.inputs(), [0, 1, 5]);
    assert_eq!((y + x[2]).inputs(), [2, 4]);
    let e = 1.5f64.exp();
    assert_eq!(values(&program, &[f64::NAN, f64::NAN, 0.5, f64::NAN, 3.0]), [e, e + 0.5, 3.0, e]);
    let empty = graph.program(&[]);
    assert_eq!((empty.registers(), empty.outputs(), empty.inputs()), (0, 0, 0));
}

/// Seeds of several outputs, of one output twice, and what is in x̄ already, add up.
#[test]
fn seeds_accumulate() {
    let graph = Graph::new();
    let (x, y) = (graph.input(0), graph.input(1));
    let program = graph.program(&[x * y, x, x * y]);
    let mut regs = vec![0.0; program.registers()];
    let mut bars = vec![f64::NAN; program.registers()];
    program.eval(&[2.0, 5.0], &mut regs);
    let mut xbar = [100.0, 200.0];
    program.reverse(&regs, &[(0, 1.0), (1, 10.0), (2, 2.0), (0, 1.0)], &mut bars, &mut xbar);
    assert_eq!(xbar, [100.0 + 4.0 * 5.0 + 10.0, 200.0 + 4.0 * 2.0]);
}

/// A singular branch that is not taken leaves no NaN behind.
#[test]
fn branches_not_taken_are_not_swept() {
    let graph = Graph::new();
    let x = graph.input(0);
    let program =
        graph.program(&[x.select(x.sqrt(), x * 3.0), x.min(x.ln().abs() + 1.0), x.powf(graph.input(1))]);
    assert_eq!(gradient(&program, 0, &[0.0, 1.0])[0], 3.0);
    assert_eq!(gradient(&program, 1, &[0.0, 1.0])[0], 1.0);
    assert_eq!(gradient(&program, 2, &[0.0, 2.0]), [0.0, 0.0]);
}

/// A NaN is reported, not swallowed.
#[test]
fn nan_seeds_reach_the_inputs() {
    let graph = Graph::new();
    let program = graph.program(&[graph.input(0) * 2.0]);
    let (mut bars, mut xbar) = ([0.0; 2], [0.0]);
    program.reverse(&[1.0, 2.0], &[(0, f64::NAN)], &mut bars, &mut xbar);
    assert!(xbar[0].is_nan());
}

/// At a tie: the first argument.
#[test]
fn ties_take_the_first_branch() {
    let graph = Graph::new();
    let (x, y) = (graph.input(0), graph.input(1));
    let program = graph.program(&[x.min(y), x.max(y), x.abs(), x.sign(), x.eq(y)]);
    let all: Vec<_> = (0..5).map(|k| gradient(&program, k, &[0.0, 0.0])).collect();
    assert_eq!(all, [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]);
    assert_eq!(values(&program, &[0.0, 0.0]), [0.0, 0.0, 0.0, 0.0, 1.0]);
}

/// Complex step of `eval` = `reverse`, to rounding.
#[test]
fn reverse_is_the_complex_step() {
    use gradyn_num::{Complex, ProgramScalar};
    for (name, f, _) in INSTRUCTIONS {
        let graph = Graph::new();
        let program = graph.program(&[f(graph.input(0), graph.input(1))]);
        for point in POINTS {
            let got = gradient(&program, 0, &point);
            for i in 0..2 {
                let mut z = point.map(Complex::from);
                *z[i].part_mut(0) = 1e-30;
                let mut regs = vec![Complex::from(0.0); program.registers()];
                program.eval(&z, &mut regs);
                let want = program.output(0, &regs).part(0) / 1e-30;
                // 1e-13: a few operations and the conditioning of asin, acos near 1
                assert!(
                    (got[i] - want).abs() <= 1e-13 * (1.0 + want.abs()),
                    "{name}: {got:?} against {want}"
                );
            }
        }
    }
}

#[test]
#[should_panic(expected = "two graphs")]
fn symbols_of_two_graphs_do_not_mix() {
    let (a, b) = (Graph::new(), Graph::new());
    let _ = a.input(0) + b.input(0);
}
