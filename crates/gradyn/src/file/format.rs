//! The file format: one table of keys for each section and element. The reader and the schema know no others.

use gradyn_model::Coordinates;
use gradyn_model::build::{joint, tyre};
use gradyn_model::spec::{BETWEEN, Field, Kind, PENALTY, Record, Role, Variant, may, must, plain};
use gradyn_optimize::{Method as Optimizer, Sampling, Transform};

/// The whole file.
#[rustfmt::skip]
pub(crate) const FILE: Record = plain(&[
    must("name", Kind::Text, "Name of the model."),
    may("dimension", Kind::Dimension, "2: a plane mechanism; 3: a mechanism in space.").default("2"),
    may("gravity", Kind::Vector, "Gravity, such as [0, -9.81]; none if absent.").unit("m/s²"),
    may("parameters", Kind::Map("parameter", &Kind::Either(&Kind::Number, &Kind::Record(&PARAMETER))),
        "What may change, and be differentiated.").even(),
    may("constants", Kind::Map("constant", &Kind::Number),
        "Named numbers: expressions of parameters and earlier constants.").even(),
    may("points", Kind::Map("point", &Kind::Vector),
        "Hard points of the design configuration, in the global frame.").unit("m"),
    may("ground", Kind::Record(&GROUND), "What does not move."),
    may("body", Kind::Map("body", &Kind::Record(&BODY)), "Rigid bodies."),
    may("joint", Kind::Map("joint", &Kind::Variants("joint", joints)),
        "Joints between points of bodies or of the ground."),
    may("constraint", Kind::Map("constraint", &Kind::Either(&Kind::Number, &Kind::Record(&CONSTRAINT))),
        "Expressions of sensors that are kept at zero."),
    may("driver", Kind::Map("driver", &Kind::Record(&DRIVER)), "Quantities that follow a function of time."),
    may("force", Kind::Map("force", &Kind::Variants("force", forces)),
        "Springs, dampers, forces and torques."),
    may("road", Kind::Map("road", &Kind::Record(&ROAD)), "Heights of the ground that tyres are on."),
    may("spline", Kind::Map("spline", &Kind::Record(&SPLINE)),
        "Cubic splines of time; their names may stand in expressions of t."),
    may("event", Kind::Map("event", &Kind::Record(&EVENT)),
        "What happens where conditions of the motion pass zero."),
    may("initial", Kind::Record(&INITIAL), "Conditions at the start; the rest follows by assembly."),
    may("objective", Kind::Map("objective", &Kind::Record(&OBJECTIVE)),
        "Functionals ψ = ∫ integral dt + terminal."),
    may("output", Kind::Map("output", &Kind::Number), "Output columns: expressions of sensors.").even(),
    may("study", Kind::Record(&STUDY), "Time span and method."),
    may("template", Kind::Map("template", &Kind::Record(&TEMPLATE)), "Parts of a model that instances copy."),
    may("instance", Kind::Map("instance", &Kind::Record(&INSTANCE)), "Copies of templates."),
]);

/// A part of a model: some of its sections, and arguments.
#[rustfmt::skip]
pub(crate) const TEMPLATE: Record = plain(&[
    may("arguments", Kind::Map("argument", &Kind::NumberOrVector),
        "Arguments that an instance may give, and their defaults."),
    may("required", Kind::Texts("arguments"), "Names of arguments that every instance gives."),
    may("parameters", Kind::Section("parameters"), "Parameters of each instance."),
    may("constants", Kind::Section("constants"), "Named numbers."),
    may("points", Kind::Section("points"), "Hard points."),
    may("ground", Kind::Section("ground"), "Points of the ground."),
    may("body", Kind::Section("body"), "Bodies."),
    may("joint", Kind::Section("joint"), "Joints."),
    may("driver", Kind::Section("driver"), "Drivers."),
    may("force", Kind::Section("force"), "Forces."),
    may("spline", Kind::Section("spline"), "Splines."),
    may("event", Kind::Section("event"), "Events."),
    may("initial", Kind::Section("initial"), "Conditions at the start."),
    may("objective", Kind::Section("objective"), "Objectives."),
    may("output", Kind::Section("output"), "Output columns."),
    may("instance", Kind::Section("instance"), "Copies of other templates."),
]);

