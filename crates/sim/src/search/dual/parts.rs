//! Parts of the space by the state of a memory: the bandwidth that other nodes draw from it ([`crate::search::cells`]), or the wait of its
//! bytes.

use std::sync::Arc;

use numasim_model::units::GigabytesPerSecond;
use numasim_model::{AppId, NodeId};

use crate::problem::Evaluator;
use crate::search::dual::relaxation::{Class, Drawn, Relaxation, Watched};
use crate::search::dual::{Improved, MeanWait, OnCurve, Own, Prices, Ranges};

/// Two parts of the space, by the wait at the memory of a class.
pub(in crate::search) struct Cut {
    pub(in crate::search) class: usize,
    /// The ratio of the ends of both parts.
    pub(in crate::search) ratio: f64,
    /// The waits of each, ns per byte.
    pub(in crate::search) parts: [(f64, f64); 2],
}

/// The fraction of the controller below which a range is not cut any more.
const NARROWEST: f64 = 1e-4;
/// The relative difference of waits below which a range is not cut any more.
const NARROWEST_WAIT: f64 = 1e-3;
/// The fraction of the controller below which a range is narrow. The own node and all others then each have a limit, and these together are
/// hardly more than the controller.
const NARROW: f64 = 0.01;

impl Relaxation<'_> {
    /// The maximum bandwidth that other nodes can draw from a memory, GB/s.
    pub(super) fn most_drawn(&self, memory: NodeId) -> f64 {
        let machine = &self.problem.machine;
        let links = machine.compute_nodes().filter_map(|node| machine.link(node, memory));
        let all = links.map(GigabytesPerSecond::value).sum::<f64>();
        // Rounding must not put a sum of draws beyond the end.
        all.min(machine.node(memory).bandwidth.value()) * (1.0 + 1e-9)
    }

    /// The possible cuts of ranges of waits, the widest first: the class of the memory, and both parts.
    pub(in crate::search) fn cuts_of_waits(&self) -> Vec<Cut> {
        let cut = |(c, class): (usize, &Class)| {
            let own = class.own.as_deref().filter(|_| class.nodes.len() == 1)?;
            let on_curve = own.queue.as_ref()?;
            let waits = || (0..class.table.len()).filter_map(|option| class.table.waits(option));
            let least = waits().map(|waits| waits.least).fold(f64::INFINITY, f64::min);
            let most = waits().map(|waits| waits.most).fold(0.0, f64::max);
            let (least, most) = (least.max(on_curve.waits.0), most.min(on_curve.waits.1));
            // Waits shorter than a transfer time make little difference.
            let transfer = own.bandwidth_gbs.recip();
            let ratio = (most + transfer) / (least + transfer);
            let middle = ((most + transfer) * (least + transfer)).sqrt() - transfer;
            let parts = [(on_curve.waits.0, middle), (middle, on_curve.waits.1)];
            (ratio > 1.0 + NARROWEST_WAIT).then_some(Cut { class: c, ratio, parts })
        };
        let mut cuts: Vec<Cut> = self.classes.iter().enumerate().filter_map(cut).collect();
        cuts.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
        cuts
    }

    /// The relaxation with these waits at the memory of a class, and `improved` in its numbering of options; `None` if waits there are not
    /// known to matter.
    pub(in crate::search) fn where_waited(
        &self,
        improved: &Improved,
        class: usize,
        waits: (f64, f64),
    ) -> Option<(Self, Improved)> {
        let own = self.classes[class].own.as_deref()?;
        let on_curve = own.queue.as_ref()?;
        let mut part = self.clone();
        for (class, link) in part.classes.iter_mut().zip(&on_curve.links) {
            if let Some(link) = link {
                class.table = Arc::new(class.table.with_less_over(link, waits.0));
            }
        }
        let home = &mut part.classes[class];
        home.table = Arc::new(home.table.with_waits(&on_curve.own, waits));
        home.own = Some(Arc::new(Own { queue: Some(OnCurve { waits, ..on_curve.clone() }), ..own.clone() }));
        let possible = part.only_where(improved, |c, option| {
            c != class || part.classes[c].table.waits(option).is_none_or(|waits| !waits.is_empty())
        });
        Some(possible.unwrap_or_else(|| (part, improved.clone())))
    }

    /// A possible cut of the range of the mean wait: the ratio of its ends, and both parts.
    pub(in crate::search) fn cut_of_mean_wait(&self) -> Option<(f64, [(f64, f64); 2])> {
        let mean = self.mean_wait.as_ref()?;
        let longest = |(c, class): (usize, &Class)| {
            let waits = (0..class.table.len()).filter_map(|option| class.table.waits(option));
            let most = waits.map(|waits| waits.most).fold(0.0, f64::max);
            class.nodes.len() as f64 * mean.of_node(c, most)
        };
        // In multiples of the time that a byte takes of a memory.
        let most: f64 = self.classes.iter().enumerate().map(longest).sum();
        let (least, most) = (mean.range.0 / mean.unit, most.min(mean.range.1) / mean.unit);
        let middle = ((most + 1.0) * (least + 1.0)).sqrt() - 1.0;
        let middle = middle * mean.unit;
        let ratio = (most + 1.0) / (least + 1.0);
        (ratio > 1.0 + NARROWEST_WAIT).then_some((ratio, [(mean.range.0, middle), (middle, mean.range.1)]))
    }

    /// The relaxation with the mean wait in this range, and `improved` in its numbering of options.
    pub(in crate::search) fn where_mean_waited(
        &self,
        improved: &Improved,
        evaluator: &Evaluator<'_>,
        range: (f64, f64),
    ) -> Option<(Self, Improved)> {
        let mean = self.mean_wait.as_ref()?;
        let mut part = self.clone();
        for class in &mut part.classes {
            let Some(&node) = class.nodes.first().filter(|_| range.0 > mean.range.0) else { continue };
            for &app in &mean.readers {
                let after = |threads| evaluator.solver.gflops_after(AppId(app), node, threads, range.0);
                class.table = Arc::new(class.table.with_at_most(app, after));
            }
        }
        let mut improved = improved.clone();
        let (mean, price) = mean.within(range, improved.prices.wait);
        improved.prices.wait = price;
        part.mean_wait = Some(mean);
        Some((part, improved))
    }

    /// Adds a price for the mean wait: without one so far, the fraction of the prices of all memories with the lowest bound.
    pub(in crate::search) fn with_a_price_of_waits(&self, improved: Improved, ranges: &Ranges) -> Improved {
        if improved.prices.wait > 0.0 || !self.mean_wait.as_ref().is_some_and(MeanWait::has_a_price) {
            return improved;
        }
        let all: f64 = improved.prices.lambda.iter().sum();
        let at = |part: &f64| Prices { wait: part * all, ..improved.prices.clone() };
        let priced = [0.03, 0.1, 0.3].iter().map(at).map(|prices| (self.bound(&prices, ranges).0, prices));
        let (bound, prices) =
            priced.fold(
                (f64::INFINITY, improved.prices.clone()),
                |best, next| {
                    if next.0 < best.0 { next } else { best }
                },
            );
        if bound.is_finite() { Improved { prices, ..improved } } else { improved }
    }

    /// Whether memories are watched by the bandwidth drawn from them.
    pub(in crate::search) fn is_drawn_from(&self) -> bool {
        self.watched.iter().any(|watched| watched.drawn.is_some())
    }

    /// Whether ranges of drawn bandwidth are narrow, and there are any.
    pub(in crate::search) fn knows_what_is_drawn(&self) -> bool {
        let narrow = |watched: &Watched| {
            let range = watched.drawn.map(|drawn| drawn.range.1 - drawn.range.0);
            range.map(|width| width < NARROW * watched.bandwidth)
        };
        let mut ranges = self.watched.iter().filter_map(narrow).peekable();
        ranges.peek().is_some() && ranges.all(|narrow| narrow)
    }

    /// Whether no option could take more of a watched memory over links than its counted reads: the counted reads are then at least the
    /// drawn bandwidth.
    pub(in crate::search) fn counts_all(&self, w: usize) -> bool {
        let Some(Drawn { resource, .. }) = self.watched[w].drawn else { return false };
        self.classes.iter().all(|class| {
            let of_app = |draw: &Vec<(usize, f64)>| -> f64 {
                draw.iter().filter(|(m, _)| *m == resource).map(|(_, draw)| draw).sum()
            };
            let draws: Vec<f64> = class.draw.iter().map(of_app).collect();
            draws.iter().all(|draw| *draw <= 0.0)
                || (0..class.table.len()).all(|option| {
                    let taken: f64 =
                        class.table.potential(option).iter().zip(&draws).map(|(g, d)| g * d).sum();
                    taken <= class.table.reads(option)[w] * (1.0 + 1e-9) + 1e-12
                })
        })
    }

    /// The possible cuts of ranges of drawn bandwidth, the widest first: the watched memory, and both parts.
    pub(in crate::search) fn cuts_of_what_is_drawn(&self) -> Vec<(usize, [(f64, f64); 2])> {
        let cut = |(w, watched): (usize, &Watched)| {
            let (least, most) = watched.drawn?.range;
            let middle = f64::midpoint(least, most);
            let wide = most - least > NARROWEST * watched.bandwidth;
            wide.then_some((w, [(least, middle), (middle, most)]))
        };
        let mut cuts: Vec<(usize, [(f64, f64); 2])> =
            self.watched.iter().enumerate().filter_map(cut).collect();
        let width =
            |(w, [low, high]): &(usize, [(f64, f64); 2])| (high.1 - low.0) / self.watched[*w].bandwidth;
        cuts.sort_by(|a, b| width(b).total_cmp(&width(a)));
        cuts
    }

    /// The relaxation in which other nodes draw `least` to `most` GB/s of watched memory `w`, and `improved` in its numbering of options.
    /// `None` if stopped, or if the memory is not watched by drawn bandwidth.
    pub(in crate::search) fn where_drawn(
        &self,
        improved: &Improved,
        evaluator: &Evaluator<'_>,
        w: usize,
        (least, most): (f64, f64),
    ) -> Option<(Self, Improved)> {
        let watched = self.watched.get(w)?;
        let drawn = watched.drawn?;
        let (memory, bandwidth) = (watched.memory, watched.bandwidth);
        let mut part = self.clone();
        part.watched[w].most = most;
        part.watched[w].drawn = Some(Drawn { range: (least, most), ..drawn });
        let sure = |watched: &Watched| {
            let most = watched.drawn.map(|drawn| drawn.level.sure(watched.bandwidth, drawn.range.1));
            most.unwrap_or(f64::INFINITY)
        };
        let counts: Vec<f64> = part.watched.iter().map(sure).collect();
        for class in &mut part.classes {
            let table = if class.nodes == [memory] && least > drawn.range.0 {
                &class.table.with_less(evaluator, (memory, least), self.monitor)?
            } else {
                &*class.table
            };
            class.table = Arc::new(table.counting(&counts));
        }
        part.watched[w].least = if part.counts_all(w) { least } else { 0.0 };
        let mut prices = improved.prices.clone();
        let before = part.shared_bandwidth[drawn.resource].replace(most);
        if let (Some(before), Some(price)) = (before, prices.lambda.get_mut(drawn.resource)) {
            *price *= most / before;
        }
        let improved = Improved { prices, ..improved.clone() };
        let tolerance = 1e-9 * bandwidth;
        let possible = part
            .only_where(&improved, |c, option| part.classes[c].table.reads(option)[w] <= most + tolerance);
        Some(possible.unwrap_or((part, improved)))
    }
}
