//! The bound at given prices, and its slope.

use std::ops::Range;
use std::sync::Arc;

use numasim_model::{NodeId, Placement};

use crate::objective::Objective;
use crate::parallel;
use crate::search::dual::relaxation::{Class, Relaxation};
use crate::search::dual::{Dealt, Earnings, Improved, MeanWait, Prices, Ranges};
use crate::search::options::OptionTable;

impl Relaxation<'_> {
    /// The part of the bound that does not depend on the options.
    pub(in crate::search) fn constant(&self, prices: &Prices, ranges: &Ranges) -> f64 {
        let goal = &self.problem.goal;
        let conjugate: f64 = match goal.objective() {
            Objective::Geomean => goal
                .weights()
                .iter()
                .zip(&prices.y)
                .filter(|(w, _)| **w > 0.0)
                .map(|(w, y)| w * (libm::log(w / y) - 1.0))
                .sum(),
            Objective::Fair | Objective::Makespan => {
                prices.y.iter().enumerate().map(|(a, y)| y * goal.offset(a)).sum()
            }
            Objective::TotalGflops => 0.0,
        };
        let priced = (0..self.shared_bandwidth.len()).filter(|&m| self.has_limit(m));
        let memory: f64 = priced.map(|m| prices.lambda[m]).sum();
        let reads = prices.mu.iter().zip(&self.watched).filter(|(mu, _)| **mu > 0.0);
        let reads: f64 = reads.map(|(mu, watched)| mu * watched.most / watched.bandwidth).sum();
        let threads = ranges.at_their_ends(&prices.pays, &prices.charges) / self.total_cores;
        let wait = self.mean_wait.as_ref().filter(|mean| mean.has_a_price()).map_or(0.0, |_| prices.wait);
        conjugate + memory + reads + wait - threads
    }

    /// The earnings of an option on a node of `class` at these prices in these ranges.
    ///
    /// If m threads are the fewest, no node needs to be paid for more than m of them: the sum of min(threads, m) over nodes is also at
    /// least m. So a mixture of a small part of a full node and a large part of an empty one does not count as m threads. Corners represent
    /// mixtures of options and are paid for all threads.
    pub(in crate::search) fn earnings(&self, class: usize, prices: &Prices, ranges: &Ranges) -> Earnings {
        let unit = self.problem.goal.unit_gflops();
        let price = |m: usize| self.shared_bandwidth[m].map_or(0.0, |bandwidth| prices.lambda[m] / bandwidth);
        let worth: Vec<f64> = (0..self.problem.apps.len())
            .map(|a| {
                let worth = if unit[a] > 0.0 { prices.y[a] / unit[a] } else { 0.0 };
                let draw = self.classes[class].draw[a].iter();
                worth - draw.map(|&(m, draw)| price(m) * draw).sum::<f64>()
            })
            .collect();
        let own = self.classes[class].own.as_ref().map(|own| {
            let of_others = price(own.resource);
            let beside = worth.iter().zip(&own.draw).map(|(worth, draw)| worth + of_others * draw);
            let of_wait = self.mean_wait.as_ref().map_or(0.0, |mean| mean.part(class) * prices.wait);
            Dealt::new(own, beside.collect(), of_others, of_wait)
        });
        let of_gflops = worth.iter().map(|worth| worth.max(0.0)).collect();
        // The lists of options are long: an absent list is not searched.
        let has_least = self.classes[class].table.has_least();
        let of_least = worth.iter().map(|worth| worth.min(0.0)).filter(|_| has_least).collect();
        let apps = self.problem.apps.len();
        let counters = |a: usize| [a, apps * (1 + class) + a];
        let is_mixture = self.classes[class].table.as_corners().is_some();
        let per_thread = (0..apps).map(|a| {
            let price = |k: usize| if is_mixture { prices.pays[k] } else { 0.0 } - prices.charges[k];
            counters(a).map(price).iter().sum::<f64>() / self.total_cores
        });
        let paid = (0..apps).flat_map(counters).filter(|&k| prices.pays[k] > 0.0 && !is_mixture);
        let paid = paid.map(|k| (k % apps, ranges.lowest[k], prices.pays[k] / self.total_cores)).collect();
        let of_reads = prices.mu.iter().zip(&self.watched).map(|(mu, watched)| -mu / watched.bandwidth);
        let unless_zero =
            |prices: Vec<f64>| if prices.iter().all(|p| *p == 0.0) { Vec::new() } else { prices };
        let (per_thread, of_reads) = (unless_zero(per_thread.collect()), unless_zero(of_reads.collect()));
        Earnings { of_gflops, of_least: unless_zero(of_least), per_thread, paid, of_reads, own }
    }

    /// The bound at `prices`, its subgradient, and per counter the threads of the options that earn most.
    pub(in crate::search) fn bound(&self, prices: &Prices, ranges: &Ranges) -> (f64, Prices, Vec<f64>) {
        let apps = self.problem.apps.len();
        let memories = self.shared_bandwidth.len();
        let unit = self.problem.goal.unit_gflops();
        let mut threads_of = vec![0.0; prices.pays.len()];
        let ends = |ends: &[u32], sign: f64| -> Vec<f64> {
            ends.iter().map(|&end| sign * f64::from(end) / self.total_cores).collect()
        };
        let (pays, charges) = (ends(&ranges.lowest, -1.0), ends(&ranges.highest, 1.0));
        let mu: Vec<f64> = self.watched.iter().map(|w| w.most / w.bandwidth).collect();
        let wait = 1.0;
        let mut slope = Prices { y: vec![0.0; apps], lambda: vec![0.0; memories], pays, charges, mu, wait };
        let mut bound = self.constant(prices, ranges);
        for (c, class) in self.classes.iter().enumerate() {
            let earnings = self.earnings(c, prices, ranges);
            let Some((option, best)) = best_option(&class.table, &earnings) else {
                return (f64::NEG_INFINITY, slope, threads_of);
            };
            let copies = class.nodes.len() as f64;
            bound += copies * best;
            let shares = earnings.shares(&class.table, option);
            if let Some(mean) = &self.mean_wait {
                slope.wait -= copies * mean.part(c) * shares.wait;
            }
            let (_, counts) = class.table.row(option);
            for ((slope, watched), reads) in
                slope.mu.iter_mut().zip(&self.watched).zip(class.table.reads(option))
            {
                *slope -= copies * reads / watched.bandwidth;
            }
            for a in 0..apps {
                for counter in [a, apps * (1 + c) + a] {
                    threads_of[counter] += copies * f64::from(counts[a]);
                    slope.charges[counter] -= copies * f64::from(counts[a]) / self.total_cores;
                    slope.pays[counter] += copies
                        * self.counted(c, f64::from(counts[a]), ranges.lowest[counter])
                        / self.total_cores;
                }
                let gflops = shares.gflops[a];
                slope.y[a] += if unit[a] > 0.0 { copies * gflops / unit[a] } else { 0.0 };
                for (m, draw) in class.draws_at_prices(a) {
                    if let Some(bandwidth) = self.shared_bandwidth[m] {
                        slope.lambda[m] -= copies * gflops * draw / bandwidth;
                    }
                }
            }
            if let Some(own) = &class.own
                && let Some(bandwidth) = self.shared_bandwidth[own.resource]
            {
                slope.lambda[own.resource] += copies * shares.others_gbs / bandwidth;
            }
        }
        for m in (0..memories).filter(|&m| self.has_limit(m)) {
            slope.lambda[m] += 1.0;
        }
        match self.problem.goal.objective() {
            Objective::TotalGflops => slope.y.fill(0.0),
            Objective::Geomean => {
                for (slope, (w, y)) in
                    slope.y.iter_mut().zip(self.problem.goal.weights().iter().zip(&prices.y))
                {
                    *slope = if *w > 0.0 { *slope - w / y } else { 0.0 };
                }
            }
            Objective::Fair | Objective::Makespan => {
                slope.y.iter_mut().enumerate().for_each(|(a, slope)| *slope += self.problem.goal.offset(a));
                // y stays on the simplex: the common part of all entries has no effect and would only shorten steps.
                let mean = slope.y.iter().sum::<f64>() / apps as f64;
                slope.y.iter_mut().for_each(|slope| *slope -= mean);
            }
        }
        (bound, slope, threads_of)
    }

    /// Whether a shared resource has a limit that counts once: memories that options distribute have none.
    pub(in crate::search) fn has_limit(&self, m: usize) -> bool {
        self.shared_bandwidth[m].is_some() && self.classes.get(m).is_none_or(|class| class.own.is_none())
    }

    /// The number of these threads on one node of a class that counts towards a lowest number.
    pub(in crate::search) fn counted(&self, class: usize, threads: f64, lowest: u32) -> f64 {
        let is_mixture = self.classes[class].table.as_corners().is_some();
        if is_mixture { threads } else { threads.min(f64::from(lowest)) }
    }

    /// The bound with y as the slope of the score at these GFLOPS: for geomean w / P. If they are the best, this closes the last
    /// difference, which linear programs leave by rounding. `None` if y is fixed or not a slope.
    ///
    /// Prices of the resources that an application reads at its home change with the value of the application.
    pub(in crate::search) fn at_gradient(
        &self,
        from: &Improved,
        placements: &[Placement],
        gflops: &[f64],
        ranges: &Ranges,
    ) -> Option<Improved> {
        let goal = &self.problem.goal;
        if goal.objective() != Objective::Geomean || gflops.len() != self.problem.apps.len() {
            return None;
        }
        let slope = |((w, unit), g): ((&f64, &f64), &f64)| if *w > 0.0 { w * unit / g } else { 0.0 };
        let y: Vec<f64> = goal.weights().iter().zip(goal.unit_gflops()).zip(gflops).map(slope).collect();
        let moved = |at_home: &dyn Fn(NodeId) -> bool| {
            let reader = placements.iter().position(|placement| placement.home().is_some_and(at_home));
            let ratio = reader.map(|a| y[a] / from.prices.y[a]).filter(|ratio| ratio.is_finite());
            ratio.unwrap_or(1.0)
        };
        let mut prices = from.prices.clone();
        for (mu, watched) in prices.mu.iter_mut().zip(&self.watched) {
            *mu *= moved(&|home| home == watched.memory);
        }
        for (lambda, class) in prices.lambda.iter_mut().zip(&self.classes) {
            *lambda *= moved(&|home| class.nodes.contains(&home));
        }
        prices.y = y;
        let (bound, ..) = self.bound(&prices, ranges);
        bound.is_finite().then(|| Improved { bound, prices, ..from.clone() })
    }
}

