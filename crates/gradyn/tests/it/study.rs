//! Study, its errors and warnings, runs that stop: what programs use.

use gradyn::{
    Error, ErrorKind, Jacobian, Method, Owner, Prepared, Sensitivity, Stepping, Study, Warning, WarningCode,
};
use std::ops::ControlFlow;

/// A pendulum with one parameter and one objective, and what is added to it.
fn pendulum(more: &str) -> String {
    format!(
        r#"
        name = "pendulum"
        gravity = [0, -9.81]
        parameters = {{ L = 1, m = 2 }}
        ground.points = {{ O = [0, 0] }}
        body.bar = {{ rod = {{ points = ["A", "B"], length = "L", mass = "m" }} }}
        joint.pin = {{ type = "revolute", between = ["ground.O", "bar.A"] }}
        initial.position = {{ "bar.angle" = "-60 deg" }}
        initial.velocity = "rest"
        objective.height = {{ terminal = "bar.B.y" }}
        study.t_end = 0.5
        {more}
        "#
    )
}

fn study(more: &str) -> Study {
    Study::from_text("pendulum.toml", &pendulum(more)).expect("reads")
}

fn refused<T>(result: Result<T, Error>) -> Error {
    result.map(|_| ()).expect_err("is refused")
}

/// ψ and ∇ψ of a study have the bits of those that the parts of the library give one after the other.
#[test]
fn a_study_is_the_same_as_its_parts() {
    let mut study = study("");
    study.method("index1", "dopri5").and_then(|s| s.option("xi", "0.7")).expect("exist");
    study.stepping(Stepping::Adaptive { rtol: 1e-9, atol: 1e-9 });
    let rho = [1.2, 2.5];
    let model = study.at(&rho).expect("assembles");
    let run = model.run().expect("runs");
    let gradient = run.gradient().expect("a gradient");

    let file = gradyn::file::read_toml(&pendulum("")).expect("reads");
    let parts = Prepared::new(&file.mechanism).and_then(|p| p.at(&rho)).expect("assembles");
    let mut method = Method::new("index1", "dopri5").expect("exists").tolerance(1e-9, 1e-9);
    method.set("xi", "0.7").expect("fits");
    let same = parts.run(&method).expect("runs");
    let rows = parts.gradient(&same, Sensitivity::DiscreteAdjoint).expect("a gradient").rows;

    assert_eq!(run.objectives(), same.psi);
    assert_eq!(gradient, Jacobian { rows: 1, columns: 2, values: rows.concat() });
    assert_eq!((gradient[(0, 1)], gradient.row(0)), (rows[0][1], &rows[0][..]));
}

/// A file, its text and its mechanism are the same study; `set` takes units; names and defaults are in the
/// order of `at`.
#[test]
fn a_study_is_read_set_and_asked() {
    let path = std::env::temp_dir().join(format!("gradyn_study_{}.toml", std::process::id()));
    std::fs::write(&path, pendulum("")).expect("is written");
    let mut opened = Study::open(&path).expect("reads");
    std::fs::remove_file(&path).expect("is removed");
    opened.set("L", "150 cm").expect("is a length");
    assert_eq!(opened.parameters().expect("builds"), ["L", "m"]);
    assert_eq!(opened.objectives().expect("builds"), ["height"]);
    assert_eq!(opened.defaults().expect("builds"), [1.5, 2.0]);
    assert_eq!(opened.times().expect("make sense"), (0.0, 0.5));
    assert_eq!(opened.end_at("0.25").times().expect("make sense").1, 0.25);

    let mut made = Study::from_mechanism(study("").file().mechanism.clone());
    made.coordinates("relative-0").expect("exist");
    assert_eq!(made.prepared().expect("builds").model.family.name(), "relative-0");
    assert_eq!(made.nominal().expect("assembles").method, Method::default());
}

