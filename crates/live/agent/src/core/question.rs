//! What a policy is asked.

use numasim_policy::View;

use super::application::{Orders, Place, Reached};

/// What a policy is asked. The answer belongs to this moment, whenever it comes.
#[derive(Clone, Debug)]
pub struct Question {
    /// What the policy sees.
    pub view: View,
    /// For each application of the view that is there: who it is.
    pub(super) who: Vec<Option<Asked>>,
    /// Names of those of the files that were there.
    pub(super) gone: Vec<String>,
}

/// An application at the time of a question.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) place: Place,
    pub(super) reached: Reached,
    pub(super) name: String,
    pub(super) orders: Orders,
}

/// By what is seen.
impl PartialEq for Question {
    fn eq(&self, other: &Self) -> bool {
        self.view == other.view && self.gone == other.gone
    }
}
