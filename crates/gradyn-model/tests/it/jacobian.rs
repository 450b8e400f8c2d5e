//! Partials by elimination equal reverse sweeps, output by output.

use gradyn_model::program::{Graph, Jacobian, Sym};
use gradyn_num::Dual;

/// Partials over all inputs but the last, which is not active, by elimination and by reverse sweeps.
fn agree(name: &str, build: impl for<'g> Fn(&'g Graph, &[Sym<'g>]) -> Vec<Sym<'g>>, x: &[f64]) {
    let graph = Graph::new();
    let inputs: Vec<Sym> = (0..x.len()).map(|i| graph.input(i)).collect();
    let program = graph.program(&build(&graph, &inputs));
    let active = x.len() - 1;
    let jacobian = Jacobian::new(&program, |i| i < active);
    let (n, outputs) = (program.registers(), program.outputs());
    let mut regs = vec![0.0; n];
    program.eval(x, &mut regs);
    let mut found = vec![vec![0.0; x.len()]; outputs];
    let (mut live, mut values) = (vec![false; n], vec![0.0; jacobian.size()]);
    jacobian.each(&program, &regs, &mut live, &mut values, |o, i, v| found[o as usize][i as usize] = v);
    for (o, found) in found.iter().enumerate() {
        let (mut bars, mut expected) = (vec![0.0; n], vec![0.0; x.len()]);
        program.reverse(&regs, &[(o, 1.0)], &mut bars, &mut expected);
        for (i, (a, b)) in found.iter().zip(&expected).enumerate().take(active) {
            assert!((a - b).abs() <= 1e-13 * (1.0 + b.abs()), "{name}, output {o}, input {i}: {a} for {b}");
        }
        assert_eq!(found[active], 0.0, "{name}: an input that is not active");
    }
    // the same on another scalar
    let dual: Vec<Dual<f64, 1>> = x.iter().map(|&x| Dual::constant(x)).collect();
    let (mut regs, mut values) = (vec![Dual::constant(0.0); n], vec![Dual::constant(0.0); jacobian.size()]);
    program.eval(&dual, &mut regs);
    jacobian.each(&program, &regs, &mut live, &mut values, |o, i, v| {
        assert!(v.re.to_bits() == found[o as usize][i as usize].to_bits(), "{name} on duals");
    });
}

#[test]
fn products_quotients_and_shared_nodes() {
    agree(
        "shared",
        |g, x| {
            let a = x[0] * x[0] + x[1] / x[2] - 3.0 * x[3];
            let b = (a * x[1]).sin() * a.exp();
            let c = (b * b + x[2].powi(3)).sqrt() / (1.0 + a * a);
            vec![
                a,
                b,
                c,
                a * c - b,
                x[1],
                g.constant(2.0),
                b + x[3],
                (x[1]).atan2(a),
                (a * a + 0.1).powf(x[0]),
            ]
        },
        &[0.7, -0.3, 1.9, 0.4],
    );
}

#[test]
fn outputs_may_read_outputs() {
    agree(
        "chain of outputs",
        |_, x| (0..6).scan(x[0], |y, _| Some(std::mem::replace(y, *y * x[1] + x[0]))).collect(),
        &[0.9, 1.3, 0.0],
    );
}

#[test]
fn branches_that_are_not_taken_may_be_singular() {
    agree(
        "select, min and max",
        |g, x| {
            let zero = g.constant(0.0);
            let root = x[0].sqrt();
            let dead = x[0].gt(zero).select(root * x[1], x[1] * x[1]);
            let ratio = x[1] / x[0];
            let least = (x[1] * 2.0).min(x[0].abs().ln() * -1.0);
            // the square root is dead for the first output and x[1] live for all
            vec![
                dead,
                least,
                x[1].max(root - 5.0),
                x[0].ge(zero).select(x[1], ratio) * x[2],
                dead * x[2] + least,
            ]
        },
        &[0.0, 0.8, 1.7, 0.0],
    );
}

#[test]
fn a_singular_value_that_is_used_is_not_hidden() {
    let graph = Graph::new();
    let x = graph.input(0);
    let program = graph.program(&[(x * x).sqrt()]);
    let jacobian = Jacobian::new(&program, |_| true);
    let mut regs = vec![0.0; program.registers()];
    program.eval(&[0.0], &mut regs);
    let (mut live, mut values, mut seen) = (vec![false; regs.len()], vec![0.0; jacobian.size()], vec![]);
    jacobian.each(&program, &regs, &mut live, &mut values, |_, _, v| seen.push(v));
    assert!(seen.len() == 1 && seen[0].is_nan(), "{seen:?}");
}