/// Wrong names, values, lengths, runs and methods are errors that say what to try, never panics.
#[test]
fn mistakes_are_errors() {
    let mut study = study("");
    let e = refused(study.set("M", "1"));
    assert!(matches!(e.kind, ErrorKind::Argument) && e.help.as_deref() == Some("valid: L, m"), "{e}");
    let e = refused(study.set("L", "1 apple"));
    assert_eq!(e.place.as_ref().map(|p| (p.file.as_str(), p.line)), Some(("L", 1)), "{e}");
    for e in [
        refused(study.method("index9", "rk4")),
        refused(study.option("alfa", "1")),
        refused(study.coordinates("polar")),
        refused(study.sensitivity("adjont")),
    ] {
        assert!(matches!(e.kind, ErrorKind::Method) && e.help.is_some(), "{e}");
    }
    let e = refused(study.at(&[1.0]));
    assert!(matches!(e.kind, ErrorKind::Argument), "{e}");
    assert_eq!(e.message, "1 value for 2 parameters");

    // a run of other parameters
    let (one, other) = (study.nominal().expect("assembles"), study.at(&[1.1, 2.0]).expect("assembles"));
    let run = one.run().expect("runs").run;
    let e = refused(other.prepared.gradient(&run, Sensitivity::DiscreteAdjoint));
    assert!(matches!(e.kind, ErrorKind::Argument), "{e}");
    assert!(matches!(refused(other.prepared.table(&run, None)).kind, ErrorKind::Argument));
}

/// An error has the line and the column of its bytes, and is drawn with a caret below each of them.
#[test]
fn errors_have_a_line_and_a_caret() {
    let text = pendulum("force.push = { type = \"force\", at = \"bar.B\", force = [\"2 * K\", 0] }");
    let e = refused(Study::from_text("p.toml", &text).and_then(|s| s.nominal().map(|_| ())));
    let place = e.place.clone().expect("has a place");
    let line = text.lines().nth(place.line - 1).expect("is a line");
    assert_eq!(&line[place.column - 1..place.column], "K", "{e}");
    assert_eq!(&text[place.bytes], "K");
    let drawn = e.render();
    let caret = drawn.lines().find(|l| l.ends_with('^')).expect("is drawn");
    let marked = drawn.lines().find(|l| l.ends_with(line)).expect("shows the line");
    assert_eq!(&marked[caret.len() - 1..caret.len()], "K", "{drawn}");
    assert!(drawn.contains("--> p.toml:") && !drawn.contains('\u{1b}'), "{drawn}");
}

/// An error without a place is located by the element that it is about.
#[test]
fn errors_are_located_by_their_subject() {
    let text = pendulum("").replace("m = 2 }", "m = 2, idle = 1 }");
    let study = Study::from_text("p.toml", &text).expect("reads");
    let model = study.nominal().expect("assembles");
    let e = refused(model.run().expect("runs").gradient());
    assert_eq!(e.subject.as_ref().map(|s| (s.kind, s.name.as_str())), Some((Owner::Parameter, "idle")));
    assert_eq!(e.bytes().map(|b| &text[b]), Some("idle"));
}

