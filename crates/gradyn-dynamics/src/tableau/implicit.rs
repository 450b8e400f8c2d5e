//! Implicit schemes.
//!
//! Estimates of the coupled ones compare the slope at the start with the polynomial P through the slopes of
//! the blocks,
//!
//! ```text
//! e = γ₀ h W⁻¹ (ẏ_0 - P(0)),   W = I - γ₀ h f_y             (1)  [Hairer & Wanner II, Eqs. IV.8.18, IV.8.19]
//! ```
//! which is of order h^{s+1} for s blocks. With γ₀ the real eigenvalue of A it is the estimate of RADAU5
//! (without its second filter, Eq. IV.8.20); where A has no real eigenvalue, γ₀ is the modulus of the complex
//! ones. P of `gauss4` goes through its two stages. With the node as a third block (1) would be of order h⁴,
//! and zero for every linear system: there ẏ_0 - √3 ẏ_1 + √3 ẏ_2 - ẏ_3 = f_y (y_0 - y_3 + √3 (Y_2 - Y_1)) =
//! 0.

use super::Tableau;

const SQRT3: f64 = 1.732_050_807_568_877_2;
const SQRT6: f64 = 2.449_489_742_783_178;

/// γ₀ of Gauss, two stages: √(1/12).
const GAUSS: f64 = 0.288_675_134_594_812_87;
/// γ₀ of Radau IIA, two stages: √(1/6).
const RADAU_2: f64 = 0.408_248_290_463_863;
/// γ₀ of Radau IIA, three stages: the real eigenvalue of A.
const RADAU_3: f64 = 0.274_888_829_595_677_34;

/// Gauss, two stages: symplectic, A-stable, order 4 [Hairer & Wanner II, Table IV.5.1].
pub const GAUSS4: Tableau = Tableau {
    name: "gauss4",
    rows: &[&[0.0, 0.25, 0.25 - SQRT3 / 6.0], &[0.0, 0.25 + SQRT3 / 6.0, 0.25], &[0.0, 0.5, 0.5]],
    nodes: &[0.5 - SQRT3 / 6.0, 0.5 + SQRT3 / 6.0, 1.0],
    coupled: 2,
    // -γ₀ ℓ_j(0) over c = ½ ∓ √3/6
    error: &[GAUSS, -GAUSS * (1.0 + SQRT3) / 2.0, -GAUSS * (1.0 - SQRT3) / 2.0, 0.0],
    lower: &[],
    filter: GAUSS,
    estimate: 3,
    dense: &[],
    order: 4,
    stability: None,
};

/// Trapezoidal rule: A-stable, order 2.
pub const TRAPEZOIDAL: Tableau = Tableau {
    name: "trapezoidal",
    rows: &[&[0.5, 0.5]],
    nodes: &[1.0],
    coupled: 1,
    error: &[],
    lower: &[],
    filter: 0.0,
    estimate: 0,
    stability: None,
    dense: &[],
    order: 2,
};

/// Radau IIA, two stages: L-stable, stiffly accurate, order 3 [Hairer & Wanner II, Table IV.5.5].
pub const RADAU3: Tableau = Tableau {
    name: "radau3",
    rows: &[&[0.0, 5.0 / 12.0, -1.0 / 12.0], &[0.0, 0.75, 0.25]],
    nodes: &[1.0 / 3.0, 1.0],
    coupled: 2,
    error: &[RADAU_2, -1.5 * RADAU_2, 0.5 * RADAU_2],
    lower: &[],
    filter: RADAU_2,
    estimate: 3,
    dense: &[],
    order: 3,
    stability: None,
};

/// Radau IIA, three stages: L-stable, stiffly accurate, order 5 [Hairer & Wanner II, Table IV.5.6].
pub const RADAU5: Tableau = Tableau {
    name: "radau5",
    rows: &[
        &[0.0, (88.0 - 7.0 * SQRT6) / 360.0, (296.0 - 169.0 * SQRT6) / 1800.0, (-2.0 + 3.0 * SQRT6) / 225.0],
        &[0.0, (296.0 + 169.0 * SQRT6) / 1800.0, (88.0 + 7.0 * SQRT6) / 360.0, (-2.0 - 3.0 * SQRT6) / 225.0],
        &[0.0, (16.0 - SQRT6) / 36.0, (16.0 + SQRT6) / 36.0, 1.0 / 9.0],
    ],
    nodes: &[(4.0 - SQRT6) / 10.0, (4.0 + SQRT6) / 10.0, 1.0],
    coupled: 3,
    error: &[
        RADAU_3,
        -RADAU_3 * (2.0 + 3.0 * SQRT6) / 6.0,
        RADAU_3 * (3.0 * SQRT6 - 2.0) / 6.0,
        -RADAU_3 / 3.0,
    ],
    lower: &[],
    filter: RADAU_3,
    estimate: 4,
    dense: &[],
    order: 5,
    stability: None,
};

/// Five stages, singly diagonally implicit: L-stable, stiffly accurate, order 4 with an embedded method of
/// order 3 [Hairer & Wanner II, Table IV.6.5]. Its estimate stays bounded for stiff components and needs no
/// filter.
pub const SDIRK4: Tableau = Tableau {
    name: "sdirk4",
    rows: &[
        &[0.0, 0.25],
        &[0.0, 0.5, 0.25],
        &[0.0, 17.0 / 50.0, -1.0 / 25.0, 0.25],
        &[0.0, 371.0 / 1360.0, -137.0 / 2720.0, 15.0 / 544.0, 0.25],
        &[0.0, 25.0 / 24.0, -49.0 / 48.0, 125.0 / 16.0, -85.0 / 12.0, 0.25],
    ],
    nodes: &[0.25, 0.75, 11.0 / 20.0, 0.5, 1.0],
    coupled: 1,
    error: &[0.0, -3.0 / 16.0, -27.0 / 32.0, 25.0 / 32.0, 0.0, 0.25],
    lower: &[],
    filter: 0.0,
    estimate: 4,
    dense: &[],
    order: 4,
    stability: None,
};
