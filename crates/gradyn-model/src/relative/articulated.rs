//! Articulated bodies: the saddle-point matrix of a tree is solved without the matrix M.
//!
//! ```text
//! K (x, λ) = (f, g),   K = [ M  Φ_zᵀ ; Φ_z  -c ],   M = Σ Jᵀ M_x J                                    (1)
//! I_i = Σ bodies of node i + Σ Ia_j of the nodes that follow,   U = I S,   D = Sᵀ U                   (2)
//! Ia = I - U D⁻¹ Uᵀ,   w = D⁻¹ (f - Sᵀ p),   pa = p + U w                   from the leaves to the root  (3)
//! x = w - D⁻¹ Uᵀ a_before,   a = a_before + S x                             from the root to the leaves  (4)
//! S_c = Φ_c T⁻¹ Φ_cᵀ + c,   λ_c = S_c⁻¹ (Φ_c T⁻¹ f - g),   x = T⁻¹ (f - Φ_cᵀ λ_c)                      (5)
//! ```
//! [Featherstone, *Rigid Body Dynamics Algorithms*, 2008]. T is M with the rows that keep the length of Euler
//! parameters: these are rows of one node, so that D is bordered by them, and D⁻¹ is a small LU. Rows Φ_c
//! that close loops, of drivers and of the user are eliminated by (5), with a full S_c. Each node has its own
//! point r, which (2) to (4) are about: about the global origin I would lose as many digits as the square of
//! the distance has. K is symmetric: its transposed solve is its solve.
//!
//! O(n) for (2) to (4), O(n m_c + m_c³) for (5). Not handled: coordinates that move no mass, also where rows
//! would determine them; they are an error.

mod inertia;

use super::contraction::Parts;
use super::fold::Node;
use super::spatial::{Twist, V3, add, cross, sub};
use super::{Carried, Relative, TreeTerms};
use gradyn_num::{DenseLdl, DenseLu, Singular};
use inertia::Inertia;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// D below this part of the terms that it is the sum of is zero.
const PIVOT_D: f64 = 1e-14;

/// A diagonal of S_c below this part of itself is zero: the row depends on others.
const PIVOT_S: f64 = 1e-14;

/// Factors of K, (1), and the memory of its solves.
#[derive(Clone)]
pub struct Articulated {
    tree: Arc<Relative>,
    nodes: Vec<Hinge>,
    /// Bodies of each node, by their place in the list of bodies with a link.
    bodies: Vec<(u32, u32)>,
    /// S and U of each coordinate, about the point of its node.
    screws: Vec<Twist<f64>>,
    u: Vec<Twist<f64>>,
    /// I of each node.
    inertia: Vec<Inertia>,
    /// p, then a, of each node.
    wrench: Vec<Twist<f64>>,
    /// (f - Sᵀ p, g), then x and λ, of one node.
    small: Vec<f64>,
    /// Rows Φ_c, the columns T⁻¹ Φ_cᵀ one after the other, and S_c.
    closing: Vec<u32>,
    columns: Vec<f64>,
    schur: DenseLdl,
    lam: Vec<f64>,
    dropped: Vec<u32>,
}

/// A node of the tree, factored.
#[derive(Clone)]
struct Hinge {
    coords: Range<usize>,
    before: Option<usize>,
    /// The link whose frame has the point r; none for a body without links.
    end: Option<u32>,
    r: V3<f64>,
    /// Rows of lengths of Euler parameters, each with its first coordinate.
    norms: Vec<(u32, u32)>,
    /// Entries (i, j, position on N × N) of M of a body without links.
    alone: Vec<(usize, usize, u32)>,
    inverse: Inverse,
}

/// D⁻¹: of one number, or of a small matrix.
#[derive(Clone)]
enum Inverse {
    One(f64),
    Many(DenseLu),
}

