//! Units, elements and bodies that make no sense.

use super::{prepared, run};
use gradyn::{Error, ErrorKind, Prepared};

/// A force law may read another force whose numbers have the names of its own variables, and the length of a
/// spring may be a condition although its speed exists.
#[test]
fn forces_and_conditions_read_lengths() {
    let text = r#"
        name = "two springs"
        parameters = { x = 50, l0 = 0.8 }
        ground.points = { O = [0, 0], W = [2, 0] }
        body.m = { points = { A = [0, 0], B = [0.1, 0] }, mass = 1, inertia = 1 }
        joint.guide = { type = "prismatic", between = ["ground.O", "m.A"], axis = [1, 0] }
        [force]
        s1 = { type = "spring-damper", between = ["ground.W", "m.B"], stiffness = "x", length = 1 }
        b  = { type = "bushing", between = ["ground.O", "m.A"], force = ["x + s1.force", 0, 0] }
        [initial]
        position = { "s1.length" = "l0" }
        velocity = { "s1.length" = 0.5 }
        [output]
        start = "s1.length"
        speed = "s1.speed"
        bush  = "b.force.x"
        slide = "guide.position"
        [objective]
        end = { terminal = "m.A.x" }
    "#;
    let model = prepared(text).unwrap_or_else(|e| panic!("{e}"));
    let r = run(&model, "index1", "rk4", 0.01).expect("runs");
    let table = model.table(&r, None).expect("rows");
    // W - B = 2 - (s + 0.1) = 0.8: s = 1.1; the force on body 2 is -(s + 50 (0.8 - 1))
    let row = &table.rows[0][1..];
    for (got, truth) in row.iter().zip([0.8, 0.5, -(1.1 + 50.0 * (0.8 - 1.0)), 1.1]) {
        assert!((got - truth).abs() < 1e-12, "{row:?}");
    }
}

/// What is wrong with a model, and what to try.
fn refusal(text: &str) -> String {
    match gradyn::file::read_toml(text).map_err(Error::from).and_then(|f| Prepared::new(&f.mechanism)) {
        Err(e) if matches!(e.kind, ErrorKind::Model) => {
            let place = e.bytes().map_or("nowhere".into(), |p| text[p].to_owned());
            format!("{} [{place}] {}", e.message, e.help.unwrap_or_default())
        }
        Err(e) => e.to_string(),
        Ok(_) => "it builds".into(),
    }
}

/// A mass on a rail between springs, with one number or line of it as asked.
fn wagon(parameters: &str, stiffness: &str, force: &str) -> String {
    format!(
        r#"
        name = "wagon"
        parameters = {{ {parameters} }}
        ground.points = {{ O = [0, 0], W = [2, 0] }}
        body.cart = {{ points = {{ A = [0, 0], W = [0.1, 0] }}, mass = 1, inertia = 1 }}
        joint.guide = {{ type = "prismatic", between = ["ground.O", "cart.A"], axis = [1, 0] }}
        [force]
        spring.type = "spring-damper"
        spring.between = ["ground.W", "cart.A"]
        spring.stiffness = "{stiffness}"
        spring.length = 1
        push = {{ type = "force", at = "cart.A", force = ["{force}", 0] }}
        [initial]
        position = {{ "cart.A.x" = 0 }}
        [output]
        w = "cart.W.x"
        "#
    )
}

/// `100 N/m` with a parameter m would divide by its value.
#[test]
fn units_that_could_be_names_are_refused() {
    for (parameters, stiffness, force, message) in [
        (
            "m = 2",
            "100 N/m",
            "m",
            "`100 N/m` divides by the number `m` of the model, not by the unit [100 N/m] write (100 N)/m if",
        ),
        ("s = 2", "1", "s + 5 m / s^2", "`5 m / s` divides by the number `s`"),
        ("m = 2", "1", "3 N*m", "multiplies by the number `m`"),
        (
            "k = 2",
            "k",
            "2 t",
            "`2 t` is a mass in tonnes, and t is the time here [2 t] write 2*t for the time",
        ),
        ("k = 2", "k*2t", "0", "t is the time here"),
        ("k = 2", "k", "5 m/s", "unknown name 's'"),
    ] {
        let e = refusal(&wagon(parameters, stiffness, force));
        assert!(e.contains(message), "{stiffness}, {force}: {e}");
    }
    // what says which is meant is fine
    for (stiffness, force) in
        [("(100 N)/m", "m*t"), ("100 N/(1 m)", "m * 2 s"), ("m", "10 N*t"), ("100 kN/2 mm", "m")]
    {
        assert_eq!(refusal(&wagon("m = 2", stiffness, force)), "it builds", "{stiffness}, {force}");
    }
    // points, and digits in names, are no numbers with units
    let model = prepared(&wagon("g = 2, W = 3", "g + W", "3 g")).expect("builds");
    assert_eq!(model.model.warnings.len(), 1, "{:?}", model.model.warnings);
    assert!(
        model.model.warnings[0]
            .to_string()
            .starts_with("unit-or-name: force `push`, force: `g` after a number in `3 g`")
    );
}

