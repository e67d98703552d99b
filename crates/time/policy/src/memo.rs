//! A cache of answers: the same question gets the same answer without another computation.

use std::collections::HashMap;
use std::hash::Hash;

/// Maximum number of cached answers.
const MOST: usize = 4096;
/// Maximum count of numbers in all answers together, some tens of MB.
const MOST_CELLS: usize = 4_000_000;

/// The number of answers to keep if each has this count of numbers.
pub(crate) const fn most_of(cells: usize) -> usize {
    let fit = MOST_CELLS / if cells == 0 { 1 } else { cells };
    if fit < MOST { fit } else { MOST }
}

/// Answers by question. When the cache is full it is cleared, so that memory is bounded. Answers depend only on their
/// questions, so that clearing affects nothing but time.
#[derive(Clone, Debug)]
pub(crate) struct Memo<Question, Answer> {
    known: HashMap<Question, Answer>,
    most: usize,
}

impl<Question: Eq + Hash, Answer: Clone> Memo<Question, Answer> {
    /// For answers with this count of numbers each.
    pub(crate) fn new(cells: usize) -> Self {
        Self { known: HashMap::new(), most: most_of(cells) }
    }

    pub(crate) fn get(&self, question: &Question) -> Option<Answer> {
        self.known.get(question).cloned()
    }

    pub(crate) fn put(&mut self, question: Question, answer: Answer) {
        if self.known.len() >= self.most {
            self.known.clear();
        }
        self.known.insert(question, answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_kept_until_there_are_too_many() {
        // 4,000,000 / 2,000,000 = 2 of them
        let mut memo = Memo::new(2_000_000);
        (0..2).for_each(|question| memo.put(question, 10 * question));
        assert_eq!((memo.get(&0), memo.get(&1)), (Some(0), Some(10)));
        memo.put(2, 20);
        assert_eq!((memo.get(&0), memo.get(&2)), (None, Some(20)));
        assert_eq!((most_of(0), most_of(1000)), (MOST, 4000));
    }
}
