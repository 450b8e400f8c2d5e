//! Heights of roads, in symbols.

use super::Builder;
use super::loads::Guard;
use super::numbers::unknown;
use super::symbols::SensorEnv;
use crate::error::ModelError;
use crate::mechanism::{Height, Number, Road, Text};
use crate::program::{Sym, Table};
use std::sync::Arc;

impl Builder<'_, '_> {
    /// Reads every road, whether a tyre is on it or not.
    pub(super) fn add_roads(&mut self) -> Result<(), ModelError> {
        for road in &self.m.roads {
            let table = match &road.height {
                Height::Expression(_) => None,
                Height::Points { points, clamped } => {
                    Some(Arc::new(self.road_table(&road.name, points, *clamped)?))
                }
            };
            self.road_tables.push(table);
        }
        Ok(())
    }
    fn road_table(
        &mut self,
        name: &Text,
        points: &[[Number; 2]],
        clamped: bool,
    ) -> Result<Table, ModelError> {
        // (x, z) of each point
        let what = format!("road `{name}`, points");
        let mut list = vec![];
        for [x, z] in points {
            list.push([self.numbers.constant(x, &what)?, self.numbers.constant(z, &what)?]);
        }
        // two points or more, in the order of x
        if list.len() < 2 {
            let e =
                ModelError::new(format!("{what}: two points or more are expected here, not {}", list.len()));
            return Err(e.at(&name.place));
        }
        if let Some(k) = (1..list.len()).find(|&k| list[k][0] <= list[k - 1][0]) {
            let e = ModelError::new(format!(
                "{what}: x = {} does not come after x = {}",
                list[k][0],
                list[k - 1][0]
            ));
            return Err(e
                .at(&points[k][0].place.clone().or(name.place.clone()))
                .help("list the points with growing x"));
        }
        Ok(Table::new(&list, clamped))
    }
}

impl<'h> SensorEnv<'_, '_, '_, 'h> {
    /// The height of a road at (x, y), and where it ends.
    pub(super) fn height(
        &mut self,
        tyre: &Text,
        road: Option<&Text>,
        [x, y]: [Sym<'h>; 2],
        guards: &mut Vec<Guard<'h>>,
    ) -> Result<Sym<'h>, ModelError> {
        // no road is the plane z = 0
        let (Some(name), m) = (road, self.b.m) else { return Ok(self.graph.constant(0.0)) };
        let Some(k) = m.roads.iter().position(|r| r.name.text == name.text) else {
            return Err(unknown("road", name, m.roads.iter().map(|r| r.name.text.as_str())));
        };
        let Road { name, height } = &m.roads[k];
        // z by the table, which has ends, or by the expression
        match (height, self.b.road_tables[k].clone()) {
            (Height::Points { .. }, Some(table)) => {
                let [first, last] = table.range();
                let text = |end: f64| {
                    format!("the tyre `{tyre}` leaves the road `{name}`, which ends at x = {end} m")
                };
                guards.push(Guard { value: x - first, strict: false, text: text(first) });
                guards.push(Guard { value: last - x, strict: false, text: text(last) });
                Ok(x.table(&table))
            }
            (Height::Expression(z), _) => {
                let before = std::mem::replace(&mut self.local, vec![("x".into(), x), ("y".into(), y)]);
                let z = self.number_of(z, &format!("road `{name}`, height"));
                self.local = before;
                z
            }
            (Height::Points { .. }, None) => unreachable!("tables are made with the roads"),
        }
    }
}