#[rustfmt::skip]
const INSTANCE: Record = plain(&[
    must("use", Kind::Text, "Name of the template."),
    may("with", Kind::Map("argument", &Kind::NumberOrVector),
        "Arguments: numbers, expressions, vectors or texts."),
    may("mirror", Kind::Word(&["x", "y", "z"]),
        "The axis that changes its sign: the mirror image of the template."),
    may("prefix", Kind::Text,
        "What comes before the names of the template; the name of the instance and _ if absent."),
    may("count", Kind::Count, "Makes an array of so many instances."),
    may("first", Kind::Map("argument", &Kind::NumberOrVector), "Arguments of the first of an array."),
    may("last", Kind::Map("argument", &Kind::NumberOrVector), "Arguments of the last of an array."),
]);

#[rustfmt::skip]
const PARAMETER: Record = plain(&[
    must("value", Kind::NumberOrNumbers,
        "Nominal value; a list makes a list parameter name_0, name_1, …").even(),
    may("count", Kind::Count, "Makes a list parameter name_0, name_1, … of so many values."),
    may("unit", Kind::Text, "Unit label, not checked."),
    may("min", Kind::Constant, "Lower bound.").even(),
    may("max", Kind::Constant, "Upper bound.").even(),
    may("scale", Kind::Constant, "Typical size; |value| (or 1) if absent.").even(),
]);

const GROUND: Record = plain(&[may("points", Kind::Map("point", &Kind::Vector), "Fixed points.").unit("m")]);

#[rustfmt::skip]
const BODY: Record = plain(&[
    may("points", Kind::Map("point", &Kind::Vector), "Points in the frame of the body.").unit("m"),
    may("mass", Kind::Number, "Mass; that of the shape, or 0, if absent.").unit("kg").even(),
    may("com", Kind::Vector,
        "Centre of mass in the frame of the body; its origin, or the middle of the rod, if absent.")
            .unit("m"),
    may("inertia", Kind::NumberOrNumbers,
        "About the centre of mass: a number; in space [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz], Ixy \
        = -∫ x y dm.").unit("kg m²").mirrored(Role::Inertia),
    may("shape", Kind::Variants("shape", shapes),
        "A uniform solid around the centre of mass: the inertia follows."),
    may("hard", Kind::Texts("points"), "Names of hard points that belong to the body."),
    may("rod", Kind::Record(&ROD), "A uniform rod: centre of mass and inertia follow."),
    PENALTY,
]);

#[rustfmt::skip]
const ROD: Record = plain(&[
    must("points", Kind::Pair("points"), "Names of its ends; local x runs from the first to the second."),
    may("length", Kind::Number,
        "Length; may be absent if the ends are points of the body already.").unit("m").even(),
    may("mass", Kind::Number, "Mass, if not given for the body.").unit("kg").even(),
]);

/// The shapes of bodies.
pub(crate) fn shapes() -> Vec<&'static Variant> {
    SHAPES.iter().collect()
}
#[rustfmt::skip]
const SHAPES: &[Variant] = &[
    Variant { name: "box", doc: "A box; in the plane a rectangle.", fields: &[
        must("size", Kind::Numbers, "Side lengths along the axes of the body.").unit("m").even(), DENSITY,
    ]},
    Variant { name: "cylinder", doc: "A solid cylinder; in the plane a \
        disc.", fields: &[RADIUS, LENGTH, SHAPE_AXIS, DENSITY] },
    Variant { name: "sphere", doc: "A solid sphere; in the plane a disc.", fields: &[RADIUS, DENSITY] },
    Variant { name: "tube", doc: "A hollow cylinder; in the plane a ring.", fields: &[
        must("outer", Kind::Number, "Outer radius.").unit("m").even(),
        must("inner", Kind::Number, "Inner radius.").unit("m").even(),
        LENGTH, SHAPE_AXIS, DENSITY,
    ]},
];
const DENSITY: Field =
    may("density", Kind::Number, "Density: the mass follows.").unit("kg/m³, in the plane kg/m²").even();
