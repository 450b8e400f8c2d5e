//! The built-in functions.

use super::*;

/// Whether a built-in function exists and takes so many arguments.
pub(super) fn check_call(function: &str, given: usize, ast: &Ast) -> Result<(), ExpressionError> {
    // how many arguments the function takes
    let (least, most) = match function {
        "atan2" | "dot" | "cross" | "splus" => (2, 2),
        "min" | "max" => (2, usize::MAX),
        "if" => (3, 3),
        "join" => (4, 4),
        _ if FUNCTIONS.contains(&function) => (1, 1),
        _ => {
            let span = ast.span.start..ast.span.start + function.len();
            let help = listing("functions", function, FUNCTIONS);
            return Err(ExpressionError::new(format!("unknown function '{function}'"), span).help(help));
        }
    };
    // whether that many are given
    if (least..=most).contains(&given) {
        return Ok(());
    }
    let more = if most > least { " or more" } else { "" };
    let s = if least == 1 { "" } else { "s" };
    Err(error(format!("{function} takes {least}{more} argument{s}, not {given}"), ast))
}

/// A built-in function.
pub(super) fn call<'g>(
    function: &str,
    args: &[Ast],
    ast: &Ast,
    graph: &'g Graph,
    env: &mut dyn Env<'g>,
) -> Compiled<'g> {
    check_call(function, args.len(), ast)?;
    // functions of vectors and of several arguments, then those of one number
    Ok(match function {
        "if" => choose(args, graph, env)?,
        "cross" => cross(args, graph, env)?,
        "dot" => {
            let (a, b) = pair(args, graph, env)?;
            Value::Scalar(dot(graph, &a, &b))
        }
        "norm" | "norm2" => {
            let a = vector(&args[0], graph, env)?;
            let square = dot(graph, &a, &a);
            Value::Scalar(if function == "norm" { square.sqrt() } else { square })
        }
        "splus" => Value::Scalar(corner(args, graph, env)?),
        "join" => {
            let [x, at, below, above] =
                [&args[0], &args[1], &args[2], &args[3]].map(|a| scalar(a, graph, env));
            Value::Scalar(x?.meets(at?).select(above?, below?))
        }
        "min" | "max" | "atan2" => Value::Scalar(folded(function, args, graph, env)?),
        _ => Value::Scalar(elementary(function, scalar(&args[0], graph, env)?, &args[0])?),
    })
}

/// A function of several numbers, from the first to the last.
pub(super) fn folded<'g>(
    function: &str,
    args: &[Ast],
    graph: &'g Graph,
    env: &mut dyn Env<'g>,
) -> Result<Sym<'g>, ExpressionError> {
    let mut value = scalar(&args[0], graph, env)?;
    for arg in &args[1..] {
        let next = scalar(arg, graph, env)?;
        value = match function {
            "min" => value.min(next),
            "max" => value.max(next),
            _ => value.atan2(next),
        };
    }
    Ok(value)
}

/// A function of one scalar.
pub(super) fn elementary<'g>(function: &str, x: Sym<'g>, ast: &Ast) -> Result<Sym<'g>, ExpressionError> {
    // a constant must lie where the function is defined
    if let Some(c) = x.as_constant() {
        let wrong = match function {
            "sqrt" if c < 0.0 => Some("of a negative number"),
            "ln" | "log" if c <= 0.0 => Some("of a number that is not positive"),
            "asin" | "acos" if c.abs() > 1.0 => Some("of a number outside [-1, 1]"),
            _ => None,
        };
        if let Some(wrong) = wrong {
            return Err(error(format!("{function} {wrong}: {c}"), ast));
        }
    }
    // f(x); the rest are logarithms
    Ok(match function {
        "sqrt" => x.sqrt(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "asin" => x.asin(),
        "acos" => x.acos(),
        "atan" => x.atan(),
        "exp" => x.exp(),
        "sinh" => x.sinh(),
        "cosh" => x.cosh(),
        "tanh" => x.tanh(),
        "abs" => x.abs(),
        "sign" => x.sign(),
        "smoothstep" => x.smoothstep(),
        _ => x.ln(),
    })
}

/// splus(d, e) with e > 0.
pub(super) fn corner<'g>(
    args: &[Ast],
    graph: &'g Graph,
    env: &mut dyn Env<'g>,
) -> Result<Sym<'g>, ExpressionError> {
    let d = scalar(&args[0], graph, env)?;
    let e = scalar(&args[1], graph, env)?;
    match e.as_constant() {
        Some(c) if c <= 0.0 => {
            Err(error(format!("splus: the half-width of the corner is {c}"), &args[1]).help("it is positive"))
        }
        _ => Ok(d.splus(e)),
    }
}

/// if(cond, a, b): a where cond > 0.
pub(super) fn choose<'g>(args: &[Ast], graph: &'g Graph, env: &mut dyn Env<'g>) -> Compiled<'g> {
    let c = scalar(&args[0], graph, env)?;
    Ok(match compile(&args[1], graph, env)? {
        Value::Scalar(a) => Value::Scalar(c.select(a, scalar(&args[2], graph, env)?)),
        Value::Vector(a) => {
            let b = vector(&args[2], graph, env)?;
            same_length(&a, &b, &args[2])?;
            Value::Vector(a.into_iter().zip(b).map(|(a, b)| c.select(a, b)).collect())
        }
    })
}
