//! Plans from profiles of smaller programs (paper 000), with the files of both in memory.

use numasim_graph::generate;
use numasim_graph::values::TaskId;
use numasim_model::{Machine, NodeId};
use numasim_plan::profile::Setting;
use numasim_plan::{Fault, File, GraphPlan, Pattern, Profiled, analyse, guide, plan};
use numasim_tasks::{Profiler, profile};

use crate::codes::OnMachine;
use crate::common::Failure;

/// Files as text.
#[derive(Default)]
struct Texts(Vec<(File, String)>);

impl Texts {
    fn feed(&self, file: File, each: numasim_plan::Lines<'_>) -> Result<(), Fault> {
        let text = self.0.iter().find(|(known, _)| *known == file).map_or("", |(_, text)| text);
        (1..).zip(text.lines()).try_for_each(|(line, text)| each(line, text))
    }
}

/// Receives seconds during profiling.
struct Seconds<'a> {
    profiled: &'a Profiled<'a>,
    text: String,
    written: std::fmt::Result,
}

impl Profiler for Seconds<'_> {
    fn timed(&mut self, task: TaskId, timings: &[(Setting, f64)]) {
        if self.written.is_ok() {
            self.written = self.profiled.write_seconds(task, timings, &mut self.text);
        }
    }
}

/// The profile of a smaller program of the code; `None` for codes without one.
fn profile_of(machine: &Machine, code: &OnMachine, nodes: &[NodeId]) -> Result<Option<Texts>, Failure> {
    let Some(generator) = code.profiled() else { return Ok(None) };
    let graph = generate(&generator, code.code.name, nodes)?;
    let profiled = Profiled::new(&graph, nodes.to_vec());
    let mut seconds = Seconds { profiled: &profiled, text: String::new(), written: Ok(()) };
    profile(machine, &graph, &mut seconds)?;
    seconds.written?;
    let mut texts = Texts(vec![(File::Raw, seconds.text)]);
    for file in File::PROFILE.into_iter().filter(|file| *file != File::Raw) {
        let mut text = String::new();
        profiled.write(file, &mut text)?;
        texts.0.push((file, text));
    }
    Ok(Some(texts))
}

/// The plans for the code with each pattern; empty for codes without a profile.
pub(crate) fn plans(
    machine: &Machine,
    code: &OnMachine,
    nodes: &[NodeId],
) -> Result<Vec<(Pattern, GraphPlan)>, Failure> {
    let Some(profile) = profile_of(machine, code, nodes)? else { return Ok(Vec::new()) };
    let mut plans = Vec::new();
    for pattern in Pattern::ALL {
        let plan = analyse::<Fault>(pattern, |file, each| profile.feed(file, each))?;
        let (mut blocks, mut tree) = (String::new(), String::new());
        plan::write_dbs(&plan, &mut blocks)?;
        plan::write_tree(&plan, &mut tree)?;
        let files = Texts(vec![(File::PlanDbs, blocks), (File::PlanTree, tree)]);
        let guide = guide::<Fault>(nodes.len(), |file, each| files.feed(file, each))?;
        plans.push((pattern, GraphPlan::of(&guide, &code.graph, nodes)));
    }
    Ok(plans)
}
