//! Rows of bodies and joints in the chosen coordinates.

use super::*;

impl<'g, 'm> Builder<'g, 'm> {
    /// Rigid bodies, then joints. Shared points that are not in a body's basis are tied to their class.
    /// Returns a joint whose reaction is read although others hold all that it holds.
    pub(in crate::build) fn add_rows(&mut self, carried: &Carried) -> Result<Option<&'m Text>, ModelError> {
        let mut seen: HashSet<Vec<usize>> = HashSet::new();
        for b in (0..self.ground()).filter(|b| !carried.bodies.contains(b)) {
            let rows = self.frames[b].rigid(self.graph);
            let count = rows.len();
            for (k, (row, vectors)) in rows.into_iter().enumerate() {
                // rows of vectors that several bodies share appear once
                if !vectors || seen.insert(row.key()) {
                    let which = if count == 1 { String::new() } else { format!(" {}", k + 1) };
                    let name = RowName::new(Owner::Body, &self.solids[b].name, format!("rigid{which}"));
                    self.rows.push(name, row);
                }
            }
        }
        let mut tied: HashMap<usize, Vec<Vec<Port<'g>>>> = HashMap::new();
        for &k in &carried.joints {
            let none = Reaction::none(self.m.dimension);
            self.reactions.insert(self.m.joints[k].name.text.clone(), none);
        }
        let mut repeated = None;
        for k in (0..self.m.joints.len()).filter(|k| !carried.joints.contains(k)) {
            if self.add_joint_rows(k, &mut tied)? {
                repeated = repeated.or(Some(&self.m.joints[k].name));
            }
        }
        Ok(repeated)
    }
    /// True if its reaction is read and it repeats others.
    pub(super) fn add_joint_rows(
        &mut self,
        k: usize,
        tied: &mut HashMap<usize, Vec<Vec<Port<'g>>>>,
    ) -> Result<bool, ModelError> {
        // what the joint connects
        let j = &self.m.joints[k];
        let refs = self.joint_ends(k);
        let ends = Ends { frames: refs.map(|(b, _)| &self.frames[b]), points: refs.map(|r| self.port(r)) };
        let class = refs.map(|(b, i)| self.solids[b].points[i].class);
        let wanted = self.wanted.contains_key(&j.name.text);
        // closed: the points are one already, by coordinates that they share
        let spec = j.kind.spec();
        let shares_point = spec.shares_point[self.m.dimension - 2];
        let mut closed = shares_point && class[0] == class[1];
        if closed && !tie(tied.entry(class[0]).or_default(), &ends.points) {
            closed = false;
        }
        // does it repeat what shared coordinates say, where its reaction is read?
        let torque =
            self.m.dimension == 3 && self.wanted.get(&j.name.text) == Some(&true) && spec.shares_axis;
        let axis = |s: usize| self.frames[refs[s].0].direction(&self.joint_frames[k].axes[s]);
        let point = shares_point && (closed || same(&ends.points[0], &ends.points[1]));
        let repeats = (wanted && point) || (torque && same(&axis(0), &axis(1)));
        // its rows, and its reaction by them
        let frame: &JointFrame<'g> = &self.joint_frames[k];
        let reaction = joints::add(j, frame, &ends, closed, &mut self.numbers, &mut self.rows)?;
        self.aligned.extend(reaction.aligned.iter().map(|q| (j.name.text.clone(), q.clone())));
        self.reactions.insert(j.name.text.clone(), reaction);
        Ok(repeats)
    }
}

/// Joins the sets of two ports of one class; true if they were one already.
pub(super) fn tie<'g>(sets: &mut Vec<Vec<Port<'g>>>, ends: &[Port<'g>; 2]) -> bool {
    let mut find = |p: &Port<'g>| {
        sets.iter().position(|s| s.iter().any(|k| same(k, p))).unwrap_or_else(|| {
            sets.push(vec![p.clone()]);
            sets.len() - 1
        })
    };
    let a = find(&ends[0]);
    let b = find(&ends[1]);
    if a != b {
        let moved = std::mem::take(&mut sets[b]);
        sets[a].extend(moved);
    }
    a == b
}