/// Number of options that are priced one after the other; more are priced in parallel.
pub(super) const CHUNK: usize = 8192;

/// The option that earns most; the first of equals. `None` for an empty table.
pub(in crate::search) fn best_option(table: &OptionTable, earnings: &Earnings) -> Option<(usize, f64)> {
    let best_of = |options: std::ops::Range<usize>| {
        if earnings.own.is_some() {
            best_dealt(table, earnings, options)
        } else {
            best_at_prices(table, earnings, options)
        }
    };
    if table.len() <= CHUNK {
        return best_of(0..table.len());
    }
    let chunks: Vec<_> = parallel::map(0..table.len().div_ceil(CHUNK), |chunk| {
        best_of(chunk * CHUNK..((chunk + 1) * CHUNK).min(table.len()))
    });
    chunks.into_iter().flatten().reduce(|best, next| if next.1 > best.1 { next } else { best })
}

fn best_at_prices(table: &OptionTable, earnings: &Earnings, options: Range<usize>) -> Option<(usize, f64)> {
    let mut best: Option<(usize, f64)> = None;
    for option in options {
        let earned = earnings.of(table, option);
        if best.is_none_or(|(_, most)| earned > most) {
            best = Some((option, earned));
        }
    }
    best
}

/// The same if options distribute a memory and their earnings are expensive to compute: the one with the largest upper bound comes first,
/// and hardly any other one can exceed it.
fn best_dealt(table: &OptionTable, earnings: &Earnings, options: Range<usize>) -> Option<(usize, f64)> {
    let first = options.start;
    let at_most: Vec<f64> = options.map(|option| earnings.at_most(table, option)).collect();
    let highest = (0..at_most.len()).max_by(|&a, &b| at_most[a].total_cmp(&at_most[b]).then(b.cmp(&a)))?;
    let mut best = (first + highest, earnings.of(table, first + highest));
    for (option, at_most) in (first..).zip(at_most) {
        let beats = |earned: f64| earned > best.1 || (earned >= best.1 && option < best.0);
        if beats(at_most) && beats(earnings.nearly(table, option)) {
            let earned = earnings.of(table, option);
            if beats(earned) {
                best = (option, earned);
            }
        }
    }
    Some(best)
}