/// An observer breaks a run off, a time limit does, and both say where.
#[test]
fn runs_can_be_stopped() {
    let mut study = study("");
    study.method("index1", "rk4").expect("exist").stepping(Stepping::Fixed(0.01));
    let model = study.nominal().expect("assembles");
    let mut seen = vec![];
    let stopped = model.run_with(|p| {
        seen.push(*p);
        if p.steps < 7 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let ErrorKind::Cancelled { t, steps } = refused(stopped).kind else { panic!("is cancelled") };
    assert_eq!((steps, seen.len()), (7, 7));
    assert!((t - 0.07).abs() < 1e-12 && seen[6].t == t && seen[6].t_end == 0.5);
    assert!(seen.windows(2).all(|p| p[0].seconds <= p[1].seconds));

    study.time_limit(0.0);
    let model = study.nominal().expect("assembles");
    assert!(matches!(refused(model.run()).kind, ErrorKind::Cancelled { steps: 1, .. }));
}

/// Warnings have a code with a name of its own and know what they are about.
#[test]
fn warnings_are_data() {
    let more = "objective.far = { terminal = \"abs(bar.B.x)\" }";
    let mut study = study(more);
    let codes: Vec<WarningCode> = study.warnings().expect("builds").iter().map(|w| w.code).collect();
    assert_eq!(codes, [WarningCode::NotSmooth]);
    study.method("index1", "rk4").and_then(|s| s.option("rho_inf", "0.5")).expect("exist");
    study.stepping(Stepping::Fixed(0.01));
    let model = study.nominal().expect("assembles");
    let run = model.run().expect("runs");
    let unused: Vec<&Warning> =
        run.warnings().iter().filter(|w| w.code == WarningCode::UnusedOption).collect();
    let [unused] = unused[..] else { panic!("{:?}", run.warnings()) };
    let subject = unused.subject.clone().expect("has a subject");
    assert_eq!((subject.kind, subject.name.as_str()), (Owner::Option, "rho_inf"));
    assert_eq!(unused.to_string(), format!("unused-option: {}", unused.text));

    let mut names: Vec<&str> = WarningCode::ALL.iter().map(|c| c.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), WarningCode::ALL.len());
}

/// Where a condition gives the final time, slices have one entry per parameter and objective still.
#[test]
fn the_final_time_is_hidden() {
    let text =
        pendulum("").replace("study.t_end = 0.5", "study.until = \"bar.angle + 1.2\"\nstudy.t_max = 2");
    let study = Study::from_text("p.toml", &text).expect("reads");
    assert_eq!(study.defaults().expect("builds").len(), 2);
    let model = study.at(&[1.0, 2.0]).expect("two values are enough");
    assert_eq!(model.prepared.rho(), [1.0, 2.0]);
    let run = model.run().expect("runs");
    assert_eq!(run.objectives().len(), 1);
    let gradient = run.gradient().expect("a gradient");
    assert_eq!((gradient.rows, gradient.columns, gradient.values.len()), (1, 2, 2));
}

/// What README shows.
fn readme(path: &std::path::Path) -> Result<(), Error> {
    // begin
    let mut study = gradyn::Study::open(path)?;
    study.set("L_A1", "1.5 m")?;
    study.method("index1", "dopri5")?.option("xi", "0.7")?;
    let model = study.nominal()?;
    let run = model.run()?;
    let gradient = run.gradient()?;
    println!("{:?} {}", run.objectives(), gradient[(0, 0)]);
    // end
    Ok(())
}

/// The lines of README are those above, and they run.
#[test]
fn readme_runs() {
    let lines = |text: &str, begin: &str, end: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim);
        let inside = lines.skip_while(|l| *l != begin).skip(1).take_while(|l| *l != end);
        inside.map(str::to_owned).collect()
    };
    let shown = lines(include_str!("../../../../README.md"), "```rust", "```");
    assert_eq!(shown, lines(include_str!("study.rs"), "// begin", "// end"));
    let path = std::env::temp_dir().join(format!("gradyn_readme_{}.toml", std::process::id()));
    std::fs::write(&path, gradyn::examples::find("five_bar").expect("exists")).expect("is written");
    let result = readme(&path);
    std::fs::remove_file(&path).expect("is removed");
    result.unwrap_or_else(|e| panic!("{}", e.render()));
}

/// A run belongs to the equations and to the parameters that made it: a model of the same sizes, or of more
/// objectives, refuses it.
#[test]
fn a_run_of_another_model_is_refused() {
    let model = |more: &str| study(more).nominal().expect("assembles").prepared;
    let pendulum = model("");
    let method = Method::new("index1", "dopri5").expect("exists").tolerance(1e-6, 1e-6);
    let own = pendulum.run(&method).expect("runs");
    let heavy = model("force.w = { type = \"force\", at = \"bar.B\", force = [0, \"-10 N\"] }");
    let more = model("objective.width = { terminal = \"bar.B.x\" }");
    for other in [&heavy, &more, &model("")] {
        let run = other.run(&method).expect("runs");
        let e = refused(pendulum.gradient(&run, Sensitivity::DiscreteAdjoint));
        assert!(matches!(e.kind, ErrorKind::Argument), "{e}");
        assert_eq!(e.message, "the run is that of another model, or of other parameters");
        refused(pendulum.table(&run, None));
    }

    // another design has the same equations, and tells by its parameters
    let design = pendulum.at(&[1.1, 2.0]).expect("assembles");
    refused(design.gradient(&own, Sensitivity::DiscreteAdjoint));
    let back = design.at(pendulum.rho()).expect("assembles");
    let gradient =
        |model: &Prepared| model.gradient(&own, Sensitivity::DiscreteAdjoint).expect("a gradient").rows;
    assert_eq!(gradient(&back), gradient(&pendulum));
}

