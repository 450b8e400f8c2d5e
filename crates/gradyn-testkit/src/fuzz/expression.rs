//! Expressions by their grammar, with a grain of nonsense.

use crate::random::Random;

/// Scalars that expressions may use.
pub const NAMES: [&str; 5] = ["x", "y", "t", "k", "A1.angle"];

/// Vectors that they may use.
pub const VECTORS: [&str; 3] = ["P", "R", "B12.P2"];

const UNITS: [&str; 8] = ["mm", "deg", "%", "kN", "h", "t", "furlong", "µm"];

#[rustfmt::skip]
const FUNCTIONS: [&str; 28] = [
    "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "ln", "log", "sinh", "cosh",
    "tanh", "abs", "sign", "min", "max", "if", "norm", "norm2", "dot", "cross", "splus", "smoothstep",
    "join", "vel", "sine",
];

#[rustfmt::skip]
const NUMBERS: [&str; 16] = [
    "0", "1", "2", "-0.0", "0.5", "1e-300", "1e300", "1e308", "1e999", ".5", "1.", "3.1e-7", "1e", "00",
    "1e+5", "123456789012345678901234567890",
];

#[rustfmt::skip]
const OPERATORS: [&str; 13] = [
    "+", "-", "*", "/", "^", "<", "<=", ">", ">=", "==", "+", "*", "=",
];

/// An expression whose depth is at most about ten.
pub fn expression(r: &mut Random) -> String {
    let mut out = String::new();
    let depth = 1 + r.below(6);
    write(r, depth, &mut out);
    out
}

fn pick<'a>(r: &mut Random, list: &[&'a str]) -> &'a str {
    list[r.below(list.len())]
}

/// Appends an expression; at depth 0 it is an atom.
fn write(r: &mut Random, depth: usize, out: &mut String) {
    let kind = if depth == 0 { r.below(5) } else { r.below(14) };
    match kind {
        // number with or without a unit, names
        0 => *out += pick(r, &NUMBERS),
        1 => {
            *out += pick(r, &NUMBERS);
            out.push(' ');
            *out += pick(r, &UNITS);
        }
        2 | 3 => *out += pick(r, &NAMES),
        4 => *out += pick(r, &VECTORS),
        // operators, signs and parentheses
        5..=8 => {
            write(r, depth - 1, out);
            out.push(' ');
            *out += pick(r, &OPERATORS);
            out.push(' ');
            write(r, depth - 1, out);
        }
        9 => {
            *out += pick(r, &["-", "+", "--"]);
            write(r, depth - 1, out);
        }
        10 => listed(r, depth, ["(", ")"], 1, out),
        // functions, vectors and components
        11 => {
            *out += pick(r, &FUNCTIONS);
            let count = r.below(4);
            listed(r, depth, ["(", ")"], count, out);
        }
        12 => {
            let count = r.below(5);
            listed(r, depth, ["[", "]"], count, out);
        }
        _ => {
            listed(r, depth, ["(", ")"], 1, out);
            *out += pick(r, &[".x", ".y", ".z", ".w"]);
        }
    }
}

/// Appends some expressions between brackets.
fn listed(r: &mut Random, depth: usize, brackets: [&str; 2], count: usize, out: &mut String) {
    *out += brackets[0];
    for k in 0..count {
        *out += if k > 0 { ", " } else { "" };
        write(r, depth - 1, out);
    }
    *out += brackets[1];
}
