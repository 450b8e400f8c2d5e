//! Records that travel with a study, what a program optimises, columns that it adds, designs on the branch.

use gradyn::optimize::Optimization;
use gradyn::{Error, Study};

/// Times and angles of a pendulum of 1.1 m, which starts from rest.
fn record() -> Vec<Vec<f64>> {
    let study = Study::from_text("long.toml", &pendulum("1.1", "")).unwrap();
    let times: Vec<f64> = (1..10).map(|k| 0.05 * k as f64).collect();
    let run = study.nominal().unwrap().sampled(&times).unwrap().run().unwrap();
    let angles = run.outputs().unwrap();
    times.iter().zip(angles.values()).map(|(t, y)| vec![*t, *y]).collect()
}

fn pendulum(length: &str, optimize: &str) -> String {
    format!(
        r#"
        name = "pendulum"
        gravity = [0, -9.81]
        parameters = {{ L = {length} }}
        ground.points = {{ O = [0, 0] }}
        body.bar.rod = {{ points = ["A", "B"], length = "L", mass = 2 }}
        joint.pin = {{ type = "revolute", between = ["ground.O", "bar.A"] }}
        initial.position = {{ "bar.angle" = "-60 deg" }}
        output.angle = "bar.angle"
        study.t_end = 0.5
        study.method = {{ formulation = "index1", integrator = "dopri5", rtol = 1e-10 }}
        {optimize}
        "#
    )
}

fn fitted(study: &Study) -> Result<f64, Error> {
    let method = study.chosen_method()?;
    let sensitivity = study.chosen_sensitivity()?.0;
    let fit = Optimization::new(study.file(), study.prepared()?, method, sensitivity, None)?;
    Ok(fit.run(&[], &mut |_| std::ops::ControlFlow::Continue(()))?.end.x[0])
}

/// A record of the program, and the text of a file that is not there, give the length of the pendulum.
#[test]
fn a_record_is_fitted_without_a_file() {
    let rows = record();
    let mut own = Study::from_text("own.toml", &pendulum("1", "")).unwrap();
    own.fit(&[("angle".into(), 1.0)], rows.clone(), None);
    assert!((fitted(&own).unwrap() - 1.1).abs() < 1e-7);

    let fit = r#"study.optimize.fit = { record = "nowhere.csv", columns = { angle = { scale = 1 } } }"#;
    let mut file = Study::from_text("file.toml", &pendulum("1", fit)).unwrap();
    assert!(file.record().unwrap_err().message.contains("nowhere.csv cannot be read"));
    let lines: String = rows.iter().map(|row| format!("{},{}\n", row[0], row[1])).collect();
    file.attach(&format!("t,angle\n{lines}"));
    assert_eq!(file.record().unwrap().unwrap().0, "nowhere.csv");
    assert_eq!(fitted(&file).unwrap().to_bits(), fitted(&own).unwrap().to_bits());
}

/// An objective of the program is minimised over the parameters that it names.
#[test]
fn an_objective_is_minimised_without_a_word_in_the_file() {
    let objective = r#"objective.miss = { terminal = "(bar.angle + 1.5)^2" }"#;
    let mut study = Study::from_text("pendulum.toml", &pendulum("1", objective)).unwrap();
    study.minimise(&[("miss".into(), 2.0)], Some(&["L".into()]));
    let length = fitted(&study).unwrap();
    let there = study.at(&[length]).unwrap().run().unwrap();
    assert!(there.objectives()[0] < 1e-12, "{length}");
    study.minimise(&[("nothing".into(), 1.0)], None);
    assert!(fitted(&study).unwrap_err().message.contains("nothing"));
}

/// A column of a program stands after those of the file; a wrong one is an error of the model.
#[test]
fn a_program_adds_columns() {
    let mut study = Study::from_text("pendulum.toml", &pendulum("1", "")).unwrap();
    study.output("twice", "2 * bar.angle");
    assert_eq!(study.prepared().unwrap().model.columns, ["angle", "twice"]);
    study.output("wrong", "2 * bar.angel");
    assert!(study.prepared().unwrap_err().message.contains("`wrong`"));
}

/// A design on the branch of the file is the design; a study that is cloned keeps its model.
#[test]
fn designs_are_on_the_branch_of_the_file() {
    let study = Study::from_text("pendulum.toml", &pendulum("1", "")).unwrap();
    let near = study.at_on_branch(&[1.2]).unwrap();
    assert_eq!(near.prepared.assembled.q, study.clone().at(&[1.2]).unwrap().prepared.assembled.q);
    assert!(study.at_on_branch(&[f64::NAN]).unwrap_err().message.contains("`L`"));
}

/// A place says what is marked, and draws it.
#[test]
fn a_place_says_what_it_marks() {
    let text = pendulum("1", "").replace("revolute", "revolut");
    let place = Study::from_text("p.toml", &text).unwrap_err().place.unwrap();
    assert_eq!(place.marked(), "revolut");
    assert!(place.drawn().contains("^^^^^^^"), "{}", place.drawn());
}
