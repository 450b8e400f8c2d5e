//! Assembly: positions that satisfy the constraints, nearest to the drawn configuration, and the checks that
//! follow.
//!
//! ```text
//! minimise |Φ|² + |E|²  from the drawn configuration,  (JᵀJ + μ I) δ = -Jᵀ r                      (1)  Levenberg–Marquardt
//! as  [ I  J ; Jᵀ  -μ ] (y, -δ) = (r, 0)                                                         (2)
//! rank Φ_q at the result: degrees of freedom n - rank, dependent rows and what they follow from  (3)
//! ```
//! Works for any number of rows and conditions, so that it can say what is wrong with them. (2) has the
//! digits of J, not of JᵀJ, and is sparse. A dependent row is redundant if it still holds where the others
//! lead from a disturbed position; otherwise the position is singular, which is refused.

mod nearest_turns;

use crate::equilibrium::{Equilibrium, find};
use crate::error::StepError;
use crate::start::{RANK_TOLERANCE, StartRows, still};
use gradyn_model::{Evaluator, Kinematics, LONGEST_PATH, Level, Setup};
use gradyn_num::{Dependent, Pattern, Saddle, free_columns, largest, nothing, row_dependencies};

/// Disturbed starts if the drawn one leads nowhere.
const TRIALS: usize = 3;

/// An assembled mechanism.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// Positions of the assembled configuration.
    pub q: Vec<f64>,
    /// Degrees of freedom of positions: what the holonomic rows leave open.
    pub freedom: usize,
    /// Degrees of freedom of velocities: what all rows leave open.
    pub velocity_freedom: usize,
    /// Rows that determine positions and velocities.
    pub independent: [Vec<u32>; 2],
    /// Redundant rows and what they follow from.
    pub redundant: Vec<Dependent>,
    /// Largest |Φ|, |E| that is left.
    pub residual: f64,
    /// σ_min/σ_max of Φ_q with rows of length 1.
    pub condition: f64,
    /// Distance from the drawn configuration, largest coordinate.
    pub moved: f64,
    /// References of the angles, where they have turned on the way.
    pub turned: Option<Vec<f64>>,
    /// The static equilibrium, if the start is one.
    pub equilibrium: Option<Equilibrium>,
}

