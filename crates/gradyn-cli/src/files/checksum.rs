//! FNV-1a of 64 bits, the same on every machine:
//!
//! ```text
//! h₀ = 0xcbf29ce484222325,   h_k = (h_{k-1} xor b_k) · 0x100000001b3   mod 2⁶⁴                      (1)
//! ```
//! Each step of (1) is one to one in h and in b, so that one changed byte always changes the sum; what is
//! changed in more places is missed once in 2⁶⁴. It finds damage, and is no protection against forgery.

/// A sum over bytes, to which more can be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Checksum(u64);

impl Checksum {
    /// Of nothing.
    pub(crate) const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    /// Of a text.
    pub(crate) fn of(text: &str) -> Self {
        Self::EMPTY.then(text)
    }
    /// Of all that came before, then of a text (1).
    pub(crate) fn then(self, text: &str) -> Self {
        let step = |h: u64, byte| (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Self(text.bytes().fold(self.0, step))
    }
    /// Sixteen hexadecimal digits.
    pub(crate) fn text(self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Checksum;

    /// Published values, and a sum that goes on is that of the whole.
    #[test]
    fn is_fnv_1a() {
        assert_eq!(Checksum::of("").text(), "cbf29ce484222325");
        assert_eq!(Checksum::of("a").text(), "af63dc4c8601ec8c");
        assert_eq!(Checksum::of("foobar").text(), "85944171f73967e8");
        assert_eq!(Checksum::of("foo").then("bar"), Checksum::of("foobar"));
    }
}
