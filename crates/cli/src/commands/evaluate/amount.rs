//! How much one run shows at most.

pub(in crate::commands) use numasim_ask::intervals::figures_of;
use numasim_model::{Data, Scenario, Study};

use crate::failure::Failure;
use crate::view::figures;

/// Figures that one run shows: threads of applications on nodes, and links, over all scenarios. As JSON these are some
/// hundred megabytes, which nobody reads, but programs still do.
pub(in crate::commands) const MOST_FIGURES: u64 = 3_000_000;

/// Refuses what would take more memory and text than anybody has use for, each scenario evaluated `times` times.
pub(in crate::commands) fn can_be_shown(
    study: &Study,
    scenarios: &[&Scenario],
    times: usize,
    most: u64,
) -> Result<(), Failure> {
    let (apps, nodes) = (study.apps.len() as u64, study.machine.node_count() as u64);
    let of_one = |scenario: &&Scenario| figures_of(study, scenario.data.iter().filter_map(Data::placement));
    let all = scenarios.iter().map(of_one).sum::<u64>().saturating_mul(times as u64);
    if all <= most {
        return Ok(());
    }
    let scenarios = figures::count(scenarios.len() as u64, "scenario");
    let message = format!(
        "{scenarios} of {} on {} have {all} figures: threads on each node, and links; at most {most} are shown",
        figures::count(apps, "application"),
        figures::count(nodes, "node"),
    );
    Err(Failure::input(message).hint("put fewer scenarios into one run, or a smaller machine"))
}

#[cfg(test)]
pub(super) mod tests {
    use std::fmt::Write as _;

    use numasim_study::{SourceFile, read_study};

    use super::*;

    /// One application with `data` on nodes of one core each, and `scenarios` in which it has one thread.
    pub(in super::super) fn study(nodes: usize, data: &str, scenarios: usize) -> Study {
        let mut text = format!(
            "[machine]\nname = \"m\"\nnodes = {nodes}\ncores_per_node = 1\ngflops_per_core = 1.0\n\
             bandwidth_gbs = 1.0\nlink_gbs = 1.0\n[[app]]\nname = \"a\"\narithmetic_intensity = 1.0\ndata = \"{data}\"\n"
        );
        for number in 0..scenarios {
            write!(text, "[[scenario]]\nname = \"s{number}\"\nthreads = {{ a = 1 }}\n").expect("memory");
        }
        read_study(&[SourceFile { name: "a.toml".to_owned(), text }]).expect("a study").study
    }

    #[test]
    fn more_figures_than_anybody_reads_are_refused() {
        let refused = |study: &Study, most| {
            let all: Vec<&Scenario> = study.scenarios.iter().collect();
            can_be_shown(study, &all, 1, most).err().map(|failure| failure.to_string())
        };
        // 3 scenarios x 1 application x 65 nodes; interleaved, with 65 x 65 links each
        assert_eq!(refused(&study(65, "local", 3), 195), None);
        let said = refused(&study(65, "local", 3), 194).expect("too many");
        assert!(said.contains("have 195 figures") && said.contains("at most 194 are shown"), "{said}");
        assert_eq!(refused(&study(65, "interleave", 3), 195 + 3 * 65 * 65), None);
        assert!(refused(&study(65, "interleave", 3), 194 + 3 * 65 * 65).is_some());
        // 64 nodes have all links: 64 + 64 x 64
        assert_eq!(refused(&study(64, "local", 1), 64 + 64 * 64), None);
        assert!(refused(&study(64, "local", 1), 63 + 64 * 64).is_some());
    }
}