// Better prices by subgradient steps.

/// A squared slope that is rounding. A step along it would be so long that prices of 1e18 and more cancel in the bound, and the remainder
/// is not a bound. Slopes are fractions of the cores, of the performance of an application or of a bandwidth.
const NO_SLOPE: f64 = 1e-12;

impl Relaxation<'_> {
    /// Lowers the bound on `ranges` by at most `steps` subgradient steps towards `target`, the best known score; stops early when it is
    /// reached.
    pub(in crate::search) fn descend(
        &self,
        start: Prices,
        ranges: &Ranges,
        target: f64,
        steps: usize,
    ) -> Improved {
        let mut prices = start;
        let mut best = Improved {
            bound: f64::INFINITY,
            prices: prices.clone(),
            threads: Vec::new(),
            cuts: Vec::new(),
            work: 0,
        };
        let (mut step_factor, mut since_improved) = (1.0, 0);
        for _ in 0..steps {
            best.work += self.pricing();
            let (bound, mut slope, threads_of) = self.bound(&prices, ranges);
            if best.threads.is_empty() {
                best.threads.clone_from(&threads_of);
            }
            for (mean, threads) in best.threads.iter_mut().zip(&threads_of) {
                *mean = 0.9 * *mean + 0.1 * threads;
            }
            if bound < best.bound {
                let clearly = best.bound - bound > 1e-3 * (best.bound - target).abs();
                since_improved = if clearly { 0 } else { since_improved };
                best.bound = bound;
                best.prices = prices.clone();
            }
            if best.bound <= target || self.monitor.stop() {
                break;
            }
            since_improved += 1;
            if since_improved > 10 {
                step_factor *= 0.6;
                since_improved = 0;
                prices = best.prices.clone();
                continue;
            }
            for (slope, watched) in slope.mu.iter_mut().zip(&self.watched) {
                *slope = if watched.most.is_finite() { *slope } else { 0.0 };
            }
            for (k, (pays, charges)) in slope.pays.iter_mut().zip(&mut slope.charges).enumerate() {
                let (pay, charge) = ranges.prices_with_meaning(k);
                // A price of 0 that would fall does not change the bound.
                *pays = if pay && (prices.pays[k] > 0.0 || *pays < 0.0) { *pays } else { 0.0 };
                *charges = if charge && (prices.charges[k] > 0.0 || *charges < 0.0) { *charges } else { 0.0 };
            }
            let goal =
                if target.is_finite() { target } else { best.bound - 0.05 * best.bound.abs().max(1e-12) };
            let parts = slope.y.iter().chain(&slope.lambda).chain(&slope.pays).chain(&slope.charges);
            if !self.mean_wait.as_ref().is_some_and(MeanWait::has_a_price) {
                slope.wait = 0.0;
            }
            let parts = parts.chain(&slope.mu).chain(std::iter::once(&slope.wait));
            let norm: f64 = parts.map(|s| s * s).sum();
            let excess = bound - goal;
            if norm <= NO_SLOPE || step_factor < 1e-6 || !bound.is_finite() {
                break;
            }
            self.step(&mut prices, &slope, step_factor * excess / norm);
        }
        best
    }

    fn step(&self, prices: &mut Prices, slope: &Prices, length: f64) {
        for (lambda, s) in prices.lambda.iter_mut().zip(&slope.lambda) {
            *lambda = (*lambda - length * s).max(0.0);
        }
        for (mu, s) in prices.mu.iter_mut().zip(&slope.mu) {
            *mu = (*mu - length * s).max(0.0);
        }
        prices.wait = (prices.wait - length * slope.wait).max(0.0);
        for (prices, slope) in [(&mut prices.pays, &slope.pays), (&mut prices.charges, &slope.charges)] {
            for (price, s) in prices.iter_mut().zip(slope) {
                *price = (*price - length * s).max(0.0);
            }
        }
        match self.problem.goal.objective() {
            Objective::TotalGflops => {}
            Objective::Geomean => {
                for (y, s) in prices.y.iter_mut().zip(&slope.y) {
                    // Never to zero, where the conjugate is infinite.
                    *y = (*y - length * s).max(0.25 * *y);
                }
            }
            Objective::Fair | Objective::Makespan => {
                prices.y.iter_mut().zip(&slope.y).for_each(|(y, s)| *y -= length * s);
                project_on_simplex(&mut prices.y);
            }
        }
    }
}

