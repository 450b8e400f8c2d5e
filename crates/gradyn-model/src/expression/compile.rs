//! [`Ast`] → symbols. What the environment does not know is looked up here: `pi` and the built-in functions.

mod functions;

use super::{Ast, Expr, ExpressionError, Operator, listing, unit};
use crate::program::{Graph, Sym};
use functions::call;
use std::ops::Range;

/// The value of an expression.
#[derive(Clone, Debug)]
pub enum Value<'g> {
    /// A single number.
    Scalar(Sym<'g>),
    /// A vector, by its components.
    Vector(Vec<Sym<'g>>),
}

/// What names and functions mean.
pub trait Env<'g> {
    /// The value of a name; `None` if it is unknown.
    fn name(&mut self, path: &str, span: Range<usize>) -> Result<Option<Value<'g>>, ExpressionError>;
    /// The value of a function such as `vel(A1.P)`; `None` if it is unknown. Asked before the built-in
    /// functions.
    fn call(
        &mut self,
        function: &str,
        args: &[Ast],
        span: Range<usize>,
    ) -> Result<Option<Value<'g>>, ExpressionError>;
    /// The known names, for messages.
    fn names(&self) -> Vec<String>;
}

/// The built-in functions.
#[rustfmt::skip]
pub(crate) const FUNCTIONS: &[&str] = &[
    "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "ln", "log", "sinh", "cosh", "tanh",
    "abs", "sign", "min", "max", "if", "norm", "norm2", "dot", "cross", "splus", "smoothstep", "join",
];

type Compiled<'g> = Result<Value<'g>, ExpressionError>;

/// The value of `ast` in `graph`, with names from `env`.
pub fn compile<'g>(ast: &Ast, graph: &'g Graph, env: &mut dyn Env<'g>) -> Compiled<'g> {
    // functions of the environment come before the built-in ones
    let value = match &ast.expr {
        Expr::Number(x) => Value::Scalar(graph.constant(*x)),
        Expr::Name(name) => self::name(name, ast, graph, env)?,
        Expr::Call { function, args } => match env.call(function, args, ast.span.clone())? {
            Some(value) => value,
            None => call(function, args, ast, graph, env)?,
        },
        Expr::Vector(items) => {
            Value::Vector(items.iter().map(|a| scalar(a, graph, env)).collect::<Result<_, _>>()?)
        }
        Expr::Component(a, k) => {
            let v = vector(a, graph, env)?;
            Value::Scalar(
                *v.get(*k)
                    .ok_or_else(|| error(format!("a vector of {} has no such component", v.len()), ast))?,
            )
        }
        Expr::Neg(a) => each(compile(a, graph, env)?, |x| -x),
        Expr::Binary(first, rest) => {
            let mut value = compile(first, graph, env)?;
            for (k, (op, right)) in rest.iter().enumerate() {
                let end = if k + 1 == rest.len() { ast.span.end } else { right.span.end };
                value = binary(*op, value, right, ast.span.start..end, graph, env)?;
            }
            value
        }
    };
    // a constant that is not finite is a mistake
    finite(value, ast)
}

/// Constants that overflow or are undefined are errors.
fn finite<'g>(value: Value<'g>, ast: &Ast) -> Compiled<'g> {
    let bad = components(&value).iter().any(|x| x.as_constant().is_some_and(|c| !c.is_finite()));
    if bad { Err(error("this is not a finite number", ast)) } else { Ok(value) }
}

fn error(message: impl Into<String>, ast: &Ast) -> ExpressionError {
    ExpressionError::new(message, ast.span.clone())
}

fn components<'a, 'g>(value: &'a Value<'g>) -> &'a [Sym<'g>] {
    match value {
        Value::Scalar(x) => std::slice::from_ref(x),
        Value::Vector(x) => x,
    }
}

fn each<'g>(value: Value<'g>, f: impl Fn(Sym<'g>) -> Sym<'g>) -> Value<'g> {
    match value {
        Value::Scalar(x) => Value::Scalar(f(x)),
        Value::Vector(x) => Value::Vector(x.into_iter().map(f).collect()),
    }
}

