//! A bound without options that models how nodes share their memories, for cases with a single parameter.
//!
//! # Approach
//! Corners with a price on the memory let an optimum distribute the memory freely. In reality each thread has its share: at a given f of
//! [`OwnShare`], the bandwidth and earnings of every thread are known. The value of a node's content is then a linear program with two
//! constraints: cores, and the memory. If f is between two limits, each application may choose its own f between them. So the best content
//! of a node at given prices is found over all f ([`Node::best`]: parts of the range, the most promising first), and prices by cutting
//! planes, as in [`crate::search::cutting`]. No application has more threads on a node than its total maximum; mixtures respect that as
//! well.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use numasim_model::sharing::own_share::OwnShare;

use super::dual::{Class, Improved, Prices, Ranges, Relaxation, best_option};
use crate::problem::Evaluator;
use crate::search::cutting::{BestContents, MOST_EARNINGS, PATIENCE};
use crate::search::master::{Cut, Master};

/// Initial number of parts of the range of f.
const FIRST_PARTS: u32 = 8;
/// Maximum number of parts in all.
const MOST_PARTS: usize = 300;
/// A part is narrow enough at this relative difference between its upper bound and a possible value in it.
const NARROW: f64 = 1e-11;
/// Maximum number of halvings in the search for the price of a memory.
const HALVINGS: usize = 48;
/// Allowance for rounding of the bandwidth that threads occupy together.
const ROUNDING: f64 = 1e-11;

/// The best content of a node.
#[derive(Clone, Debug)]
struct Content {
    /// Its maximum earnings.
    earned: f64,
    gflops: Vec<f64>,
    threads: Vec<f64>,
}

/// A node with its law.
struct Node<'l> {
    law: &'l OwnShare,
    cores: f64,
    /// Per application: the most threads, and GFLOPS of one thread at full demand.
    most: Vec<f64>,
    full: Vec<f64>,
}

/// Limits of f, and the best content of the node between them.
struct Part {
    low: f64,
    high: f64,
    content: Content,
}

impl PartialEq for Part {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Part {}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Part {
    /// The larger of two earns more; in a tie, the one with the lower limits.
    fn cmp(&self, other: &Self) -> Ordering {
        self.content.earned.total_cmp(&other.content.earned).then(other.low.total_cmp(&self.low))
    }
}

impl Node<'_> {
    /// The best contents at these prices of GFLOPS and threads, the best first: from the most promising part of the range of f, and from
    /// others that are nearly as good.
    fn best(&self, of_gflops: &[f64], of_thread: &[f64]) -> Vec<Content> {
        let part =
            |low: f64, high: f64| Part { low, high, content: self.between(low, high, of_gflops, of_thread) };
        let limit = |number: u32| f64::from(number) / f64::from(FIRST_PARTS);
        // At 1 itself, all threads get their full demand.
        let first = (0..FIRST_PARTS).map(|number| (limit(number), limit(number + 1))).chain([(1.0, 1.0)]);
        let mut parts: BinaryHeap<Part> = first.map(|(low, high)| part(low, high)).collect();
        let mut looked_at = parts.len();
        while looked_at < MOST_PARTS
            && let Some(top) = parts.peek()
        {
            let possible = self.between(top.low, top.low, of_gflops, of_thread).earned;
            let earned = top.content.earned;
            if earned - possible <= NARROW * earned.abs() {
                break;
            }
            let Some(Part { low, high, .. }) = parts.pop() else { break };
            let middle = f64::midpoint(low, high);
            parts.push(part(low, middle));
            parts.push(part(middle, high));
            looked_at += 3;
        }
        let mut best: Vec<Content> = Vec::new();
        while best.len() < 3
            && let Some(Part { content, .. }) = parts.pop()
        {
            best.push(content);
        }
        best
    }

