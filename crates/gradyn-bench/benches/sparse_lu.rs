//! Question: what do a refactor and a solve of the saddle-point matrix cost, against the dense LU, the Schur
//! complement and faer's sparse LU? (chains of 4 … 4096 rods, `[M Φ_qᵀ; Φ_q 0]` at the start; the vehicles,
//! also with the tangent of a step in place of M; best of many, one run)
//!
//! `cargo bench -p gradyn-bench --bench sparse_lu`; `-- vehicles` for these alone. The last columns are
//! entries of L and U and |A x - b| / |b|, ours and faer's.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::lu::{self, LuSymbolicParams, simplicial};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par};
use gradyn::{Coordinates, Prepared};
use gradyn_bench::best;
use gradyn_model::mechanism::Mechanism;
use gradyn_model::{At, build};
use gradyn_num::{Factor, Kkt, Pattern, SparseLu, largest};
use gradyn_testkit::chain::{chain, net};

/// `[M Φ_qᵀ; Φ_q 0]` with its blocks.
struct Case {
    pattern: Pattern,
    values: Vec<f64>,
    blocks: [(Pattern, Vec<f64>); 2],
}

fn case(m: &Mechanism) -> Case {
    let model = build(m).expect("builds");
    let (sys, slots) = (&model.system, model.slots(&model.rho()));
    let mut terms = sys.evaluator(&slots);
    terms.at(0.0, sys.guess());
    let (nn, mn) = (&sys.patterns().nn, &sys.patterns().mn);
    let mass = nn.only(&sys.patterns().mass);
    let values: Vec<f64> = sys.patterns().mass.iter().map(|&p| terms.mass()[p as usize]).collect();
    saddle((&mass, &values), (mn, terms.phi_q()), &[])
}

/// `[A Jᵀ; J 0]`, with 1 on the diagonal of rows that are dropped.
fn saddle((nn, a): (&Pattern, &[f64]), (mn, j): (&Pattern, &[f64]), dropped: &[u32]) -> Case {
    let n = nn.rows();
    let size = n + mn.rows();
    let top = nn.iter().map(|(i, j, p)| (i, j, a[p]));
    let rest = mn.iter().flat_map(|(i, k, p)| [(n + i, k, j[p]), (k, n + i, j[p])]);
    let dropped = dropped.iter().map(|&k| (n + k as usize, n + k as usize, 1.0));
    let entries: Vec<_> = top.chain(rest).chain(dropped).collect();
    let pattern = Pattern::from_entries(size, size, entries.iter().map(|e| (e.0, e.1)));
    let mut values = vec![0.0; pattern.nnz()];
    entries.iter().for_each(|&(i, j, x)| values[pattern.position(i, j).expect("in the pattern")] = x);
    Case { pattern, values, blocks: [(nn.clone(), a.to_vec()), (mn.clone(), j.to_vec())] }
}

/// `[M Φ_qᵀ; Φ_q 0]` and `[M + hC/2 + h²K/4 Φ_qᵀ; Φ_q 0]`, h = 2 ms, of a vehicle at the start.
fn vehicle(name: &str, family: Coordinates) -> [Case; 2] {
    let m = gradyn::file::read_toml(gradyn::examples::find(name).expect("bundled")).expect("reads").mechanism;
    let model = Prepared::new_in(&m, family).unwrap_or_else(|e| panic!("{name}: {e}"));
    let (sys, p) = (&model.model.system, model.slots());
    let (dims, pat) = (sys.dims(), sys.patterns());
    let (v, a, lam) = (vec![0.1; dims.n], vec![0.1; dims.n], vec![1e3; dims.m]);
    let at = At { t: 0.0, q: &model.assembled.q, v: &v, a: &a, lam: &lam };
    let mut d = sys.evaluator(&p);
    d.set_branches(&model.model.angles);
    d.at(0.0, at.q);
    let (mut k, mut c) = (vec![0.0; pat.nn.nnz()], vec![0.0; pat.nn.nnz()]);
    d.forces(&at, &mut vec![0.0; dims.n]);
    d.force_tangents(&at, &mut k, &mut c);
    d.balance_q(&at, &a, &lam, &mut k);
    let (h, mass, phi_q) = (2e-3, d.mass(), d.phi_q());
    let tangent: Vec<f64> = (0..mass.len()).map(|i| mass[i] + h / 2.0 * c[i] + h * h / 4.0 * k[i]).collect();
    let entries: Vec<f64> = pat.mass.iter().map(|&p| mass[p as usize]).collect();
    let tops = [(&pat.nn.only(&pat.mass), &entries[..]), (&pat.nn, &tangent[..])];
    tops.map(|top| saddle(top, (&pat.mn, phi_q), sys.dropped()))
}

/// Entries of L and U, and |A x - b| / |b| for b = A (1, …, 1).
struct Quality {
    entries: usize,
    residual: f64,
}

impl Quality {
    fn of(c: &Case, entries: usize, solve: impl FnOnce(&mut [f64])) -> Self {
        let mut b = vec![0.0; c.pattern.rows()];
        c.pattern.mul(&c.values, 1.0, &vec![1.0; b.len()], &mut b);
        let mut x = b.clone();
        let size = largest(b.iter().copied());
        solve(&mut x);
        c.pattern.mul(&c.values, -1.0, &x, &mut b);
        Self { entries, residual: largest(b) / size }
    }
}

fn our_quality(c: &Case) -> Quality {
    let mut lu = SparseLu::new(&c.pattern).expect("square");
    lu.refactor(&c.values).expect("regular");
    Quality::of(c, lu.entries(), |b| lu.solve(b))
}

