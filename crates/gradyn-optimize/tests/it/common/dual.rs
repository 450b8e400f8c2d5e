//! Dual numbers with a gradient of any length.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A value and its gradient; an empty gradient is zero.
#[derive(Clone, Debug)]
pub struct Dual {
    pub value: f64,
    d: Vec<f64>,
}

impl Dual {
    /// The variables themselves.
    pub fn variables(x: &[f64]) -> Vec<Dual> {
        let unit = |i: usize| (0..x.len()).map(|j| if i == j { 1.0 } else { 0.0 }).collect();
        (0..x.len()).map(|i| Dual { value: x[i], d: unit(i) }).collect()
    }
    fn chain(&self, value: f64, slope: f64) -> Dual {
        Dual { value, d: self.d.iter().map(|d| d * slope).collect() }
    }
    pub fn powi(&self, k: i32) -> Dual {
        self.chain(self.value.powi(k), k as f64 * self.value.powi(k - 1))
    }
    pub fn exp(&self) -> Dual {
        self.chain(self.value.exp(), self.value.exp())
    }
    pub fn ln(&self) -> Dual {
        self.chain(self.value.ln(), 1.0 / self.value)
    }
    pub fn sin(&self) -> Dual {
        self.chain(self.value.sin(), self.value.cos())
    }
}

/// The gradient, of length n.
pub(crate) fn gradient(x: &Dual, n: usize) -> Vec<f64> {
    if x.d.is_empty() { vec![0.0; n] } else { x.d.clone() }
}

fn pair(a: &Dual, b: &Dual, value: f64, da: f64, db: f64) -> Dual {
    let n = a.d.len().max(b.d.len());
    let at = |x: &Dual, i: usize| x.d.get(i).copied().unwrap_or(0.0);
    Dual { value, d: (0..n).map(|i| da * at(a, i) + db * at(b, i)).collect() }
}

impl From<f64> for Dual {
    fn from(value: f64) -> Self {
        Dual { value, d: vec![] }
    }
}

macro_rules! operator {
    ($trait:ident $method:ident $op:tt, $da:expr, $db:expr) => {
        impl $trait<&Dual> for &Dual {
            type Output = Dual;
            fn $method(self, b: &Dual) -> Dual {
                pair(self, b, self.value $op b.value, $da(self.value, b.value), $db(self.value, b.value))
            }
        }
        impl $trait<Dual> for Dual {
            type Output = Dual;
            fn $method(self, b: Dual) -> Dual {
                &self $op &b
            }
        }
        impl $trait<&Dual> for Dual {
            type Output = Dual;
            fn $method(self, b: &Dual) -> Dual {
                &self $op b
            }
        }
        impl $trait<Dual> for &Dual {
            type Output = Dual;
            fn $method(self, b: Dual) -> Dual {
                self $op &b
            }
        }
        impl $trait<f64> for Dual {
            type Output = Dual;
            fn $method(self, b: f64) -> Dual {
                &self $op &Dual::from(b)
            }
        }
        impl $trait<f64> for &Dual {
            type Output = Dual;
            fn $method(self, b: f64) -> Dual {
                self $op &Dual::from(b)
            }
        }
        impl $trait<Dual> for f64 {
            type Output = Dual;
            fn $method(self, b: Dual) -> Dual {
                &Dual::from(self) $op &b
            }
        }
        impl $trait<&Dual> for f64 {
            type Output = Dual;
            fn $method(self, b: &Dual) -> Dual {
                &Dual::from(self) $op b
            }
        }
    };
}
operator!(Add add +, |_, _| 1.0, |_, _| 1.0);
operator!(Sub sub -, |_, _| 1.0, |_, _| -1.0);
operator!(Mul mul *, |_, b| b, |a, _| a);
operator!(Div div /, |_, b: f64| 1.0 / b, |a: f64, b: f64| -a / b / b);

impl Neg for Dual {
    type Output = Dual;
    fn neg(self) -> Dual {
        self.chain(-self.value, -1.0)
    }
}
