//! What a value does at a point, by values on both sides of it.
//!
//! ```text
//! y(ε) - y(-ε)    stays as ε shrinks: a jump;   |y(±ε)| grows: a pole                                 (2)
//! ẏ(ε) - ẏ(-ε)    stays or grows a little: a corner;   so does a gap of ÿ, where that counts          (3)
//! ```
//! On each side values change by less than the gap.

use crate::prepare::Break;
use gradyn_num::Dual;

/// Changes below this part of the largest value are rounding: of values, slopes, second rates.
const ROUNDING: [f64; 3] = [1e-9, 1e-8, 1e-5];
/// On one side, from ε to 2ε, values change by less than this part of the gap.
const SMOOTH: f64 = 0.3;

/// A number with its rate.
pub(super) type Moving = Dual<f64, 1>;

/// A value at -2ε, -ε, ε and 2ε of a point, with its rate.
pub(super) struct Near {
    pub y: [Moving; 4],
    pub ε: f64,
}

impl Near {
    /// (2) and (3) by values that are farther from the point: what happens to which rate, and the gap.
    /// `sizes` are those of y and of its rates, and `second` says that the second rate counts.
    pub(super) fn breaks(&self, far: &Self, sizes: [f64; 3], second: bool) -> Option<(Break, usize, f64)> {
        if self.size() > 5.0 * far.size() && self.size() > 1e-3 * sizes[0] {
            return Some((Break::Pole, 0, self.size()));
        }
        // (gap, change on one side) of the value, the slope and, by differences of it, the second rate
        let gaps = |near: &Self, level: usize| {
            let [a, b, c, d] = near.y.map(|y| if level == 0 { y.re } else { y.eps[0] });
            match level {
                2 => [((d - c) - (b - a)).abs() / near.ε, 0.0],
                _ => [(c - b).abs(), (d - c).abs().max((b - a).abs())],
            }
        };
        // a cusp grows, rounding of a quotient of zeros grows faster
        let growth = [2.0, 20.0, 20.0];
        let breaks = |level: usize| {
            let [gap, side] = gaps(self, level);
            let [wide, _] = gaps(far, level);
            let stays = gap > 0.5 * wide && gap < growth[level] * wide && side < SMOOTH * gap;
            let least = ROUNDING[level] * sizes[level].max(if level == 0 { self.size() } else { 0.0 });
            (stays && gap > least).then_some(gap)
        };
        let does = [Break::Jump, Break::Corner, Break::Corner];
        let levels = if second { 3 } else { 2 };
        (0..levels).find_map(|level| breaks(level).map(|gap| (does[level], level, gap)))
    }
    /// The largest value next to the point.
    fn size(&self) -> f64 {
        self.y[1].re.abs().max(self.y[2].re.abs())
    }
}
