//! Line plots as SVG text: panels below each other, linear or logarithmic axes.

use std::fmt::Write;

/// Size of a panel, and its margins left, right, top, bottom.
const SIZE: [f64; 2] = [680.0, 340.0];
const MARGIN: [f64; 4] = [70.0, 190.0, 36.0, 46.0];
/// Colours that differ for the colour-blind as well (Okabe and Ito).
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// A line with its name.
pub(crate) struct Series {
    pub name: String,
    pub points: Vec<[f64; 2]>,
    /// Small circles at the points.
    pub marked: bool,
}

/// A panel with its axes and lines.
pub(crate) struct Plot {
    pub title: String,
    /// Labels of x and y.
    pub labels: [&'static str; 2],
    /// Logarithmic axes?
    pub log: bool,
    pub series: Vec<Series>,
}

/// A marked line.
pub(crate) fn marked(name: impl Into<String>, points: Vec<[f64; 2]>) -> Series {
    Series { name: name.into(), points, marked: true }
}

/// One axis: from data to pixels.
struct Axis {
    range: [f64; 2],
    pixels: [f64; 2],
    log: bool,
}

impl Axis {
    fn new(values: impl Iterator<Item = f64>, pixels: [f64; 2], log: bool) -> Self {
        let kept =
            values.filter(|x| x.is_finite() && (!log || *x > 0.0)).map(|x| if log { x.log10() } else { x });
        let [a, b] = kept.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)]);
        let step = if log { 1.0 } else { nice(b - a) };
        let low = (a / step + 1e-9).floor() * step;
        let high = (b / step - 1e-9).ceil() * step;
        Self { range: [low, if high > low { high } else { low + step }], pixels, log }
    }
    /// `None` where there is no place: zero on a logarithmic axis.
    fn at(&self, x: f64) -> Option<f64> {
        let x = if self.log { x.log10() } else { x };
        let [a, b] = self.range;
        x.is_finite().then(|| self.pixels[0] + (x - a) / (b - a) * (self.pixels[1] - self.pixels[0]))
    }
    /// Pixels and texts of the ticks.
    fn ticks(&self) -> Vec<(f64, String)> {
        let [a, b] = self.range;
        let step = if self.log { ((b - a) / 8.0).ceil() } else { nice(b - a) };
        let count = ((b - a) / step + 1e-9) as usize;
        let tick = |k: usize| {
            let x = a + k as f64 * step;
            let pixel = self.pixels[0] + (x - a) / (b - a) * (self.pixels[1] - self.pixels[0]);
            let digits = (-step.log10().floor()).max(0.0) as usize;
            (pixel, if self.log { format!("1e{x:.0}") } else { format!("{x:.digits$}") })
        };
        (0..=count).map(tick).collect()
    }
}

/// A step of 1, 2 or 5 times a power of ten: four to ten of them in the width.
fn nice(width: f64) -> f64 {
    let power = 10f64.powf((width.max(1e-300) / 4.0).log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|f| f * power).find(|s| width / s >= 4.0).unwrap_or(power)
}

fn text(out: &mut String, [x, y]: [f64; 2], anchor: &str, more: &str, words: &str) {
    let words = words.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\"{more}>{words}</text>");
}

/// Frame, grid, ticks and labels.
fn frame(out: &mut String, plot: &Plot, x: &Axis, y: &Axis) {
    let [left, right] = x.pixels;
    let [bottom, top] = y.pixels;

    // grid and ticks
    for (at, label) in x.ticks() {
        let _ = writeln!(out, "<path d=\"M{at:.1} {bottom:.1}V{top:.1}\" stroke=\"#ddd\"/>");
        text(out, [at, bottom + 16.0], "middle", "", &label);
    }
    for (at, label) in y.ticks() {
        let _ = writeln!(out, "<path d=\"M{left:.1} {at:.1}H{right:.1}\" stroke=\"#ddd\"/>");
        text(out, [left - 6.0, at + 4.0], "end", "", &label);
    }

    // frame
    let w = right - left;
    let h = bottom - top;
    let _ = writeln!(
        out,
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" fill=\"none\" \
         stroke=\"#444\"/>"
    );

    // title and labels
    let cx = 0.5 * (left + right);
    let cy = 0.5 * (top + bottom);
    text(out, [cx, top - 12.0], "middle", " font-weight=\"bold\"", &plot.title);
    text(out, [cx, bottom + 36.0], "middle", "", plot.labels[0]);
    let turn = format!(" transform=\"rotate(-90 {:.1} {cy:.1})\"", left - 54.0);
    text(out, [left - 54.0, cy], "middle", &turn, plot.labels[1]);
}

/// The lines, and their names to the right of the frame.
fn lines(out: &mut String, plot: &Plot, x: &Axis, y: &Axis) {
    for (k, s) in plot.series.iter().enumerate() {
        // the points that have a place
        let colour = COLOURS[k % COLOURS.len()];
        let points: Vec<[f64; 2]> =
            s.points.iter().filter_map(|p| Some([x.at(p[0])?, y.at(p[1])?])).collect();

        // line and marks
        let list: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let path = list.join(" ");
        let _ = writeln!(
            out,
            "<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>"
        );
        if s.marked {
            points.iter().for_each(|[x, y]| {
                let _ = writeln!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>");
            });
        }

        // name
        let left = x.pixels[1] + 12.0;
        let row = y.pixels[1] + 12.0 + 18.0 * k as f64;
        let _ = writeln!(out, "<path d=\"M{left:.1} {row:.1}h18\" stroke=\"{colour}\" stroke-width=\"2\"/>");
        text(out, [left + 24.0, row + 4.0], "start", "", &s.name);
    }
}

/// The whole picture.
pub(crate) fn picture(plots: &[Plot]) -> String {
    let [width, height] = [SIZE[0], SIZE[1] * plots.len() as f64];
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" \
         fill=\"white\"/>\n"
    );
    for (k, plot) in plots.iter().enumerate() {
        let top = SIZE[1] * k as f64;
        let all = || plot.series.iter().flat_map(|s| &s.points);
        let x = Axis::new(all().map(|p| p[0]), [MARGIN[0], SIZE[0] - MARGIN[1]], plot.log);
        let y = Axis::new(all().map(|p| p[1]), [top + SIZE[1] - MARGIN[3], top + MARGIN[2]], plot.log);
        frame(&mut out, plot, &x, &y);
        lines(&mut out, plot, &x, &y);
    }
    out + "</svg>\n"
}
