//! One question under several models: their list, the search for each within a common time limit, and the robust placement with
//! what it is compared with.

mod each;
mod list;
mod share;

pub use each::{BestOfEach, LeftOut, Models, ModelsError, OverModels, Reason};
pub use list::ModelList;
pub use share::{Share, Shared};