/// Assembles at time t with slots p; `names` are the position and the velocity conditions given, if those of
/// velocities are to be checked.
pub fn assemble(
    sys: &Setup,
    t: f64,
    p: &[f64],
    angles: &[f64],
    names: (&[String], Option<&[String]>),
) -> Result<Assembled, StepError> {
    let (n, m, conditions) = (sys.dims().n, sys.independent(Kinematics::Position).len(), names.0.len());
    let mut problem = Problem::new(sys, t, p, angles, conditions);
    let (mut q, r) = problem.minimise(sys.guess())?;
    let (mut worst, mut residual) = problem.gap(&r);
    // 1e-8: far above what (1) leaves when it converges, far below any real gap
    let open = |residual: f64, q: &[f64]| residual > 1e-8 * sys.size_of(q) || !residual.is_finite();
    // a drawing with a symmetry can lead to a saddle: the same again, slightly disturbed
    for k in 1..=TRIALS {
        if open(residual, &q) {
            let (trial, r) = problem.minimise(&disturbed(sys, sys.guess(), k, 0.05))?;
            let gap = problem.gap(&r);
            if !open(gap.1, &trial) {
                (q, (worst, residual)) = (trial, gap);
            }
        }
    }
    // rows that advance with every turn, such as those of screws, at the nearest turn
    let turned = if open(residual, &q) { problem.turned(angles, &q, open)? } else { None };
    if let Some((turned, r)) = &turned {
        q.clone_from(turned);
        (worst, residual) = problem.gap(r);
    }
    let turned = turned.map(|(q, _)| problem.angles_at(&q));
    let angles = turned.as_deref().unwrap_or(angles);
    let size = sys.size_of(&q);
    if open(residual, &q) {
        // more conditions than the joints leave open, where the joints alone can be assembled
        let alone = largest(Problem::new(sys, t, p, angles, 0).minimise(sys.guess())?.1);
        if conditions > n - m.min(n) && alone <= 1e-8 * size * size {
            let (freedom, hint) = (n - m.min(n), given(names.0));
            let (kind, free) = ("position", vec![]);
            return Err(StepError::Conditions { kind, given: conditions, freedom, hint, free });
        }
        let worst = if worst < m { problem.row_name(worst) } else { names.0[worst - m].clone() };
        return Err(if residual.is_finite() {
            StepError::Assembly { worst, residual }
        } else {
            StepError::NotFinite { t, equation: worst }
        });
    }
    let (mn, phi_q) = (&sys.patterns().mn, problem.terms.phi_q());
    if let Some(k) = (0..mn.rows()).find(|&k| phi_q[mn.row(k)].iter().any(|x| !x.is_finite())) {
        return Err(StepError::NotFinite { t, equation: sys.row_name(k) });
    }
    // (3)
    let Ranks { independent, redundant, condition } = ranks(sys, problem.terms.phi_q());
    let equilibrium = match sys.statics() {
        Some(_) if sys.is_long() => {
            return Err(StepError::LongTree { longest: LONGEST_PATH, what: "a static equilibrium" });
        }
        Some(_) => Some(find(sys, t, p, angles, &q, &independent[0])?),
        None => None,
    };
    if let Some(e) = &equilibrium {
        q.copy_from_slice(&e.q);
        residual = largest(problem.residual(&q));
    }
    if let Some(row) = problem.singular(&q, &independent[0], &redundant)? {
        let name = |k: usize| sys.row_name(k);
        let rows = redundant
            .iter()
            .filter(|r| r.row == row)
            .map(|r| (name(r.row), r.on.iter().map(|o| name(o.0)).collect()));
        return Err(StepError::SingularStart { rows: rows.collect() });
    }
    if let Some(r) = problem.contradiction(&q, &redundant) {
        let rows = vec![(sys.row_name(r.row), r.on.iter().map(|o| sys.row_name(o.0)).collect())];
        return Err(StepError::Inconsistent { rows });
    }
    let positions = (Kinematics::Position, Some(names.0).filter(|_| equilibrium.is_none()));
    for (kinematics, list) in [positions, (Kinematics::Velocity, names.1)] {
        list.map_or(Ok(()), |list| {
            problem.check_conditions(&q, &independent[kinematics.index()], kinematics, list)
        })?;
    }
    let freedom = n - independent[0].len();
    let moved = q.iter().zip(sys.guess()).fold(0.0f64, |s, (a, b)| s.max((a - b).abs()));
    let velocity_freedom = n - independent[1].len();
    Ok(Assembled {
        q,
        freedom,
        velocity_freedom,
        independent,
        redundant,
        residual,
        condition,
        moved,
        turned,
        equilibrium,
    })
}

/// (3): rows in a maximal independent set, and the others.
pub struct Ranks {
    /// Rows that determine positions and velocities.
    pub independent: [Vec<u32>; 2],
    /// The other rows and what they follow from.
    pub redundant: Vec<Dependent>,
    condition: f64,
}

/// (3) at positions that are known.
pub fn ranks_at(sys: &Setup, t: f64, p: &[f64], angles: &[f64], q: &[f64]) -> Ranks {
    let mut terms = sys.evaluator(p);
    terms.set_branches(angles);
    terms.at(t, q);
    ranks(sys, terms.phi_q())
}

/// Independent and dependent rows of a list, and the condition of those that are kept.
fn dependencies(sys: &Setup, phi_q: &[f64], list: &[u32]) -> (Vec<u32>, Vec<Dependent>, f64) {
    let (pattern, values) = (sys.patterns().mn.part(list), sys.patterns().mn.part_values(list, phi_q));
    let mut found = row_dependencies(&pattern, &values, RANK_TOLERANCE);
    found.exchange(&pattern, &values);
    let at = |k: usize| list[k] as usize;
    let dependent: Vec<Dependent> = (found.dependent.iter())
        .map(|d| Dependent { row: at(d.row), on: d.on.iter().map(|&(k, c)| (at(k), c)).collect() })
        .collect();
    (found.kept.iter().map(|&k| list[k]).collect(), dependent, found.condition)
}

