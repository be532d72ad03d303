//! A fixed hash for features and for the digest of the weights: the same on every machine, forever.

/// FNV-1a, 64 bits. It takes its input in parts, so that no name must be built.
#[derive(Debug, Clone, Copy)]
pub struct Hash(u64);

impl Hash {
    pub const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    #[must_use]
    pub fn with(mut self, bytes: &[u8]) -> Self {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
        self
    }

    #[must_use]
    pub fn text(self, text: &str) -> Self {
        self.with(text.as_bytes())
    }

    pub const fn digest(self) -> u64 {
        self.0
    }

    /// Returns one of 65,536 buckets. The upper bits of FNV are the best ones, and a multiplication mixes them in.
    pub const fn bucket(self) -> u16 {
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 48) as u16
    }
}

impl Default for Hash {
    fn default() -> Self {
        Self::new()
    }
}
