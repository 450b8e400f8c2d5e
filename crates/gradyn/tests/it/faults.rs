//! Mistakes in the transposes of steps: certificates see every one of them.

use crate::kit::faults::{FAULTS, Fault, Slip, wrap};
use gradyn::{Certificate, Method, Prepared, Run, Sensitivity, Verdict};
use gradyn_sensitivity::Gradient;

/// The model and the method of a fault.
fn case(fault: &Fault) -> (Prepared, Method) {
    let text = gradyn::examples::find(fault.example).expect("bundled");
    let mut file = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{}: {e}", fault.name));
    if let Some(end) = fault.end {
        file.mechanism.t_end = end.into();
    }
    let [formulation, integrator] = fault.method;
    let mut method = Method::new(formulation, integrator).expect("registered").step(fault.step);
    if let Some([option, value]) = fault.option {
        method.set(option, value).expect("an option");
    }
    let model = Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{}: {e}", fault.name));
    (model, method)
}

/// The method of a run with a mistake in its sensitivities.
fn wrong(method: &Method, slip: Slip) -> Method {
    match slip {
        Slip::GeometricStiffness => method.clone().with_wrong_tangent(),
        _ => method.clone().with_records(wrap(slip)),
    }
}

fn certified(model: &Prepared, run: &Run, what: &str) -> (Gradient, Certificate) {
    let gradient =
        model.gradient(run, Sensitivity::DiscreteAdjoint).unwrap_or_else(|e| panic!("{what}: {e}"));
    let certificate = model.certify(run, &gradient).unwrap_or_else(|e| panic!("{what}: {e}"));
    (gradient.rows, certificate)
}

/// The largest change of an entry times the scale of its parameter, relative to the size of its objective.
fn moved(model: &Prepared, run: &Run, right: &Gradient, wrong: &Gradient) -> f64 {
    let scales: Vec<f64> = model.parameters().iter().map(|p| p.scale).collect();
    let largest = |row: &mut dyn Iterator<Item = f64>| {
        row.zip(&scales).fold(0.0f64, |most, (x, scale)| most.max((x * scale).abs()))
    };
    let mut most = 0.0f64;
    for ((right, wrong), psi) in right.iter().zip(wrong).zip(&run.psi) {
        let size = largest(&mut right.iter().copied()).max(psi.abs()).max(1e-12);
        most = most.max(largest(&mut right.iter().zip(wrong).map(|(x, y)| x - y)) / size);
    }
    most
}

/// Without a mistake a certificate trusts; with one it does not, and says that checks differ.
#[test]
fn every_mistake_is_caught() {
    let mut missed = vec![];
    for fault in FAULTS {
        let (model, method) = case(fault);
        let mut run = model.run(&method).unwrap_or_else(|e| panic!("{}: {e}", fault.name));
        let (right, trusted) = certified(&model, &run, fault.name);
        run.method = wrong(&method, fault.slip);
        let (rows, c) = certified(&model, &run, fault.name);
        let by = moved(&model, &run, &right, &rows);
        let program = c.program.as_ref().map(|p| p.distance());
        let products = c.products.as_ref().map(|p| (p.distance, p.between, p.time));
        println!(
            "{:<36} {} -> {}: entry moves {by:.1e}",
            fault.name,
            trusted.verdict.name(),
            c.verdict.name()
        );
        println!("    program {program:?}, products {products:?}");
        println!("    before: {:?} {:?}", trusted.products, trusted.reasons);
        let sees = trusted.verdict == Verdict::Trusted && by > 1e-6 && c.verdict == Verdict::Unresolved;
        if !sees {
            missed.push(fault.name);
        }
    }
    assert!(missed.is_empty(), "{missed:?}");
}