/// Holonomic rows first; a row of velocity level that follows from others is the one that goes.
pub(crate) fn ranks(sys: &Setup, phi_q: &[f64]) -> Ranks {
    let dims = sys.dims();
    let off = &sys.row_choice().off;
    let holonomic: Vec<u32> = (0..(dims.m - dims.m_vel) as u32).filter(|k| !off.contains(k)).collect();
    let (positions, mut redundant, mut condition) = dependencies(sys, phi_q, &holonomic);
    if !redundant.is_empty() {
        condition = dependencies(sys, phi_q, &positions).2;
    }
    let (independent, more, with) = with_velocities(sys, phi_q, positions);
    redundant.extend(more);
    Ranks { independent, redundant, condition: with.unwrap_or(condition) }
}

/// Rows of positions that are independent, and those of velocities that are so beside them; the dependent
/// ones of these, and the condition with the last that was kept.
pub(crate) fn with_velocities(
    sys: &Setup,
    phi_q: &[f64],
    positions: Vec<u32>,
) -> ([Vec<u32>; 2], Vec<Dependent>, Option<f64>) {
    let dims = sys.dims();
    let off = &sys.row_choice().off;
    let mut velocities = positions.clone();
    let (mut redundant, mut condition) = (vec![], None);
    for k in ((dims.m - dims.m_vel) as u32..dims.m as u32).filter(|k| !off.contains(k)) {
        velocities.push(k);
        let (_, dependent, with) = dependencies(sys, phi_q, &velocities);
        if dependent.is_empty() {
            condition = Some(with);
        } else {
            velocities.pop();
            redundant.push(expressed(k as usize, dependent));
        }
    }
    ([positions, velocities], redundant, condition)
}

/// The one dependency of a set of rows, solved for row k.
fn expressed(k: usize, mut dependent: Vec<Dependent>) -> Dependent {
    let d = dependent.swap_remove(0);
    if d.row == k {
        return d;
    }
    // a_row = γ_k a_k + Σ γ_j a_j; the rows before k are independent, so that γ_k ≠ 0
    let c = d.on.iter().find(|o| o.0 == k).map_or(1.0, |o| o.1);
    let others = d.on.iter().filter(|o| o.0 != k).map(|&(j, g)| (j, -g / c));
    Dependent { row: k, on: others.chain([(d.row, 1.0 / c)]).collect() }
}

fn given(names: &[String]) -> String {
    format!("; given: {}", names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", "))
}

/// The drawn configuration, every coordinate off by up to a part of the largest one, or of what angles that
/// are all zero are measured by.
fn disturbed(sys: &Setup, drawn: &[f64], k: usize, relative: f64) -> Vec<f64> {
    let size = relative * sys.size_of(drawn);
    // multiples of the golden ratio: no pattern that a mechanism shares
    let offset = |i: usize| (((i + 1) * (2 * k + 1)) as f64 * 0.618_033_988_75).fract() * 2.0 - 1.0;
    drawn.iter().enumerate().map(|(i, q)| q + size * offset(i)).collect()
}

struct Problem<'a> {
    sys: &'a Setup,
    t: f64,
    terms: Evaluator<f64>,
    rows: StartRows,
    all: Vec<f64>,
    /// v, a and λ of a position.
    zero: Vec<f64>,
}