const RADIUS: Field = must("radius", Kind::Number, "Radius.").unit("m").even();
const LENGTH: Field = may("length", Kind::Number, "Length; needed in space.").unit("m").even();
const SHAPE_AXIS: Field = may("axis", Kind::Vector, "Axis in the frame of the body; its z axis if absent.");

const TYPE: &str = "type";

#[rustfmt::skip]
const CONSTRAINT: Record = Record { one_of: &["position", "velocity"], fields: &[
    may("position", Kind::Number, "An expression of position sensors that is kept at zero."),
    may("velocity", Kind::Number,
        "An expression of position and velocity sensors, affine in velocities, that is kept at zero."),
    PENALTY,
]};

/// The types of joints: kinds of joints, then couplings.
pub(crate) fn joints() -> Vec<&'static Variant> {
    joint::specs().map(|s| &s.entry).chain(joint::COUPLINGS).collect()
}

#[rustfmt::skip]
pub(crate) const DRIVER: Record = Record { one_of: &["angle", "distance", "coordinate", "sensor"], fields: &[
    may("angle", Kind::OneOrPair("bodies"),
        "Angle of a body, or of the second relative to the first.").unit("rad"),
    may("distance", Kind::Pair("points"), "Distance of two points.").unit("m"),
    may("coordinate", Kind::Text, "Coordinate of a point, such as slider.P.x.").unit("m"),
    may("sensor", Kind::Number, "Any expression of position sensors, such as hinge.angle.").even(),
    must("value", Kind::Number, "What it is: an expression of t, parameters and splines.").even(),
    PENALTY,
]};

const WIDTH: Field =
    must("width", Kind::Number, "Penetration up to which the stiffness grows, > 0.").unit("m").even();
const CONTACT_DAMPING: Field = may("damping", Kind::Number, "Damping d.").unit("s/m").default("0").even();
const STIFFNESS: Field = must("stiffness", Kind::Number, "Stiffness k.").unit("N/m").even();
const JOINT: Field =
    must("joint", Kind::Text, "The joint: revolute, prismatic, cylindrical, screw or planar.");
const FRAME: Field =
    may("frame", Kind::Text, "The body whose axes the components refer to; the global axes if absent.");

const ACTIVE: Field =
    may("active", Kind::Word(&["always", "motion"]), "\"motion\": an equilibrium leaves it out.")
        .default("always");