/// The same in a template, where names get a prefix.
#[test]
fn units_that_could_be_names_are_refused_in_templates() {
    let wagon = wagon("k = 1", "k", "0");
    for mirror in ["", ", mirror = 'y'"] {
        let template = "[template.more]\narguments = { m = 2 }\n[template.more.force]\npull = { type = \
            'spring-damper', \
                        between = ['ground.W', 'cart.A'], stiffness = '5 N/m', damping = 'm' }";
        let e = refusal(&format!("{wagon}\n{template}\n[instance]\none = {{ use = 'more'{mirror} }}"));
        assert!(
            e.contains("`5 N/m` divides by the number `m`") && e.contains("`one` (template `more`)"),
            "{e}"
        );
    }
}

/// `30` with the label deg would be printed as 30 deg and taken as 30 rad.
#[test]
fn labels_are_si_units() {
    for label in ["deg", "mm", "kN", "km/h", "kN/mm", "N/mm^2", "g", "%", "t m²", "1/min", "N m/deg"] {
        let e = refusal(&wagon(&format!("k = {{ value = 30, unit = '{label}' }}"), "k", "0"));
        assert!(
            e.contains(&format!("parameter `k`: its label says `{label}`, but values are in SI units")),
            "{label}: {e}"
        );
    }
    for label in
        ["", "-", "rad", "N m s/rad", "kg m2", "kg·m²", "m/s^2", "mm/mm", "1/s", "teeth", "m^-1", "USD/kg"]
    {
        let e = refusal(&wagon(&format!("k = {{ value = 30, unit = '{label}' }}"), "k", "0"));
        assert_eq!(e, "it builds", "{label}");
    }
    let e = refusal(&wagon("k = { value = 30, unit = 'deg' }", "k", "0"));
    assert!(e.contains("write value = \"30 deg\" without `unit`"), "{e}");
}

/// A box in space with a joint, and more.
fn space(body: &str, joint: &str, more: &str) -> String {
    format!(
        "name = 'space'\ndimension = 3\nparameters.L = 2\nground.points = {{ O = [0, 0, 0], W = [1, 0, 0] \
         }}\n\
         [body.box]\npoints = {{ P = [0, 0, 0], Q = [0.1, 0.2, 0.3] }}\n{body}\n\
         [body.bar]\nrod = {{ points = ['A', 'B'], length = 'L', mass = 1 }}\n[joint]\n{joint}\n{more}"
    )
}

/// What no mechanism has, or does nothing, is refused by name.
#[test]
fn impossible_elements_are_refused() {
    const BODY: &str = "mass = 1\ninertia = 1";
    const HINGE: &str = "j = { type = 'revolute', between = ['ground.O', 'box.P'] }";
    const PLANE: &str = "j = { type = 'planar', between = ['ground.O', 'box.P'] }";
    let force = |keys: &str| format!("[force]\nf = {{ {keys} }}");
    let contact = "type = 'contact', point = 'box.Q', plane = 'ground.O', width = 0.01";
    for (body, joint, more, message) in [
        (
            "shape = { type = 'tube', outer = 0.2, inner = 'L - 2.1', length = 1 }\nmass = 1",
            HINGE,
            String::new(),
            "body `box`: inner radius is -0.1",
        ),
        (
            "mass = 'sqrt(-L)'\ninertia = 1",
            HINGE,
            String::new(),
            "body `box`, mass: NaN is not a finite number [sqrt(-L)] look for a root",
        ),
        (
            "mass = 1\ninertia = '1/(L - 2)'",
            HINGE,
            String::new(),
            "body `box`, inertia: inf is not a finite number",
        ),
        (
            BODY,
            "j = { type = 'revolute', between = ['ground.O', 'box.P'], axis = [0, 1e200, 0] }",
            String::new(),
            "joint `j`: the axis has length more than 1e150",
        ),
        (
            BODY,
            "j = { type = 'revolute', between = ['ground.O', 'box.P'], axis = [0, 0, 0] }",
            String::new(),
            "joint `j`: the axis has length zero",
        ),
        (BODY, HINGE, force("type = 'friction', joint = 'j', limit = '1 - L'"), "force `f`: limit is -1"),
        (BODY, HINGE, force(&format!("{contact}, stiffness = '-L'")), "force `f`: stiffness is -2"),
        (
            BODY,
            HINGE,
            force(&format!("{contact}, stiffness = 1, friction = '-L'")),
            "force `f`: friction is -2",
        ),
        (
            BODY,
            HINGE,
            force("type = 'spring-damper', between = ['box.P', 'box.Q'], stiffness = 1"),
            "force `f` connects `box` with itself",
        ),
        (
            BODY,
            HINGE,
            force("type = 'contact', point = 'box.Q', plane = 'bar.B', width = 0.01, stiffness = 1"),
            "`bar` is a rod, which has no directions but its own",
        ),
        (
            BODY,
            PLANE,
            force("type = 'actuator', joint = 'j', effort = 1"),
            "force `f`: the planar joint `j` has three coordinates, x, y and angle [j]",
        ),
        (
            BODY,
            PLANE,
            force("type = 'friction', joint = 'j', limit = 1"),
            "force `f`: the planar joint `j` has three coordinates",
        ),
    ] {
        let e = refusal(&space(body, joint, &more));
        assert!(e.contains(message), "{message}: {e}");
    }
}

