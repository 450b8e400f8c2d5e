//! What the caller tells: the value of a design with its gradient, or why there is none.

/// f, ∇f and the constraints at a design, in the units of the user.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Value f of the objective.
    pub value: f64,
    /// Gradient ∇f, one entry per variable.
    pub gradient: Vec<f64>,
    /// Values of the equalities h, then of the inequalities g.
    pub constraints: Vec<f64>,
    /// Jacobian of the constraints, by rows.
    pub jacobian: Vec<f64>,
    /// Residuals r and their Jacobian, where f = ½ rᵀr.
    pub residuals: Option<Residuals>,
}

/// Residuals of a least-squares objective.
#[derive(Clone, Debug, PartialEq)]
pub struct Residuals {
    /// The residuals r.
    pub values: Vec<f64>,
    /// Their Jacobian r_x, by rows.
    pub jacobian: Vec<f64>,
}

impl Evaluation {
    /// An evaluation without constraints and residuals.
    pub fn new(value: f64, gradient: Vec<f64>) -> Self {
        Self { value, gradient, constraints: vec![], jacobian: vec![], residuals: None }
    }
    /// An evaluation of residuals: f = ½ rᵀr, ∇f = r_xᵀ r.
    pub fn least_squares(values: Vec<f64>, jacobian: Vec<f64>, n: usize) -> Self {
        let value = 0.5 * values.iter().map(|r| r * r).sum::<f64>();
        let mut gradient = vec![0.0; n];
        for (r, row) in values.iter().zip(jacobian.chunks_exact(n)) {
            for j in 0..n {
                gradient[j] += r * row[j];
            }
        }
        Self { residuals: Some(Residuals { values, jacobian }), ..Self::new(value, gradient) }
    }
    /// With constraints: h, then g, and their Jacobian by rows.
    pub fn constrained(self, constraints: Vec<f64>, jacobian: Vec<f64>) -> Self {
        Self { constraints, jacobian, ..self }
    }
    /// The first thing in it that is not a finite number.
    pub(crate) fn not_finite(&self) -> Option<&'static str> {
        let (r, r_x) = self.residuals.as_ref().map_or((&[][..], &[][..]), |r| (&r.values, &r.jacobian));
        let all: [(&[f64], &str); 6] = [
            (&[self.value], "the value is not finite"),
            (&self.gradient, "the gradient is not finite"),
            (&self.constraints, "a constraint is not finite"),
            (&self.jacobian, "the Jacobian of the constraints is not finite"),
            (r, "a residual is not finite"),
            (r_x, "the Jacobian of the residuals is not finite"),
        ];
        all.into_iter().find(|(x, _)| x.iter().any(|x| !x.is_finite())).map(|(_, what)| what)
    }
}

/// A design that cannot be evaluated: a step to shorten, not an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Failed {
    /// Why it cannot be evaluated.
    pub reason: String,
}

/// What is told of a trial.
pub type Outcome = Result<Evaluation, Failed>;