impl Articulated {
    /// Room for the factors of a tree whose `dropped` rows stand alone.
    pub(crate) fn new(tree: &Arc<Relative>, dropped: &[u32]) -> Self {
        // bodies without links, by their last coordinates
        let alone = tree.bodies.iter().filter(|b| b.link.is_none());
        let alone: HashMap<u32, &Carried> = alone.filter_map(|b| Some((b.last?, b))).collect();
        let hinge = |node: &Node| Hinge::new(tree, node, alone.get(&(node.coords.end - 1)).copied());
        let nodes: Vec<Hinge> = tree.nodes.list.iter().map(hinge).collect();
        let n = tree.dims.n;
        let balls = tree.balls.len();
        // bodies by nodes, from the leaves to the root
        let of_body = |(k, (b, _)): (usize, &(usize, _))| Some((tree.nodes.of_body[*b]? as u32, k as u32));
        let mut bodies: Vec<(u32, u32)> = tree.pseudo.iter().enumerate().filter_map(of_body).collect();
        bodies.sort_unstable();
        // rows that no node has
        let closing: Vec<u32> = (balls as u32..tree.dims.m as u32).filter(|k| !dropped.contains(k)).collect();
        let small = nodes.iter().map(Hinge::size).max().unwrap_or(0);
        Self {
            tree: Arc::clone(tree),
            bodies,
            screws: vec![Twist::zero(); n],
            u: vec![Twist::zero(); n],
            inertia: vec![Inertia::zero(); nodes.len()],
            wrench: vec![Twist::zero(); nodes.len()],
            small: vec![0.0; small],
            columns: vec![0.0; closing.len() * (n + balls)],
            schur: DenseLdl::new(closing.len()),
            lam: vec![0.0; closing.len()],
            dropped: dropped.to_vec(),
            closing,
            nodes,
        }
    }
    /// Factors of K where the terms are, for compliances c of the rows. The error names row i < m, or m + k
    /// for coordinate k.
    pub(crate) fn refactor(
        &mut self,
        terms: &TreeTerms<f64>,
        c: impl Fn(usize) -> f64,
    ) -> Result<(), Singular> {
        self.factor_tree(terms, &c)?;
        self.factor_rows(terms, &c)
    }
    /// (2) and Ia of (3).
    fn factor_tree(&mut self, terms: &TreeTerms<f64>, c: &impl Fn(usize) -> f64) -> Result<(), Singular> {
        // I of the bodies
        let pose = &terms.here.pose;
        let mass = terms.inner.mass();
        self.inertia.fill(Inertia::zero());
        for hinge in &mut self.nodes {
            hinge.r = hinge.end.map_or([0.0; 3], |l| pose.frames[l as usize].p);
        }
        for &(node, k) in &self.bodies {
            let (b, pseudo) = &self.tree.pseudo[k as usize];
            let mut parts: Parts<f64> = self.tree.seen(&self.tree.bodies[*b], &terms.here.x[0]);
            let p = sub(&[parts[0], parts[1], parts[2]], &self.nodes[node as usize].r);
            parts[..3].copy_from_slice(&p);
            self.inertia[node as usize].add_body(pseudo.moments(mass, &parts, &parts, 1.0));
        }
        // U, D⁻¹ and Ia from the leaves to the root
        for i in (0..self.nodes.len()).rev() {
            let hinge = &mut self.nodes[i];
            let screws = &mut self.screws[hinge.coords.clone()];
            let us = &mut self.u[hinge.coords.clone()];
            for ((s, u), k) in screws.iter_mut().zip(&mut *us).zip(hinge.coords.clone()) {
                let screw = &pose.screws[k];
                *s = Twist { w: screw.w, u: screw.at(&hinge.r) };
                *u = self.inertia[i].mul(s);
            }
            hinge
                .factor(&self.inertia[i], [screws, us], (&terms.here.z[0], mass, c))
                .map_err(|index| Singular { index: self.tree.dims.m + index.min(self.tree.dims.n - 1) })?;
            let Some(j) = hinge.before else { continue };
            let mut rest = self.inertia[i];
            hinge.reduce(us, &mut self.small, &mut rest);
            let d = sub(&self.nodes[i].r, &self.nodes[j].r);
            self.inertia[j].add(&rest.about(&d));
        }
        Ok(())
    }
    /// Columns T⁻¹ Φ_cᵀ, and S_c of (5).
    fn factor_rows(&mut self, terms: &TreeTerms<f64>, c: &impl Fn(usize) -> f64) -> Result<(), Singular> {
        let tree = Arc::clone(&self.tree);
        let mn = &tree.patterns.mn;
        let n = self.tree.dims.n;
        let size = n + self.tree.balls.len();
        let mut columns = std::mem::take(&mut self.columns);
        for (i, column) in columns.chunks_exact_mut(size).enumerate() {
            // T⁻¹ Φ_cᵀ of one row
            let row = self.closing[i] as usize;
            column.fill(0.0);
            mn.entries(row, &terms.phi_q).for_each(|(k, x)| column[k] = x);
            let (f, g) = column.split_at_mut(n);
            self.solve_tree(f, g);
            // S_c up to this row
            for l in 0..=i {
                let row = self.closing[l] as usize;
                self.schur.row_mut(l)[i] = mn.entries(row, &terms.phi_q).map(|(k, x)| x * f[k]).sum();
            }
            self.schur.row_mut(i)[i] += c(row);
        }
        self.columns = columns;
        let closing = &self.closing;
        self.schur.factor(PIVOT_S).map_err(|s| Singular { index: closing[s.index] as usize })
    }
    /// (f, g) ← T⁻¹ (f, g), (3) and (4); g are the rows of lengths of Euler parameters.
    fn solve_tree(&mut self, f: &mut [f64], g: &mut [f64]) {
        // (3)
        self.wrench.fill(Twist::zero());
        for (i, hinge) in self.nodes.iter().enumerate().rev() {
            let screws = &self.screws[hinge.coords.clone()];
            let p = self.wrench[i];
            let f = &mut f[hinge.coords.clone()];
            f.iter_mut().zip(screws).for_each(|(f, s)| *f -= s.dot(&p));
            hinge.divide(f, g, &mut self.small);
            let Some(j) = hinge.before else { continue };
            let mut pa = p;
            f.iter().zip(&self.u[hinge.coords.clone()]).for_each(|(w, u)| pa.increase(*w, u));
            let d = sub(&hinge.r, &self.nodes[j].r);
            let to = &mut self.wrench[j];
            *to = to.plus(&Twist { w: add(&pa.w, &cross(&d, &pa.u)), u: pa.u });
        }
        // (4); a takes the place of p
        for (i, hinge) in self.nodes.iter().enumerate() {
            let mut a = Twist::zero();
            if let Some(j) = hinge.before {
                let before = self.wrench[j];
                let d = sub(&hinge.r, &self.nodes[j].r);
                a = Twist { w: before.w, u: before.at(&d) };
                hinge.subtract(&self.u[hinge.coords.clone()], &a, (&mut *f, g), &mut self.small);
            }
            f[hinge.coords.clone()]
                .iter()
                .zip(&self.screws[hinge.coords.clone()])
                .for_each(|(x, s)| a.increase(*x, s));
            self.wrench[i] = a;
        }
    }
    /// b = (f, g) ← K⁻¹ b = (x, λ), length n + m.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.tree.dims.n;
        let balls = self.tree.balls.len();
        let (f, g) = b.split_at_mut(n);
        // T⁻¹ (f, g) takes the place of (f, g), but for rows that close
        let (norms, rows) = g.split_at_mut(balls);
        let row = |k: u32| k as usize - balls;
        let columns = || self.columns.chunks_exact(n + balls);
        // λ_c = S_c⁻¹ (Φ_c T⁻¹ (f, g) - g_c), with the columns for Φ_c T⁻¹
        for ((lam, column), &k) in self.lam.iter_mut().zip(columns()).zip(&self.closing) {
            let tree = column.iter().zip(f.iter().chain(norms.iter()));
            *lam = tree.map(|(c, f)| c * f).sum::<f64>() - rows[row(k)];
        }
        self.schur.solve(&mut self.lam);
        self.dropped.iter().for_each(|&k| rows[row(k)] = -rows[row(k)]);
        self.closing.iter().zip(&self.lam).for_each(|(&k, lam)| rows[row(k)] = *lam);
        // (x, λ) = T⁻¹ (f, g) - columns λ_c
        self.solve_tree(f, norms);
        for (column, lam) in self.columns.chunks_exact(n + balls).zip(&self.lam) {
            let unknowns = f.iter_mut().chain(norms.iter_mut());
            unknowns.zip(column).for_each(|(x, c)| *x -= lam * c);
        }
    }
}

