//! Units that could be names.
//!
//! A unit follows a number, and nothing else is a unit: in `100 N/m` the m is a name. Where the model has
//! such a name, the text would be read as 100 N divided by its value; it is refused, as is `2 t` where t is
//! time.

use super::ExpressionError;
use super::lexer::{Kind, Token, tokens};
use super::unit::to_si;

/// Units after a number that are also names; refused where the text could mean two things. `timed`: t is time
/// here.
pub fn check_units(
    text: &str,
    timed: bool,
    known: impl Fn(&str) -> bool,
) -> Result<Vec<String>, ExpressionError> {
    let tokens = tokens(text)?;
    let mut named = vec![];
    // each number with a unit
    for (k, token) in tokens.iter().enumerate() {
        let Kind::Number { unit: Some(unit), .. } = token.kind else { continue };
        let number = text[token.span.start..unit].trim_end();
        let word = &text[unit..token.span.end];
        // `2 t` is a mass, and may be meant as a time
        if timed && word == "t" {
            let e = ExpressionError::new(
                format!("`{number} {word}` is a mass in tonnes, and t is the time here"),
                token.span.clone(),
            );
            return Err(e.help(format!("write {number}*t for the time, {number}*(1000 kg) for the mass")));
        }
        // a unit that is also a name of the model
        if known(word) {
            named.push(word.to_owned());
        }
        compound(text, &tokens[k..], &known)?;
    }
    Ok(named)
}

/// number unit ("*" | "/") name, where the name is a unit too.
fn compound(text: &str, tokens: &[Token], known: &impl Fn(&str) -> bool) -> Result<(), ExpressionError> {
    // number, `*` or `/`, name
    let [
        number,
        Token { kind: Kind::Symbol(op @ ("*" | "/")), .. },
        Token { kind: Kind::Name(name), span },
        ..,
    ] = tokens
    else {
        return Ok(());
    };
    // the name is a unit, and a number of the model too
    if to_si(1.0, name).is_none() || !known(name) {
        return Ok(());
    }
    // which of both was meant?
    let first = &text[number.span.clone()];
    let all = number.span.start..span.end;
    let does = if *op == "*" { "multiplies by" } else { "divides by" };
    let message =
        format!("`{}` {does} the number `{name}` of the model, not by the unit", &text[all.clone()]);
    let help = format!(
        "write ({first}){op}{name} if the number `{name}` is meant, {first}{op}(1 {name}) if the unit is"
    );
    Err(ExpressionError::new(message, all).help(help))
}
