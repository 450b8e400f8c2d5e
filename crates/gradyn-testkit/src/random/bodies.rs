//! Bodies where they are drawn, each with the joint to its parent.

use super::joints::{TREE_2, TREE_3};
use super::*;

impl Draft {
    /// A body near its parent, and its joint.
    pub(super) fn member(&mut self, k: usize, member: &Member, floating: bool) -> Result<(), String> {
        let mut r = Random(member.seed);

        // one of the bodies before, or the ground
        let parents: Vec<Option<usize>> = (0..k)
            .filter(|&b| !self.bodies[b].rod)
            .map(Some)
            .chain((!floating || k == 0).then_some(None))
            .collect();
        let Some(&parent) = parents.get(member.parent as usize % parents.len().max(1)) else {
            return Err("no parent".into());
        };
        let near = parent.map_or([0.0; 3], |b| self.bodies[b].com);

        // the body
        let placed = self.placed(k, &near, floating, &mut r);
        let rod = placed.rod;
        self.bodies.push(placed);
        self.freedom += if self.d == 2 { 3 } else { 6 - isize::from(rod) };

        // its joint
        if rod {
            self.hang(k, parent);
        } else if !(floating && k == 0) {
            self.attach(k, member, parent, &near, &mut r);
        }
        Ok(())
    }
    /// Body k in its pose near a point: on hard points, with a frame of its own, or a rod.
    fn placed(&self, k: usize, near: &V3, floating: bool, r: &mut Random) -> Placed {
        let hard = r.unit() < 0.4;
        let rod = self.d == 3 && r.unit() < 0.12 && (k > 0 || !floating);
        let hard = hard && !rod;

        // attitude and origin
        let (attitude, origin) = if hard {
            ([0.0; 3], [0.0; 3])
        } else if self.d == 2 {
            ([0.0, 0.0, r.between(-1.2, 1.2)], add(near, 1.0, &r.vector(2, 0.8)))
        } else {
            let attitude = [r.between(-1.2, 1.2), r.between(-0.8, 0.8), r.between(-1.2, 1.2)];
            (attitude, add(near, 1.0, &r.vector(3, 0.8)))
        };
        let axes = axes_of(attitude);
        let name = format!("B{k}");
        let com = add(if hard { near } else { &origin }, 1.0, &r.vector(self.d, 0.3));
        let body = Body::new(&name);
        let mut placed = Placed { name, attitude, axes, origin, hard, rod, com, body };

        // mass
        if rod {
            let length = r.between(0.4, 1.2);
            placed.body = Body::new(&placed.name).mass(r.between(0.5, 2.0)).rod("A", "B", length);
            placed.com = add(&origin, 0.5 * length, &axes[0]);
        } else {
            let local = placed.local(&add(&com, -1.0, &origin));
            placed.body = solid(r, &placed.name, self.d).com(self.vector(&local));
        }
        placed
    }
    /// A rod hangs on a ball joint at its first end.
    fn hang(&mut self, k: usize, parent: Option<usize>) {
        let origin = self.bodies[k].origin;
        let a = self.point(parent, &origin);
        let end = format!("{}.A", self.bodies[k].name);
        self.m.joint(Joint::new(&format!("J{k}"), JointKind::Spherical, &a, &end));
        self.freedom -= 3;
    }
    /// A joint of the tree between body k and its parent, in either order.
    fn attach(&mut self, k: usize, member: &Member, parent: Option<usize>, near: &V3, r: &mut Random) {
        let kinds = if self.d == 2 { TREE_2 } else { TREE_3 };
        let kind = kinds[member.joint as usize % kinds.len()];
        let reversed = r.unit() < 0.3;
        let ends = if reversed { [Some(k), parent] } else { [parent, Some(k)] };
        let middle = scaled(0.5, &add(near, 1.0, &self.bodies[k].com));
        let at = add(&middle, 1.0, &r.vector(self.d, 0.3));
        self.tree.push((kind, ends, at, r.clone()));
        self.joint(&format!("J{k}"), kind, ends, &at, r);
    }
}

/// Mass and inertia: numbers, or a shape.
fn solid(r: &mut Random, name: &str, dimension: usize) -> Body {
    let mass = r.between(0.5, 2.0);
    let size = [r.between(0.3, 0.8), r.between(0.3, 0.8), r.between(0.3, 0.8)];
    let axis: Option<Vector> = (dimension == 3).then(|| r.direction(3).into());
    let body = Body::new(name);

    // a shape, or numbers alone
    let shape = match r.below(5) {
        0 => ShapeKind::Box(size[..dimension].iter().map(|&x| x.into()).collect()),
        1 => ShapeKind::Sphere(size[0].into()),
        2 => ShapeKind::Cylinder { radius: size[0].into(), length: size[1].into(), axis },
        3 => ShapeKind::Tube {
            outer: size[0].into(),
            inner: (0.6 * size[0]).into(),
            length: size[1].into(),
            axis,
        },
        _ if dimension == 2 => return body.mass(mass).inertia(0.1 * mass),
        _ => return body.mass(mass).tensor([0.1, 0.12, 0.15, 0.01, -0.02, 0.015].map(|i| i * mass)),
    };

    // its mass, or its density
    if r.unit() < 0.5 {
        return body.mass(mass).shape(shape);
    }
    Body { shape: Some(Shape { kind: shape, density: Some((mass / 0.3).into()) }), ..body }
}
