//! Question: what do a refactor and a solve of the saddle-point matrix cost, against the dense LU, the Schur complement and faer's sparse LU?
//! (chains of 4 … 4096 rods, `[M Φ_qᵀ; Φ_q 0]` at the start; best of many, one run)
//!
//! `cargo bench -p gradyn-bench --bench sparse_lu`

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::lu::{self, LuSymbolicParams, simplicial};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par};
use gradyn_bench::best;
use gradyn_model::mechanism::Mechanism;
use gradyn_model::{System, build};
use gradyn_num::{Factor, Kkt, Pattern};
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
    let mut d = sys.data::<f64>();
    sys.prepare(&slots, &mut d);
    sys.place(0.0, sys.drawn(), &mut d);
    let (nn, mn, n) = (&sys.patterns().nn, &sys.patterns().mn, sys.dims().n);
    let size = n + sys.dims().m;
    let top = nn.iter().map(|(i, j, p)| (i, j, sys.mass(&d)[p]));
    let rest = mn.iter().flat_map(|(i, j, p)| [(n + i, j, sys.phi_q(&d)[p]), (j, n + i, sys.phi_q(&d)[p])]);
    let entries: Vec<_> = top.chain(rest).collect();
    let pattern = Pattern::from_entries(size, size, entries.iter().map(|e| (e.0, e.1)));
    let mut values = vec![0.0; pattern.nnz()];
    entries.iter().for_each(|&(i, j, x)| values[pattern.position(i, j).expect("in the pattern")] = x);
    Case { pattern, values, blocks: [(nn.clone(), sys.mass(&d).to_vec()), (mn.clone(), sys.phi_q(&d).to_vec())] }
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

/// faer's simplicial LU with its memory reused; the matrix is symmetric, so its rows serve as columns.
fn faers(c: &Case, repeat: usize) -> [f64; 2] {
    let (p, n) = (&c.pattern, c.pattern.rows());
    let ptr = std::iter::once(0).chain((0..n).map(|i| p.row(i).end as u32)).collect();
    let rows = (0..p.nnz()).map(|k| p.col(k) as u32).collect();
    let columns = SymbolicSparseColMat::<u32>::new_checked(n, n, ptr, None, rows);
    let params =
        LuSymbolicParams { supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SIMPLICIAL, ..Default::default() };
    let symbolic = lu::factorize_symbolic_lu(columns.as_ref(), params).expect("fits");
    let matrix = SparseColMatRef::new(columns.as_ref(), &c.values);
    let mut memory = MemBuffer::new(StackReq::any_of(&[
        simplicial::factorize_simplicial_numeric_lu_scratch::<u32, f64>(n, n),
        simplicial::solve_in_place_scratch::<u32, f64>(n, 1, Par::Seq),
    ]));
    let (mut lu, mut perm, mut inverse) = (simplicial::SimplicialLu::new(), vec![0; n], vec![0; n]);
    let refactor = best(repeat, || {
        let stack = MemStack::new(&mut memory);
        simplicial::factorize_simplicial_numeric_lu(&mut perm, &mut inverse, &mut lu, matrix, symbolic.col_perm(), stack)
            .expect("regular");
    });
    let mut b = vec![1.0; n];
    let solve = best(repeat, || {
        let rows = PermRef::new_checked(&perm, &inverse, n);
        let y = MatMut::from_column_major_slice_mut(&mut b, n, 1);
        lu.solve_in_place_with_conj(rows, symbolic.col_perm(), Conj::No, y, Par::Seq, MemStack::new(&mut memory));
        b.iter_mut().for_each(|b| *b = b.signum());
    });
    [refactor * 1e6, solve * 1e6]
}

fn main() {
    println!("refactor / solve [µs]");
    println!(
        "model        |  size | entries |           frozen pivots |                    faer |                   dense |                   Schur"
    );
    let chains = [4, 8, 12, 16, 24, 32, 64, 256, 1024, 4096].map(|n| (format!("chain {n}"), chain(n)));
    let nets = [2, 4, 9, 36, 146].map(|n| (format!("net 3 × {n}"), net(3, n)));
    for (name, m) in chains.into_iter().chain(nets) {
        let c = case(&m);
        let (size, repeat) = (c.pattern.rows(), 200_000 / c.pattern.rows() + 5);
        let none = [f64::NAN; 2];
        let dense = if size < 400 { ours(Factor::dense(&c.pattern).expect("square"), &c, repeat) } else { none };
        let sparse = ours(Factor::sparse(&c.pattern).expect("square"), &c, repeat);
        let text = |[r, s]: [f64; 2]| if r.is_nan() { format!("{:>23}", "-") } else { format!("{r:>12.2} / {s:>8.2}") };
        let columns = [sparse, faers(&c, repeat), dense, schur(&c, repeat)].map(text);
        println!("{name:<12} | {size:>5} | {:>7} | {}", c.pattern.nnz(), columns.join(" | "));
    }
}
