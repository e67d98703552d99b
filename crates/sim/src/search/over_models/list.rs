//! Which models an answer is to be good under, as people write them.

use std::str::FromStr;

use numasim_model::ModelKind;

/// The models of a question beside that of its machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelList {
    /// All that can answer the question.
    All,
    /// These, each once.
    Named(Vec<ModelKind>),
}

impl FromStr for ModelList {
    type Err = String;

    /// Reads `all` or `max-min,ecm`.
    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim() == "all" {
            return Ok(Self::All);
        }
        let mut kinds = Vec::new();
        for name in text.split(',').map(str::trim) {
            let kind = ModelKind::from_name(name).ok_or_else(|| {
                let known = ModelKind::ALL.map(ModelKind::name).join(", ");
                format!("'{name}' is no model; write all, or some of {known}")
            })?;
            if kinds.contains(&kind) {
                return Err(format!("{name} is there twice"));
            }
            kinds.push(kind);
        }
        Ok(Self::Named(kinds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_each_model_once() {
        assert_eq!("all".parse(), Ok(ModelList::All));
        assert_eq!("max-min, ecm".parse(), Ok(ModelList::Named(vec![ModelKind::MaxMin, ModelKind::Ecm])));
        for wrong in ["", "max-min,", "fast", "ecm,ecm", "all,ecm"] {
            assert!(wrong.parse::<ModelList>().is_err(), "{wrong}");
        }
    }
}
