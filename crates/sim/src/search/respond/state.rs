//! An allocation that is being improved, one node or one pair of nodes at a time.

use numasim_model::{Allocation, AppId};

use super::merit::{Merit, Sums};
use super::responder::Responder;
use crate::problem::Evaluator;
use crate::search::options::OptionTable;
use crate::search::pace::Pace;

pub(super) struct State<'r, 'a> {
    pub(super) responder: &'r Responder<'a>,
    /// Per node in the order of the search: its option.
    pub(super) options: Vec<usize>,
    pub(super) evaluator: Evaluator<'a>,
}

impl State<'_, '_> {
    fn table(&self, node: usize) -> &OptionTable {
        &self.responder.relaxation.classes[self.responder.class_of[node]].table
    }

    pub(super) fn allocation(&self) -> Allocation {
        let problem = self.responder.problem;
        let mut allocation = Allocation::empty(problem.apps.len(), problem.machine.node_count());
        for (node, &option) in self.options.iter().enumerate() {
            for (a, &threads) in self.table(node).counts(option).iter().enumerate() {
                allocation.set(AppId(a), self.responder.nodes[node], threads);
            }
        }
        allocation
    }

    /// GFLOPS bounds, threads and reads of all nodes but those in `without`.
    fn sums(&self, without: &[usize]) -> Sums {
        let apps = self.responder.problem.apps.len();
        let watched = self.responder.relaxation.watched.len();
        let (mut gflops, mut threads, mut reads) = (vec![0.0; apps], vec![0; apps], vec![0.0; watched]);
        for (node, &option) in self.options.iter().enumerate().filter(|(node, _)| !without.contains(node)) {
            let table = self.table(node);
            for a in 0..apps {
                gflops[a] += table.potential(option)[a];
                threads[a] += table.counts(option)[a];
            }
            for (sum, reads) in reads.iter_mut().zip(table.reads(option)) {
                *sum += reads;
            }
        }
        Sums { gflops, threads, reads }
    }

    pub(super) fn merit(&mut self) -> Merit {
        let Sums { mut gflops, threads, reads } = self.sums(&[]);
        if !self.responder.decoupled {
            gflops = self.evaluator.gflops(self.allocation().as_slice()).to_vec();
        }
        self.responder.merit(&gflops, &threads, &reads)
    }

    /// Gives a node its best option while the others stay.
    pub(super) fn respond(&mut self, node: usize, merit: Merit) -> Merit {
        let class = self.responder.class_of[node];
        if !self.responder.decoupled {
            return self.respond_coupled(node, merit);
        }
        let others = self.sums(&[node]);
        let table = &self.responder.relaxation.classes[class].table;
        let mut best = (merit, self.options[node]);
        let mut sums = others.clone();
        let rise = self.responder.rise(&others, &[(table, self.options[node])]);
        for option in 0..table.len() {
            if rise.as_ref().is_some_and(|rise| rise.base + rise.gain(table, option) <= best.0.guide) {
                continue;
            }
            sums.set(&others, &[(table, option)]);
            let merit = self.responder.merit(&sums.gflops, &sums.threads, &sums.reads);
            if merit.beats(best.0) {
                best = (merit, option);
            }
        }
        self.options[node] = best.1;
        best.0
    }

    fn respond_coupled(&mut self, node: usize, merit: Merit) -> Merit {
        let responder = self.responder;
        let mut allocation = self.allocation();
        let others = self.sums(&[node]);
        let table = &responder.relaxation.classes[responder.class_of[node]].table;
        let mut best = (merit, self.options[node]);
        let mut sums = others.clone();
        let mut pace = Pace::new(responder.monitor);
        for &option in &responder.ranked[responder.class_of[node]] {
            if pace.stops_after(responder.problem.evaluation_cost()) {
                break;
            }
            for (a, &count) in table.counts(option).iter().enumerate() {
                allocation.set(AppId(a), responder.nodes[node], count);
            }
            sums.set(&others, &[(table, option)]);
            let gflops = self.evaluator.gflops(allocation.as_slice());
            let merit = responder.merit(gflops, &sums.threads, &sums.reads);
            if merit.beats(best.0) {
                best = (merit, option);
            }
        }
        self.options[node] = best.1;
        best.0
    }

    /// Gives two nodes the best pair of their top options while the others stay.
    pub(super) fn respond_in_pair(&mut self, left: usize, right: usize, merit: Merit) -> Merit {
        let responder = self.responder;
        let others = self.sums(&[left, right]);
        let (left_table, right_table) = (self.table(left), self.table(right));
        let mut best = (merit, self.options[left], self.options[right]);
        let mut sums = others.clone();
        let current = [(left_table, self.options[left]), (right_table, self.options[right])];
        let rise = responder.rise(&others, &current);
        let ranked = |node: usize| &responder.ranked[responder.class_of[node]];
        let gain =
            |table: &OptionTable, option: usize| rise.as_ref().map_or(0.0, |rise| rise.gain(table, option));
        let right_gains: Vec<f64> = ranked(right).iter().map(|&r| gain(right_table, r)).collect();
        for &l in ranked(left) {
            let most = rise.as_ref().map_or(f64::INFINITY, |rise| rise.base + gain(left_table, l));
            for (&r, right_gain) in ranked(right).iter().zip(&right_gains) {
                if most + right_gain <= best.0.guide {
                    continue;
                }
                sums.set(&others, &[(left_table, l), (right_table, r)]);
                let merit = responder.merit(&sums.gflops, &sums.threads, &sums.reads);
                if merit.beats(best.0) {
                    best = (merit, l, r);
                }
            }
        }
        (self.options[left], self.options[right]) = (best.1, best.2);
        best.0
    }
}
