//! Exact search where every node gets the same: one content describes the whole machine, so that all are rated.

use numasim_model::{Allocation, NodeId, Placement};

use super::panel::{Best, Panel};
use crate::contents::Contents;
use crate::monitor::Monitor;
use crate::parallel::prelude::*;
use crate::search::local::Rates;
use crate::search::pace::Pace;
use crate::sites::Sites;

/// Contents that are rated by one task, and tasks that are made at the same time.
const CHUNK: usize = 1024;
const TASKS: usize = 64;

/// Rates every content for one set of placements; false if there are more than `most`, or at a stop.
pub(super) fn search(
    panel: &Panel<'_>,
    placements: &[Placement],
    most: usize,
    best: &mut Best,
    monitor: &dyn Monitor,
) -> bool {
    let problem = panel.question();
    let apps = problem.apps.len();
    let nodes: Vec<NodeId> = problem.machine.compute_nodes().collect();
    let mut contents = Contents::new(&problem.machine, &problem.apps, &problem.restrictions, &nodes);
    let mut left = most;
    loop {
        let mut batch: Vec<u32> = Vec::new();
        while batch.len() < TASKS * CHUNK * apps
            && let Some(content) = contents.next()
        {
            if left == 0 {
                return false;
            }
            left -= 1;
            batch.extend_from_slice(content);
        }
        if batch.is_empty() {
            return true;
        }
        let rated: Vec<Option<Best>> = batch
            .par_chunks(apps * CHUNK)
            .map(|chunk| rate(panel, placements, chunk, best.clone(), monitor))
            .collect();
        for found in rated {
            match found {
                Some(found) => best.offer(found.candidate),
                None => return false,
            }
        }
    }
}

fn rate(
    panel: &Panel<'_>,
    placements: &[Placement],
    contents: &[u32],
    mut best: Best,
    monitor: &dyn Monitor,
) -> Option<Best> {
    let problem = panel.question();
    let sites = Sites::new(problem);
    let mut rater = panel.rater(placements);
    let mut pace = Pace::new(monitor);
    for content in contents.chunks_exact(problem.apps.len()) {
        if pace.stops_after(panel.evaluation_cost()) {
            return None;
        }
        let mut allocation = Allocation::empty(problem.apps.len(), problem.machine.node_count());
        content.iter().enumerate().for_each(|(a, &threads)| sites.set(&mut allocation, a, 0, threads));
        if rater.rate(allocation.as_slice()).0 > best.cutoff() && problem.allows(&allocation, placements) {
            best.offer(rater.candidate(allocation));
        }
    }
    Some(best)
}
