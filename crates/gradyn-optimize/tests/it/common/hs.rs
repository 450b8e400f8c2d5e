//! Problems of W. Hock and K. Schittkowski, Test Examples for Nonlinear Programming Codes (1981): numbers,
//! starts and solutions as printed there. Inequalities are printed as g ≥ 0; here they are -g ≤ 0.

use super::dual::Dual;
use super::{Case, Formulas, between, free};
use gradyn_optimize::{Problem, Variable};

const INF: f64 = f64::INFINITY;

fn case(
    number: usize,
    variables: Vec<Variable>,
    (eq, ineq): (usize, usize),
    start: &[f64],
    value: f64,
    minimiser: Option<&[f64]>,
    formulas: Formulas,
) -> Case {
    let mut problem = Problem::new(variables).unwrap();
    for i in 0..eq {
        problem = problem.equality(format!("h{}", i + 1), 1.0).unwrap();
    }
    for i in 0..ineq {
        problem = problem.inequality(format!("g{}", i + 1), 1.0).unwrap();
    }
    let minimiser = minimiser.map(|x| x.to_vec());
    Case { name: format!("HS{number}"), problem, start: start.to_vec(), formulas, value, minimiser }
}

/// Problems with bounds alone.
pub(crate) fn bounded() -> Vec<Case> {
    let rosenbrock: Formulas =
        |x| (100.0 * (&x[1] - x[0].powi(2)).powi(2) + (1.0 - &x[0]).powi(2), vec![], vec![]);
    // the minimiser of problem 2
    let a = (598.0_f64 / 1200.0).sqrt();
    let b = (400.0 * a.powi(3)).recip().acos() / 3.0;
    let x2 = 2.0 * a * b.cos();
    let f2 = 100.0 * (1.5 - x2 * x2).powi(2) + (1.0 - x2).powi(2);
    let pi = std::f64::consts::PI;
    vec![
        case(
            1,
            between(&[(-INF, INF), (-1.5, INF)]),
            (0, 0),
            &[-2.0, 1.0],
            0.0,
            Some(&[1.0, 1.0]),
            rosenbrock,
        ),
        case(2, between(&[(-INF, INF), (1.5, INF)]), (0, 0), &[2.0, 2.0], f2, Some(&[x2, 1.5]), rosenbrock),
        case(3, between(&[(-INF, INF), (0.0, INF)]), (0, 0), &[10.0, 1.0], 0.0, Some(&[0.0, 0.0]), |x| {
            (&x[1] + 1e-5 * (&x[1] - &x[0]).powi(2), vec![], vec![])
        }),
        case(
            4,
            between(&[(1.0, INF), (0.0, INF)]),
            (0, 0),
            &[1.125, 0.125],
            8.0 / 3.0,
            Some(&[1.0, 0.0]),
            |x| ((&x[0] + 1.0).powi(3) / 3.0 + &x[1], vec![], vec![]),
        ),
        case(
            5,
            between(&[(-1.5, 4.0), (-3.0, 3.0)]),
            (0, 0),
            &[0.0, 0.0],
            -(3.0_f64.sqrt()) / 2.0 - pi / 3.0,
            Some(&[0.5 - pi / 3.0, -0.5 - pi / 3.0]),
            |x| {
                (
                    (&x[0] + &x[1]).sin() + (&x[0] - &x[1]).powi(2) - 1.5 * &x[0] + 2.5 * &x[1] + 1.0,
                    vec![],
                    vec![],
                )
            },
        ),
    ]
}