/// The types of forces.
pub(crate) fn forces() -> Vec<&'static Variant> {
    FORCES.iter().collect()
}
/// The laws of tyres along the ground.
pub(crate) fn tyre_laws() -> Vec<&'static Variant> {
    tyre::laws().collect()
}
#[rustfmt::skip]
const FORCES: &[Variant] = &[
    Variant { name: "spring-damper", doc: "Tension stiffness (ℓ - length) + damping ℓ̇ + force between two \
        points.", fields: &[
        BETWEEN,
        may("stiffness", Kind::Number, "Stiffness k.").unit("N/m").default("0").even(),
        may("damping", Kind::Number, "Damping c.").unit("N s/m").default("0").even(),
        may("length", Kind::Number, "Free length.").unit("m").default("0").even(),
        may("force", Kind::Number,
            "Additional tension: an expression of length, speed, t and parameters.").unit("N").even(),
        ACTIVE,
    ]},
    Variant { name: "torsion", doc: "Restoring torque stiffness (θ - angle) + damping θ̇ + torque between \
        two bodies, or about a joint.", fields: &[
        may("between", Kind::Pair("bodies"), "Plane: two bodies, or ground."),
        may("joint", Kind::Text, "Instead of `between`: a joint that turns."),
        may("stiffness", Kind::Number, "Stiffness k.").unit("N m/rad").default("0").even(),
        may("damping", Kind::Number, "Damping c.").unit("N m s/rad").default("0").even(),
        may("angle", Kind::Number, "Free angle of body 2 relative to body 1.").unit("rad").default("0").odd(),
        may("torque", Kind::Number,
            "Additional restoring torque: an expression of angle, speed, t and parameters.")
                .unit("N m").odd(),
        ACTIVE,
    ]},
    Variant { name: "force", doc: "A force on a point.", fields: &[
        must("at", Kind::Text, "The point: body.point."),
        must("force", Kind::Vector,
            "Components: expressions of sensors, t, parameters and splines.").unit("N"), FRAME,
        ACTIVE,
    ]},
    Variant { name: "torque", doc: "A torque on a body.", fields: &[
        must("on", Kind::Text, "The body."),
        may("reaction", Kind::Text, "The body that reacts; ground if absent."),
        must("torque", Kind::NumberOrNumbers,
            "Counter-clockwise in the plane, three components in space: expressions of sensors, t, \
            parameters and splines.").unit("N m").odd(), FRAME,
        ACTIVE,
    ]},
    Variant { name: "actuator", doc: "A force or torque along the coordinate of a joint, on body 2 and back \
        on body 1; or along a sensor.", fields: &[
        may("joint", Kind::Text, "The joint: revolute, prismatic, cylindrical or screw."),
        may("sensor", Kind::Number,
            "Instead of `joint`: an expression of positions and angles, along which the effort does its \
            work.").even(),
        must("effort", Kind::Number,
            "Effort: an expression of sensors, t, parameters and splines.").unit("N or N m"),
        ACTIVE,
    ]},
    Variant { name: "friction", doc: "-(limit · tanh(speed of the joint / speed) + viscous · speed of the \
        joint).", fields: &[
        JOINT,
        may("limit", Kind::Number, "Largest dry force or torque.").unit("N or N m").default("0").even(),
        may("speed", Kind::Number,
            "Speed at which 76 % of it are reached.").unit("m/s or rad/s").default("0.01").even(),
        may("viscous", Kind::Number, "Viscous coefficient.").unit("N s/m or N m s/rad").default("0").even(),
        ACTIVE,
    ]},
    Variant { name: "bushing", doc: "Restoring forces and torques between two points, in axes of body \
        1.", fields: &[
        BETWEEN,
        may("axis", Kind::Vector,
            "z axis of the bushing (in the plane its x axis), in the frame of body 1; that of the body if \
            absent."),
        may("normal", Kind::Vector, "x axis of the bushing across it, in the frame of body 1."),
        may("stiffness", Kind::Matrix,
            "Plane [x, y, rotation], space [x, y, z, rx, ry, rz], or the full matrix by rows [N/m, N \
            m/rad]."),
        may("damping", Kind::Matrix, "Likewise [N s/m, N m s/rad]."),
        may("force", Kind::Numbers,
            "Additional restoring forces and torques: expressions of x y z rx ry rz vx vy vz wx wy wz."),
        ACTIVE,
    ]},
    Variant { name: "bump-stop", doc: "Pushes two points apart when they are nearer than a length: k p(δ) (1 \
        + damping δ̇).", fields: &[
        BETWEEN, must("length", Kind::Number, "Distance at which it begins to act.").unit("m").even(),
        may("side", Kind::Word(&["below", "above"]),
            "Acts below the length, or pulls above it.").default("below"),
        STIFFNESS, CONTACT_DAMPING, WIDTH,
        ACTIVE,
    ]},
    Variant { name: "contact", doc: "A point that touches a plane from the side of its normal: k p(δ) (1 + \
        damping δ̇), with smooth friction.", fields: &[
        must("point", Kind::Text, "The point: body.point."),
        must("plane", Kind::Text, "A point of the plane: body.point or ground.point."),
        may("normal", Kind::Vector, "Normal in the frame of the plane's body; its last axis if absent."),
        STIFFNESS, CONTACT_DAMPING, WIDTH,
        may("friction", Kind::Number, "Friction coefficient.").default("0").even(),
        may("speed", Kind::Number,
            "Sliding speed at which 71 % of the friction are reached.").unit("m/s").default("0.01").even(),
        ACTIVE,
    ]},
    Variant { name: "tyre", doc: "Space: a tyre on a road, a vertical spring and forces along the ground by \
        its slips.", fields: &[
        must("at", Kind::Text, "Centre of the wheel: body.point."),
        must("axis", Kind::Vector, "Spin axis in the frame of the wheel."),
        may("offset", Kind::Number,
            "Where the tyre is along the axis, from the centre.").unit("m").default("0").even(),
        may("road", Kind::Text, "The road; the plane z = 0 if absent."),
        must("radius", Kind::Number, "Radius without load, > 0.").unit("m").even(),
        must("stiffness", Kind::Number, "Radial stiffness.").unit("N/m").even(),
        may("damping", Kind::Number, "Radial damping.").unit("N s/m").default("0").even(),
        may("width", Kind::Number,
            "Half-width of the corner where the tyre leaves the ground, > 0.")
                .unit("m").default("0.001").even(),
        may("law", Kind::Variants("law", tyre_laws), "Forces along the ground; none if absent."),
        ACTIVE,
    ]},
];

