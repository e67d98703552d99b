//! Bundles of `numasim validate`, from disk into memory.

use std::path::Path;

use super::{Kind, Why, ends_with, named, read_bytes};
use crate::failure::Failure;
use numasim_bench::bundle::{self, Bundle};

const BUNDLE: Kind = Kind {
    most_bytes: bundle::MOST_BYTES,
    name_one: "name a bundle of `numasim validate --bundle`",
    name_them: "name the bundles in it one by one",
    too_large: "is this a bundle? Those of a million measurements are smaller",
};

/// Whether a path is that of a bundle: its name says so.
pub(crate) fn is_bundle(path: &Path) -> bool {
    ends_with(path, bundle::ENDING)
}

/// A bundle of `numasim validate`, checked.
pub(crate) fn read_bundle(path: &Path) -> Result<Bundle, Failure> {
    let refused = |why: &str| Failure::input(format!("{} {why}", named(path)));
    let unread = |why: Why| refused(&why.message).hint(why.hint);
    let bytes = read_bytes(path, BUNDLE.most_bytes).map_err(|error| unread(Why::of(&error, &BUNDLE)))?;
    let Some(bytes) = bytes else { return Err(unread(Why::too_large(&BUNDLE))) };
    Bundle::from_bytes(&bytes).map_err(|error| {
        refused(&error.to_string()).hint(
            "a bundle is what `numasim validate --bundle` writes; who sent it makes it again with `numasim validate -o DIR --resume \
             --bundle FILE.tar.zst`",
        )
    })
}