/// µs of a refactor and of a solve.
fn ours(mut factor: Factor, c: &Case, repeat: usize) -> [f64; 2] {
    let mut b = vec![1.0; c.pattern.rows()];
    let refactor = best(repeat, || factor.refactor(&c.values).expect("regular"));
    let solve = best(repeat, || {
        factor.solve(&mut b);
        b.iter_mut().for_each(|b| *b = b.signum());
    });
    [refactor * 1e6, solve * 1e6]
}

fn schur(c: &Case, repeat: usize) -> [f64; 2] {
    let [(nn, mass), (mn, phi_q)] = &c.blocks;
    let mut kkt = Kkt::new(nn, mn).expect("square");
    kkt.prepare(mass).expect("finite");
    if !kkt.uses_schur() {
        return [f64::NAN; 2];
    }
    let mut b = vec![1.0; c.pattern.rows()];
    let refactor = best(repeat, || kkt.refactor(phi_q, |_| 0.0).expect("regular"));
    [refactor * 1e6, best(repeat, || kkt.solve(&mut b)) * 1e6]
}

/// The matrix by columns, for faer, and its values.
fn by_columns(c: &Case) -> (SymbolicSparseColMat<u32>, Vec<f64>) {
    // columns are the rows of the transpose
    let n = c.pattern.rows();
    let p = &Pattern::from_entries(n, n, c.pattern.iter().map(|(i, j, _)| (j, i)));
    let mut values = vec![0.0; p.nnz()];
    c.pattern.iter().for_each(|(i, j, k)| values[p.at(j, i) as usize] = c.values[k]);
    let ptr = std::iter::once(0).chain((0..n).map(|i| p.row(i).end as u32)).collect();
    let rows = (0..p.nnz()).map(|k| p.col(k) as u32).collect();
    (SymbolicSparseColMat::new_checked(n, n, ptr, None, rows), values)
}

/// faer's simplicial LU with its memory reused.
fn faers(c: &Case, repeat: usize) -> ([f64; 2], Quality) {
    // order of the columns, and memory
    let n = c.pattern.rows();
    let (columns, values) = by_columns(c);
    let params = LuSymbolicParams {
        supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SIMPLICIAL,
        ..Default::default()
    };
    let symbolic = lu::factorize_symbolic_lu(columns.as_ref(), params).expect("fits");
    let matrix = SparseColMatRef::new(columns.as_ref(), &values);
    let mut memory = MemBuffer::new(StackReq::any_of(&[
        simplicial::factorize_simplicial_numeric_lu_scratch::<u32, f64>(n, n),
        simplicial::solve_in_place_scratch::<u32, f64>(n, 1, Par::Seq),
    ]));

    // refactor
    let q = symbolic.col_perm();
    let mut lu = simplicial::SimplicialLu::new();
    let mut perm = vec![0; n];
    let mut inverse = vec![0; n];
    let refactor = best(repeat, || {
        let stack = MemStack::new(&mut memory);
        simplicial::factorize_simplicial_numeric_lu(&mut perm, &mut inverse, &mut lu, matrix, q, stack)
            .expect("regular");
    });
    let entries = lu.l_factor_unsorted().compute_nnz() + lu.u_factor_unsorted().compute_nnz() - 2 * n;

    // solve
    let mut apply = |b: &mut [f64]| {
        let rows = PermRef::new_checked(&perm, &inverse, n);
        let y = MatMut::from_column_major_slice_mut(b, n, 1);
        lu.solve_in_place_with_conj(rows, q, Conj::No, y, Par::Seq, MemStack::new(&mut memory));
    };
    let mut b = vec![1.0; n];
    let solve = best(repeat, || {
        apply(&mut b);
        b.iter_mut().for_each(|b| *b = b.signum());
    });
    ([refactor * 1e6, solve * 1e6], Quality::of(c, entries, apply))
}

fn main() {
    println!("refactor / solve [µs]");
    println!(
        "model                                |  size | entries |           frozen pivots \
         |                    faer |                   dense |                   Schur"
    );

    // chains and nets
    let vehicles_only = std::env::args().any(|a| a == "vehicles");
    let chains = [4, 8, 12, 16, 24, 32, 64, 128, 256, 1024, 4096].map(|n| (format!("chain {n}"), chain(n)));
    let nets = [2, 4, 9, 36, 146].map(|n| (format!("net 3 × {n}"), net(3, n)));
    for (name, m) in chains.into_iter().chain(nets).filter(|_| !vehicles_only) {
        line(&name, &case(&m));
    }

    // vehicles
    for name in gradyn::examples::VEHICLES {
        for family in [Coordinates::Natural, Coordinates::Relative0] {
            for (what, c) in ["projection", "tangent"].iter().zip(vehicle(name, family)) {
                line(&format!("{name}, {}, {what}", family.name()), &c);
            }
        }
    }
}

fn line(name: &str, c: &Case) {
    let size = c.pattern.rows();
    let repeat = 200_000 / size + 5;
    let none = [f64::NAN; 2];
    let dense = if size < 400 { ours(Factor::dense(&c.pattern).expect("square"), c, repeat) } else { none };
    let sparse = ours(Factor::sparse(&c.pattern).expect("square"), c, repeat);
    let text =
        |[r, s]: [f64; 2]| if r.is_nan() { format!("{:>23}", "-") } else { format!("{r:>12.2} / {s:>8.2}") };
    let (faer, theirs) = faers(c, repeat);
    let columns = [sparse, faer, dense, schur(c, repeat)].map(text);
    let quality = [our_quality(c), theirs].map(|q| format!("{:>7} {:.1e}", q.entries, q.residual));
    println!(
        "{name:<36} | {size:>5} | {:>7} | {} | {}",
        c.pattern.nnz(),
        columns.join(" | "),
        quality.join(" | ")
    );
}
