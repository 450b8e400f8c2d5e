//! Butcher tableaus as data, with references; their order conditions are tests.

/// An explicit tableau: rows a_1 … a_{s-1}, then b. Stage 0 is the past node, the node is the last block.
#[derive(Debug, PartialEq)]
pub struct Tableau {
    /// Name in the registry.
    pub name: &'static str,
    /// a_ij, then b.
    pub rows: &'static [&'static [f64]],
    /// c_i of each row; 1 for the node.
    pub nodes: &'static [f64],
    /// b - b̂ over ẏ_0 … ẏ_s; empty without an embedded method.
    pub error: &'static [f64],
    /// d_i of the continuous extension of order 4, over ẏ_0 … ẏ_s; empty: cubic Hermite.
    pub dense: &'static [f64],
    /// Order.
    pub order: usize,
}

/// The classical scheme [Hairer, Nørsett & Wanner I, Table II.1.2].
pub const RK4: Tableau = Tableau {
    name: "rk4",
    rows: &[&[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0], &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0]],
    nodes: &[0.5, 0.5, 1.0, 1.0],
    error: &[],
    dense: &[],
    order: 4,
};

/// Dormand & Prince 5(4) [Hairer, Nørsett & Wanner I, Table II.5.2; dense output Eq. II.6.12].
pub const DOPRI5: Tableau = Tableau {
    name: "dopri5",
    rows: &[
        &[1.0 / 5.0],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
        &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
        &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
    ],
    nodes: &[1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0],
    error: &[71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0],
    dense: &[
        -12715105075.0 / 11282082432.0,
        0.0,
        87487479700.0 / 32700410799.0,
        -10690763975.0 / 1880347072.0,
        701980252875.0 / 199316789632.0,
        -1453857185.0 / 822651844.0,
        69997945.0 / 29380423.0,
    ],
    order: 5,
};
