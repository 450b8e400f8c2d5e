//! Rosenbrock schemes, in the form in which they are published.
//!
//! ```text
//! (1/(hγ) - J) u_i = f(y_0 + Σ_{j<i} a_ij u_j) + Σ_{j<i} c_ij u_j / h + γ_i h f_t,   y = y_0 + Σ m_i u_i  (1)
//! Γ = (1/γ - C)⁻¹,   α = A Γ,   b = m Γ                                                              (2)
//! k_i = f(y_0 + h Σ_{j<i} α_ij k_j) + h J Σ_{j≤i} γ_ij k_j + h γ_i f_t,   y = y_0 + h Σ b_i k_i           (3)
//! ```
//! [Hairer & Wanner II, IV.7, Eqs. 7.4, 7.25]. The step uses (3).

/// Coefficients of a scheme (1), as data.
#[derive(Debug, PartialEq)]
pub struct Rosenbrock {
    /// Name in the registry.
    pub name: &'static str,
    /// Diagonal coefficient γ.
    pub gamma: f64,
    /// a_ij, j < i, for i = 2 … s.
    pub a: &'static [&'static [f64]],
    /// c_ij, j < i, for i = 2 … s.
    pub c: &'static [&'static [f64]],
    /// Weights m_i of the stages.
    pub m: &'static [f64],
    /// Weights m_i - m̂_i of the estimate.
    pub error: &'static [f64],
    /// Order of the scheme.
    pub order: usize,
    /// Power of h in the estimate.
    pub estimate: usize,
}

/// Coefficients in the form (3).
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme {
    /// α_ij by rows, s × s.
    pub alpha: Vec<Vec<f64>>,
    /// γ_ij by rows, s × s.
    pub gamma: Vec<Vec<f64>>,
    /// Weights b_i of the stages.
    pub b: Vec<f64>,
    /// Weights b_i - b̂_i of the estimate.
    pub error: Vec<f64>,
}

impl Rosenbrock {
    /// All known schemes.
    pub const ALL: [&'static Self; 2] = [&ROS3, &RODAS4];
    /// The coefficients by (2), in the form (3).
    pub fn scheme(&self) -> Scheme {
        let s = self.m.len();
        // Γ by forward substitution: (1/γ - C) Γ = 1
        let mut gamma = vec![vec![0.0; s]; s];
        for i in 0..s {
            for j in 0..=i {
                let known: f64 = (j..i).map(|k| self.c[i - 1][k] * gamma[k][j]).sum();
                gamma[i][j] = self.gamma * (known + if i == j { 1.0 } else { 0.0 });
            }
        }
        let times = |x: &[f64]| -> Vec<f64> {
            (0..s).map(|j| (0..x.len()).map(|k| x[k] * gamma[k][j]).sum()).collect()
        };
        let alpha = (0..s).map(|i| if i == 0 { vec![0.0; s] } else { times(self.a[i - 1]) }).collect();
        let (b, error) = (times(self.m), times(self.error));
        Scheme { alpha, gamma, b, error }
    }
}

impl Scheme {
    /// Number of stages.
    pub(crate) fn stages(&self) -> usize {
        self.b.len()
    }
    /// α_i: where stage i lies.
    pub fn node(&self, i: usize) -> f64 {
        self.alpha[i].iter().sum()
    }
    /// γ_i: how far the derivative in time reaches.
    pub(crate) fn slope(&self, i: usize) -> f64 {
        self.gamma[i].iter().sum()
    }
}

/// Order 3, 3 stages, L-stable [Sandu et al., Atmospheric Environment 31 (1997) 3459].
pub const ROS3: Rosenbrock = Rosenbrock {
    name: "ros3",
    gamma: 0.435_866_521_508_459,
    a: &[&[1.0], &[1.0, 0.0]],
    c: &[&[-1.015_617_108_387_770_2], &[4.075_995_645_253_77, 9.207_679_429_833_079]],
    m: &[1.0, 6.169_794_704_382_824_6, -0.427_722_565_432_185_7],
    error: &[0.5, -2.907_955_871_680_547, 0.223_540_698_978_115_7],
    order: 3,
    estimate: 3,
};

/// Order 4, 6 stages, stiffly accurate [Hairer & Wanner II, IV.7; their program RODAS].
pub const RODAS4: Rosenbrock = Rosenbrock {
    name: "rodas4",
    gamma: 0.25,
    a: &[
        &[1.544],
        &[0.946_678_528_081_582_6, 0.255_701_169_898_328_4],
        &[3.314_825_187_068_521, 2.896_124_015_972_201, 0.998_641_913_997_781_7],
        &[1.221_224_509_226_641, 6.019_134_481_288_629, 12.537_083_329_320_87, -0.687_886_036_105_895],
        &[1.221_224_509_226_641, 6.019_134_481_288_629, 12.537_083_329_320_87, -0.687_886_036_105_895, 1.0],
    ],
    c: &[
        &[-5.6688],
        &[-2.430_093_356_833_875, -0.206_359_915_709_191_5],
        &[-0.107_352_905_815_137_5, -9.594_562_251_023_355, -20.470_286_148_096_16],
        &[7.496_443_313_967_647, -10.246_804_314_643_52, -33.999_903_528_199_05, 11.708_908_932_061_6],
        &[
            8.083_246_795_921_522,
            -7.981_132_988_064_893,
            -31.521_594_328_743_71,
            16.319_305_431_231_36,
            -6.058_818_238_834_054,
        ],
    ],
    m: &[
        1.221_224_509_226_641,
        6.019_134_481_288_629,
        12.537_083_329_320_87,
        -0.687_886_036_105_895,
        1.0,
        1.0,
    ],
    error: &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    order: 4,
    estimate: 4,
};