/// The carets below a line mark as many characters as are meant, whatever bytes they have, and stand below
/// them.
#[test]
fn carets_count_characters() {
    for (line, meant) in [
        ("output = { \"Größe\" = \"bar.Q.x\" }", "bar.Q.x"),
        ("output = { \"Größe\" = \"bar.Süd.x + 1\" }", "bar.Süd.x"),
    ] {
        let e = refused(study(line).nominal());
        let text = e.render();
        let lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        let marks = lines.iter().position(|line| line.contains(&'^')).expect("carets");
        let marked = lines[marks - 1].iter().zip(&lines[marks]).filter(|(_, mark)| **mark == '^');
        assert_eq!(marked.map(|(c, _)| c).collect::<String>(), meant, "{text}");
    }
}

/// Errors of a mechanism that a program has made have no line to show.
#[test]
fn an_error_without_a_text_draws_no_line() {
    let file = gradyn::file::read_toml(&pendulum("output = { x = \"bar.Q.x\" }")).expect("reads");
    let e = refused(Study::from_mechanism(file.mechanism).nominal());
    assert!(e.message.contains("`Q`") && !e.render().contains("-->"), "{}", e.render());
}

/// The condition for the final time has its own name in errors, also where an objective is called `until`.
#[test]
fn a_condition_is_called_until() {
    let read = |condition: &str, objective: &str| {
        let text = pendulum("").replace("study.t_end = 0.5", "");
        let more = format!(
            "study = {{ until = \"{condition}\", t_max = 1 }}\nobjective.until.terminal = \"{objective}\""
        );
        refused(
            Study::from_text("until.toml", &format!("{text}\n{more}")).and_then(|s| s.nominal().map(drop)),
        )
    };
    for condition in ["bar.B.Q", "(bar.B.x", "bar.B"] {
        let e = read(condition, "bar.B.x");
        assert!(e.message.starts_with("`until` of [study]: "), "{e}");
    }
    let e = read("bar.B.x", "bar.B");
    assert!(e.message.starts_with("objective `until`: "), "{e}");
}

/// Values that no design can have are refused with the name of the parameter, also after the model was built.
#[test]
fn designs_that_cannot_be_are_refused_by_name() {
    let study = study("");
    for x in [f64::NAN, f64::INFINITY] {
        let e = refused(study.at(&[x, 2.0]));
        assert!(matches!(e.kind, ErrorKind::Argument), "{e}");
        assert_eq!(e.message, format!("parameter `L` is {x}"));
    }
    let e = refused(study.at(&[-1.0, 2.0]));
    assert!(e.message.contains("length of the rod is -1"), "{e}");
}

/// A time limit is a number of seconds.
#[test]
fn a_time_limit_that_makes_no_sense_is_refused() {
    for seconds in [f64::NAN, -1.0] {
        let mut study = study("");
        study.time_limit(seconds);
        let e = refused(study.nominal().and_then(|m| m.run()));
        assert_eq!(e.message, format!("a time limit of {seconds} s"));
    }
}

/// An output without a value at a sample is an error, and not a number that is none.
#[test]
fn outputs_that_are_not_finite_are_refused() {
    let study = study("output.o = \"sqrt(bar.B.x - 10)\"");
    let run = study.nominal().and_then(|m| m.sampled(&[0.25])).and_then(|m| m.run()).expect("runs");
    let e = refused(run.outputs());
    assert_eq!(e.message, "output `o` is NaN at t = 0.25 s");
}
