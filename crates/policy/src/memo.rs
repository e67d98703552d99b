//! Answers that were given before: the same question, the same answer, without asking again.

use std::collections::HashMap;
use std::hash::Hash;

/// Most answers that are kept.
const MOST: usize = 4096;

/// Answers by their questions. When there are too many it forgets all of them, so that memory is bounded; as answers depend on
/// their questions alone, nobody can tell but by the time it takes.
#[derive(Clone, Debug)]
pub(crate) struct Memo<Question, Answer> {
    known: HashMap<Question, Answer>,
}

impl<Question: Eq + Hash, Answer: Clone> Memo<Question, Answer> {
    pub(crate) fn new() -> Self {
        Self { known: HashMap::new() }
    }

    pub(crate) fn get(&self, question: &Question) -> Option<Answer> {
        self.known.get(question).cloned()
    }

    pub(crate) fn put(&mut self, question: Question, answer: Answer) {
        if self.known.len() >= MOST {
            self.known.clear();
        }
        self.known.insert(question, answer);
    }
}
