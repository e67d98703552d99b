//! Words and values that messages of both directions share.

use numasim_model::dynamics::{Control, Order};
use serde::{Deserialize, Serialize, Serializer};

use crate::fields::{Fields, ParseError};
use crate::{MOST_THREADS, VERSION};

/// The version in a message, of which there is one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Version;

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(VERSION)
    }
}

impl Version {
    /// Reads the key `version`.
    pub(crate) fn read(fields: &Fields) -> Result<Self, ParseError> {
        match fields.number("version")? {
            VERSION => Ok(Self),
            theirs => Err(ParseError::Version { theirs }),
        }
    }
}

/// All kinds of orders, in the order in which messages about them list them.
pub(crate) const CONTROLS: [Control; 4] = [Control::PerNode, Control::Total, Control::Cores, Control::None];

numasim_model::words! {
    /// What an application waits for that has no iteration under way.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Waiting {
        /// It does not wait.
        None = "none",
        /// For an item of a channel.
        Input = "input",
        /// For room in a channel.
        Output = "output",
        /// For being called.
        Call = "call",
    }
}

/// Reads whichever of the three keys of an order is there.
pub(crate) fn read_order(fields: &Fields) -> Result<Order, ParseError> {
    let found: Vec<&'static str> =
        ["per_node", "total", "cores"].into_iter().filter(|key| fields.has(key)).collect();
    match found[..] {
        ["per_node"] => Ok(Order::PerNode(fields.list("per_node", u64::from(MOST_THREADS))?)),
        ["total"] => Ok(Order::Total(fields.small("total", u64::from(u32::MAX))?)),
        ["cores"] => {
            let cores: Vec<u32> = fields.list("cores", u64::from(u32::MAX))?;
            if cores.is_sorted_by(|one, next| one < next) {
                Ok(Order::Cores(cores))
            } else {
                Err(fields.wrong("cores", "ascending"))
            }
        }
        [] => Err(fields.lacks("one of \"per_node\", \"total\", or \"cores\"")),
        [_, second, ..] => Err(fields.wrong(second, "left out beside another order")),
        [_] => Err(fields.lacks("an order")),
    }
}
