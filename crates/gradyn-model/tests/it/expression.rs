//! Expressions: values, errors, spans, robustness.

use gradyn_model::expression::{Ast, Env, Expr, ExpressionError, Value, compile, parse};
use gradyn_model::program::{Graph, Sym};
use std::f64::consts::PI;
use std::ops::Range;

/// Names of the tests: inputs x = 0.7, y = -1.3, t = 2, k = 3; the constant zero; vectors P, Q (plane), R, S
/// (space).
struct Names<'g>(&'g Graph);

const X: [f64; 4] = [0.7, -1.3, 2.0, 3.0];

impl<'g> Names<'g> {
    fn vector(&self, v: &[f64]) -> Option<Value<'g>> {
        Some(Value::Vector(v.iter().map(|c| self.0.constant(*c)).collect()))
    }
}

impl<'g> Env<'g> for Names<'g> {
    fn name(&mut self, path: &str, _: Range<usize>) -> Result<Option<Value<'g>>, ExpressionError> {
        Ok(match path {
            "x" | "A1.angle" => Some(Value::Scalar(self.0.input(0))),
            "y" | "B12.2.y" => Some(Value::Scalar(self.0.input(1))),
            "t" | "tau_" => Some(Value::Scalar(self.0.input(2))),
            "k" | "L_A1" | "λ" => Some(Value::Scalar(self.0.input(3))),
            "zero" => Some(Value::Scalar(self.0.constant(0.0))),
            "B12.P2" => self.vector(&[1.0, 2.0]),
            "Q" => self.vector(&[3.0, -4.0]),
            "R" => self.vector(&[1.0, 2.0, 3.0]),
            "S" => self.vector(&[-2.0, 0.5, 4.0]),
            _ => None,
        })
    }

    /// vel(name) = 10 × the vector; sin(Q) is answered here, other sin are not.
    fn call(
        &mut self,
        function: &str,
        args: &[Ast],
        span: Range<usize>,
    ) -> Result<Option<Value<'g>>, ExpressionError> {
        let name = |ast: &Ast| if let Expr::Name(name) = &ast.expr { Some(name.clone()) } else { None };
        match (function, args) {
            ("vel", [point]) => {
                let Some(name) = name(point) else {
                    return Err(ExpressionError::new("vel takes a point", span));
                };
                let Some(Value::Vector(v)) = self.name(&name, point.span.clone())? else { return Ok(None) };
                Ok(Some(Value::Vector(v.into_iter().map(|c| 10.0 * c).collect())))
            }
            ("sin", [a]) if name(a).as_deref() == Some("Q") => Ok(Some(Value::Scalar(self.0.constant(42.0)))),
            _ => Ok(None),
        }
    }

    fn names(&self) -> Vec<String> {
        ["x", "y", "t", "k", "L_A1", "A1.angle", "B12.P2", "Q", "R", "S"].map(String::from).into()
    }
}

fn evaluate(text: &str) -> Result<Vec<f64>, ExpressionError> {
    let graph = Graph::new();
    let outputs: Vec<Sym> = match compile(&parse(text)?, &graph, &mut Names(&graph))? {
        Value::Scalar(s) => vec![s],
        Value::Vector(v) => v,
    };
    let program = graph.program(&outputs);
    let mut regs = vec![0.0; program.registers()];
    program.eval(&X, &mut regs);
    Ok((0..outputs.len()).map(|k| program.output(k, &regs)).collect())
}

