//! Mobility and redundancy: the same in all coordinates, those of textbooks, with the joints that repeat each
//! other by name.

use crate::kit::elements::removed;
use gradyn::mechanism::Mechanism;
use gradyn::mobility::Group;
use gradyn::{Coordinates, Family, Mobility, Prepared};

fn mechanism(text: &str) -> Mechanism {
    gradyn::file::read_toml(text).unwrap_or_else(|e| panic!("{e:?}\n{text}")).mechanism
}

fn mobility(text: &str) -> Mobility {
    Mobility::of(&mechanism(text)).unwrap_or_else(|e| panic!("{e}"))
}

/// Every example: rows of joints as in the table of MODEL_FILE.md, bodies of 6, 3 (plane) or 5 (rods in
/// space) freedoms, freedom = Σ freedoms - rows + redundant; the same mobility in all coordinates, and the
/// counts that a run has in each.
#[test]
fn mobility_does_not_depend_on_coordinates() {
    for (name, text) in gradyn::examples::ALL {
        let m = mechanism(text);
        let found = Mobility::of(&m).unwrap_or_else(|e| panic!("{name}: {e}"));
        let plane = m.dimension == 2;
        let freedoms = m.bodies.iter().map(|b| if plane { 3 } else { 6 - usize::from(b.rod.is_some()) });
        let rows = m.joints.iter().map(|j| removed(j.kind.word())[usize::from(!plane)]);
        let joints: usize = rows.map(|r| r.expect("a number in the table")).sum();
        let others = m.couplings.len() + m.drivers.len() + m.constraints.len() + m.velocity_constraints.len();
        // constraints that events switch on hold nothing yet
        let others = others - m.initial.off.len();
        assert_eq!(found.constraints, joints + others, "{name}");
        assert_eq!(found.freedom[1] + found.constraints, freedoms.sum::<usize>() + found.redundant, "{name}");
        assert_eq!(found.groups.iter().map(|g| g.redundant).sum::<usize>(), found.redundant, "{name}");
        for (family, counted) in &found.families {
            let p =
                Prepared::new_in(&m, *family).unwrap_or_else(|e| panic!("{name}, {}: {e}", family.name()));
            let Family::Counted(counts) = counted else { panic!("{name}, {}: {counted:?}", family.name()) };
            assert_eq!(*counts, p.counts(), "{name}, {}", family.name());
            assert_eq!(counts.freedom, found.freedom, "{name}, {}", family.name());
        }
    }
}

fn counts(m: &Mobility, family: Coordinates) -> [usize; 3] {
    match m.families[family as usize] {
        (f, Family::Counted(c)) if f == family => [c.coordinates, c.constraints, c.redundant],
        _ => panic!("{:?}", m.families),
    }
}

/// The data sheets: bodies, degrees of freedom, constraints of joints, redundant ones; [P14] 140 coordinates
/// and 132 constraints of the Iltis with Euler parameters, [A22] 36 and 22 of the four-wheeler in joint
/// coordinates.
#[test]
fn vehicles_have_their_counts() {
    let cases = [
        ("iltis", 20, 14, 16 * 5 + 8 * 3 + 5 + 3, 6, [140, 132, 6], None),
        (
            "four_wheeler",
            18,
            14,
            4 * (5 + 5 + 3 + 3 + 5 + 1) + 5 + 1,
            0,
            [18 * 7, 18 + 94, 0],
            Some([36, 22, 0]),
        ),
        ("coach", 13, 18, 2 * (5 + 5 + 3 + 3 + 5 + 1) + 2 * 5 + 5 + 1, 0, [13 * 7, 13 + 60, 0], None),
    ];
    for (name, bodies, freedom, constraints, redundant, cartesian, relative) in cases {
        let m = mechanism(gradyn::examples::find(name).expect("bundled"));
        let found = Mobility::of(&m).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(m.bodies.len(), bodies, "{name}");
        assert_eq!(
            (found.freedom, found.constraints, found.redundant),
            ([freedom; 2], constraints, redundant),
            "{name}"
        );
        assert_eq!(counts(&found, Coordinates::Cartesian), cartesian, "{name}");
        let [one, other] = [Coordinates::Relative0, Coordinates::Relative1].map(|c| counts(&found, c));
        assert!(one == other && relative.is_none_or(|r| r == one), "{name}: {one:?}");
    }
}

fn group(redundant: usize, among: &[&str]) -> Group {
    Group { redundant, among: among.iter().map(|s| (*s).into()).collect() }
}

