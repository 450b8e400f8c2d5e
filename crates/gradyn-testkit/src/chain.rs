//! Mechanisms of any size: chains and nets of rods in the plane, chains in space.

use gradyn_model::mechanism::{Body, InitialVelocity, Joint, Mechanism};

/// A plane chain of `n` rods from O with revolute joints: 2n coordinates, n rows, n degrees of freedom, 5
/// parameters, one objective.
pub fn chain(n: usize) -> Mechanism {
    let mut m = start(&format!("chain of {n}"));
    m.ground_point("O", [0.0, 0.0]);
    for k in 0..n {
        let mass = match k {
            k if k + 1 == n => "tip",
            k if k == n / 2 => "middle",
            _ => "1",
        };
        m.body(Body::new(&format!("rod{k}")).mass(mass).rod("A", "B", "length"));
        let above = if k == 0 { "ground.O".to_owned() } else { format!("rod{}.B", k - 1) };
        m.joint(Joint::revolute(&format!("J{k}"), &above, &format!("rod{k}.A")));
        lean(&mut m, &format!("rod{k}"), k);
    }
    finish(m, &format!("rod{}", n - 1))
}

/// Plane chains of 8 rods side by side, `n` rods in all: as many bodies as a chain, but none further than 8
/// joints from the ground.
pub fn brush(n: usize) -> Mechanism {
    let mut m = start(&format!("brush of {n}"));
    for k in 0..n {
        if k % 8 == 0 {
            m.ground_point(&format!("O{k}"), [k as f64, 0.0]);
        }
        let mass = if k + 1 == n { "tip" } else { "middle" };
        m.body(Body::new(&format!("rod{k}")).mass(mass).rod("A", "B", "length"));
        let above = if k % 8 == 0 { format!("ground.O{k}") } else { format!("rod{}.B", k - 1) };
        m.joint(Joint::revolute(&format!("J{k}"), &above, &format!("rod{k}.A")));
        lean(&mut m, &format!("rod{k}"), k);
    }
    finish(m, &format!("rod{}", n - 1))
}

/// A net of `n` rows of `width` + 1 knots under as many ground points: 2 (width + 1) n coordinates, n degrees
/// of freedom.
///
/// Row k has uprights `up{k}_{i}` from the knots above and bars `bar{k}_{i}` between neighbours; all meshes
/// are parallelograms.
pub fn net(width: usize, n: usize) -> Mechanism {
    let mut m = start(&format!("net of {width} × {n}"));
    for i in 0..=width {
        m.ground_point(&format!("O{i}"), [i as f64, 0.0]);
    }

    // row by row
    let mut at = [0.0; 2];
    for k in 0..n {
        // uprights
        for i in 0..=width {
            let mass = if k + 1 == n && i == 0 { "tip" } else { "middle" };
            m.body(Body::new(&format!("up{k}_{i}")).mass(mass).rod("A", "B", "length"));
            let above = if k == 0 { format!("ground.O{i}") } else { format!("up{}_{i}.B", k - 1) };
            m.joint(Joint::revolute(&format!("J{k}_{i}"), &above, &format!("up{k}_{i}.A")));
        }

        // bars
        for i in 0..width {
            let bar = format!("bar{k}_{i}");
            m.body(Body::new(&bar).mass(0.5).rod("A", "B", 1.0));
            m.joint(Joint::revolute(&format!("L{k}_{i}"), &format!("up{k}_{i}.B"), &format!("{bar}.A")));
            m.joint(Joint::revolute(
                &format!("R{k}_{i}"),
                &format!("up{k}_{}.B", i + 1),
                &format!("{bar}.B"),
            ));
        }

        // where the rows are at the nominal parameters
        let angle = 0.3 * wave(k) - 0.5 * std::f64::consts::PI;
        at = [at[0] + angle.cos(), at[1] + angle.sin()];
        for i in 0..=width {
            m.initial.near.push((format!("up{k}_{i}.B").as_str().into(), [at[0] + i as f64, at[1]].into()));
        }
        lean(&mut m, &format!("up{k}_0"), k);
    }
    let last = format!("up{}_0", n - 1);
    finish(m, &last)
}

/// A chain of `n` links in space from O with revolute joints about y and z in turn: 6n coordinates, 5n rows,
/// n degrees of freedom.
pub fn space_chain(n: usize) -> Mechanism {
    let alternating = |k: usize| if k.is_multiple_of(2) { [0.0, 1.0, 0.0] } else { [0.0, 0.0, 1.0] };
    let m = links(&format!("space chain of {n}"), n, alternating);
    finish(m, &format!("link{}", n - 1))
}

/// A chain of `n` links in space from O, all hinged about y. The reaction of the first joint is read, so the
/// axis is not that of the ground but 3 coordinates that all links share: 3 rows and columns of the mass
/// matrix are full.
pub fn coaxial_chain(n: usize) -> Mechanism {
    let mut m =
        finish(links(&format!("coaxial chain of {n}"), n, |_| [0.0, 1.0, 0.0]), &format!("link{}", n - 1));
    m.outputs.push(("load".into(), "norm2(J0.reaction)".into()));
    m
}

/// Links from O, hinged about the axes of `axis`, and leaning by angles that vary.
fn links(name: &str, n: usize, axis: impl Fn(usize) -> [f64; 3]) -> Mechanism {
    let mut m = Mechanism { dimension: 3, gravity: ["0", "0", "-g"].into(), ..start(name) };
    m.ground_point("O", [0.0; 3]);
    for k in 0..n {
        let name = format!("link{k}");
        let mass = if k + 1 == n { "tip" } else { "middle" };
        let body = Body::new(&name).mass(mass).com(["length / 2", "0", "0"]).tensor([0.02, 0.1, 0.1]);
        m.body(body.point("A", [0.0; 3]).point("B", ["length", "0", "0"]));
        let above = if k == 0 { "ground.O".to_owned() } else { format!("link{}.B", k - 1) };
        m.joint(Joint::revolute(&format!("J{k}"), &above, &format!("{name}.A")).axis(axis(k)));
        m.initial.position.push((format!("J{k}.angle").into(), format!("lean * {:?}", 0.3 * wave(k)).into()));
    }
    m
}

/// An empty mechanism with the parameters of all chains.
fn start(name: &str) -> Mechanism {
    let mut m = Mechanism::new(name);
    m.parameter("length", 1.0)
        .parameter("middle", 1.5)
        .parameter("tip", 2.0)
        .parameter("g", 9.81)
        .parameter("lean", 0.3);
    m.gravity = ["0", "-g"].into();
    m
}

/// Body `name` hangs, leaning by an angle that varies with k.
fn lean(m: &mut Mechanism, name: &str, k: usize) {
    let angle = format!("lean * {:?} - pi / 2", wave(k));
    m.initial.position.push((format!("{name}.angle").into(), angle.into()));
}

/// A number in [-1, 1] that varies with k.
fn wave(k: usize) -> f64 {
    (0.7 * k as f64).cos()
}

/// Starts at rest, reads the tip of the last body, and runs for 32 ms.
fn finish(mut m: Mechanism, last: &str) -> Mechanism {
    m.initial.velocity = InitialVelocity::Rest;
    m.integral("speed", &format!("norm2(vel({last}.B)) + {last}.B.x"));
    m.outputs = vec![("x".into(), format!("{last}.B.x").into())];
    m.t_end = 0.032.into();
    m
}