#[rustfmt::skip]
const ROAD: Record = Record { one_of: &["height", "points"], fields: &[
    may("height", Kind::Number, "Height: an expression of x, y, t and parameters.").unit("m"),
    may("points", Kind::Matrix,
        "Points with growing x, [x, z] each, which a cubic spline goes through.").unit("m"),
    may("ends", Kind::Word(&["natural", "clamped"]),
        "Spline without curvature at its ends (if absent), or level there."),
]};

#[rustfmt::skip]
const SPLINE: Record = Record { one_of: &["duration", "period"], fields: &[
    must("kind", Kind::Word(&["cyclic", "clamped"]), "Periodic, or with zero slopes at both ends."),
    must("values", Kind::Values,
        "The name of a list parameter, or numbers: values at equally spaced times.").even(),
    may("start", Kind::Constant, "Time of the first value.").unit("s").default("0").even(),
    may("duration", Kind::Constant,
        "Period (cyclic), or time from the first to the last value (clamped).").unit("s").even(),
    may("period", Kind::Constant, "The duration of a cyclic spline.").unit("s").even(),
]};

#[rustfmt::skip]
const EVENT: Record = plain(&[
    must("when", Kind::Number,
        "An expression of sensors, t and parameters: the event is where it passes zero."),
    may("direction", Kind::Word(&["rising", "falling", "both"]),
        "How it passes zero; an impact is where its gap falls, others go both ways if absent."),
    may("end", Kind::Setting, "true: the run ends there."),
    may("impact", Kind::Number,
        "Restitution e, 0 < e ≤ 1, of an impact: `when` is a gap, whose rate becomes -e times what it was."),
    may("reset", Kind::Map("condition", &Kind::NumberOrVector),
        "Sensors and their rates after the event, by expressions of the motion before it."),
    may("place", Kind::Map("condition", &Kind::NumberOrVector),
        "Position sensors and their values after the event, as many as there are degrees of freedom."),
    may("on", Kind::Texts("names of forces, joints, constraints or drivers"), "What acts from there on."),
    may("off", Kind::Texts("names of forces, joints, constraints or drivers"), "What acts no longer."),
]);

