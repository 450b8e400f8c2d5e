//! A formula as a row of Φ: its terms on the patterns, and their products with slots.

use super::*;

impl FormulaRow {
    /// Row `k` on the patterns.
    pub(crate) fn new(formula: Formula, k: usize, patterns: &Patterns) -> Self {
        let row = formula.entries().map(|e| patterns.mn.at(k, e.coord as usize)).collect();
        let at = |i: u32, j: u32| patterns.nn.at(i as usize, j as usize);
        let pairs =
            formula.moving().coords().flat_map(|i| formula.ports.coords().map(move |j| at(i, j))).collect();
        Self { formula, row, pairs }
    }
    /// Positions on n × n that it writes.
    pub(crate) fn positions(&self) -> impl Iterator<Item = u32> {
        self.pairs.iter().copied()
    }
    /// c₀Φ + c₁Φ̇ + c₂Φ̈.
    pub(crate) fn constraint<S: Scalar>(
        &self,
        args: &Args<S>,
        at: &At<S>,
        c: [f64; 3],
        w: &mut FormulaScratch<S>,
    ) -> S {
        let f = &self.formula;
        if f.positions_only(c) {
            return f.value(at.t, at.q, args, w) * c[0];
        }
        let y = f.jet(args, at, w);
        let c = f.weights(c);
        y.x * c[0] + y.d * c[1] + y.dd * c[2]
    }
    /// Φ_q: out += J C, or A of (3).
    pub(crate) fn phi_q<S: Scalar>(
        &self,
        t: S,
        q: &[S],
        args: &Args<S>,
        w: &mut FormulaScratch<S>,
        out: &mut [S],
    ) {
        let f = &self.formula;
        f.value(t, q, args, w);
        w.plain.reverse(&f.program, &[(0, S::one())]);
        w.plain.spread(&f.inputs);
        let moving = &f.moving().linear;
        for (e, &pos) in moving.iter().zip(&self.row[self.row.len() - moving.len()..]) {
            out[pos as usize] += w.plain.ports[e.arg as usize] * args.values[e.slot as usize];
        }
    }
    /// out += (c₀Φ + c₁Φ̇ + c₂Φ̈)_q (level 0) or _v (level 1).
    pub(crate) fn rate_q<S: Scalar>(
        &self,
        args: &Args<S>,
        at: &At<S>,
        c: [f64; 3],
        level: usize,
        w: &mut FormulaScratch<S>,
        out: &mut [S],
    ) {
        let f = &self.formula;
        f.bars(args, at, c, S::one(), w);
        f.spread(level, w);
        for (e, &pos) in f.entries().zip(&self.row) {
            out[pos as usize] += w.plain.ports[e.arg as usize] * args.values[e.slot as usize];
        }
    }
    /// out += λ (J C)ᵀ_q = λ Cᵀ H C, or (4).
    pub(crate) fn balance_q<S: Scalar>(
        &self,
        at: &At<S>,
        lam: S,
        args: &Args<S>,
        w: &mut FormulaScratch<S>,
        out: &mut [S],
    ) {
        const LANES: usize = 8;
        // x, eight columns of H at a time
        let f = &self.formula;
        let rows = &f.moving().linear;
        let columns = &f.ports.linear;
        f.gather(at.q, args, &mut w.plain.ports);
        for first in (0..f.args).step_by(LANES) {
            let m = &mut w.duals;
            for (k, (d, &x)) in m.ports.iter_mut().zip(&w.plain.ports).enumerate() {
                *d = Dual::constant(x);
                if (first..f.args.min(first + LANES)).contains(&k) {
                    d.eps[k - first] = S::one();
                }
            }
            // J with its derivatives along these columns
            m.run(&f.program, &f.inputs, Dual::constant(at.t), |i, level| {
                Dual::constant(args.jet(i).level(level))
            });
            m.reverse(&f.program, &[(0, Dual::from(1.0))]);
            m.spread(&f.inputs);
            // out += λ Cᵀ H C on the pattern
            for (a, pairs) in rows.iter().zip(self.pairs.chunks_exact(columns.len())) {
                let row = &m.ports[a.arg as usize].eps;
                let ca = lam * args.values[a.slot as usize];
                for (b, &pos) in columns.iter().zip(pairs) {
                    if (first..first + LANES).contains(&(b.arg as usize)) {
                        out[pos as usize] += ca * row[b.arg as usize - first] * args.values[b.slot as usize];
                    }
                }
            }
        }
    }
    /// q += s (c₀Φ + c₁Φ̇ + c₂Φ̈)_qᵀ, v likewise.
    pub(crate) fn constraint_t<S: Scalar>(
        &self,
        args: &Args<S>,
        at: &At<S>,
        c: [f64; 3],
        s: S,
        w: &mut FormulaScratch<S>,
        [q, v]: [&mut [S]; 2],
    ) {
        let f = &self.formula;
        f.bars(args, at, c, s, w);
        for (level, out) in [q, v].into_iter().enumerate() {
            f.spread(level, w);
            f.ports.scatter(&args.values, &w.plain.ports, out);
            f.rates.scatter(&args.values, &w.plain.ports, out);
        }
    }
    /// q += s ((J C)ᵀ)_qᵀ μ = s Cᵀ H C μ, or the transpose of (4).
    pub(crate) fn balance_t<S: Scalar>(
        &self,
        at: &At<S>,
        s: S,
        mu: &[S],
        args: &Args<S>,
        w: &mut FormulaScratch<S>,
        q: &mut [S],
    ) {
        let f = &self.formula;
        f.along(at.t, at.q, args, w, |f, x| f.moving().gather_rate(&args.values, mu, x), |_, _| S::zero());
        w.duals.spread(&f.inputs);
        for e in &f.ports.linear {
            q[e.coord as usize] += s * w.duals.ports[e.arg as usize].eps[0] * args.values[e.slot as usize];
        }
    }
    /// (c₀Φ + c₁Φ̇ + c₂Φ̈)_p δ.
    pub(crate) fn constraint_p<S: Scalar>(
        &self,
        args: &Args<S>,
        at: &At<S>,
        c: [f64; 3],
        dot: &ArgsDot<S>,
        w: &mut FormulaScratch<S>,
    ) -> S {
        // (2): cotangents of the inputs
        let f = &self.formula;
        f.bars(args, at, c, S::one(), w);
        // Σ over levels: cotangent times direction, of ports (C_p) and of parameters
        let mut sum = S::zero();
        for (level, x) in [at.q, at.v, at.a].into_iter().enumerate() {
            w.plain.ports.fill(S::zero());
            match level {
                0 => f.ports.gather(dot.slots, x, &mut w.plain.ports),
                _ => f.ports.gather_rate(dot.slots, x, &mut w.plain.ports),
            }
            f.rates.gather_rate(dot.slots, x, &mut w.plain.ports);
            for (i, b) in f.inputs.iter().zip(&w.bars) {
                sum += f.bar(i, b, level)
                    * match i {
                        Input::Sensor(k) => w.plain.ports[*k as usize],
                        Input::Arg(i) | Input::Rate(i, _) => dot.level(*i, level),
                        Input::Time => S::zero(),
                    };
            }
        }
        sum
    }
    /// bar += s (c₀Φ + c₁Φ̇ + c₂Φ̈)_pᵀ.
    pub(crate) fn constraint_p_t<S: Scalar>(
        &self,
        args: &Args<S>,
        at: &At<S>,
        c: [f64; 3],
        s: S,
        w: &mut FormulaScratch<S>,
        bar: &mut ArgsBar<S>,
    ) {
        // (2): cotangents of the inputs
        let f = &self.formula;
        f.bars(args, at, c, s, w);
        // C_pᵀ of the ports, level by level
        for (level, x) in [at.q, at.v, at.a].into_iter().enumerate() {
            f.spread(level, w);
            match level {
                0 => f.ports.gather_p_t(x, &w.plain.ports, bar.values),
                _ => f.ports.gather_rate_p_t(x, &w.plain.ports, bar.values),
            }
            f.rates.gather_rate_p_t(x, &w.plain.ports, bar.values);
        }
        // parameters that the program reads
        for (i, b) in f.inputs.iter().zip(&w.bars) {
            if let Input::Arg(k) | Input::Rate(k, _) = i {
                bar.add(*k, [0, 1, 2].map(|level| f.bar(i, b, level)));
            }
        }
    }
    /// out += λ (Cᵀ J)_p δ = λ (δCᵀ J + Cᵀ H δx).
    pub(crate) fn balance_p<S: Scalar>(
        &self,
        at: &At<S>,
        lam: S,
        args: &Args<S>,
        dot: &ArgsDot<S>,
        w: &mut FormulaScratch<S>,
        out: &mut [S],
    ) {
        // J along the direction of the slots
        let f = &self.formula;
        f.along(
            at.t,
            at.q,
            args,
            w,
            |f, x| f.ports.gather(dot.slots, at.q, x),
            |i, level| dot.level(i, level),
        );
        // out += λ (Cᵀ J̇ + Ċᵀ J)
        w.duals.spread(&f.inputs);
        for e in &f.moving().linear {
            let j = &w.duals.ports[e.arg as usize];
            let slot = e.slot as usize;
            out[e.coord as usize] += lam * (args.values[slot] * j.eps[0] + dot.slots[slot] * j.re);
        }
    }
    /// bar += s λ (Cᵀ J)_pᵀ μ.
    pub(crate) fn balance_p_t<S: Scalar>(
        &self,
        at: &At<S>,
        s: S,
        mu: &[S],
        args: &Args<S>,
        w: &mut FormulaScratch<S>,
        bar: &mut ArgsBar<S>,
    ) {
        // J along the direction C μ
        let f = &self.formula;
        f.along(at.t, at.q, args, w, |f, x| f.moving().gather_rate(&args.values, mu, x), |_, _| S::zero());
        // parameters that the program reads
        for (i, j) in f.inputs.iter().zip(&w.duals.inputs_bar) {
            if let Input::Arg(k) | Input::Rate(k, _) = i {
                let j = [s * j.eps[0], S::zero(), S::zero()];
                bar.add(*k, [0, 1, 2].map(|level| f.bar(i, &j, level)));
            }
        }
        // C_p on both sides of H: Jᵀ C_p μ, and (H C μ)ᵀ (C_p q + d_p)
        w.duals.spread(&f.inputs);
        let j = &w.duals.ports;
        for e in &f.moving().linear {
            bar.values[e.slot as usize] += s * j[e.arg as usize].re * mu[e.coord as usize];
        }
        for e in &f.ports.linear {
            bar.values[e.slot as usize] += s * j[e.arg as usize].eps[0] * at.q[e.coord as usize];
        }
        for &(a, slot) in &f.ports.constant {
            bar.values[slot as usize] += s * j[a as usize].eps[0];
        }
    }
}
