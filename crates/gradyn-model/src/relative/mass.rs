//! M = Jᵀ M_x J by accumulation from the leaves to the root.
//!
//! ```text
//! m, h = Σ J₀ₐ yₐ, C = Σ Jₐ_b yₐ y_bᵀ,   y₀ = p - r, y_k = e_k     of each body about its point r  (1)
//! h' = h + m d,   C' = C + h dᵀ + d hᵀ + m d dᵀ,   d = r - r'       about another point            (2)
//! M_kl = Ŝ_l·(n, f),   f = m û_k + ω_k × h,  n = h × û_k + (tr C - C) ω_k                          (3)
//! ```
//! (3) takes the sums over all that follows coordinate k. Jₐ_b is the pseudo-inertia of the body in (p, e₁,
//! e₂, e₃). The points r are the global origin [A22, RTdyn0], where (2) is not needed, or the centres of mass
//! [A22, RTdyn1].

use super::TreeTerms;
use super::contraction::{Block, Parts, element};
use super::spatial::{Twist, V3, add, cross, dot, increase, scale, sub};
use gradyn_num::{Pattern, Scalar};

/// The points r of (1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reference {
    /// The point of each body that coincides with the global origin.
    #[default]
    Origin,
    /// Its centre of mass.
    Centre,
}

/// Positions of the pseudo-inertia of a body on N × N.
#[derive(Clone, Debug)]
pub(crate) struct Pseudo {
    link: u32,
    at: [[Option<u32>; 4]; 4],
}

impl Pseudo {
    /// Of a body with its frame from entry `first` of x on, in so many dimensions.
    pub(super) fn new(link: u32, first: usize, dimension: usize, nn: &Pattern) -> Self {
        let elements = if dimension == 2 { 2 } else { 4 };
        let entry = |a: usize, b: usize| {
            let inside = a < elements && b < elements;
            inside
                .then(|| nn.position(first + dimension * a, first + dimension * b).map(|x| x as u32))
                .flatten()
        };
        Self { link, at: std::array::from_fn(|a| std::array::from_fn(|b| entry(a, b))) }
    }
}

impl Pseudo {
    /// X += s Pᵀ M P⁽ᵒ⁾: the moment and the force of the momentum J (ω × y), and of J u where P itself is
    /// meant.
    pub(super) fn add_block<S: Scalar>(
        &self,
        mass: &[S],
        x: &Parts<S>,
        y: &Parts<S>,
        moves: bool,
        s: f64,
        out: &mut Block<S>,
    ) {
        let (g, h, m) = self.moments(mass, x, y, s);
        // the block of 6 × 6: tr G - G, h ×, m
        let trace = g[0][0] + g[1][1] + g[2][2];
        for i in 0..3 {
            let j = (i + 1) % 3;
            let k = (i + 2) % 3;
            out[i].w[i] += trace;
            (0..3).for_each(|c| out[i].w[c] -= g[i][c]);
            out[3 + i].w[j] += h[k];
            out[3 + i].w[k] -= h[j];
            if moves {
                out[i].u[k] += h[j];
                out[i].u[j] -= h[k];
                out[3 + i].u[i] += m;
            }
        }
    }
    /// G = s Σ J_ab x_a y_bᵀ, h = s Σ J_0b y_b, and s m.
    #[inline]
    pub(super) fn moments<S: Scalar>(
        &self,
        mass: &[S],
        x: &Parts<S>,
        y: &Parts<S>,
        s: f64,
    ) -> ([[S; 3]; 3], [S; 3], S) {
        let mut g = [[S::zero(); 3]; 3];
        let mut h = [S::zero(); 3];
        let mut m = S::zero();
        // row a of J y, times x_a
        for a in 0..4 {
            let mut sum = [S::zero(); 3];
            for b in 0..4 {
                if let Some(at) = self.at[a][b] {
                    increase(&mut sum, &scale(mass[at as usize] * s, &element(y, b)));
                }
            }
            let xa = element(x, a);
            (0..3).for_each(|r| increase(&mut g[r], &scale(sum[r], &xa)));
            if a == 0 {
                h = sum;
                m = self.at[0][0].map_or(S::zero(), |at| mass[at as usize] * s);
            }
        }
        (g, h, m)
    }
}

/// Mass and moments (1), summed over bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Composite<S> {
    m: S,
    h: V3<S>,
    c: [V3<S>; 3],
}