#[rustfmt::skip]
const INITIAL: Record = plain(&[
    may("position", Kind::Map("condition", &Kind::NumberOrVector),
        "Position sensors and their values, as many as there are degrees of freedom."),
    may("equilibrium", Kind::Map("condition", &Kind::NumberOrVector),
        "Instead of `position`, a static equilibrium: sensors and values for what the forces leave free; {} \
        if that is nothing."),
    may("hold", Kind::Map("condition", &Kind::NumberOrVector),
        "Sensors that a support holds during the equilibrium; its efforts are reported."),
    may("velocity", Kind::Either(&Kind::Word(&["rest"]), &Kind::Map("condition", &Kind::NumberOrVector)),
        "\"rest\", or sensors and their rates."),
    may("near", Kind::Map("point", &Kind::Vector),
        "Rough positions of points that pick the branch of the assembly.").unit("m"),
    may("off", Kind::Texts("names of forces, joints, constraints or drivers"),
        "What does not act until an event switches it on."),
]);

#[rustfmt::skip]
const OBJECTIVE: Record = plain(&[
    may("integral", Kind::Number, "Integrand: an expression of sensors, t and parameters.").even(),
    may("terminal", Kind::Number, "Value at the final time: an expression of sensors and parameters.").even(),
    may("maximum", Kind::Number,
        "Instead of both, an expression of sensors, t and parameters whose smooth maximum over time is the \
        value."),
    may("sharpness", Kind::Constant,
        "Of the smooth maximum: it is at most ln(T/duration)/sharpness above the maximum."),
    may("duration", Kind::Constant,
        "Time in total for which a level is exceeded that the smooth maximum reaches at least.")
            .unit("s").even(),
    may("near", Kind::Constant,
        "Of the smooth maximum: roughly its value, where exponentials would overflow; 0 if absent."),
]);

#[rustfmt::skip]
const STUDY: Record = plain(&[
    may("t_start", Kind::Number, "Start time.").unit("s").default("0"),
    may("t_end", Kind::Number, "Final time.").unit("s").default("1"),
    may("until", Kind::Number,
        "The run ends where this expression of sensors, t and parameters first passes zero."),
    may("t_max", Kind::Constant, "Latest final time of a run with `until`.").unit("s"),
    may("breaks", Kind::Numbers, "Times at which something is not smooth: steps end there.").unit("s"),
    may("method", Kind::Record(&METHOD), "Method; the program chooses what is absent."),
    may("output_step", Kind::Constant, "Time between output rows; every step if absent.").unit("s"),
    may("optimize", Kind::Record(&OPTIMIZE), "What `gradyn optimize` minimises."),
]);

#[rustfmt::skip]
const OPTIMIZE: Record = Record { one_of: &["minimise", "fit"], fields: &[
    may("minimise", Kind::Either(&Kind::Text, &Kind::Map("weight", &Kind::Constant)),
        "An objective, or objectives and their weights: { psi1 = 1, psi2 = 0.2 }."),
    may("fit", Kind::Record(&FIT),
        "Measured values that outputs should have: f = ½ Σ ((output - measured)/scale)² is minimised."),
    may("parameters", Kind::Texts("parameters"), "Parameters that vary; all if absent."),
    may("method", Kind::Word(Optimizer::NAMES),
        "Optimiser; lbfgsb if absent, for a fit levenberg-marquardt, with constraints sqp."),
    may("scale", Kind::Constant, "A change of what is minimised that matters.").default("1"),
    may("constraint", Kind::Map("constraint", &Kind::Record(&LIMIT)),
        "Limits of objectives and of expressions."),
    may("scenario", Kind::Map("scenario", &Kind::Record(&SCENARIO)),
        "Manoeuvres whose weighted sum is minimised; the model as it is if absent."),
    may("transform", Kind::Map("transform", &Kind::Word(Transform::NAMES)),
        "How parameters depend on the variables of the optimiser; identity if absent."),
    may("options", Kind::Record(&SETTINGS), "Tolerances and limits of the optimiser."),
    may("starts", Kind::Record(&STARTS),
        "Many starts between the bounds of the parameters; the first is the model as it is."),
]};

