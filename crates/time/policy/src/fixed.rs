//! `static:SCENARIO`: the threads of a scenario, from beginning to end.
//!
//! Who is there has the threads that the scenario gives it \[decision: what paper 002, section III, chooses once, kept over time\].
//! The data of the scenario holds as well; where data lies is no business of a policy, so that the host of the policy sees to it.

use numasim_model::{AppId, NodeId, Scenario};

use crate::dealing::decided;
use crate::decision::{Decision, Policy, PolicyError};
use crate::view::{AppView, Looks, Presence, View};

/// The policy.
#[derive(Clone, Debug)]
pub(crate) struct Fixed {
    scenario: Scenario,
}

impl Fixed {
    pub(crate) fn new(scenario: &Scenario) -> Self {
        Self { scenario: scenario.clone() }
    }

    fn row(&self, app: &AppView) -> Vec<u32> {
        let allocation = &self.scenario.allocation;
        let known = app.entry.filter(|AppId(a)| *a < allocation.apps());
        known.map_or_else(|| vec![0; allocation.nodes()], |entry| allocation.row(entry).to_vec())
    }
}

/// More threads than an application has: the first node, what the scenario gives there, what there is.
pub(crate) fn lacking(asked: &[u32], has: &[u32]) -> Option<(NodeId, u32, u32)> {
    let has = has.iter().copied().chain(std::iter::repeat(0));
    let mut nodes = asked.iter().zip(has).enumerate();
    nodes.find(|(_, (asked, has))| *asked > has).map(|(n, (asked, has))| (NodeId(n), *asked, has))
}

impl Policy for Fixed {
    fn looks_at(&self) -> Looks {
        Looks::default()
    }

    fn decide(&mut self, view: &View) -> Result<Decision, PolicyError> {
        let rows: Vec<Vec<u32>> = view.apps.iter().map(|app| self.row(app)).collect();
        for (at, (app, row)) in view.apps.iter().zip(&rows).enumerate() {
            if app.presence == Presence::There
                && let Some((node, asked, has)) = lacking(row, &app.threads)
            {
                let name = &self.scenario.name;
                return Err(PolicyError(format!(
                    "scenario '{name}' asks for {asked} threads of application {} on {node}, where it has {has}",
                    at + 1
                )));
            }
        }
        Ok(decided(view, rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{app, machine, rows, scenario, study, view};

    fn policy() -> Fixed {
        let study = study(machine(&[8, 8]), &[0.5, 10.0]);
        Fixed::new(&scenario(&study, "uneven", &[vec![1, 2], vec![7, 6]]))
    }

    #[test]
    fn everybody_there_has_the_threads_of_the_scenario_and_a_stranger_none() {
        let ahead = AppView { presence: Presence::Ahead, ..app(0, &[8, 8]) };
        let stranger = AppView { entry: None, ..app(0, &[8, 8]) };
        let decision = policy().decide(&view(vec![ahead, app(1, &[8, 8]), stranger])).expect("a decision");
        assert_eq!(rows(&decision), [None, Some(vec![7, 6]), Some(vec![0, 0])]);
    }

    #[test]
    fn more_threads_than_there_are_is_an_error_with_both_numbers() {
        let error = policy().decide(&view(vec![app(0, &[8, 8]), app(1, &[8, 5])])).expect_err("too many");
        let said = "scenario 'uneven' asks for 6 threads of application 2 on node 1, where it has 5";
        assert_eq!(error.to_string(), said);
    }
}
