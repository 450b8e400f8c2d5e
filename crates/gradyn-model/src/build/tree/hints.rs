//! `tree = "keep"` at joints that cannot be kept.

use super::{Edge, TreeChooser};
use crate::error::ModelError;
use crate::mechanics::Coordinates;
use crate::mechanism::Joint;

impl TreeChooser<'_, '_, '_> {
    /// A joint that is to be kept where it cannot be.
    pub(super) fn check_hints(&self, edges: &[Edge]) -> Result<(), ModelError> {
        // a joint that shall carry its body but does not
        if self.coordinates == Coordinates::Cartesian {
            return Ok(());
        }
        let taken: Vec<usize> = edges.iter().filter_map(|e| Some(e.joint?.0)).collect();
        let wrong = |(k, j): &(usize, &Joint)| j.tree == Some(true) && !taken.contains(k);
        let Some((k, j)) = self.b.m.joints.iter().enumerate().find(wrong) else { return Ok(()) };
        // why it does not
        let why = match j.kind.spec().carry[self.b.m.dimension - 2].freedom(self.b.m.dimension) {
            None => format!("a {} joint has no coordinates of its own", j.kind.word()),
            _ if self.read.contains(&j.name.text) => {
                "its reaction is read, which needs the rows of the joint".into()
            }
            _ if self.b.joint_ends(k).iter().any(|e| e.0 != self.b.ground() && self.b.is_thin(e.0)) => {
                "it holds a rod, whose points are coordinates".into()
            }
            _ => format!(
                "it closes a loop with {}, which carry its bodies already",
                self.between(k, edges).join(", ")
            ),
        };
        let e =
            ModelError::new(format!("joint `{}`: `tree = \"keep\"`, but {why}", j.name)).at(&j.name.place);
        Err(e.help("remove `tree`, or cut the loop at another joint with `tree = \"cut\"`"))
    }
    /// Joints of the tree from one end of joint `k` to the other.
    fn between(&self, k: usize, edges: &[Edge]) -> Vec<String> {
        let up = |mut body: usize| {
            let mut way = vec![];
            while let Some(edge) = edges.iter().find(|e| e.body == body) {
                way.push(edge);
                body = edge.joint.map_or(self.b.ground(), |(k, parent)| self.b.joint_ends(k)[parent].0);
            }
            way
        };
        // both ways to the root, without what they have in common
        let [first, second] = self.b.joint_ends(k).map(|end| up(end.0));
        let apart = |way: &[&Edge], edge: &Edge| way.iter().all(|e| e.body != edge.body);
        let down = second.iter().rev().filter(|e| apart(&first, e));
        let joints = first.iter().filter(|e| apart(&second, e)).chain(down).filter_map(|e| Some(e.joint?.0));
        joints.map(|k| format!("`{}`", self.b.m.joints[k].name)).collect()
    }
}
