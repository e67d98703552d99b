//! Prices of thread totals as variables of a linear program.

use microlp::{Problem as LinearProgram, Solution, Variable};

use super::LARGEST_PRICE;
use crate::search::dual::{Ranges, Relaxation};

/// Per counter of [`Ranges`]: the price that pays and the price that charges, where they have a meaning.
pub(in crate::search) struct ThreadPrices {
    variables: Vec<[Option<Variable>; 2]>,
    /// Per counter: the fewest threads.
    lowest: Vec<u32>,
}

impl ThreadPrices {
    /// Adds the variables to `program`, with what they do to the constant of the bound.
    pub(in crate::search) fn new(
        program: &mut LinearProgram,
        relaxation: &Relaxation<'_>,
        ranges: &Ranges,
    ) -> Self {
        let cores = relaxation.total_cores;
        let variables = (0..ranges.lowest.len())
            .map(|k| {
                let (lowest, highest) = (f64::from(ranges.lowest[k]), f64::from(ranges.highest[k]));
                let (pays, charges) = ranges.prices_with_meaning(k);
                let mut price = |cost: f64| program.add_var(cost, (0.0, LARGEST_PRICE));
                [pays.then(|| price(-lowest / cores)), charges.then(|| price(highest / cores))]
            })
            .collect();
        Self { variables, lowest: ranges.lowest.clone() }
    }

    /// The terms of so many threads of an application on a node of a class in the cut of an option.
    pub(in crate::search) fn terms(
        &self,
        relaxation: &Relaxation<'_>,
        class: usize,
        app: usize,
        threads: u32,
    ) -> impl Iterator<Item = (Variable, f64)> {
        let apps = relaxation.problem.apps.len();
        let counters = [app, apps * (1 + class) + app].into_iter().filter(move |_| threads > 0);
        counters.flat_map(move |counter| {
            let [pays, charges] = self.variables[counter];
            let counted = relaxation.counted(class, threads, self.lowest[counter]) / relaxation.total_cores;
            let all = f64::from(threads) / relaxation.total_cores;
            [pays.map(|variable| (variable, -counted)), charges.map(|variable| (variable, all))]
                .into_iter()
                .flatten()
        })
    }

    /// What pays and what charges in a solution, times `scale`.
    pub(in crate::search) fn values(&self, solution: &Solution, scale: f64) -> [Vec<f64>; 2] {
        let value = |variable: Option<Variable>| variable.map_or(0.0, |v| solution.var_value(v).max(0.0));
        [0, 1].map(|which| self.variables.iter().map(|of| value(of[which]) * scale).collect())
    }
}