impl<'a> Problem<'a> {
    fn new(sys: &'a Setup, t: f64, p: &[f64], angles: &[f64], conditions: usize) -> Self {
        let (n, m) = (sys.dims().n, sys.dims().m);
        let mut terms = sys.evaluator(p);
        terms.set_branches(angles);
        Self {
            sys,
            t,
            terms,
            rows: StartRows::new(sys, Kinematics::Position, conditions),
            all: vec![0.0; m],
            zero: vec![0.0; n.max(m)],
        }
    }
    /// (Φ, E) at q; the evaluator stays there.
    fn residual(&mut self, q: &[f64]) -> Vec<f64> {
        let (sys, rows) = (self.sys, self.rows.rows);
        let mut r = vec![0.0; self.rows.pattern.rows()];
        let at = still(sys, self.t, q, &self.zero);
        self.terms.at(self.t, q);
        self.all.fill(0.0);
        self.terms.constraint(&at, Level::POSITION, &mut self.all);
        r.iter_mut().zip(self.rows.held()).for_each(|(r, &k)| *r = self.all[k as usize]);
        self.terms.conditions(&at, &mut r[rows..rows + self.rows.conditions], &mut []);
        r
    }
    fn row_name(&self, i: usize) -> String {
        self.sys.row_name(self.rows.held()[i] as usize)
    }
    /// A row that follows from the others at q, but not where they lead from a disturbed position.
    fn singular(
        &self,
        q: &[f64],
        independent: &[u32],
        redundant: &[Dependent],
    ) -> Result<Option<usize>, StepError> {
        let holonomic = |r: &&Dependent| r.row < self.sys.dims().m - self.sys.dims().m_vel;
        if !redundant.iter().any(|r| holonomic(&r)) {
            return Ok(None);
        }
        let mut nearby = Problem {
            sys: self.sys,
            t: self.t,
            terms: self.terms.clone(),
            rows: StartRows::of(self.sys, Kinematics::Position, independent, 0),
            all: self.all.clone(),
            zero: self.zero.clone(),
        };
        let (moved, _) = nearby.minimise(&disturbed(self.sys, q, 1, 1e-3))?;
        let size = self.sys.size_of(&moved);
        let off = |r: &&Dependent| nearby.all[r.row].abs() > 1e-9 * size * size.max(1.0);
        Ok(redundant.iter().filter(holonomic).find(off).map(|r| r.row))
    }
    /// A redundant row that asks for another velocity than the rows that it follows from: their parts without
    /// v differ.
    fn contradiction<'r>(&mut self, q: &[f64], redundant: &'r [Dependent]) -> Option<&'r Dependent> {
        self.terms.at(self.t, q);
        self.all.fill(0.0);
        self.terms.constraint(&still(self.sys, self.t, q, &self.zero), Level::VELOCITY, &mut self.all);
        redundant.iter().find(|r| {
            let parts = r.on.iter().map(|&(k, c)| c * self.all[k]).chain([-self.all[r.row]]);
            let (sum, size) = parts.fold((0.0, 0.0), |(s, a), x: f64| (s + x, a + x.abs()));
            sum.abs() > 1e-9 * size
        })
    }
    /// After `minimise`: the row that is worst off, as a length (each row over the size of its gradient), and
    /// by how much.
    fn gap(&self, r: &[f64]) -> (usize, f64) {
        let gradient = |i: usize| largest(self.rows.pattern.row(i).map(|k| self.rows.q[k]));
        // in relative coordinates a row may hold by itself: its gradient is rounding
        let zero = nothing(&self.rows.q);
        let size = |i: usize| Some(gradient(i)).filter(|g| *g > zero).unwrap_or(1.0);
        let off: Vec<f64> = (0..r.len()).map(|i| r[i].abs() / size(i)).collect();
        let worst = (0..r.len()).fold(0, |w, i| if off[i] > off[w] || off[i].is_nan() { i } else { w });
        (worst, off.get(worst).copied().unwrap_or(0.0))
    }
    /// (1) from a guess: positions and what is left; the evaluator and `rows` are at the
    /// result.
    fn minimise(&mut self, drawn: &[f64]) -> Result<(Vec<f64>, Vec<f64>), StepError> {
        let mut q = drawn.to_vec();
        let mut r = self.residual(&q);
        let mut normal = Normal::new(&self.rows.pattern)?;
        let norm = |r: &[f64]| r.iter().map(|r| r * r).sum::<f64>();
        let mut μ = 1e-3;
        for _ in 0..200 {
            self.rows.set(&still(self.sys, self.t, &q, &self.zero), &mut self.terms);
            let before = norm(&r);
            let (mut improved, mut moved) = (false, f64::INFINITY);
            while μ < 1e12 {
                let Some(step) = normal.step(&self.rows.q, &r, μ) else {
                    μ *= 10.0;
                    continue;
                };
                let trial: Vec<f64> = q.iter().zip(step).map(|(q, s)| q - s).collect();
                moved = largest(step[..q.len()].iter().copied()) / self.sys.size_of(&q);
                let rt = self.residual(&trial);
                if norm(&rt) < before {
                    (q, r, improved) = (trial, rt, true);
                    μ = (μ * 0.1).max(1e-15);
                    break;
                }
                if moved < f64::EPSILON {
                    break;
                }
                μ *= 10.0;
            }
            // no better, or nothing left, or moved by roundings only
            if !improved || norm(&r) < 1e-30 || moved < 4.0 * f64::EPSILON {
                break;
            }
        }
        let r = self.residual(&q);
        self.rows.set(&still(self.sys, self.t, &q, &self.zero), &mut self.terms);
        Ok((q, r))
    }
    /// As many independent conditions as degrees of freedom.
    fn check_conditions(
        &mut self,
        q: &[f64],
        independent: &[u32],
        kinematics: Kinematics,
        list: &[String],
    ) -> Result<(), StepError> {
        let (sys, m) = (self.sys, independent.len());
        let (freedom, kind) = (sys.dims().n - m, kinematics.name());
        let mut rows = StartRows::of(sys, kinematics, independent, list.len());
        rows.set(&still(sys, self.t, q, &self.zero), &mut self.terms);
        if list.len() != freedom {
            let mut free = vec![];
            if list.len() < freedom {
                let columns = free_columns(&rows.pattern, rows.matrix(), RANK_TOLERANCE);
                let own = columns.into_iter().filter(|&j| j < sys.dims().n);
                free.extend(own.map(|j| sys.coordinate_name(j)));
            }
            let hint = if list.len() < freedom {
                let names: Vec<String> = free.iter().map(|name| format!("`{name}`")).collect();
                format!("; free to move: {}", names.join(", "))
            } else {
                given(list)
            };
            return Err(StepError::Conditions { kind, given: list.len(), freedom, hint, free });
        }
        rows.undetermined(sys).map_or(Ok(()), Err)
    }
}

