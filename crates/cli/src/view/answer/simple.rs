//! The simplest allocation that is nearly as good as the best, in words that an administrator can act on.

use numasim_draw::figures as ranges;
use numasim_draw::grid::wrap;
use numasim_model::{Allocation, AppId, Machine, NodeId};

use super::Answer;
use super::table::gap;
use crate::view::Style;
use numasim_ask::explored::Simple;

fn verdict(simple: &Simple) -> String {
    let within = gap(simple.within);
    let proof = match (simple.is_best, simple.found.proven) {
        (true, true) => format!("proven: no simpler allocation is within {within} of the best"),
        (true, false) => format!("no simpler allocation within {within} of it was found; not proven"),
        (false, true) => format!("proven: nothing simpler is within {within}"),
        (false, false) => format!("the simplest within {within} that was found; not proven"),
    };
    if simple.is_best {
        return format!("Simple: the best itself ({proof}).");
    }
    match gap(simple.found.loss).as_str() {
        "0 %" => format!("Simple: as good as the best ({proof})."),
        loss => format!("Simple: loses {loss} of the best ({proof})."),
    }
}

impl Answer<'_> {
    /// How good the simplest is, and what to set up, a line for each application.
    pub(super) fn simple(&self, style: &Style) -> Option<String> {
        let simple = self.simple.as_ref()?;
        let mut text = wrap(&verdict(simple), style.columns()).join("\n") + "\n";
        if simple.is_best {
            return Some(text);
        }
        let allocation = &simple.rated.candidate.allocation;
        let mut apps = 0..self.study.apps.len();
        while let Some(first) = apps.next() {
            // Instances that are set up alike stand together.
            let words = in_words(allocation, AppId(first), &self.study.machine);
            let group = &self.study.apps[first].group;
            let mut last = first;
            while last + 1 < apps.end
                && self.study.apps[last + 1].group == *group
                && in_words(allocation, AppId(last + 1), &self.study.machine) == words
            {
                last += 1;
                apps.next();
            }
            let name = |app: usize| self.study.apps[app].name.as_str();
            let who = match last - first {
                0 => name(first).to_owned(),
                1 => format!("{} and {}", name(first), name(last)),
                _ => format!("{} to {}", name(first), name(last)),
            };
            let each = if last > first { ", each" } else { "" };
            let home = simple.rated.candidate.placements[first].home();
            let home = home.filter(|_| self.study.apps[first].data.is_open());
            let home = home.map_or_else(String::new, |node| format!(" (data on {})", node.0));
            let line = format!("  {who}{each}: {words}{home}");
            text += &(wrap(&line, style.columns()).join("\n    ") + "\n");
        }
        Some(text)
    }
}

/// `4 threads on every node`, `16 threads on nodes 0, 1; 3 on node 2`.
fn in_words(allocation: &Allocation, app: AppId, machine: &Machine) -> String {
    let mut by_number: Vec<(u32, Vec<usize>)> = Vec::new();
    let compute: Vec<NodeId> = machine.compute_nodes().collect();
    for &node in &compute {
        let threads = allocation.get(app, node);
        match by_number.iter_mut().find(|(number, _)| *number == threads) {
            _ if threads == 0 => {}
            Some((_, nodes)) => nodes.push(node.0),
            None => by_number.push((threads, vec![node.0])),
        }
    }
    let part = |(i, (threads, nodes)): (usize, &(u32, Vec<usize>))| {
        let noun = match (i, threads) {
            (0, 1) => " thread",
            (0, _) => " threads",
            _ => "",
        };
        let place = if nodes.len() == compute.len() && nodes.len() > 1 {
            "every node".to_owned()
        } else {
            ranges::nodes(nodes)
        };
        format!("{threads}{noun} on {place}")
    };
    let words: Vec<String> = by_number.iter().enumerate().map(part).collect();
    if words.is_empty() { "no thread".to_owned() } else { words.join("; ") }
}

#[cfg(test)]
mod tests {
    use numasim_graph::read_study;
    use numasim_study::SourceFile;

    use super::*;

    #[test]
    fn threads_are_told_by_their_number() {
        let text = "[machine]\nname = \"m\"\nnodes = 4\ncores_per_node = 8\ngflops_per_core = 1\nbandwidth_gbs = 1\nlink_gbs = 1\n";
        let file = SourceFile { name: "m.toml".to_owned(), text: text.to_owned() };
        let machine = read_study(&[file]).expect("a machine").study.machine;
        let rows = [vec![3, 3, 3, 3], vec![1, 0, 0, 0], vec![4, 4, 0, 2], vec![0; 4]];
        let allocation = Allocation::from_rows(&rows).expect("equal rows");
        let told: Vec<String> = (0..4).map(|app| in_words(&allocation, AppId(app), &machine)).collect();
        assert_eq!(
            told,
            [
                "3 threads on every node",
                "1 thread on node 0",
                "4 threads on nodes 0, 1; 2 on node 3",
                "no thread"
            ]
        );
    }
}
