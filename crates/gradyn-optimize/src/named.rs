//! Enums whose values have a name and a description: one list feeds the parser, messages and documents.

/// Declares an enum with names and descriptions.
macro_rules! named {
    ($(#[$doc:meta])* $type:ident, $what:literal: $($variant:ident $name:literal $about:literal),* $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type {
            $(#[doc = $about] $variant,)*
        }
        impl $type {
            /// All values, in the order of the list.
            pub const ALL: &'static [$type] = &[$($type::$variant),*];
            /// The names of all values.
            pub const NAMES: &'static [&'static str] = &[$($name),*];
            /// Name on the command line and in model files.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name),* }
            }
            /// A description for help texts and documents.
            pub fn about(self) -> &'static str {
                match self { $($type::$variant => $about),* }
            }
            /// The value of that name.
            pub fn parse(name: &str) -> Result<Self, $crate::error::Error> {
                Self::ALL.iter().copied().find(|x| x.name() == name).ok_or_else(|| {
                    let valid = Self::ALL.iter().map(|x| x.name()).collect::<Vec<_>>().join(", ");
                    $crate::error::Error::Unknown { what: $what, name: name.to_string(), valid }
                })
            }
        }
    };
}
pub(crate) use named;
