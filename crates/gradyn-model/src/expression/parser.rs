//! Tokens → [`Ast`], by recursive descent, one function per line of the grammar.

use super::lexer::{Kind, Token, tokens};
use super::{Ast, Expr, ExpressionError, Operator};

/// Deepest nesting of parentheses, brackets, signs and powers.
const DEPTH: usize = 100;

/// Longest expression [bytes].
const LENGTH: usize = 1 << 20;

const SUM: &[Operator] = &[Operator::Add, Operator::Sub];
const PRODUCT: &[Operator] = &[Operator::Mul, Operator::Div];
const COMPARISON: &[Operator] = &[Operator::Lt, Operator::Le, Operator::Gt, Operator::Ge, Operator::Eq];

type Parsed = Result<Ast, ExpressionError>;

/// Parses the whole of `text`.
pub(super) fn parse(text: &str) -> Parsed {
    if text.len() > LENGTH {
        let message = format!("the expression has more than {LENGTH} bytes");
        return Err(
            ExpressionError::new(message, 0..text.len()).help("give parts of it a name, as constants")
        );
    }
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0 };
    if parser.peek().kind == Kind::End {
        return Err(ExpressionError::new("the expression is empty", 0..text.len()));
    }
    let ast = parser.expression()?;
    let Token { kind, span } = parser.peek();
    match kind {
        Kind::End => Ok(ast),
        Kind::Symbol(s @ (")" | "]")) => {
            Err(ExpressionError::new(format!("'{s}' has no opening partner"), span.clone()))
        }
        _ => Err(ExpressionError::new(
            "unexpected text after the end of the expression",
            span.start..text.trim_end().len(),
        )
        .help("is an operator missing?")),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    /// expression = sum [comparison sum]
    fn expression(&mut self) -> Parsed {
        let start = self.peek().span.start;
        let first = self.sum()?;
        let Some(op) = self.operator(COMPARISON) else { return Ok(first) };
        let rest = vec![(op, self.sum()?)];
        let ast = self.join(start, first, rest);
        match self.operator(COMPARISON) {
            None => Ok(ast),
            Some(_) => {
                let span = self.tokens[self.at - 1].span.clone();
                Err(ExpressionError::new("comparisons cannot be chained", span)
                    .help("write (a < b) * (b < c)"))
            }
        }
    }

    /// sum = product {("+" | "-") product}
    fn sum(&mut self) -> Parsed {
        self.chain(SUM, Self::product)
    }

    /// product = unary {("*" | "/") unary}
    fn product(&mut self) -> Parsed {
        self.chain(PRODUCT, Self::unary)
    }

    fn chain(&mut self, operators: &[Operator], operand: fn(&mut Self) -> Parsed) -> Parsed {
        let start = self.peek().span.start;
        let first = operand(self)?;
        let mut rest = Vec::new();
        while let Some(op) = self.operator(operators) {
            rest.push((op, operand(self)?));
        }
        Ok(if rest.is_empty() { first } else { self.join(start, first, rest) })
    }

    /// unary = ("-" | "+") unary | power
    fn unary(&mut self) -> Parsed {
        let start = self.peek().span.start;
        if self.take("-") {
            let a = self.deeper(Self::unary)?;
            return Ok(Ast { expr: Expr::Neg(Box::new(a)), span: start..self.end() });
        }
        if self.take("+") { self.deeper(Self::unary) } else { self.power() }
    }

    /// power = component ["^" unary]
    fn power(&mut self) -> Parsed {
        let start = self.peek().span.start;
        let unit = matches!(self.peek().kind, Kind::Number { unit: Some(_), .. });
        let base = self.component()?;
        if !self.take("^") {
            return Ok(base);
        }
        if unit {
            return Err(ExpressionError::new("a unit has no exponent", start..self.end())
                .help("write (3 mm)^2 for 9 mm², 3 * (1 mm)^2 for 3 mm²"));
        }
        let rest = vec![(Operator::Pow, self.deeper(Self::unary)?)];
        Ok(self.join(start, base, rest))
    }

    /// component = atom [".x" | ".y" | ".z"]
    fn component(&mut self) -> Parsed {
        let which = |parser: &mut Self| [".x", ".y", ".z"].iter().position(|c| parser.take(c));
        let start = self.peek().span.start;
        let ast = self.atom()?;
        let Some(k) = which(self) else { return Ok(ast) };
        let ast = Ast { expr: Expr::Component(Box::new(ast), k), span: start..self.end() };
        // a component is a number, so that a chain of them would be a tree of any depth for nothing
        let span = self.peek().span.clone();
        match which(self) {
            None => Ok(ast),
            Some(_) => Err(ExpressionError::new("a component is a number and has no components", span)),
        }
    }

    /// atom = number | name | name "(" list ")" | "[" list "]" | "(" expression ")"
    fn atom(&mut self) -> Parsed {
        let Token { kind, span } = self.peek().clone();
        // number, name or call, vector, parentheses
        match kind {
            Kind::Number { value, .. } => {
                self.at += 1;
                Ok(Ast { expr: Expr::Number(value), span })
            }
            Kind::Name(name) => {
                self.at += 1;
                if self.peek().kind != Kind::Symbol("(") {
                    return Ok(Ast { expr: Expr::Name(name), span });
                }
                let args = self.list("(", ")")?;
                Ok(Ast { expr: Expr::Call { function: name, args }, span: span.start..self.end() })
            }
            Kind::Symbol("[") => {
                let items = self.list("[", "]")?;
                let span = span.start..self.end();
                if items.is_empty() {
                    Err(ExpressionError::new("a vector needs components", span))
                } else {
                    Ok(Ast { expr: Expr::Vector(items), span })
                }
            }
            Kind::Symbol("(") => {
                self.at += 1;
                let ast = self.deeper(Self::expression)?;
                if self.take(")") { Ok(ast) } else { Err(self.unclosed("(", ")", span)) }
            }
            Kind::Symbol(s) => Err(ExpressionError::new(format!("a value is missing before '{s}'"), span)),
            Kind::End => Err(ExpressionError::new("the expression ends where a value is expected", span)),
        }
    }

    /// Expressions between `open`, which stands here, and `close`.
    fn list(&mut self, open: &str, close: &str) -> Result<Vec<Ast>, ExpressionError> {
        let span = self.peek().span.clone();
        self.at += 1;
        let mut items = Vec::new();
        if self.take(close) {
            return Ok(items);
        }
        loop {
            items.push(self.deeper(Self::expression)?);
            if self.take(close) {
                return Ok(items);
            }
            if !self.take(",") {
                return Err(self.unclosed(open, close, span));
            }
        }
    }

    /// `close` is not here.
    fn unclosed(&self, open: &str, close: &str, span: std::ops::Range<usize>) -> ExpressionError {
        let here = self.peek();
        if here.kind == Kind::End {
            return ExpressionError::new(format!("'{open}' is never closed"), span)
                .help(format!("add '{close}'"));
        }
        let wanted = if open == "(" { "an operator, ',' or ')'" } else { "an operator, ',' or ']'" };
        ExpressionError::new(format!("{wanted} is expected here"), here.span.clone())
    }

    fn deeper(&mut self, parse: fn(&mut Self) -> Parsed) -> Parsed {
        if self.depth == DEPTH {
            let span = self.peek().span.clone();
            return Err(ExpressionError::new(
                format!("the expression is nested more than {DEPTH} deep"),
                span,
            )
            .help("give parts of it a name, as parameters"));
        }
        self.depth += 1;
        let ast = parse(self);
        self.depth -= 1;
        ast
    }

    fn peek(&self) -> &Token {
        &self.tokens[self.at]
    }

    /// End of the last token taken.
    fn end(&self) -> usize {
        self.tokens[self.at - 1].span.end
    }

    fn take(&mut self, symbol: &str) -> bool {
        let here = matches!(self.peek().kind, Kind::Symbol(s) if s == symbol);
        self.at += usize::from(here);
        here
    }

    fn operator(&mut self, operators: &[Operator]) -> Option<Operator> {
        operators.iter().copied().find(|op| self.take(op.text()))
    }

    /// first ∘ rest, from `start` to here.
    fn join(&self, start: usize, first: Ast, rest: Vec<(Operator, Ast)>) -> Ast {
        Ast { expr: Expr::Binary(Box::new(first), rest), span: start..self.end() }
    }
}