/// The rear suspensions of the Iltis are plane four-bars: each has three constraints too many, whatever rows
/// are left out.
#[test]
fn redundant_joints_are_named() {
    let side = |s: &str| ["arm_pivot", "link_pivot", "arm_pin", "link_pin"].map(|j| format!("{s}_{j}"));
    let sides = ["rl", "rr"].map(|s| Group { redundant: 3, among: side(s).into() });
    assert_eq!(mobility(gradyn::examples::find("iltis").expect("bundled")).groups, sides);
    let four_bar = gradyn::examples::find("redundant_four_bar").expect("bundled");
    assert_eq!(mobility(four_bar).groups, [group(3, &["O", "A", "B", "C"])]);
    // no reaction is read: joints share their axes, and the count is the same
    let shared = four_bar.replace("reaction = \"norm(A.reaction)\"\n", "");
    let found = mobility(&shared);
    assert_eq!(found.groups, [group(3, &["O", "A", "B", "C"])]);
    assert!(counts(&found, Coordinates::Natural)[2] < 3, "{:?}", found.families);
}

/// A rod has no spin about its own line; its rigidity repeats a distance, and so does nothing else. Two doors
/// are two groups.
#[test]
fn rods_and_groups_are_counted() {
    let text = r#"
name = "rod and doors"
dimension = 3
ground.points = { O = [0, 0, 0], H1 = [3, 0, 0], H2 = [3, 0, 1], G1 = [6, 0, 0], G2 = [6, 0, 1] }
[body]
rod = { rod = { points = ["A", "B"], length = 2, mass = 1 } }
left = { points = { H1 = [0, 0, 0], H2 = [0, 0, 1] }, mass = 1, inertia = [1, 1, 1] }
right = { points = { H1 = [0, 0, 0], H2 = [0, 0, 1] }, mass = 0, inertia = [1, 1, 1] }
[joint]
ball = { type = "spherical", between = ["ground.O", "rod.A"] }
span = { type = "distance", between = ["ground.O", "rod.B"], length = 2 }
l1 = { type = "revolute", between = ["ground.H1", "left.H1"] }
l2 = { type = "revolute", between = ["ground.H2", "left.H2"] }
r1 = { type = "revolute", between = ["ground.G1", "right.H1"] }
r2 = { type = "cylindrical", between = ["ground.G2", "right.H2"] }
[initial]
position = { "rod.B.x" = 1, "rod.B.y" = 1, "l1.angle" = 0, "r1.angle" = 0 }
velocity = "rest"
[study]
t_end = 1
"#;
    let m = mobility(text);
    assert_eq!((m.freedom, m.constraints, m.redundant), ([4, 4], 3 + 1 + 5 + 5 + 5 + 4, 1 + 5 + 4));
    assert_eq!(m.groups, [group(1, &["ball", "span"]), group(5, &["l1", "l2"]), group(4, &["r1", "r2"])]);
}

/// Two knife edges on one axle: a row of velocity level too many. A driver of what another drives.
#[test]
fn velocity_rows_and_drivers_are_counted() {
    let cart = r#"
name = "cart"
ground.points = { O = [0, 0] }
body.cart = { points = { A = [0, 0.5], B = [0, -0.5] }, mass = 2, com = [0.4, 0], inertia = 0.3 }
[joint]
left = { type = "knife-edge", between = ["ground.O", "cart.A"], axis = [0, 1] }
right = { type = "knife-edge", between = ["ground.O", "cart.B"], axis = [0, 1] }
[driver]
DRIVERS
[initial]
position = { POSITION "cart.A.y" = 0.5, "cart.angle" = 0 }
velocity = { VELOCITY "cart.omega" = 2 }
[study]
t_end = 0.05
"#;
    let free = cart.replace("[driver]\nDRIVERS\n", "").replace("POSITION", "\"cart.A.x\" = 0,");
    let m = mobility(&free.replace("VELOCITY", "\"dot(vel(cart.A), axis(cart, [1, 0]))\" = 0.5,"));
    assert_eq!((m.freedom, m.constraints, m.redundant), ([3, 2], 2, 1));
    assert_eq!(m.groups, [group(1, &["left", "right"])]);
    let drivers = "one = { coordinate = \"cart.A.x\", value = \"t\" }\ntwo = { coordinate = \"cart.A.x\", \
        value = \"t\" }";
    let driven = cart.replace("DRIVERS", drivers).replace("POSITION", "").replace("VELOCITY", "");
    let m = mobility(&driven);
    assert_eq!((m.freedom, m.constraints, m.redundant), ([2, 1], 4, 2));
    // rows of velocity level come last
    assert_eq!(m.groups, [group(1, &["one", "two"]), group(1, &["left", "right"])]);
}

/// A family that refuses the model says why; the others are counted.
#[test]
fn refusals_of_a_family_are_kept() {
    let text = gradyn::examples::find("five_bar").expect("bundled");
    let mut m = mechanism(text);
    m.joints.iter_mut().for_each(|j| j.tree = Some(true));
    let found = Mobility::of(&m).unwrap_or_else(|e| panic!("{e}"));
    let refused = |c: Coordinates| match &found.families[c as usize].1 {
        Family::Refused(e) => e.to_string().contains("loop"),
        Family::Counted(_) | Family::Large => false,
    };
    assert_eq!(Coordinates::ALL.map(refused), [false, true, true, false], "{:?}", found.families);
}
