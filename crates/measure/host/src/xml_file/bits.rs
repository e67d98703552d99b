//! Sets of processors and nodes as hwloc writes them: `0x0000000f`, beyond 32 in groups with commas, the highest first.

use std::fmt;

/// A set of numbers.
pub(super) struct Bits(Vec<u32>);

impl Bits {
    pub(super) fn of(numbers: impl IntoIterator<Item = u32>) -> Self {
        let mut words: Vec<u32> = Vec::new();
        for number in numbers {
            let word = (number / 32) as usize;
            if words.len() <= word {
                words.resize(word + 1, 0);
            }
            if let Some(word) = words.get_mut(word) {
                *word |= 1 << (number % 32);
            }
        }
        Self(words)
    }
}

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("0x0");
        }
        for (place, word) in self.0.iter().rev().enumerate() {
            write!(f, "{}0x{word:08x}", if place == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}
