//! The methods for a machine with results of `numasim validate`.
//!
//! Its scenarios calibrated nothing, so that every method is a prediction. [`numasim_evidence::compare`] assesses each method on the same rows:
//! errors, null models, contention and verdict have one definition there.

use numasim_model::{Machine, Model, ModelKind};

use super::{ADVISED, NO_FIT, advised, in_words};

/// The variant of the model that the machine file has.
const OF_FILE: &str = "of the file";

/// A model with corrections.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Method {
    /// The model.
    pub(crate) model: Model,
    /// The source of its corrections.
    pub(crate) variant: String,
}

/// The model of the machine file, then all others that support the machine, with the corrections of the file that they use.
pub(crate) fn methods(machine: &Machine) -> Vec<Method> {
    let own = *machine.sharing();
    let mut methods = vec![Method { model: own, variant: OF_FILE.to_owned() }];
    for kind in ModelKind::ALL.into_iter().filter(|kind| *kind != own.kind) {
        let model = own.with_kind(kind);
        let set = in_words(model.in_use().map(|(parameter, value)| (parameter.as_str(), value)));
        methods.push(match (set.is_empty(), advised(kind)) {
            (false, _) => Method { model, variant: set },
            (true, Some(_)) => Method { model, variant: ADVISED.to_owned() },
            (true, None) => Method { model, variant: NO_FIT.to_owned() },
        });
    }
    methods.retain(|method| machine.clone().with_sharing(method.model).sharing_refusal().is_none());
    methods
}

#[cfg(test)]
mod tests {
    use numasim_study::{SourceFile, read_study};

    use super::*;

    fn shown(more: &str) -> Vec<String> {
        let text = format!(
            "[machine]\nname = \"m\"\nnodes = 2\ncores_per_node = 2\ngflops_per_core = 10.0\nbandwidth_gbs = 20.0\nlink_gbs = 5.0\n{more}"
        );
        let study = read_study(&[SourceFile { name: "m.toml".into(), text }]).expect("a machine").study;
        methods(&study.machine)
            .iter()
            .map(|method| format!("{} {}", method.model.kind.as_str(), method.variant))
            .collect()
    }

    #[test]
    fn the_model_of_the_file_is_first_and_every_other_follows_once() {
        let methods = shown("");
        assert_eq!(methods[0], "baseline-proportional of the file");
        assert_eq!(methods.len(), ModelKind::ALL.len());
        assert!(methods.contains(&"ecm as advised".to_owned()));
    }

    #[test]
    fn a_correction_of_the_file_is_kept_and_not_advised_again() {
        let methods = shown("[machine.sharing]\nmodel = \"ecm\"\necm_penalty = 0.2\n");
        assert_eq!(methods[0], "ecm of the file");
        assert_eq!(methods.iter().filter(|method| method.starts_with("ecm")).count(), 1);
    }

    #[test]
    fn models_that_do_not_support_the_machine_are_left_out() {
        // The read limit of a node: only the default, max-min and ecm support it.
        let methods = shown("read_gbs = 12.0\n");
        assert_eq!(methods, ["baseline-proportional of the file", "max-min no fit", "ecm as advised"]);
    }
}
