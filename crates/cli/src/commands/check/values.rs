//! Single values in the form of the input files.

use numasim_model::units::Seconds;
use numasim_model::{Data, Placement};
use serde_json::{Value, json};

/// Data in the form of the input files.
pub(super) fn data(data: &Data) -> Value {
    match data {
        Data::OpenHome { share } if *share < 1.0 => json!({ "home": "any", "share": share }),
        Data::OpenHome { .. } => json!({ "home": "any" }),
        Data::Placed(Placement::PartHome { home, share }) => json!({ "home": home.0, "share": share }),
        Data::Placed(Placement::PartInterleave { share }) => json!({ "interleave": share }),
        Data::Placed(Placement::Local) => json!("local"),
        Data::Placed(Placement::Interleave) => json!("interleave"),
        Data::Placed(Placement::Home(home)) => json!({ "home": home.0 }),
        Data::Placed(Placement::Fractions(fractions)) => json!({ "fractions": fractions }),
    }
}

/// A time in a unit of which a second has so many, without the rounding of 0.08 x 1000.
pub(super) fn in_unit(time: Seconds, per_second: f64) -> f64 {
    let value = time.value() * per_second;
    let rounded = (value * 1e9).round() / 1e9;
    if (rounded - value).abs() <= value.abs() * 1e-12 { rounded } else { value }
}