/// The nearest point with non-negative entries that sum to 1 (Held, Wolfe and Crowder 1974).
fn project_on_simplex(y: &mut [f64]) {
    let mut sorted = y.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (mut sum, mut shift) = (0.0, 0.0);
    for (i, value) in sorted.iter().enumerate() {
        sum += value;
        let candidate = (sum - 1.0) / (i + 1) as f64;
        if value - candidate > 0.0 {
            shift = candidate;
        }
    }
    for value in y {
        *value = (*value - shift).max(0.0);
    }
}

// The remainder for one node if all others certainly draw something: less than potentials assume.
//
// Assume that every other node draws the minimum of its options ([`crate::search::options::OptionTable::least`]). An option on this node
// then has at most the remainder of a shared memory or link. An application of it has at most the remainder after the minimum of all others
// in the option. Prices only handle mixtures of options, in which one may draw more than the capacity if another one draws less.

impl Relaxation<'_> {
    /// The same with potentials that use no more room than others certainly leave.
    pub(super) fn with_room(&self) -> Self {
        let resources = self.shared_bandwidth.len();
        let drawn = |class: &Class| class.table.least_drawn(&class.draw, resources);
        let drawn: Vec<Vec<f64>> = self.classes.iter().map(drawn).collect();
        let all = |m: usize| -> f64 {
            let nodes = self.classes.iter().map(|class| class.nodes.len() as f64);
            nodes.zip(&drawn).map(|(nodes, drawn)| nodes * drawn[m]).sum()
        };
        let room: Vec<Option<f64>> =
            (0..resources).map(|m| Some(self.shared_bandwidth[m]? - all(m))).collect();
        let mut relaxation = self.clone();
        for (class, drawn) in relaxation.classes.iter_mut().zip(&drawn) {
            if class.table.has_least() {
                let room: Vec<f64> = room
                    .iter()
                    .zip(drawn)
                    .map(|(room, own)| room.map_or(f64::INFINITY, |room| (room + own) * (1.0 + 1e-9)))
                    .collect();
                class.table = Arc::new(class.table.with_room(&class.draw, &room));
            }
        }
        relaxation
    }
}