    /// The best content if f is between these limits: each application has the better one of both at the resulting price of the memory.
    fn between(&self, low: f64, high: f64, of_gflops: &[f64], of_thread: &[f64]) -> Content {
        let apps = self.most.len();
        // GFLOPS, value and GB/s of a thread at both limits.
        let end = |a: usize, f: f64| {
            let gflops = self.full[a] * self.law.part_of_full_speed(a, f);
            let of_thread = of_thread.get(a).copied().unwrap_or(0.0);
            End { gflops, worth: gflops * of_gflops[a] + of_thread, gbs: self.law.occupied_gbs(a, f) }
        };
        let ends: Vec<[End; 2]> = (0..apps).map(|a| [end(a, low), end(a, high)]).collect();
        let all = self.law.bandwidth_gbs() * (1.0 + ROUNDING);
        let fill = |price: f64| -> Filled {
            let net = |end: &End| end.worth - price * end.gbs;
            let better =
                |a: usize| if net(&ends[a][1]) >= net(&ends[a][0]) { &ends[a][1] } else { &ends[a][0] };
            let mut order: Vec<(f64, usize)> = (0..apps)
                .map(|a| (net(better(a)), a))
                .filter(|&(net, a)| net > 0.0 && self.most[a] > 0.0)
                .collect();
            order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let (threads, gflops) = (vec![0.0; apps], vec![0.0; apps]);
            let content = Content { earned: price * all, gflops, threads };
            let mut filled = Filled { price, occupied: 0.0, content };
            let mut left = self.cores;
            for (net, a) in order {
                let more = self.most[a].min(left);
                left -= more;
                filled.occupied += more * better(a).gbs;
                filled.content.earned += more * net;
                filled.content.threads[a] = more;
                filled.content.gflops[a] = if of_gflops[a] > 0.0 { more * better(a).gflops } else { 0.0 };
                if left <= 0.0 {
                    break;
                }
            }
            filled
        };
        let mut cheap = fill(0.0);
        if cheap.occupied <= all {
            return cheap.content;
        }
        // Any price of the memory gives a bound; at the best one the occupied bandwidth equals the capacity.
        let highest = ends.iter().flatten().filter(|end| end.gbs > 0.0).map(|end| end.worth / end.gbs);
        let mut dear = fill(highest.fold(0.0, f64::max));
        for _ in 0..HALVINGS {
            let price = f64::midpoint(cheap.price, dear.price);
            if price <= cheap.price || price >= dear.price {
                break;
            }
            let filled = fill(price);
            if filled.occupied > all {
                cheap = filled;
            } else {
                dear = filled;
            }
        }
        let more = cheap.occupied - dear.occupied;
        let part = if more > 0.0 { ((all - dear.occupied) / more).clamp(0.0, 1.0) } else { 0.0 };
        let mixed = |of_dear: &[f64], of_cheap: &[f64]| -> Vec<f64> {
            of_dear.iter().zip(of_cheap).map(|(dear, cheap)| dear + part * (cheap - dear)).collect()
        };
        Content {
            earned: dear.content.earned,
            gflops: mixed(&dear.content.gflops, &cheap.content.gflops),
            threads: mixed(&dear.content.threads, &cheap.content.threads),
        }
    }
}

/// One thread of an application at one f.
struct End {
    gflops: f64,
    worth: f64,
    gbs: f64,
}

/// A node filled at a price of its memory.
struct Filled {
    price: f64,
    /// GB/s.
    occupied: f64,
    /// Its earnings are its value at that price, with all of the memory sold.
    content: Content,
}

