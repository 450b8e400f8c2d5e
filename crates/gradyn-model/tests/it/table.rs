//! Tables: cubic splines through points.

use gradyn_model::program::{Graph, Table};
use gradyn_num::Dual;
use std::sync::Arc;

const POINTS: [[f64; 2]; 6] = [[-1.0, 0.2], [-0.4, 0.5], [0.1, -0.3], [0.9, 0.1], [1.0, 0.15], [2.5, 0.4]];

/// The spline meets its points, and its first and second derivatives have no jump at them.
#[test]
fn splines_are_smooth_and_meet_their_points() {
    for clamped in [false, true] {
        let table = Table::new(&POINTS, clamped);
        for [x, z] in POINTS {
            assert!((table.value(0, x) - z).abs() < 1e-14, "{x}");
            if x > -1.0 && x < 2.5 {
                for order in 0..3 {
                    let [left, right] = [x - 1e-9, x + 1e-9].map(|x| table.value::<f64>(order, x));
                    // 1e-9 times a slope of some hundred
                    assert!((left - right).abs() < 1e-6, "derivative {order} at {x}: {left} {right}");
                }
            }
        }
        let order = if clamped { 1 } else { 2 };
        table.range().iter().for_each(|&x| assert!(table.value::<f64>(order, x).abs() < 1e-12, "end {x}"));
    }
}

/// Derivatives by order are the duals, and a program has them too.
#[test]
fn derivatives_are_those_of_the_duals() {
    let (table, graph) = (Arc::new(Table::new(&POINTS, true)), Graph::new());
    let y = graph.input(0).table(&table);
    let slope = graph.rates(&[y], |_| graph.constant(1.0))[0];
    let program = graph.program(&[y, slope]);
    for x in [-0.9, -0.4, 0.3, 0.95, 2.0] {
        for order in 0..3 {
            let d: Dual<f64, 1> = table.value(order, Dual::along(x, 1.0));
            assert!((d.eps[0] - table.value::<f64>(order + 1, x)).abs() < 1e-12 * (1.0 + d.eps[0].abs()));
        }
        let (mut regs, mut bars, mut bar) =
            (vec![0.0; program.registers()], vec![0.0; program.registers()], [0.0]);
        program.eval(&[x], &mut regs);
        program.reverse(&regs, &[(0, 1.0)], &mut bars, &mut bar);
        assert_eq!(program.output(0, &regs), table.value(0, x));
        assert_eq!([program.output(1, &regs), bar[0]], [table.value(1, x); 2]);
    }
}

/// There is no value outside.
#[test]
fn tables_end() {
    let table = Table::new(&POINTS, false);
    assert!(table.value::<f64>(0, -1.0).is_finite() && table.value::<f64>(0, 2.5).is_finite());
    assert!(
        table.value::<f64>(0, -1.0001).is_nan()
            && table.value::<f64>(1, 2.5001).is_nan()
            && table.value::<f64>(0, f64::NAN).is_nan()
    );
}