#[cfg(test)]
mod tests {
    use crate::objective::Objective;
    use crate::search::testing::{question, relaxation};

    #[test]
    fn without_prices_the_bound_is_the_best_option_of_each_node() {
        // (0, 2) or (1, 1): 20 GFLOPS on each of 2 nodes
        let problem = question(2, Objective::TotalGflops);
        let relaxation = relaxation(&problem);
        let (bound, _, threads) = relaxation.bound(&relaxation.start().prices, &relaxation.everything());
        assert!((bound - 40.0).abs() < 1e-9, "{bound}");
        assert_eq!(threads[..2].iter().sum::<f64>(), 4.0, "threads of the chosen options");
    }

    #[test]
    fn a_price_for_threads_lowers_the_bound_by_the_required_number() {
        // 2 cores; 4 per thread of `mem` and core: (1, 1) earns 20 + 4/2 x 1, (0, 2) earns 20, less 4/2 x min_threads 1
        let problem = question(1, Objective::TotalGflops);
        let relaxation = relaxation(&problem);
        let mut prices = relaxation.start().prices;
        prices.pays[0] = 4.0;
        let (bound, ..) = relaxation.bound(&prices, &relaxation.everything());
        assert!((bound - 20.0).abs() < 1e-9, "{bound}");
    }
}

#[cfg(test)]
mod tests_of_descent {
    use super::project_on_simplex;

    #[test]
    fn projection_keeps_points_of_the_simplex() {
        let mut y = [0.2, 0.3, 0.5];
        project_on_simplex(&mut y);
        assert!((y[0] - 0.2).abs() < 1e-15 && (y[2] - 0.5).abs() < 1e-15);
    }

    #[test]
    fn projection_cuts_off_negative_weights() {
        // (1.5, 0, -1): keeping only the first gives (1, 0, 0)
        let mut y = [1.5, 0.0, -1.0];
        project_on_simplex(&mut y);
        assert_eq!(y, [1.0, 0.0, 0.0]);
    }
}
