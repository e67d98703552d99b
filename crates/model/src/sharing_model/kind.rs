//! The sharing models by name.

/// The rules by which bandwidth is shared; each is described in the module of its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ModelKind {
    /// The paper's: remote first, then baseline plus proportional.
    #[default]
    BaselineProportional,
    /// All rates rise together until a resource is full.
    MaxMin,
    /// Shares in proportion to demand.
    Proportional,
    /// The paper's split, with the local port and each link served as equals.
    FairPort,
    /// Shares in proportion to the part of the controller that a thread alone would use.
    RequestFraction,
    /// Every cache line waits the same time; soft saturation.
    Ecm,
}

impl ModelKind {
    /// All of them, the default first.
    pub const ALL: [Self; 6] = [
        Self::BaselineProportional,
        Self::MaxMin,
        Self::Proportional,
        Self::FairPort,
        Self::RequestFraction,
        Self::Ecm,
    ];

    /// Its name on the command line, in files and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BaselineProportional => "baseline-proportional",
            Self::MaxMin => "max-min",
            Self::Proportional => "proportional",
            Self::FairPort => "fair-port",
            Self::RequestFraction => "request-fraction",
            Self::Ecm => "ecm",
        }
    }

    /// The model with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_is_found_by_its_name() {
        for kind in ModelKind::ALL {
            assert_eq!(ModelKind::from_name(kind.name()), Some(kind));
        }
        assert_eq!(ModelKind::from_name("fair"), None);
    }
}