/// Problems with equalities alone.
pub(crate) fn equalities() -> Vec<Case> {
    vec![
        case(6, free(2), (1, 0), &[-1.2, 1.0], 0.0, Some(&[1.0, 1.0]), |x| {
            ((1.0 - &x[0]).powi(2), vec![10.0 * (&x[1] - x[0].powi(2))], vec![])
        }),
        case(7, free(2), (1, 0), &[2.0, 2.0], -(3.0_f64.sqrt()), Some(&[0.0, 3.0_f64.sqrt()]), |x| {
            (
                (1.0 + x[0].powi(2)).ln() - &x[1],
                vec![(1.0 + x[0].powi(2)).powi(2) + x[1].powi(2) - 4.0],
                vec![],
            )
        }),
        // f is of fourth order at the minimum: 1e-6 in f is 3e-2 in x
        case(26, free(3), (1, 0), &[-2.6, 2.0, 2.0], 0.0, None, |x| {
            let f = (&x[0] - &x[1]).powi(2) + (&x[1] - &x[2]).powi(4);
            (f, vec![(1.0 + x[1].powi(2)) * &x[0] + x[2].powi(4) - 3.0], vec![])
        }),
        case(28, free(3), (1, 0), &[-4.0, 1.0, 1.0], 0.0, Some(&[0.5, -0.5, 0.5]), |x| {
            (
                (&x[0] + &x[1]).powi(2) + (&x[1] + &x[2]).powi(2),
                vec![&x[0] + 2.0 * &x[1] + 3.0 * &x[2] - 1.0],
                vec![],
            )
        }),
        case(39, free(4), (2, 0), &[2.0; 4], -1.0, Some(&[1.0, 1.0, 0.0, 0.0]), |x| {
            let h = vec![&x[1] - x[0].powi(3) - x[2].powi(2), x[0].powi(2) - &x[1] - x[3].powi(2)];
            (-x[0].clone(), h, vec![])
        }),
        case(
            40,
            free(4),
            (3, 0),
            &[0.8; 4],
            -0.25,
            Some(&[2f64.powf(-1.0 / 3.0), 2f64.powf(-0.5), 2f64.powf(-11.0 / 12.0), 2f64.powf(-0.25)]),
            |x| {
                let f = -(&x[0] * &x[1] * &x[2] * &x[3]);
                let h = vec![
                    x[0].powi(3) + x[1].powi(2) - 1.0,
                    x[0].powi(2) * &x[3] - &x[2],
                    x[3].powi(2) - &x[1],
                ];
                (f, h, vec![])
            },
        ),
        case(48, free(5), (2, 0), &[3.0, 5.0, -3.0, 2.0, -2.0], 0.0, Some(&[1.0; 5]), |x| {
            let f = (&x[0] - 1.0).powi(2) + (&x[1] - &x[2]).powi(2) + (&x[3] - &x[4]).powi(2);
            let h = vec![&x[0] + &x[1] + &x[2] + &x[3] + &x[4] - 5.0, &x[2] - 2.0 * (&x[3] + &x[4]) + 3.0];
            (f, h, vec![])
        }),
    ]
}

/// Problems with inequalities, with bounds and equalities where they are printed.
pub(crate) fn inequalities() -> Vec<Case> {
    let positive = |n: usize| between(&vec![(0.0, INF); n]);
    vec![
        case(
            21,
            between(&[(2.0, 50.0), (-50.0, 50.0)]),
            (0, 1),
            &[2.0, -1.0],
            -99.96,
            Some(&[2.0, 0.0]),
            |x| (0.01 * x[0].powi(2) + x[1].powi(2) - 100.0, vec![], vec![10.0 - 10.0 * &x[0] + &x[1]]),
        ),
        case(35, positive(3), (0, 1), &[0.5; 3], 1.0 / 9.0, Some(&[4.0 / 3.0, 7.0 / 9.0, 4.0 / 9.0]), |x| {
            let f = 9.0 - 8.0 * &x[0] - 6.0 * &x[1] - 4.0 * &x[2]
                + 2.0 * x[0].powi(2)
                + 2.0 * x[1].powi(2)
                + x[2].powi(2)
                + 2.0 * &x[0] * &x[1]
                + 2.0 * &x[0] * &x[2];
            (f, vec![], vec![&x[0] + &x[1] + 2.0 * &x[2] - 3.0])
        }),
        // Rosen and Suzuki
        case(43, free(4), (0, 3), &[0.0; 4], -44.0, Some(&[0.0, 1.0, 2.0, -1.0]), rosen_suzuki),
        case(71, between(&[(1.0, 5.0); 4]), (1, 1), &[1.0, 5.0, 5.0, 1.0], HS71_VALUE, Some(&HS71), |x| {
            let f = &x[0] * &x[3] * (&x[0] + &x[1] + &x[2]) + &x[2];
            let h = x[0].powi(2) + x[1].powi(2) + x[2].powi(2) + x[3].powi(2) - 40.0;
            (f, vec![h], vec![25.0 - &x[0] * &x[1] * &x[2] * &x[3]])
        }),
        case(
            76,
            positive(4),
            (0, 3),
            &[0.5; 4],
            -4.681818181818,
            Some(&[0.2727272727, 2.090909091, 0.0, 0.5454545455]),
            |x| {
                let f = x[0].powi(2) + 0.5 * x[1].powi(2) + x[2].powi(2) + 0.5 * x[3].powi(2) - &x[0] * &x[2]
                    + &x[2] * &x[3]
                    - &x[0]
                    - 3.0 * &x[1]
                    + &x[2]
                    - &x[3];
                let g = vec![
                    &x[0] + 2.0 * &x[1] + &x[2] + &x[3] - 5.0,
                    3.0 * &x[0] + &x[1] + 2.0 * &x[2] - &x[3] - 4.0,
                    1.5 - &x[1] - 4.0 * &x[2],
                ];
                (f, vec![], g)
            },
        ),
        case(100, free(7), (0, 4), &[1.0, 2.0, 0.0, 4.0, 0.0, 1.0, 1.0], 680.6300573, Some(&HS100), hs100),
        case(
            113,
            free(10),
            (0, 8),
            &[2.0, 3.0, 5.0, 5.0, 1.0, 2.0, 7.0, 3.0, 6.0, 10.0],
            24.3062091,
            Some(&HS113),
            hs113,
        ),
    ]
}