/// The axes of a universal joint are perpendicular: parallel ones contradict a drawing, and mean a quarter
/// turn otherwise.
#[test]
fn universal_joints_with_parallel_axes() {
    let model = |hard: &str, axes: &str| {
        format!(
            "name = 'u'\ndimension = 3\npoints.P = [0, 0, 0]\nground.points = {{ O = [0, 0, 0] }}\n\
             body.b = {{ {hard}, mass = 1, inertia = 1 }}\n\
             joint.u = {{ type = 'universal', between = ['ground.O', 'b.P'], axes = {axes} }}\n\
             initial.position = {{ 'u.angle_1' = 0.3, 'u.angle_2' = 0.2 }}"
        )
    };
    let e = refusal(&model("hard = ['P']", "[[0, 1, 0], [0, -2, 0]]"));
    assert!(e.contains("joint `u`: its two axes are parallel [[0, -2, 0]]"), "{e}");
    let m = prepared(&model("points.P = [0, 0, 0]", "[[0, 1, 0], [0, 1, 0]]")).expect("builds");
    assert!(
        m.model.warnings.iter().any(|w| w.to_string().starts_with("parallel-axes: joint `u`")),
        "{:?}",
        m.model.warnings
    );
    let m = prepared(&model("hard = ['P']", "[[0, 1, 0], [1, 0, 0]]")).expect("builds");
    assert!(m.model.warnings.is_empty(), "{:?}", m.model.warnings);
}

/// A body without mass, and one without inertia, that nothing moves.
#[test]
fn bodies_without_inertia_are_named() {
    let text = |body: &str| {
        format!(
            "name = 'light'\ngravity = [0, -9.81]\nground.points = {{ O = [0, 0] }}\n\
             body.bar = {{ points = {{ A = [0, 0], B = [1, 0] }}, {body} }}\n\
             joint.pin = {{ type = 'revolute', between = ['ground.O', 'bar.A'] }}\ninitial.position = {{ \
             'bar.angle' = 0 }}"
        )
    };
    for (body, lacks) in [("mass = 0", "mass"), ("mass = 1, inertia = 0, com = [0, 0]", "inertia")] {
        let e = run(&prepared(&text(body)).expect("builds"), "index1", "rk4", 0.01).err().expect("singular");
        assert!(e.to_string().contains(&format!("body `bar` has no {lacks}")), "{body}: {e}");
        assert!(e.help.clone().unwrap_or_default().contains("mass and inertia"), "{body}: {e}");
    }
}

/// A warning about a torque is given once, with its name.
#[test]
fn warnings_are_given_once() {
    let text = "name = 'w'\nparameters = { a = 1 }\nground.points = { O = [0, 0] }\n\
                body.bar = { rod = { points = ['A', 'B'], length = 1, mass = 1 } }\n\
                joint.pin = { type = 'revolute', between = ['ground.O', 'bar.A'] }\n\
                force.motor = { type = 'torque', on = 'bar', torque = 'max(a, 0.5)' }\n\
                force.push = { type = 'force', at = 'bar.B', force = ['abs(a - 0.5)', 0] }\n\
                initial.position = { 'bar.angle' = 0 }";
    let warnings = prepared(text).expect("builds").model.warnings;
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].to_string().starts_with("not-smooth: force `motor`, torque: max"), "{warnings:?}");
    assert!(warnings[1].to_string().starts_with("not-smooth: force `push`, force: abs"), "{warnings:?}");
}