/// Mistakes over a part of every example that is no vehicle, by its own method: wherever one moves an entry
/// by 1e-6 of the size of its objective, the certificate does not trust.
#[test]
#[ignore = "all"]
fn every_mistake_is_caught_in_every_example() {
    let mut missed = vec![];
    let mut count = 0;
    for (name, text) in gradyn::examples::ALL.iter().filter(|e| !gradyn::examples::VEHICLES.contains(&e.0)) {
        let mut m = gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{name}: {e}"));
        crate::kit::cases::shorten(&mut m.mechanism, 0.2);
        let (Ok(model), Ok(method)) = (Prepared::new(&m.mechanism), Method::from_study(&m.study)) else {
            continue;
        };
        let Ok(mut run) = model.run(&method) else { continue };
        let Ok(right) = model.gradient(&run, Sensitivity::DiscreteAdjoint) else { continue };
        for fault in FAULTS.iter().filter(|f| f.slip != Slip::Projection) {
            run.method = wrong(&method, fault.slip);
            // a final time that no longer moves is refused
            let Ok(gradient) = model.gradient(&run, Sensitivity::DiscreteAdjoint) else { continue };
            let by = moved(&model, &run, &right.rows, &gradient.rows);
            if by <= 1e-6 {
                continue;
            }
            let c = model.certify(&run, &gradient).unwrap_or_else(|e| panic!("{name}: {e}"));
            let program = c.program.as_ref().map(|p| p.distance());
            let products = c.products.as_ref().map(|p| p.distance);
            println!(
                "{name}, {}: moves {by:.1e}, {}, {program:?} {products:?}",
                fault.name,
                c.verdict.name()
            );
            count += 1;
            if c.verdict == Verdict::Trusted {
                missed.push(format!("{name}, {}: moves {by:.1e}, {program:?} {products:?}", fault.name));
            }
        }
    }
    println!("{} of {count} caught", count - missed.len());
    assert!(missed.is_empty(), "{missed:#?}");
}

fn example(name: &str) -> (Prepared, Method) {
    let file = gradyn::file::read_toml(gradyn::examples::find(name).expect("bundled")).expect("reads");
    let model = Prepared::new(&file.mechanism).unwrap_or_else(|e| panic!("{name}: {e}"));
    let method = Method::from_study(&file.study).unwrap_or_else(|e| panic!("{name}: {e}"));
    (model, method)
}

/// A turn too many from the middle of a run on: all derivatives would follow it.
#[test]
fn a_wrong_turn_is_refused() {
    let (model, method) = example("bennett");
    let angles = model.model.system.dims().angles;
    let mut refused = vec![];
    for k in 0..angles {
        let mut run = model.run(&method).expect("runs");
        let plan = &mut run.trajectory.plan;
        for n in plan.steps() / 2..=plan.steps() {
            plan.branches[n * plan.branch_count + 1 + 3 * k] += std::f64::consts::TAU;
        }
        refused.extend(model.inspected(run).err().map(|e| e.to_string()));
    }
    println!("{refused:#?}");
    assert!(!refused.is_empty() && refused.iter().all(|e| e.contains("another turn")), "{refused:?}");
}

/// A condition that keeps its side in a piece of the run where it is on the other one.
#[test]
fn a_wrong_side_is_refused() {
    let (model, method) = example("bouncing_ball");
    let sides = model.model.system.dims().sides;
    for k in 0..sides {
        let mut run = model.run(&method).expect("runs");
        let plan = &mut run.trajectory.plan;
        let at = (plan.steps() / 2) * plan.branch_count + plan.branch_count - sides + k;
        plan.branches[at] = 1.0 - plan.branches[at];
        let e = model.inspected(run).err().unwrap_or_else(|| panic!("side {k} is not looked at"));
        assert!(e.to_string().contains("another side"), "{e}");
    }
}

/// Rows that are left out although nothing follows from them: refused, warned of, or the motion is the same.
#[test]
fn a_wrong_choice_of_rows_is_refused() {
    let (model, method) = example("redundant_four_bar");
    let right = model.run(&method).expect("runs");
    let own = model.model.system.row_choice().clone();
    let (mut refused, mut same) = (0, 0);
    for row in own.dropped.clone() {
        for (k, kept) in own.independent[0].iter().enumerate() {
            // `row` takes the place of a row that is kept
            let mut choice = own.clone();
            let place = own.independent[1].iter().position(|r| r == kept).expect("a row of velocities too");
            choice.independent[0][k] = row;
            choice.independent[1][place] = row;
            choice.independent.iter_mut().for_each(|rows| rows.sort_unstable());
            choice.dropped.iter_mut().filter(|r| **r == row).for_each(|r| *r = *kept);
            let mut wrong = model.clone();
            let Ok(system) = model.model.system.with_rows(&choice) else { continue };
            wrong.model.system = system;
            match wrong.run(&method) {
                Err(_) => refused += 1,
                Ok(run) if run.warnings.len() > right.warnings.len() => refused += 1,
                Ok(run) => {
                    let off = (run.psi[0] - right.psi[0]).abs() / right.psi[0].abs();
                    assert!(off < 1e-6, "{kept} in place of {row}: ψ is off by {off:.1e} in silence");
                    same += 1;
                }
            }
        }
    }
    println!("{refused} refused, {same} the same");
    assert!(refused > 0 && same > 0);
}
