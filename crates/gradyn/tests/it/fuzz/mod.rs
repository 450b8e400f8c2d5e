//! Seeded fuzzing of the library: whatever it is given, it returns, and every error has a place or a name.
//!
//! `cargo test -p gradyn --test it fuzz::` runs a part of it. The tests at length are in `at_length`, and
//! `GRADYN_FUZZ_CASES` and `GRADYN_FUZZ_FROM` say how many cases they have, from which on. Counts are
//! printed.

mod csv;
mod expressions;
mod files;
mod found;
mod history;
pub(crate) mod named;
mod runs;

use gradyn_testkit::fuzz::Corpus;
use std::sync::OnceLock;

/// Examples as TOML and as JSON: (file name, text).
fn models() -> &'static [(String, String)] {
    static MODELS: OnceLock<Vec<(String, String)>> = OnceLock::new();
    MODELS.get_or_init(|| {
        let toml =
            gradyn::examples::ALL.iter().map(|(name, text)| (format!("{name}.toml"), (*text).to_owned()));
        let json = gradyn::examples::ALL.iter().map(|(name, text)| {
            let value: serde_json::Value = toml::from_str(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            let text = serde_json::to_string_pretty(&value).unwrap_or_else(|e| panic!("{name}: {e}"));
            (format!("{name}.json"), text)
        });
        toml.chain(json).collect()
    })
}

/// What mutations of models take words, keys and lines from.
fn corpus() -> &'static Corpus {
    static CORPUS: OnceLock<Corpus> = OnceLock::new();
    CORPUS.get_or_init(|| Corpus::new(models().iter().map(|m| m.1.as_str())))
}

/// Tests of each layer: some cases of it, and as many as are asked for.
macro_rules! layers {
    ($($name:ident: $short:literal, $long:literal;)*) => {
        $(#[test]
        fn $name() {
            $name::check(0..$short);
        })*
        mod at_length {
            $(#[test]
            #[ignore = "all"]
            fn $name() {
                super::$name::check(gradyn_testkit::fuzz::cases($long));
            })*
        }
    };
}

layers! {
    expressions: 60_000, 2_000_000;
    files: 600, 20_000;
    csv: 2_000, 50_000;
    history: 20_000, 500_000;
    runs: 60, 2_000;
}
