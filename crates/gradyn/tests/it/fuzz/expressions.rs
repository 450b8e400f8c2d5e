//! Expressions by their grammar, half of them mutated.

use super::named::within;
use gradyn_model::expression::{Ast, Env, ExpressionError, Value, check_units, compile, parse};
use gradyn_model::program::Graph;
use gradyn_testkit::fuzz::{self, Case, Corpus, Counts, Fate, NAMES, VECTORS, expression};
use std::ops::Range;
use std::sync::LazyLock;

/// Names of the generator: scalars are inputs, vectors have two or three components.
struct Names<'g>(&'g Graph);

impl<'g> Env<'g> for Names<'g> {
    fn name(&mut self, path: &str, _: Range<usize>) -> Result<Option<Value<'g>>, ExpressionError> {
        if let Some(k) = NAMES.iter().position(|n| *n == path) {
            return Ok(Some(Value::Scalar(self.0.input(k))));
        }
        let vector = VECTORS.iter().position(|n| *n == path);
        Ok(vector
            .map(|k| Value::Vector((0..3 - k % 2).map(|i| self.0.input((i + k) % NAMES.len())).collect())))
    }
    fn call(&mut self, _: &str, _: &[Ast], _: Range<usize>) -> Result<Option<Value<'g>>, ExpressionError> {
        Ok(None)
    }
    fn names(&self) -> Vec<String> {
        NAMES.iter().chain(&VECTORS).map(|n| (*n).into()).collect()
    }
}

/// Values and derivatives of an expression.
fn evaluated(text: &str) -> Result<(), ExpressionError> {
    // names and units of the text
    let ast = parse(text)?;
    check_units(text, true, |name| NAMES.contains(&name))?;
    let _ = (ast.names(), ast.calls(), ast.nonsmooth());

    // value at a point, its derivatives backwards
    let graph = Graph::new();
    let outputs = match compile(&ast, &graph, &mut Names(&graph))? {
        Value::Scalar(x) => vec![x],
        Value::Vector(x) => x,
    };
    let rates = graph.rates(&outputs, |k| graph.input((k + 1) % NAMES.len()));
    let program = graph.program(&[outputs, rates].concat());
    let mut registers = vec![0.0; program.registers()];
    program.eval(&[0.7, -1.3, 2.0, 3.0, 0.0], &mut registers);
    let mut bars = vec![0.0; program.registers()];
    let mut gradient = [0.0; NAMES.len()];
    let seeds: Vec<(usize, f64)> = (0..program.outputs()).map(|k| (k, 1.0)).collect();
    program.reverse(&registers, &seeds, &mut bars, &mut gradient);
    Ok(())
}

fn case(case: &mut Case) -> Fate {
    static WORDS: LazyLock<Corpus> = LazyLock::new(|| {
        let mut r = gradyn_testkit::random::Random(1);
        let texts: Vec<String> = (0..200).map(|_| expression(&mut r)).collect();
        Corpus::new(texts.iter().map(String::as_str))
    });
    // expression, and in half of the cases a mutation of it
    let input = expression(&mut case.random);
    case.set(input);
    if case.random.below(2) == 0 {
        let input = WORDS.mutated(&case.input, &mut case.random);
        case.set(input);
    }
    match evaluated(&case.input) {
        Ok(()) => Ok("evaluated"),
        Err(e) if e.message.is_empty() => Err("an error without a message".into()),
        Err(e) => within(&e.span, &case.input).map(|()| "refused"),
    }
}

pub(super) fn check(cases: Range<u64>) {
    let counts: Counts = fuzz::check("expressions", cases, case);
    assert!(counts.of("evaluated") > 0 || counts.of("refused") > 0);
}