/// A scalar, or an error at `ast`.
fn scalar<'g>(ast: &Ast, graph: &'g Graph, env: &mut dyn Env<'g>) -> Result<Sym<'g>, ExpressionError> {
    match compile(ast, graph, env)? {
        Value::Scalar(x) => Ok(x),
        Value::Vector(x) => {
            Err(error(format!("a scalar is expected here, not a vector of {}", x.len()), ast)
                .help("norm(v) is its length; components are written v.x, v.y, v.z"))
        }
    }
}

/// A vector, or an error at `ast`.
fn vector<'g>(ast: &Ast, graph: &'g Graph, env: &mut dyn Env<'g>) -> Result<Vec<Sym<'g>>, ExpressionError> {
    match compile(ast, graph, env)? {
        Value::Vector(x) => Ok(x),
        Value::Scalar(_) => {
            Err(error("a vector is expected here, not a scalar", ast).help("a vector is written [x, y]"))
        }
    }
}

fn name<'g>(name: &str, ast: &Ast, graph: &'g Graph, env: &mut dyn Env<'g>) -> Compiled<'g> {
    if let Some(value) = env.name(name, ast.span.clone())? {
        return Ok(value);
    }
    if name == "pi" {
        return Ok(Value::Scalar(graph.constant(std::f64::consts::PI)));
    }
    let names = env.names();
    let known: Vec<&str> = names.iter().map(String::as_str).chain(["pi"]).collect();
    let mut help = listing("names", name, &known);
    if FUNCTIONS.contains(&name) {
        help = format!("'{name}' is a function; write {name}(…)");
    } else if unit::to_si(1.0, name).is_some() {
        help = format!("a unit follows a number, as in 1 {name}; {help}");
    }
    Err(error(format!("unknown name '{name}'"), ast).help(help))
}

/// left ∘ right, which stand at `all`.
fn binary<'g>(
    op: Operator,
    left: Value<'g>,
    right: &Ast,
    all: Range<usize>,
    graph: &'g Graph,
    env: &mut dyn Env<'g>,
) -> Compiled<'g> {
    let fail = |message: String| Err(ExpressionError::new(message, all.clone()));
    let text = op.text();
    // quotients and products, sums of vectors, then scalars; what is left has no meaning
    Ok(match (op, left, compile(right, graph, env)?) {
        (Operator::Div, _, Value::Vector(_)) => return Err(error("a vector cannot be a divisor", right)),
        (Operator::Div, _, Value::Scalar(b)) if b.as_constant() == Some(0.0) => {
            return Err(error("division by zero", right));
        }
        (Operator::Div, a, Value::Scalar(b)) => each(a, |x| x / b),
        (Operator::Mul, Value::Vector(_), Value::Vector(_)) => {
            return Err(ExpressionError::new("two vectors cannot be multiplied by *", all)
                .help("write dot(a, b) or cross(a, b)"));
        }
        (Operator::Mul, a, Value::Scalar(b)) => each(a, |x| x * b),
        (Operator::Mul, Value::Scalar(a), b) => each(b, |x| a * x),
        (Operator::Add | Operator::Sub, Value::Vector(a), Value::Vector(b)) => sum(op, a, b, all)?,
        (_, Value::Scalar(a), Value::Scalar(b)) => Value::Scalar(combined(op, a, b, all)?),
        (_, Value::Vector(_), Value::Vector(_)) => {
            return fail(format!("vectors cannot be combined by {text}"));
        }
        _ => return fail(format!("a scalar and a vector cannot be combined by {text}")),
    })
}

/// The sum or difference of two vectors.
fn sum<'g>(op: Operator, a: Vec<Sym<'g>>, b: Vec<Sym<'g>>, all: Range<usize>) -> Compiled<'g> {
    if a.len() != b.len() {
        let text = op.text();
        let message =
            format!("vectors of {} and {} components cannot be combined by {text}", a.len(), b.len());
        return Err(ExpressionError::new(message, all));
    }
    let part = |(a, b): (Sym<'g>, Sym<'g>)| if op == Operator::Add { a + b } else { a - b };
    Ok(Value::Vector(a.into_iter().zip(b).map(part).collect()))
}

