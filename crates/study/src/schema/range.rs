//! Ranges of figures.

use schemars::Schema;

use numasim_model::bounds::{LARGEST, SMALLEST};

/// More than 0: 1e-30 to 1e30, so that products and quotients stay finite.
pub(super) fn positive(schema: &mut Schema) {
    schema.insert("minimum".to_owned(), SMALLEST.into());
    schema.insert("maximum".to_owned(), LARGEST.into());
}

/// 0 or more, up to 1e30.
pub(super) fn not_negative(schema: &mut Schema) {
    schema.insert("minimum".to_owned(), 0.0.into());
    schema.insert("maximum".to_owned(), LARGEST.into());
}