impl Relaxation<'_> {
    /// Lowers `start`, a bound over corners, by at most `rounds` rounds of cutting planes. Applies only if each memory is read only by
    /// threads of the same node.
    pub(in crate::search) fn improve_by_shares(
        &self,
        start: Improved,
        evaluator: &Evaluator<'_>,
        target: f64,
        rounds: usize,
    ) -> Improved {
        let problem = self.problem;
        let (apps, ranges) = (problem.apps.len(), self.everything());
        let plain = !problem.machine.has_limited_domains() && problem.restrictions.min_threads_per_node == 0;
        let law = |class: &Class| evaluator.solver.own_share(*class.nodes.first()?).filter(|_| plain);
        let laws: Vec<Option<OwnShare>> = self.classes.iter().map(law).collect();
        if laws.iter().all(Option::is_none) || self.classes.len() * apps > MOST_EARNINGS {
            return start;
        }
        let nodes: Vec<Option<Node<'_>>> =
            laws.iter().enumerate().map(|(c, law)| Some(self.node(c, law.as_ref()?, &ranges))).collect();
        let mut relaxation = self.clone();
        for (bandwidth, law) in relaxation.shared_bandwidth.iter_mut().zip(&laws) {
            *bandwidth = bandwidth.filter(|_| law.is_none());
        }
        relaxation.lowered_by_shares(&nodes, start, &ranges, target, rounds)
    }

    fn node<'l>(&self, class: usize, law: &'l OwnShare, ranges: &Ranges) -> Node<'l> {
        let apps = self.problem.apps.len();
        let node = self.classes[class].nodes.first();
        let cores = node.map_or(0.0, |&node| f64::from(self.problem.machine.node(node).cores));
        let full = self.classes[class]
            .table
            .as_corners()
            .map_or_else(Vec::new, |corners| corners.per_thread.clone());
        let on_node = &ranges.highest[apps * (1 + class)..][..apps];
        let most = on_node.iter().zip(&ranges.highest).map(|(here, in_all)| f64::from(*here.min(in_all)));
        Node { law, cores, most: most.collect(), full }
    }

    fn lowered_by_shares(
        &self,
        nodes: &[Option<Node<'_>>],
        start: Improved,
        ranges: &Ranges,
        target: f64,
        rounds: usize,
    ) -> Improved {
        let mut best = Improved { cuts: Vec::new(), ..start };
        let scale = self.scale(target, best.bound);
        let master = Master::new(self, ranges, scale);
        let mut shared = SharedContents { relaxation: self, nodes };
        let Some((_, found)) = shared.best(&best.prices, ranges) else { return best };
        let mut first = shared.cuts(found, &master);
        for (c, class) in self.classes.iter().enumerate() {
            match &nodes[c] {
                // Each application alone.
                Some(node) => first.extend((0..node.most.len()).map(|a| {
                    let alone = |b: usize| f64::from(u8::from(a == b));
                    let prices: Vec<f64> = (0..node.most.len()).map(alone).collect();
                    let content = node.between(1.0, 1.0, &prices, &[]);
                    master.cut_of_content(c, &content.gflops, &content.threads)
                })),
                None => first.extend((0..class.table.len()).map(|option| master.cut(c, option))),
            }
        }
        self.cut_until(&mut best, master, first, ranges, (target, rounds), &mut shared);
        best
    }
}

/// The best contents of nodes: of a node that shares its memory by a law, the contents that the law allows; of another node, one option.
struct SharedContents<'r, 'p> {
    relaxation: &'r Relaxation<'p>,
    /// Per class of nodes.
    nodes: &'r [Option<Node<'r>>],
}

/// The best contents of one class of nodes.
enum Held {
    Contents(Vec<Content>),
    Option(usize),
}

impl BestContents for SharedContents<'_, '_> {
    type Found = Vec<Held>;

    fn best(&self, prices: &Prices, ranges: &Ranges) -> Option<(f64, Vec<Held>)> {
        let (mut sum, mut found) = (0.0, Vec::new());
        let earnings = self.relaxation.all_earnings(prices, ranges);
        for ((class, node), earnings) in self.relaxation.classes.iter().zip(self.nodes).zip(&earnings) {
            let copies = class.nodes.len() as f64;
            let (earned, held) = if let Some(node) = node {
                let best = node.best(&earnings.of_gflops, &earnings.per_thread);
                (best.first()?.earned, Held::Contents(best))
            } else {
                let (option, earned) = best_option(&class.table, earnings)?;
                (earned, Held::Option(option))
            };
            sum += copies * earned;
            found.push(held);
        }
        Some((sum, found))
    }

    fn cuts(&mut self, found: Vec<Held>, master: &Master<'_, '_>) -> Vec<Cut> {
        let of_class = |(c, held): (usize, Held)| -> Vec<Cut> {
            match held {
                Held::Contents(all) => {
                    all.iter().map(|one| master.cut_of_content(c, &one.gflops, &one.threads)).collect()
                }
                Held::Option(option) => vec![master.cut(c, option)],
            }
        };
        found.into_iter().enumerate().flat_map(of_class).collect()
    }

    fn steps(&self) -> u64 {
        self.relaxation.pricing() * MOST_PARTS as u64
    }

    fn patience(&self) -> usize {
        PATIENCE
    }
}
