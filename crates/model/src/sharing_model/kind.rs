//! The sharing models by name.

/// The rules by which bandwidth is shared; each is described in the module of its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelKind {
    /// Ports of a controller filled evenly, inside each the paper's baseline plus proportional; dealt again in rounds.
    #[default]
    BaselineProportional,
    /// The paper's literal rule: remote readers first, then baseline plus proportional.
    RemoteFirst,
    /// All rates rise together until a resource is full.
    MaxMin,
    /// Shares in proportion to demand.
    Proportional,
    /// Shares in proportion to the part of the controller that a thread alone would use.
    RequestFraction,
    /// Every cache line waits the same time; soft saturation.
    Ecm,
}

impl ModelKind {
    /// All of them, the default first.
    pub const ALL: [Self; 6] = [
        Self::BaselineProportional,
        Self::RemoteFirst,
        Self::MaxMin,
        Self::Proportional,
        Self::RequestFraction,
        Self::Ecm,
    ];

    /// Its name on the command line, in files and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BaselineProportional => "baseline-proportional",
            Self::RemoteFirst => "remote-first",
            Self::MaxMin => "max-min",
            Self::Proportional => "proportional",
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