/// (2).
struct Normal {
    saddle: Saddle,
    /// Where the values of Jᵀ are in J.
    from: Vec<usize>,
    jt: Vec<f64>,
    b: Vec<f64>,
}

impl Normal {
    fn new(j: &Pattern) -> Result<Self, StepError> {
        let (rows, n) = (j.rows(), j.cols());
        let transposed = Pattern::from_entries(n, rows, j.iter().map(|(i, j, _)| (j, i)));
        let identity = Pattern::from_entries(rows, rows, (0..rows).map(|i| (i, i)));
        let mut from = vec![0; j.nnz()];
        for (i, k, p) in j.iter() {
            from[transposed.at(k, i) as usize] = p;
        }
        let (jt, b) = (vec![0.0; j.nnz()], vec![0.0; rows + n]);
        Ok(Self { saddle: Saddle::new(&identity, &transposed)?, from, jt, b })
    }
    /// -δ, if (2) has a solution.
    fn step(&mut self, j: &[f64], r: &[f64], μ: f64) -> Option<&[f64]> {
        let Self { saddle, from, jt, b } = self;
        jt.iter_mut().zip(from).for_each(|(x, p)| *x = j[*p]);
        saddle.refactor(|_| 1.0, |k| jt[k], jt, |_| μ, 0.0).ok()?;
        b.fill(0.0);
        b[..r.len()].copy_from_slice(r);
        saddle.solve(b);
        Some(&b[r.len()..])
    }
}