impl Hinge {
    fn new(tree: &Relative, node: &Node, body: Option<&Carried>) -> Self {
        let coords = node.coords.start as usize..node.coords.end as usize;
        let end = tree.end_of(node);
        // Euler parameters of its balls
        let [from, to] = [node.coords.start, node.coords.end].map(|k| tree.balls.partition_point(|&b| b < k));
        let norm = |row: usize| (row as u32, tree.balls[row] - node.coords.start);
        let norms: Vec<(u32, u32)> = (from..to).map(norm).collect();
        // a body without links has its own M
        let mut alone = vec![];
        for (i, j) in body.iter().flat_map(|b| pairs(b.parts.len())) {
            let first = body.map_or(0, |b| b.first as usize);
            let at = tree.inner.patterns.nn.position(first + i, first + j);
            alone.extend(at.map(|at| (i, j, at as u32)));
        }
        let size = coords.len() + norms.len();
        let inverse = if size == 1 { Inverse::One(0.0) } else { Inverse::Many(DenseLu::new(size)) };
        Self { coords, before: node.before, end, r: [0.0; 3], norms, alone, inverse }
    }
    /// Number of its coordinates and rows.
    fn size(&self) -> usize {
        self.coords.len() + self.norms.len()
    }
    /// D⁻¹, bordered by the rows of lengths; the error is the coordinate that moves nothing.
    fn factor(
        &mut self,
        inertia: &Inertia,
        [screws, us]: [&[Twist<f64>]; 2],
        (z, mass, c): (&[f64], &[f64], &impl Fn(usize) -> f64),
    ) -> Result<(), usize> {
        let first = self.coords.start;
        let size = self.size();
        let d = self.coords.len();
        match &mut self.inverse {
            Inverse::One(x) => {
                let own: f64 = self.alone.iter().map(|e| mass[e.2 as usize]).sum();
                let sum = screws[0].dot(&us[0]) + own;
                let least = PIVOT_D * (inertia.size_of(&screws[0]) + own.abs());
                let usable = sum > least && sum.is_finite();
                if !usable {
                    return Err(first);
                }
                *x = 1.0 / sum;
                Ok(())
            }
            Inverse::Many(lu) => {
                // D, with M of a body without links
                let a = lu.matrix_mut();
                a.fill(0.0);
                for (i, s) in screws.iter().enumerate() {
                    us.iter().enumerate().for_each(|(j, u)| a[i * size + j] = s.dot(u));
                }
                self.alone.iter().for_each(|&(i, j, at)| a[i * size + j] += mass[at as usize]);
                // rows ½ (e·e - 1)
                for (l, &(row, k)) in self.norms.iter().enumerate() {
                    for i in k as usize..k as usize + 4 {
                        a[i * size + d + l] = z[first + i];
                        a[(d + l) * size + i] = z[first + i];
                    }
                    a[(d + l) * size + d + l] = -c(row as usize);
                }
                lu.factor().map_err(|s| first + s.index.min(d - 1))
            }
        }
    }
    /// I ← I - U D⁻¹ Uᵀ.
    fn reduce(&self, us: &[Twist<f64>], small: &mut [f64], inertia: &mut Inertia) {
        match &self.inverse {
            Inverse::One(x) => inertia.subtract(*x, &us[0], &us[0]),
            Inverse::Many(lu) => {
                let small = &mut small[..self.size()];
                for (i, u) in us.iter().enumerate() {
                    small.fill(0.0);
                    small[i] = 1.0;
                    lu.solve(small);
                    us.iter().zip(&*small).for_each(|(v, w)| inertia.subtract(*w, v, u));
                }
            }
        }
    }
    /// (f, g) ← D⁻¹ (f, g).
    fn divide(&self, f: &mut [f64], g: &mut [f64], small: &mut [f64]) {
        match &self.inverse {
            Inverse::One(x) => f[0] *= x,
            Inverse::Many(lu) => {
                let small = &mut small[..self.size()];
                let (x, lam) = small.split_at_mut(f.len());
                x.copy_from_slice(f);
                lam.iter_mut().zip(&self.norms).for_each(|(l, &(row, _))| *l = g[row as usize]);
                lu.solve(small);
                let (x, lam) = small.split_at(f.len());
                f.copy_from_slice(x);
                lam.iter().zip(&self.norms).for_each(|(l, &(row, _))| g[row as usize] = *l);
            }
        }
    }
    /// (x, λ) -= D⁻¹ Uᵀ a.
    fn subtract(
        &self,
        us: &[Twist<f64>],
        a: &Twist<f64>,
        (f, g): (&mut [f64], &mut [f64]),
        small: &mut [f64],
    ) {
        match &self.inverse {
            Inverse::One(x) => f[self.coords.start] -= x * us[0].dot(a),
            Inverse::Many(lu) => {
                let small = &mut small[..self.size()];
                small.fill(0.0);
                small.iter_mut().zip(us).for_each(|(b, u)| *b = u.dot(a));
                lu.solve(small);
                let (x, lam) = small.split_at(us.len());
                f[self.coords.clone()].iter_mut().zip(x).for_each(|(f, x)| *f -= x);
                lam.iter().zip(&self.norms).for_each(|(l, &(row, _))| g[row as usize] -= l);
            }
        }
    }
}

/// All pairs of so many indices.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |i| (0..count).map(move |j| (i, j)))
}