/// Two scalars combined by an operator.
fn combined<'g>(op: Operator, a: Sym<'g>, b: Sym<'g>, all: Range<usize>) -> Result<Sym<'g>, ExpressionError> {
    Ok(match op {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Lt => a.lt(b),
        Operator::Le => a.le(b),
        Operator::Gt => a.gt(b),
        Operator::Ge => a.ge(b),
        Operator::Eq => a.eq(b),
        Operator::Pow | Operator::Mul | Operator::Div => power(a, b, all)?,
    })
}

/// The power aᵇ, where it is defined.
fn power<'g>(a: Sym<'g>, b: Sym<'g>, span: Range<usize>) -> Result<Sym<'g>, ExpressionError> {
    match (a.as_constant(), b.as_constant()) {
        (Some(0.0), Some(b)) if b < 0.0 => Err(ExpressionError::new("negative power of zero", span)),
        (Some(a), Some(b)) if a < 0.0 && b.fract() != 0.0 => {
            Err(ExpressionError::new(format!("{a} has no real power {b}"), span)
                .help("the exponent of a negative number is whole"))
        }
        _ => Ok(a.powf(b)),
    }
}

fn same_length(a: &[Sym<'_>], b: &[Sym<'_>], at: &Ast) -> Result<(), ExpressionError> {
    if a.len() == b.len() {
        return Ok(());
    }
    Err(error(format!("a vector of {} components is expected here, not of {}", a.len(), b.len()), at))
}

/// Two vectors of one length.
fn pair<'g>(
    args: &[Ast],
    graph: &'g Graph,
    env: &mut dyn Env<'g>,
) -> Result<(Vec<Sym<'g>>, Vec<Sym<'g>>), ExpressionError> {
    let a = vector(&args[0], graph, env)?;
    let b = vector(&args[1], graph, env)?;
    same_length(&a, &b, &args[1])?;
    Ok((a, b))
}

fn dot<'g>(graph: &'g Graph, a: &[Sym<'g>], b: &[Sym<'g>]) -> Sym<'g> {
    a.iter().zip(b).fold(graph.constant(0.0), |sum, (&a, &b)| sum + a * b)
}

/// a × b: a scalar in the plane, a vector in space.
fn cross<'g>(args: &[Ast], graph: &'g Graph, env: &mut dyn Env<'g>) -> Compiled<'g> {
    let (a, b) = pair(args, graph, env)?;
    let minor = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
    match a.len() {
        2 => Ok(Value::Scalar(minor(0, 1))),
        3 => Ok(Value::Vector(vec![minor(1, 2), minor(2, 0), minor(0, 1)])),
        n => Err(error(format!("cross takes vectors of 2 or 3 components, not of {n}"), &args[0])),
    }
}

/// The value of an expression without names, such as `1 ms` or `pi/2`.
pub fn constant(text: &str) -> Result<f64, ExpressionError> {
    let ast = super::parse(text)?;
    let graph = Graph::new();
    let value = match compile(&ast, &graph, &mut NoNames)? {
        Value::Scalar(s) => s.as_constant(),
        Value::Vector(_) => None,
    };
    value.ok_or_else(|| ExpressionError::new("a constant number is expected here", ast.span))
}

/// An environment without names.
struct NoNames;

impl<'g> Env<'g> for NoNames {
    fn name(&mut self, _: &str, _: Range<usize>) -> Result<Option<Value<'g>>, ExpressionError> {
        Ok(None)
    }
    fn call(&mut self, _: &str, _: &[Ast], _: Range<usize>) -> Result<Option<Value<'g>>, ExpressionError> {
        Ok(None)
    }
    fn names(&self) -> Vec<String> {
        vec![]
    }
}