#[test]
fn scalars_have_their_values() {
    let [x, y, t, k] = X;
    #[rustfmt::skip]
    let table: &[(&str, f64)] = &[
        // numbers
        ("0", 0.0), ("3", 3.0), ("3.25", 3.25), (".5", 0.5), ("1.", 1.0), ("1e3", 1e3), ("1.5E-3", 1.5e-3),
        ("2e+2", 200.0), ("1.e2", 100.0),
        ("  7  ", 7.0), ("\t7\n", 7.0), ("007", 7.0),
        // units
        ("180 deg", PI), ("-135 deg", -0.75 * PI), ("90deg", 0.5 * PI), ("1 rad", 1.0), ("9 mm", 0.009),
        ("9mm", 0.009), ("3 cm", 0.03),
        ("2 m", 2.0), ("2 km", 2000.0), ("7 um", 7e-6), ("1 in", 0.0254), ("1 ft", 0.3048), ("3 s", 3.0),
        ("3 ms", 0.003), ("3 us", 3e-6),
        ("2 min", 120.0), ("1.5 h", 5400.0), ("250 g", 0.25), ("2 kg", 2.0), ("2 t", 2000.0), ("5 N", 5.0),
        ("5 kN", 5e3), ("5 MN", 5e6),
        ("5 Nm", 5.0), ("5 kNm", 5e3), ("5 J", 5.0), ("5 kJ", 5e3), ("5 W", 5.0), ("5 kW", 5e3),
        ("50 Hz", 50.0), ("5 Pa", 5.0),
        ("5 kPa", 5e3), ("5 MPa", 5e6), ("210 GPa", 2.1e11), ("5 %", 0.05), ("5%", 0.05), ("1e3 mm", 1.0),
        ("2e3mm", 2.0),
        ("1 mm + 1 m", 1.001), ("(3 m)^2", 9.0), ("10 m / 2 s", 5.0), ("2 t * t", 4000.0), ("3 s - t", 1.0),
        // precedence
        ("1 + 2*3", 7.0), ("(1 + 2)*3", 9.0), ("8 - 3 - 2", 3.0), ("8 / 4 / 2", 1.0), ("8 / 4 * 2", 4.0),
        ("2^3^2", 512.0), ("-2^2", -4.0),
        ("(-2)^2", 4.0), ("2^-2", 0.25), ("2^-1^2", 0.5), ("--3", 3.0), ("2 - -3", 5.0), ("2*-3", -6.0),
        ("+3", 3.0), ("2 + +3", 5.0),
        ("-x^2", -x * x), ("2*x^2", 2.0 * x * x), ("-x*y", -x * y), ("x - y - t", x - y - t),
        ("x/y/t", x / y / t), ("x - (y - t)", x - (y - t)),
        ("1 < 2", 1.0), ("2 < 1", 0.0), ("2 <= 2", 1.0), ("2 > 2", 0.0), ("2 >= 2", 1.0), ("2 == 2", 1.0),
        ("2 == 3", 0.0), ("1 + 1 < 1 * 3", 1.0),
        ("(1 < 2) * 5", 5.0), ("x > y", 1.0), ("x < y", 0.0), ("x == x", 1.0), ("x >= 0.7", 1.0),
        ("x <= y", 0.0),
        // names
        ("x", x), ("A1.angle", x), ("B12.2.y", y), ("t", t), ("tau_", t), ("L_A1*2", 2.0 * k),
        ("λ^2", k * k), ("pi", PI), ("2*pi", 2.0 * PI),
        // powers
        ("x^2", x * x), ("x^3", x * x * x), ("x^0", 1.0), ("x^1", x), ("x^-1", 1.0 / x),
        ("x^0.5", x.sqrt()), ("x^1.5", x.powf(1.5)),
        ("x^t", x * x), ("x^y", x.powf(y)), ("y^3", y * y * y), ("(-8)^3", -512.0), ("0^0", 1.0),
        ("(1+1)^(1+2)", 8.0),
        // functions
        ("sqrt(4)", 2.0), ("sqrt(x)", x.sqrt()), ("sin(x)", x.sin()), ("cos(x)", x.cos()),
        ("tan(x)", x.tan()), ("asin(x)", x.asin()),
        ("acos(x)", x.acos()), ("atan(x)", x.atan()), ("atan2(y, x)", y.atan2(x)), ("exp(x)", x.exp()),
        ("ln(x)", x.ln()), ("log(x)", x.ln()),
        ("sinh(x)", x.sinh()), ("cosh(x)", x.cosh()), ("tanh(x)", x.tanh()), ("abs(y)", 1.3),
        ("sign(y)", -1.0), ("sign(zero)", 0.0),
        ("min(x, y)", y), ("max(x, y)", x), ("min(3, 1, 2)", 1.0), ("max(1, 4, 2, 3)", 4.0),
        ("max(x, y, t, k)", k), ("sin (x)", x.sin()),
        ("if(1, 2, 3)", 2.0), ("if(0, 2, 3)", 3.0), ("if(-1, 2, 3)", 3.0), ("if(x > y, x, y)", x),
        ("if(x < y, x, y)", y), ("if(y, 1, 2)", 2.0),
        ("atan2(-1, 1.5)", (-1f64).atan2(1.5)), ("sqrt(2)/2", 0.5f64.sqrt()),
        ("sin(pi/6)^2 + cos(30 deg)^2", 1.0), ("exp(ln(5))", 5.0),
        // vectors to scalars
        ("norm([3, 4])", 5.0), ("norm2([3, 4])", 25.0), ("norm2(B12.P2 - [0.5, -2])", 16.25),
        ("norm(R)", 14f64.sqrt()), ("dot(R, S)", 11.0),
        ("dot([1, 2], [3, 4])", 11.0), ("cross([1, 2], [3, 4])", -2.0), ("norm2(vel(B12.P2))", 500.0),
        ("norm([x])", x), ("sin(Q)", 42.0),
        ("norm(if(1 > 0, [3, 4], [1, 1]))", 5.0), ("norm([x, y] - [x, y])", 0.0),
    ];
    for (text, want) in table {
        let got = evaluate(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(got.len(), 1, "{text}");
        // a few roundings
        assert!((got[0] - want).abs() <= 4e-16 * (1.0 + want.abs()), "{text}: {got:?} against {want}");
    }
}

/// Decimal units are rounded once.
#[test]
fn units_are_exact() {
    for i in 1..1000 {
        assert_eq!(evaluate(&format!("{i} mm")).unwrap(), [format!("{i}e-3").parse::<f64>().unwrap()]);
        assert_eq!(evaluate(&format!("{i} us")).unwrap(), [format!("{i}e-6").parse::<f64>().unwrap()]);
    }
}

#[test]
fn vectors_have_their_values() {
    let x = X[0];
    let table: &[(&str, &[f64])] = &[
        ("[1, 2]", &[1.0, 2.0]),
        ("[x, 2*x, -x]", &[x, 2.0 * x, -x]),
        ("[1, 2] + [3, 5]", &[4.0, 7.0]),
        ("[1, 2] - [3, 5] - [1, 1]", &[-3.0, -4.0]),
        ("-[1, 2]", &[-1.0, -2.0]),
        ("2*[1, 2]", &[2.0, 4.0]),
        ("[1, 2]*2", &[2.0, 4.0]),
        ("2*[1, 2]/4", &[0.5, 1.0]),
        ("x*[1, 2]*2", &[2.0 * x, 4.0 * x]),
        ("B12.P2", &[1.0, 2.0]),
        ("vel(B12.P2)", &[10.0, 20.0]),
        ("-vel(Q)/10", &[-3.0, 4.0]),
        ("[cross(R, S).y, [1, x].y, (R + S).z, -(R).x]", &[-10.0, x, 7.0, -1.0]),
        ("cross(R, S)", &[6.5, -10.0, 4.5]),
        ("cross([1, 0, 0], [0, 1, 0])", &[0.0, 0.0, 1.0]),
        ("if(x > 0, R, S)", &[1.0, 2.0, 3.0]),
        ("if(x < 0, R, S)", &[-2.0, 0.5, 4.0]),
        ("([1, 2])", &[1.0, 2.0]),
        ("[5]", &[5.0]),
    ];
    for (text, want) in table {
        assert_eq!(evaluate(text).unwrap_or_else(|e| panic!("{text}: {e}")), *want, "{text}");
    }
}

/// Expression, text underlined, message, part of the help.
#[rustfmt::skip]
const ERRORS: &[(&str, &str, &str, &str)] = &[
    // structure
    ("", "", "the expression is empty", ""),
    ("   ", "   ", "the expression is empty", ""),
    ("1 2", "2", "unexpected text after the end of the expression", "operator missing"),
    ("x y z ", "y z", "unexpected text after the end of the expression", ""),
    ("1 + 2, 3", ", 3", "unexpected text after the end of the expression", ""),
    ("(1 + 2", "(", "'(' is never closed", "add ')'"),
    ("sin(1", "(", "'(' is never closed", ""),
    ("[1, 2", "[", "'[' is never closed", "add ']'"),
    ("1 + 2)", ")", "')' has no opening partner", ""),
    ("1]", "]", "']' has no opening partner", ""),
    ("(1]", "]", "an operator, ',' or ')' is expected here", ""),
    ("[1 2]", "2", "an operator, ',' or ']' is expected here", ""),
    ("1 +", "", "the expression ends where a value is expected", ""),
    ("* 2", "*", "a value is missing before '*'", ""),
    ("1 + * 2", "*", "a value is missing before '*'", ""),
    ("()", ")", "a value is missing before ')'", ""),
    ("max(1,)", ")", "a value is missing before ')'", ""),
    ("[]", "[]", "a vector needs components", ""),
    ("(R).x.y", ".y", "a component is a number and has no components", ""),
    ("1 < 2 < 3", "<", "comparisons cannot be chained", "(a < b) * (b < c)"),
    // characters and numbers
    ("1 $ 2", "$", "unexpected character '$'", ""),
    ("x − y", "−", "unexpected character '−'", ""),
    ("2 ** 3", "**", "'**' is not an operator", "^"),
    ("x = 3", "=", "'=' is not an operator", "=="),
    ("x % 3", "%", "'%' is not an operator", "unit"),
    ("x && y", "&&", "'&&' is not an operator", ""),
    ("x.", "x.", "a name is missing after 'x.'", ""),
    ("A..b", "A.", "a name is missing after 'A.'", ""),
    ("1e999", "1e999", "this number is too large", ""),
    ("1e308 GPa", "1e308 GPa", "this number is too large", ""),
    ("2x", "x", "'x' after a number is not a unit", "write 2 * x"),
    ("2 sin(x)", "sin", "'sin' after a number is not a unit", "write 2 * sin"),
    ("3 furlongs", "furlongs", "'furlongs' after a number is not a unit", "deg, rad"),
    ("3 mm^2", "3 mm^", "a unit has no exponent", "(3 mm)^2"),
    // names and functions
    ("1 + L_A2", "L_A2", "unknown name 'L_A2'", "did you mean 'L_A1'? known names: x, y"),
    ("a1.Angle", "a1.Angle", "unknown name 'a1.Angle'", "did you mean 'A1.angle'?"),
    ("foobar", "foobar", "unknown name 'foobar'", "known names: x, y, t, k"),
    ("e", "e", "unknown name 'e'", "known names"),
    ("10 m/s", "s", "unknown name 's'", "a unit follows a number, as in 1 s"),
    ("sin + 1", "sin", "unknown name 'sin'", "'sin' is a function; write sin(…)"),
    ("1 + sine(x)", "sine", "unknown function 'sine'", "did you mean 'sin'? known functions: sqrt"),
    ("step(x)", "step", "unknown function 'step'", "known functions"),
    ("sin()", "sin()", "sin takes 1 argument, not 0", ""),
    ("2*sin(x, y) + 1", "sin(x, y)", "sin takes 1 argument, not 2", ""),
    ("atan2(x)", "atan2(x)", "atan2 takes 2 arguments, not 1", ""),
    ("min(x)", "min(x)", "min takes 2 or more arguments, not 1", ""),
    ("if(x, 1)", "if(x, 1)", "if takes 3 arguments, not 2", ""),
    ("vel(1)", "vel(1)", "vel takes a point", ""),
    ("vel(x)", "vel", "unknown function 'vel'", ""),
    // scalars and vectors
    ("sin(R)", "R", "a scalar is expected here, not a vector of 3", "norm(v)"),
    ("abs([1, 2])", "[1, 2]", "a scalar is expected here, not a vector of 2", ""),
    ("[1, [2, 3]]", "[2, 3]", "a scalar is expected here, not a vector of 2", ""),
    ("min(1, Q)", "Q", "a scalar is expected here, not a vector of 2", ""),
    ("if(R, 1, 2)", "R", "a scalar is expected here, not a vector of 3", ""),
    ("if(x, 1, R)", "R", "a scalar is expected here, not a vector of 3", ""),
    ("if(x, R, 1)", "1", "a vector is expected here, not a scalar", ""),
    ("if(x, R, Q)", "Q", "a vector of 3 components is expected here, not of 2", ""),
    ("norm(x)", "x", "a vector is expected here, not a scalar", "[x, y]"),
    ("dot(R, 2)", "2", "a vector is expected here, not a scalar", ""),
    ("dot(R, Q)", "Q", "a vector of 3 components is expected here, not of 2", ""),
    ("cross([1], [2])", "[1]", "cross takes vectors of 2 or 3 components, not of 1", ""),
    ("x*(Q + R)", "Q + R", "vectors of 2 and 3 components cannot be combined by +", ""),
    ("Q + 1", "Q + 1", "a scalar and a vector cannot be combined by +", ""),
    ("1 - Q", "1 - Q", "a scalar and a vector cannot be combined by -", ""),
    ("Q < 1", "Q < 1", "a scalar and a vector cannot be combined by <", ""),
    ("Q == R", "Q == R", "vectors cannot be combined by ==", ""),
    ("Q ^ 2", "Q ^ 2", "a scalar and a vector cannot be combined by ^", ""),
    ("Q * Q", "Q * Q", "two vectors cannot be multiplied by *", "dot(a, b)"),
    ("1 / Q", "Q", "a vector cannot be a divisor", ""),
    // domain
    ("x / 0", "0", "division by zero", ""),
    ("1 / (zero*2)", "zero*2", "division by zero", ""),
    ("R / zero", "zero", "division by zero", ""),
    ("0 / 0", "0", "division by zero", ""),
    ("sqrt(-2)", "-2", "sqrt of a negative number: -2", ""),
    ("1 + ln(0)", "0", "ln of a number that is not positive: 0", ""),
    ("log(1 - 3)", "1 - 3", "log of a number that is not positive: -2", ""),
    ("asin(1.5)", "1.5", "asin of a number outside [-1, 1]: 1.5", ""),
    ("acos(-2)", "-2", "acos of a number outside [-1, 1]: -2", ""),
    ("(-8)^0.5", "(-8)^0.5", "-8 has no real power 0.5", "whole"),
    ("0^-1", "0^-1", "negative power of zero", ""),
    ("1 + exp(1000)", "exp(1000)", "this is not a finite number", ""),
    ("1e308 * 10", "1e308 * 10", "this is not a finite number", ""),
];

#[test]
fn errors_say_what_and_where() {
    for (text, underlined, message, help) in ERRORS {
        let e = match evaluate(text) {
            Err(e) => e,
            Ok(v) => panic!("{text:?} is {v:?}, expected: {message}"),
        };
        assert_eq!((&e.message[..], &text[e.span.clone()]), (*message, *underlined), "{text:?}");
        assert_eq!(e.to_string(), *message);
        let hint = e.help.unwrap_or_default();
        assert!(hint.contains(help), "{text:?}: {hint}");
    }
}

/// 100 levels are fine, 101 are an error, long sums up to a megabyte and 100,000 levels too are no danger.
#[test]
fn nesting_and_length_are_limited() {
    for (open, close) in [("(", ")"), ("sin(", ")"), ("-", ""), ("+", ""), ("1^", ""), ("x-(x<x*(", "))")] {
        let nested = |n: usize| format!("{}0.5{}", open.repeat(n), close.repeat(n));
        let levels = if open.len() > 5 { 50 } else { 100 };
        assert!(evaluate(&nested(levels)).is_ok(), "{open}");
        for n in [levels + 1, 100_000] {
            let e = evaluate(&nested(n)).unwrap_err();
            assert_eq!(e.message, "the expression is nested more than 100 deep", "{open}");
        }
    }
    assert!(evaluate(&"[".repeat(100_000)).is_err());
    let e = evaluate(&format!("1{}", "+1".repeat(1 << 19))).unwrap_err();
    assert_eq!(e.message, "the expression has more than 1048576 bytes");
    let sum = format!("x{}", "+1".repeat(100_000));
    assert!((evaluate(&sum).unwrap()[0] - (X[0] + 1e5)).abs() < 1e-6);
    assert_eq!(evaluate(&format!("1{}", "*-1".repeat(100_000))).unwrap(), [1.0]);
    assert_eq!(evaluate(&format!("[1{}]", ",1".repeat(10_000))).unwrap().len(), 10_001);
}

#[test]
fn spans_cover_the_text_of_the_nodes() {
    let text = "2*(x + A1.angle) - vel( B12.P2 )";
    let mut seen = Vec::new();
    parse(text).unwrap().visit(&mut |ast| seen.push(&text[ast.span.clone()]));
    let want = [text, "2*(x + A1.angle)", "2", "x + A1.angle", "x", "A1.angle", "vel( B12.P2 )", "B12.P2"];
    assert_eq!(seen, want);
    let text = "(-(x))^2 < (y)";
    assert_eq!(parse(text).unwrap().span, 0..text.len());
}

#[test]
fn names_and_calls_are_listed() {
    let ast = parse("x + sin(B12.P2.x*x) / vel(A1.P) + [pi, 3 s]").unwrap();
    let names: Vec<_> = ast.names().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["x", "B12.P2.x", "x", "A1.P", "pi"]);
    assert_eq!(ast.names()[1].1, 8..16);
    assert_eq!(ast.calls(), [("sin".to_string(), 4..19), ("vel".to_string(), 22..31)]);
}