const HS71_VALUE: f64 = 17.0140173;
const HS71: [f64; 4] = [1.0, 4.7429994, 3.8211503, 1.3794082];
const HS100: [f64; 7] = [2.330499, 1.951372, -0.4775414, 4.365726, -0.6244870, 1.038131, 1.594227];
const HS113: [f64; 10] =
    [2.171996, 2.363683, 8.773926, 5.095984, 0.9906548, 1.430574, 1.321644, 9.828726, 8.280092, 8.375927];

fn rosen_suzuki(x: &[Dual]) -> (Dual, Vec<Dual>, Vec<Dual>) {
    let f = x[0].powi(2) + x[1].powi(2) + 2.0 * x[2].powi(2) + x[3].powi(2)
        - 5.0 * &x[0]
        - 5.0 * &x[1]
        - 21.0 * &x[2]
        + 7.0 * &x[3];
    let squares = |w: [f64; 4]| (0..4).fold(Dual::from(0.0), |s, i| s + w[i] * x[i].powi(2));
    let g = vec![
        squares([1.0; 4]) + &x[0] - &x[1] + &x[2] - &x[3] - 8.0,
        squares([1.0, 2.0, 1.0, 2.0]) - &x[0] - &x[3] - 10.0,
        squares([2.0, 1.0, 1.0, 0.0]) + 2.0 * &x[0] - &x[1] - &x[3] - 5.0,
    ];
    (f, vec![], g)
}

/// Objective and inequalities of problem 100.
fn hs100(x: &[Dual]) -> (Dual, Vec<Dual>, Vec<Dual>) {
    // f
    let f = (&x[0] - 10.0).powi(2)
        + 5.0 * (&x[1] - 12.0).powi(2)
        + x[2].powi(4)
        + 3.0 * (&x[3] - 11.0).powi(2)
        + 10.0 * x[4].powi(6)
        + 7.0 * x[5].powi(2)
        + x[6].powi(4)
        - 4.0 * &x[5] * &x[6]
        - 10.0 * &x[5]
        - 8.0 * &x[6];

    // g ≤ 0
    let g = vec![
        2.0 * x[0].powi(2) + 3.0 * x[1].powi(4) + &x[2] + 4.0 * x[3].powi(2) + 5.0 * &x[4] - 127.0,
        7.0 * &x[0] + 3.0 * &x[1] + 10.0 * x[2].powi(2) + &x[3] - &x[4] - 282.0,
        23.0 * &x[0] + x[1].powi(2) + 6.0 * x[5].powi(2) - 8.0 * &x[6] - 196.0,
        4.0 * x[0].powi(2) + x[1].powi(2) - 3.0 * &x[0] * &x[1] + 2.0 * x[2].powi(2) + 5.0 * &x[5]
            - 11.0 * &x[6],
    ];
    (f, vec![], g)
}

/// Objective and inequalities of problem 113.
fn hs113(x: &[Dual]) -> (Dual, Vec<Dual>, Vec<Dual>) {
    // f
    let f = x[0].powi(2) + x[1].powi(2) + &x[0] * &x[1] - 14.0 * &x[0] - 16.0 * &x[1]
        + (&x[2] - 10.0).powi(2)
        + 4.0 * (&x[3] - 5.0).powi(2)
        + (&x[4] - 3.0).powi(2)
        + 2.0 * (&x[5] - 1.0).powi(2)
        + 5.0 * x[6].powi(2)
        + 7.0 * (&x[7] - 11.0).powi(2)
        + 2.0 * (&x[8] - 10.0).powi(2)
        + (&x[9] - 7.0).powi(2)
        + 45.0;

    // g ≤ 0
    let g = vec![
        4.0 * &x[0] + 5.0 * &x[1] - 3.0 * &x[6] + 9.0 * &x[7] - 105.0,
        10.0 * &x[0] - 8.0 * &x[1] - 17.0 * &x[6] + 2.0 * &x[7],
        -8.0 * &x[0] + 2.0 * &x[1] + 5.0 * &x[8] - 2.0 * &x[9] - 12.0,
        3.0 * (&x[0] - 2.0).powi(2) + 4.0 * (&x[1] - 3.0).powi(2) + 2.0 * x[2].powi(2) - 7.0 * &x[3] - 120.0,
        5.0 * x[0].powi(2) + 8.0 * &x[1] + (&x[2] - 6.0).powi(2) - 2.0 * &x[3] - 40.0,
        0.5 * (&x[0] - 8.0).powi(2) + 2.0 * (&x[1] - 4.0).powi(2) + 3.0 * x[4].powi(2) - &x[5] - 30.0,
        x[0].powi(2) + 2.0 * (&x[1] - 2.0).powi(2) - 2.0 * &x[0] * &x[1] + 14.0 * &x[4] - 6.0 * &x[5],
        -3.0 * &x[0] + 6.0 * &x[1] + 12.0 * (&x[8] - 8.0).powi(2) - 7.0 * &x[9],
    ];
    (f, vec![], g)
}

/// All problems of the collection that are used here.
pub(crate) fn all() -> Vec<Case> {
    [bounded(), equalities(), inequalities()].concat()
}