impl<S: Scalar> Composite<S> {
    /// Mass and moments of nothing.
    pub(super) fn zero() -> Self {
        Self { m: S::zero(), h: [S::zero(); 3], c: [[S::zero(); 3]; 3] }
    }
    fn add(&mut self, o: &Self) {
        self.m += o.m;
        increase(&mut self.h, &o.h);
        (0..3).for_each(|i| increase(&mut self.c[i], &o.c[i]));
    }
    /// The moments (2) about another point.
    fn about(&self, d: &V3<S>) -> Self {
        let mut out = *self;
        increase(&mut out.h, &scale(self.m, d));
        for i in 0..3 {
            for j in 0..3 {
                out.c[i][j] += self.h[i] * d[j] + d[i] * self.h[j] + self.m * d[i] * d[j];
            }
        }
        out
    }
    /// (n, f) of (3) for the motion of a screw at the reference point.
    fn momentum(&self, s: &Twist<S>) -> Twist<S> {
        let trace = self.c[0][0] + self.c[1][1] + self.c[2][2];
        let turned: V3<S> = std::array::from_fn(|i| trace * s.w[i] - dot(&self.c[i], &s.w));
        Twist { w: add(&cross(&self.h, &s.u), &turned), u: add(&scale(self.m, &s.u), &cross(&s.w, &self.h)) }
    }
}

impl<S: Scalar> TreeTerms<S> {
    /// The reference point of all that a link carries.
    fn reference(&self, link: usize) -> V3<S> {
        match self.tree.reference {
            Reference::Origin => [S::zero(); 3],
            Reference::Centre => self.here.pose.frames[self.tree.ends[link] as usize].p,
        }
    }
    /// Sums of (1) over all that follows each link, into `self.composites`.
    fn fill_composites(&mut self) {
        // (1) of each link
        self.composites.fill(Composite::zero());
        for (_, body) in &self.tree.pseudo {
            let link = body.link as usize;
            let own = self.own(body);
            self.composites[link].add(&own);
        }
        // sums over all that follows, by (2)
        for l in (0..self.tree.chain.links.len()).rev() {
            let Some(k) = self.tree.chain.links[l].parent.map(|k| k as usize) else { continue };
            let sum = match self.tree.reference {
                Reference::Origin => self.composites[l],
                Reference::Centre => self.composites[l].about(&sub(&self.reference(l), &self.reference(k))),
            };
            self.composites[k].add(&sum);
        }
    }
    /// (n, f) of (3) for coordinate k, and the point that it is about.
    fn momentum_of(&self, k: usize) -> (Twist<S>, V3<S>) {
        let link = self.tree.chain.link_of[k].expect("on a path") as usize;
        let r = self.reference(link);
        let s = &self.here.pose.screws[k];
        (self.composites[link].momentum(&Twist { w: s.w, u: s.at(&r) }), r)
    }
    /// M into `self.mass`.
    pub(super) fn fill_mass(&mut self) {
        self.mass.fill(S::zero());
        self.fill_composites();
        // (3) along the paths; the momentum of k is found once
        let mut last = (u32::MAX, Twist::zero(), [S::zero(); 3]);
        for &(k, l, here, there) in &self.tree.contraction.on_path {
            if last.0 != k {
                let (momentum, r) = self.momentum_of(k as usize);
                last = (k, momentum, r);
            }
            let s = &self.here.pose.screws[l as usize];
            let value = dot(&s.w, &last.1.w) + dot(&s.at(&last.2), &last.1.u);
            self.mass[here as usize] = value;
            self.mass[there as usize] = value;
        }
        // bodies without links
        let inner = self.inner.mass();
        for &(from, to) in &self.tree.alone {
            self.mass[to as usize] += inner[from as usize];
        }
    }
    /// The diagonal of M, which has its largest entry, into `out`.
    pub(crate) fn mass_diagonal(&mut self, out: &mut [S]) {
        // (3) of each coordinate with itself
        self.fill_composites();
        out.fill(S::zero());
        for k in (0..out.len()).filter(|&k| self.tree.chain.link_of[k].is_some()) {
            let (momentum, r) = self.momentum_of(k);
            let s = &self.here.pose.screws[k];
            out[k] = dot(&s.w, &momentum.w) + dot(&s.at(&r), &momentum.u);
        }
        // bodies without links
        let inner = self.inner.mass();
        let nn = &self.tree.inner.patterns().nn;
        for body in self.tree.bodies.iter().filter(|b| b.link.is_none()) {
            for (i, k) in body.own().enumerate() {
                let x = body.first as usize + i;
                out[k as usize] = nn.position(x, x).map_or(S::zero(), |at| inner[at]);
            }
        }
    }
    /// (1) of a body.
    fn own(&self, body: &Pseudo) -> Composite<S> {
        // y₀ = p - r, y_k = e_k
        let frame = &self.here.pose.frames[body.link as usize];
        let r = self.reference(body.link as usize);
        let y = [sub(&frame.p, &r), frame.e[0], frame.e[1], frame.e[2]];
        let values = self.inner.mass();
        // (1)
        let mut out = Composite::zero();
        for a in 0..4 {
            for b in 0..4 {
                let Some(at) = body.at[a][b] else { continue };
                let j = values[at as usize];
                if a == 0 {
                    increase(&mut out.h, &scale(j, &y[b]));
                    out.m += if b == 0 { j } else { S::zero() };
                }
                let ya = scale(j, &y[a]);
                (0..3).for_each(|i| increase(&mut out.c[i], &scale(ya[i], &y[b])));
            }
        }
        out
    }
}