#[test]
fn nonsmooth_uses_are_listed() {
    let text = "abs(x) + sign(y)*max(x, min(y, 1)) + if(x < y, 1, 2) + sin(x)^2";
    let got: Vec<_> =
        parse(text).unwrap().nonsmooth().into_iter().map(|(span, what)| (&text[span], what)).collect();
    let want = [
        ("abs(x)", "abs has a kink where its argument is zero"),
        ("sign(y)", "sign jumps where its argument is zero"),
        ("max(x, min(y, 1))", "max has a kink where two arguments are equal"),
        ("min(y, 1)", "min has a kink where two arguments are equal"),
        ("if(x < y, 1, 2)", "if may jump where its condition changes"),
        ("x < y", "the comparison < jumps between 0 and 1"),
    ];
    assert_eq!(got, want.map(|(text, what)| (text, what.to_string())));
    assert!(parse("sin(x)/norm(Q)^3").unwrap().nonsmooth().is_empty());
}

/// Derivatives pass through: ∂/∂x of an expression by the reverse sweep.
#[test]
fn expressions_have_gradients() {
    let graph = Graph::new();
    let ast = parse("norm([x, y])^2 * if(t > 1, x^3, ln(0 - t))").unwrap();
    let Value::Scalar(f) = compile(&ast, &graph, &mut Names(&graph)).unwrap() else { panic!("scalar") };
    assert_eq!(f.inputs(), [0, 1, 2]);
    let program = graph.program(&[f]);
    let (mut regs, mut bars, mut xbar) =
        (vec![0.0; program.registers()], vec![0.0; program.registers()], [0.0; 4]);
    program.eval(&X, &mut regs);
    program.reverse(&regs, &[(0, 1.0)], &mut bars, &mut xbar);
    let [x, y, ..] = X;
    // (x² + y²) x³
    for (got, want) in
        xbar.into_iter().zip([5.0 * x.powi(4) + 3.0 * x * x * y * y, 2.0 * y * x.powi(3), 0.0, 0.0])
    {
        assert!((got - want).abs() < 1e-14, "{got} against {want}");
    }
}

/// A xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }
}

/// Neither parsing nor compiling nor evaluating any text panics; spans of errors are slices of the text.
#[test]
fn no_text_panics() {
    const PIECES: &[&str] = &[
        "x", "y", "Q", "R", "zero", "1", "2.5", "0", ".", "1e", "e9", " ", "+", "-", "*", "/", "^", "(", ")",
        "[", "]", ",", "<", "<=", "==", "=", "sin(", "sqrt(", "if(", "max(", "norm(", "cross(", "vel(",
        "deg", "mm", "%", "λ", "−", "\u{0}", "\n", "A1.angle", "pi", "é.", "𝒳",
    ];
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut good = 0;
    for round in 0..40_000 {
        let text = if round % 2 == 0 {
            let bytes: Vec<u8> = (0..random.below(40)).map(|_| random.below(256) as u8).collect();
            String::from_utf8_lossy(&bytes).into_owned()
        } else {
            (0..random.below(12)).map(|_| PIECES[random.below(PIECES.len())]).collect()
        };
        match evaluate(&text) {
            Ok(_) => good += 1,
            Err(e) => assert!(text.get(e.span.clone()).is_some(), "{text:?}: {e:?}"),
        }
    }
    assert!(good > 500, "{good} of the texts are expressions");
}