#[rustfmt::skip]
const FIT: Record = Record { one_of: &["record", "rows"], fields: &[
    may("record", Kind::Text,
        "A csv file beside the model: a line of names, `t` first, then a line for each time."),
    may("rows", Kind::Matrix,
        "The record itself: a list [t, values of the columns in their order] for each time."),
    must("columns", Kind::Map("column", &Kind::Record(&COLUMN)),
        "What was measured: outputs, or sensors, by name."),
]};

#[rustfmt::skip]
const COLUMN: Record = plain(&[
    may("scale", Kind::Constant,
        "A deviation that matters, such as the accuracy of the measurement.").default("1"),
]);

#[rustfmt::skip]
const STARTS: Record = plain(&[
    must("count", Kind::Count, "How many, the model as it is included."),
    may("seed", Kind::Constant, "Seed of the samples, an integer from 0.").default("0"),
    may("sampling", Kind::Word(Sampling::NAMES), "How they are spread.").default("sobol"),
]);

#[rustfmt::skip]
const SCENARIO: Record = plain(&[
    may("weight", Kind::Constant, "Its weight in the sum.").default("1"),
    may("set", Kind::Map("value", &Kind::Constant),
        "Constants, and parameters that do not vary, with their values in this scenario."),
]);

#[rustfmt::skip]
const LIMIT: Record = Record { one_of: &["objective", "value"], fields: &[
    may("objective", Kind::Text, "The objective that is limited."),
    may("value", Kind::Number,
        "An expression of parameters, or of sensors at the final time, that is limited."),
    may("min", Kind::Constant, "Lower limit."),
    may("max", Kind::Constant, "Upper limit."),
    may("equal", Kind::Constant, "The value that it must have."),
    may("scale", Kind::Constant, "A violation that matters; |limit| (or 1) if absent."),
]};

#[rustfmt::skip]
const SETTINGS: Record = plain(&[
    may("gradient_tol", Kind::Constant,
        "Projected gradient, over the scales, at which a design is optimal.").default("1e-8"),
    may("value_tol", Kind::Constant,
        "Relative change of the value, in two iterations in a row, that ends a run.").default("1e-15"),
    may("violation_tol", Kind::Constant,
        "Violation of the constraints, over their scales, that is allowed.").default("1e-8"),
    may("noise", Kind::Constant,
        "Accuracy of the value, such as that of the integration; 0 if absent: rounding."),
    may("least_value", Kind::Constant, "Value below which there is no minimum.").default("-1e12"),
    may("max_iterations", Kind::Count, "Most iterations.").default("1000"),
    may("max_evaluations", Kind::Count, "Most evaluations.").default("5000"),
    may("max_failures", Kind::Count,
        "Most designs that cannot be evaluated since the last iteration without one.").default("30"),
]);

#[rustfmt::skip]
const METHOD: Record = plain(&[
    may("coordinates", Kind::Word(Coordinates::NAMES), "Coordinates.").default("natural"),
    may("formulation", Kind::Text, "Equations of motion, by name."),
    may("integrator", Kind::Text, "Integrator, by name."),
    may("sensitivity", Kind::Text, "Sensitivity method, by name."),
    may("step", Kind::Constant, "Time step.").unit("s"),
    may("rtol", Kind::Constant, "Relative tolerance of adaptive steps."),
    may("atol", Kind::Constant, "Absolute tolerance of adaptive steps."),
    may("freedoms", Kind::Texts("names of coordinates"),
        "Independent coordinates of maggi; chosen by the program if absent."),
    may("options", Kind::Map("option", &Kind::Setting),
        "Options of the method, such as alpha or projection."),
]);

/// The keys of a record or a variant, `type` first where there is one.
pub(crate) fn keys(fields: &[Field], typed: bool) -> Vec<&'static str> {
    typed.then_some(TYPE).into_iter().chain(fields.iter().map(|f| f.name)).collect()
}
