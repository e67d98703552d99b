//! Waits in queues: how long bytes wait in one, and in several that depend on each other, as data are spread or links and what nodes read are limited.
//!
//! # Unit
//! Times are nanoseconds per byte, rates GB/s.
//!
//! # Problem
//! A group of n threads has the rate r = 1 / (t + v x sum of a w): a byte of it waits a w in each queue that it needs, where it takes a GB/s of the queue for
//! each GB/s that it moves, and v times as long as others. A queue delivers D(w) ([`Law`]). Which waits w deliver just what is drawn, sum n a r?
//!
//! # Approach
//! One queue: Newton's method on 1 / D - 1 / drawn, which rises with w and is concave: it comes from below after the first step. Several: these are the
//! conditions for the least of a convex function of the waits, so that there is one answer. Newton's method for all at once, from a lower bound of what each
//! queue by itself would wait. Where a step comes hardly nearer, each queue finds its own wait in turn, the others as they are, which always comes
//! nearer. The equations of a step are symmetric: few are solved directly, many by conjugate gradients, without a matrix.
//! Hard queues wait only where all that they have is drawn, exactly as without others.

use std::ops::Range;

/// The power of the soft corner, for all machines. Chosen by the half of the published curves that chooses
/// (`results/published-data/CHOICES.md`).
const SHARPNESS: i32 = 8;

/// The power [`SHARPNESS`] of a number.
#[inline]
fn power(number: f64) -> f64 {
    let square = number * number;
    let fourth = square * square;
    fourth * fourth
}

/// The power 1 / [`SHARPNESS`] of a number.
fn root(number: f64) -> f64 {
    number.sqrt().sqrt().sqrt()
}

/// How a queue delivers at most `capacity` GB/s: (S^-8 + capacity^-8)^(-1/8) of the S = w / `factor` that the wait w alone would give.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Law {
    pub(super) capacity: f64,
    /// What the rates are multiplied by to give the wait, where little is drawn; above 0.
    pub(super) factor: f64,
    /// 1 / capacity, and 1 / (capacity x factor).
    per_gbs: f64,
    per_wait: f64,
}

impl Law {
    pub(super) fn new(capacity: f64, factor: f64) -> Self {
        Self { capacity, factor, per_gbs: 1.0 / capacity, per_wait: 1.0 / (capacity * factor) }
    }

    /// Whether so few wait behind each other that the corner is hard: nobody waits up to the capacity.
    #[inline]
    pub(super) fn is_hard(self) -> bool {
        self.factor * self.capacity * self.capacity <= HARD
    }

    /// What is delivered while bytes wait `wait`, above 0, and how much more with each ns per byte more.
    pub(super) fn delivered(self, wait: f64) -> (f64, f64) {
        let alone = wait / self.factor;
        let above = alone / self.capacity;
        // Of both forms the one in which nothing overflows.
        if above < 1.0 {
            let soft = 1.0 + above.powi(SHARPNESS);
            let delivered = alone / root(soft);
            (delivered, delivered / (soft * wait))
        } else {
            let little = above.powi(-SHARPNESS);
            let soft = 1.0 + little;
            let delivered = self.capacity / root(soft);
            (delivered, delivered * little / (soft * wait))
        }
    }

    /// How long bytes wait while `drawn` GB/s are delivered: for ever where that is more than there is.
    pub(super) fn wait_of(self, drawn: f64) -> f64 {
        let left = 1.0 - power(drawn * self.per_gbs);
        match left {
            left if left <= 0.0 && drawn > self.capacity => f64::INFINITY,
            _ if self.is_hard() => 0.0,
            left => self.factor * drawn / root(left.max(0.0)),
        }
    }

    /// What Newton's method on 1 / D - 1 / drawn needs while bytes wait `wait`: by which part of it more is drawn than delivered, drawn / D - 1; and what
    /// drawn times that loses with each ns per byte more by what is then delivered more. Divide the one by the other and what is drawn less.
    #[inline]
    fn excess(self, drawn: f64, wait: f64) -> (f64, f64) {
        if self.is_hard() {
            return (drawn * self.per_gbs - 1.0, 0.0);
        }
        let alone = power((wait * self.per_wait).clamp(LEAST, 1.0 / LEAST));
        let rest = 1.0 / (1.0 + alone);
        let (part, asked) = (alone * rest, power(drawn * self.per_gbs));
        let apart = asked - part;
        let above = if apart > -0.999 * part && apart < 8.0 * part {
            // The eighth root of 1 + t is (1 + 9/16 t) / (1 + 7/16 t), exactly in the end; from afar that makes shorter steps.
            0.125 * apart / (part + 0.4375 * apart)
        } else {
            root((asked / part).min(1.0 / LEAST)) - 1.0
        };
        (above, (1.0 + above) * rest * drawn / wait)
    }
}

/// Where a group needs a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) queue: u32,
    pub(super) group: u32,
    /// GB/s of the queue for each GB/s that a thread moves.
    pub(super) taken: f64,
    /// The same as threads are counted: without what is lost on the way from another node.
    pub(super) counted: f64,
    /// What a thread of it adds to the latency of the others, in transfer times of a line.
    pub(super) penalty: f64,
}

/// Which groups need which queues: all uses by queue and by group.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    by_queue: Vec<Use>,
    by_group: Vec<Use>,
    of_queue: Vec<u32>,
    of_group: Vec<u32>,
    /// All groups with uses, as they come first: an order that their numbers have no part in.
    order: Vec<u32>,
    /// Of each queue: the later ones that its equation has left when those before it are solved for, as ranges of numbers. Empty where there are
    /// too many queues for that.
    later: Vec<(u32, u32)>,
    of_later: Vec<u32>,
    /// Of each queue: the queues that it meets in an equation, a bit for each.
    meet: Vec<[u64; WORDS]>,
}

/// Of each of `count` numbers the place of its first one if all are sorted, and behind them the end.
fn first_of_each(firsts: &mut Vec<u32>, count: usize, numbers: impl Iterator<Item = u32>) {
    firsts.clear();
    firsts.resize(count + 1, 0);
    numbers.for_each(|number| firsts[number as usize + 1] += 1);
    (0..count).for_each(|number| firsts[number + 1] += firsts[number]);
}

fn join(all: &mut [u64; WORDS], more: &[u64; WORDS]) {
    all.iter_mut().zip(more).for_each(|(all, more)| *all |= more);
}

impl Layout {
    /// Lays out the uses, whose queues ascend.
    pub(super) fn lay_out(&mut self, uses: impl Iterator<Item = Use>, queues: usize, groups: usize) {
        let Self { by_queue, by_group, of_queue, of_group, order, .. } = self;
        by_queue.clear();
        by_queue.extend(uses);
        first_of_each(of_queue, queues, by_queue.iter().map(|one| one.queue));
        first_of_each(of_group, groups, by_queue.iter().map(|one| one.group));
        by_group.clone_from(by_queue);
        order.clear();
        for one in by_queue.iter() {
            // While uses are placed, where the next one of the group goes.
            let place = &mut of_group[one.group as usize];
            by_group[*place as usize] = *one;
            *place += 1;
        }
        // The place behind the last one of a group is that of the first one of the next.
        of_group.rotate_right(1);
        if let Some(first) = of_group.first_mut() {
            *first = 0;
        }
        let is_first = |one: &&Use| by_group[of_group[one.group as usize] as usize].queue == one.queue;
        order.extend(by_queue.iter().filter(is_first).map(|one| one.group));
        self.later.clear();
        self.of_later.clear();
        if queues <= MOST_DIRECTLY {
            self.eliminate(queues);
        }
    }

    /// Finds which unknowns meet in an equation.
    fn eliminate(&mut self, queues: usize) {
        let Self { by_group, of_group, order, later, of_later, meet, .. } = self;
        meet.clear();
        meet.resize(queues, [0; WORDS]);
        for &group in order.iter() {
            let (first, end) = (of_group[group as usize], of_group[group as usize + 1]);
            let uses = &by_group[first as usize..end as usize];
            let mut all = [0; WORDS];
            for one in uses {
                all[one.queue as usize / 64] |= 1 << (one.queue % 64);
            }
            for one in uses {
                join(&mut meet[one.queue as usize], &all);
            }
        }
        of_later.push(0);
        for q in 0..queues {
            let (first, met) = (later.len(), meet[q]);
            for word in q / 64..WORDS {
                let mut left = met[word];
                if word == q / 64 {
                    left &= !(u64::MAX >> (63 - q % 64));
                }
                while left != 0 {
                    let one = u32::try_from(word * 64).unwrap_or(u32::MAX) + left.trailing_zeros();
                    left &= left - 1;
                    match later.get_mut(first..).and_then(<[_]>::last_mut) {
                        Some((_, end)) if *end == one => *end += 1,
                        _ => later.push((one, one + 1)),
                    }
                    join(&mut meet[one as usize], &met);
                }
            }
            of_later.push(u32::try_from(later.len()).unwrap_or(u32::MAX));
        }
    }

    fn later(&self, queue: usize) -> impl DoubleEndedIterator<Item = Range<usize>> + Clone + '_ {
        let ranges = &self.later[self.of_later[queue] as usize..self.of_later[queue + 1] as usize];
        ranges.iter().map(|&(first, end)| first as usize..end as usize)
    }

    /// All groups that need a queue, each once.
    pub(super) fn groups(&self) -> impl Iterator<Item = u32> + '_ {
        self.order.iter().copied()
    }

    /// The uses of a queue.
    pub(super) fn queue(&self, queue: usize) -> &[Use] {
        &self.by_queue[self.of_queue[queue] as usize..self.of_queue[queue + 1] as usize]
    }

    fn group(&self, group: u32) -> &[Use] {
        let group = group as usize;
        &self.by_group[self.of_group[group] as usize..self.of_group[group + 1] as usize]
    }
}

/// Equal threads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    pub(super) threads: f64,
    /// GB/s of one alone, and 1 / that.
    pub(super) alone: f64,
    pub(super) time: f64,
    /// How many times as long as others it waits.
    pub(super) waits: f64,
}

/// Queues, the groups that need them, and the answer. Everything is kept for the next question.
#[derive(Clone, Debug, Default)]
pub(super) struct Queues {
    pub(super) layout: Layout,
    pub(super) groups: Vec<Group>,
    /// The groups with threads, in the order of sums.
    pub(super) active: Vec<u32>,
    /// A queue without a capacity is none.
    pub(super) laws: Vec<Law>,
    /// The answer: of each queue its wait, of each group the rate of one thread.
    pub(super) waits: Vec<f64>,
    pub(super) rates: Vec<f64>,
    /// Whether `waits` has the answer to a similar question, from which to begin.
    pub(super) begins_near: bool,
    drawn: Vec<f64>,
    /// Of each queue: by how much too much is drawn ([`Law::excess`]), what that loses with each ns per byte more, and whether its wait may be any.
    excess: Vec<f64>,
    slopes: Vec<f64>,
    is_free: Vec<bool>,
    /// The same as the matrix was last divided into factors.
    was_free: Vec<bool>,
    step: Vec<f64>,
    before: Vec<f64>,
    /// The upper half of the equations of a step, and for many the working memory of conjugate gradients.
    matrix: Vec<f64>,
    /// Of a group: the queues whose waits may be any, and what it takes of each.
    free: Vec<(usize, f64)>,
    diagonal: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
    /// Of each group: a sum over its queues.
    sums: Vec<f64>,
    /// The queue whose equation contradicts those before it most, and how much more of it is drawn than these allow, GB/s.
    contradicts: Option<(usize, f64)>,
}

/// What is drawn and delivered may differ by this part.
const TOLERANCE: f64 = 1e-13;
/// What rounding may leave of that, where nothing comes nearer any more.
const ROUNDING: f64 = 1e-10;
/// A step of this part of a wait is the last one: what it leaves is its square.
const LAST_STEP: f64 = 1e-8;
/// A queue of which so much too much or too little is drawn, where a similar question left it, has other threads.
const CHANGED: f64 = 0.003;
/// Where so little is left, the factors of the step before are good enough for the next one: what that leaves is about this part of it.
const AGAIN: f64 = 1e-6;
/// And this part of what was apart before.
const BY_FAR: f64 = 1e-2;
/// Newton's steps for one queue; a handful is enough.
const STEPS: usize = 64;
/// Steps for several; a handful is enough, but for queues that nearly are one.
const TURNS: usize = 500;
/// How often the length of a step that went too far is halved.
const HALVINGS: usize = 24;
/// A queue with a smaller penalty x (N - 1) has a hard corner: its bytes would wait less than this part of a transfer time, and fractions of
/// threads that add up to one are one.
const HARD: f64 = 1e-9;
/// The smallest part of a capacity whose power is looked at.
const LEAST: f64 = 1e-25;
/// What is left of the diagonal of an equation that follows from others.
const NO_PIVOT: f64 = 1e-14;
/// Most queues whose equations are solved directly.
const MOST_DIRECTLY: usize = 160;
/// 64-bit words with a bit for each of these.
const WORDS: usize = MOST_DIRECTLY.div_ceil(64);

impl Queues {
    /// Makes room for what is laid out.
    pub(super) fn make_room(&mut self, groups: usize, queues: usize) {
        self.groups.resize(groups, Group::default());
        self.laws.resize(queues, Law::default());
        for of_groups in [&mut self.rates, &mut self.sums] {
            of_groups.resize(groups, 0.0);
        }
        let Self { waits, drawn, excess, slopes, step, before, diagonal, residual, direction, image, .. } =
            self;
        for of_queues in [waits, drawn, excess, slopes, step, before, diagonal, residual, direction, image] {
            of_queues.resize(queues, 0.0);
        }
        self.is_free.resize(queues, false);
        self.matrix.resize(if queues <= MOST_DIRECTLY { queues * queues } else { 0 }, 0.0);
    }

    /// Finds the waits in these queues, which no other depends on, for the active groups.
    pub(super) fn solve(&mut self, queues: Range<usize>) {
        self.begin(&queues);
        let (mut apart, mut last) = (self.look(&queues), f64::INFINITY);
        if self.begins_near && apart > CHANGED {
            // Threads came or went there.
            self.take_turns(&queues, CHANGED);
            apart = self.look(&queues);
        }
        for _ in 0..TURNS {
            if apart <= TOLERANCE || (apart <= ROUNDING && apart >= 0.5 * last) {
                break;
            }
            let can_aim_again = self.can_aim_again(apart, last);
            last = apart;
            if can_aim_again {
                self.substitute(&queues);
            } else {
                self.aim(&queues);
            }
            self.go(&queues, 1.0);
            apart = self.look(&queues);
            let is_nearer = apart < last;
            if !is_nearer {
                self.waits[queues.clone()].copy_from_slice(&self.before[queues.clone()]);
            }
            if !is_nearer || apart > 0.9 * last {
                if !self.leave_one_out(&queues) && (is_nearer || !self.shorten(&queues, last)) {
                    self.look(&queues);
                    self.take_turns(&queues, 0.0);
                }
                apart = self.look(&queues);
            }
        }
        self.keep_within(&queues);
    }

    /// Of each queue the wait that it has at least without the others, or that of a similar question. A soft queue waits.
    fn begin(&mut self, queues: &Range<usize>) {
        self.was_free.clear();
        self.before[queues.clone()].copy_from_slice(&self.waits[queues.clone()]);
        self.waits[queues.clone()].fill(0.0);
        self.flow(queues);
        let Self { layout, groups, laws, waits, rates, drawn, before, begins_near, .. } = self;
        for q in queues.clone() {
            let (law, asked) = (&mut laws[q], drawn[q]);
            if asked <= LEAST * law.capacity {
                law.capacity = 0.0;
                continue;
            }
            if *begins_near && (law.is_hard() || before[q] > 0.0) {
                waits[q] = before[q];
                continue;
            }
            let slope = |one: &Use| {
                let (group, rate) = (&groups[one.group as usize], one.taken * rates[one.group as usize]);
                group.threads * group.waits * rate * rate
            };
            waits[q] = first_wait(*law, asked, layout.queue(q).iter().map(slope).sum()).max(0.0);
        }
        self.flow(queues);
    }

    /// Each queue in turn of which at least that part too much or too little is drawn finds its wait, the others as they are.
    fn take_turns(&mut self, queues: &Range<usize>, least: f64) {
        let Self { layout, active, groups, laws, waits, sums, excess, drawn, .. } = self;
        for &group in active.iter() {
            sums[group as usize] =
                layout.group(group).iter().map(|one| one.taken * waits[one.queue as usize]).sum();
        }
        let takes_a_turn = |q: &usize| laws[*q].capacity > 0.0 && excess[*q].abs() >= least * drawn[*q];
        for q in queues.clone().filter(takes_a_turn) {
            let uses = layout.queue(q);
            let before = waits[q];
            let readers = || {
                let with_threads = uses.iter().filter(|one| groups[one.group as usize].threads > 0.0);
                with_threads.map(|one| {
                    let group = groups[one.group as usize];
                    let elsewhere = (sums[one.group as usize] - one.taken * before).max(0.0);
                    Readers {
                        amount: group.threads * one.taken,
                        time: group.time + group.waits * elsewhere,
                        wait: group.waits * one.taken,
                    }
                })
            };
            waits[q] = wait_near(readers, laws[q], before);
            for one in uses {
                sums[one.group as usize] += one.taken * (waits[q] - before);
            }
        }
        self.flow(queues);
    }

    /// The rates and what is drawn at these waits.
    fn flow(&mut self, queues: &Range<usize>) {
        let Self { layout, active, groups, waits, rates, drawn, .. } = self;
        for &g in active.iter() {
            let sum: f64 = layout.group(g).iter().map(|one| one.taken * waits[one.queue as usize]).sum();
            let group = &groups[g as usize];
            rates[g as usize] = group.alone / (1.0 + group.alone * (group.waits * sum));
        }
        for q in queues.clone() {
            let of = |one: &Use| groups[one.group as usize].threads * one.taken * rates[one.group as usize];
            drawn[q] = layout.queue(q).iter().map(of).sum();
        }
    }

    /// By how much too much is drawn of each queue, and its slope. The most by which what is drawn and delivered differ, in parts of what is delivered.
    fn look(&mut self, queues: &Range<usize>) -> f64 {
        let mut apart = 0.0_f64;
        for q in queues.clone() {
            let (law, wait, drawn) = (self.laws[q], self.waits[q], self.drawn[q]);
            // Nobody waits, and need not.
            let is_idle = law.capacity <= 0.0 || (law.is_hard() && wait <= 0.0 && drawn <= law.capacity);
            self.is_free[q] = !is_idle;
            let (above, slope) = if is_idle { (0.0, 0.0) } else { law.excess(drawn, wait) };
            (self.excess[q], self.slopes[q]) = (drawn * above, slope);
            // What is not a number must not be lost.
            apart = if above.abs() <= apart { apart } else { above.abs() };
        }
        apart
    }

    /// The step that would leave nothing in excess if everything were straight.
    fn aim(&mut self, queues: &Range<usize>) {
        if self.matrix.is_empty() { self.aim_by_gradients(queues) } else { self.aim_directly(queues) }
    }

    /// Whether the factors of the step before lead as near: they came nearer than `last` by far, little is left, and the same queues may wait.
    fn can_aim_again(&self, apart: f64, last: f64) -> bool {
        self.begins_near
            && apart <= AGAIN.min(BY_FAR * last)
            && !self.matrix.is_empty()
            && self.was_free == self.is_free
    }

    /// By the factors of the matrix, without the queues that are not free and those that others make up for.
    fn aim_directly(&mut self, queues: &Range<usize>) {
        let n = self.laws.len();
        let Self { layout, active, groups, rates, .. } = self;
        let Self { matrix, is_free, was_free, slopes, diagonal, free, .. } = self;
        was_free.clone_from(is_free);
        for q in queues.clone() {
            matrix[q * n + q] = slopes[q];
            layout.later(q).for_each(|others| matrix[q * n..][others].fill(0.0));
        }
        for &g in active.iter() {
            let (group, rate) = (&groups[g as usize], rates[g as usize]);
            let slope = group.threads * group.waits * rate * rate;
            free.clear();
            let uses = layout.group(g).iter().filter(|one| is_free[one.queue as usize]);
            free.extend(uses.map(|one| (one.queue as usize, one.taken)));
            for (i, &(queue, taken)) in free.iter().enumerate() {
                let (row, part) = (&mut matrix[queue * n..][..n], slope * taken);
                for &(other, taken) in &free[i..] {
                    row[other] += part * taken;
                }
            }
        }
        for q in queues.clone() {
            diagonal[q] = matrix[q * n + q];
        }
        for q in queues.clone() {
            let (known, rest) = matrix.split_at_mut((q + 1) * n);
            let row = &known[q * n..];
            if !is_free[q] || row[q] <= NO_PIVOT * diagonal[q] {
                diagonal[q] = 0.0;
                continue;
            }
            diagonal[q] = 1.0 / row[q];
            let mut later = layout.later(q);
            while let Some(others) = later.next() {
                for one in others.clone().filter(|&one| is_free[one]) {
                    let part = row[one] * diagonal[q];
                    if part == 0.0 {
                        continue;
                    }
                    let of_one = &mut rest[(one - q - 1) * n..][..n];
                    for others in std::iter::once(one..others.end).chain(later.clone()) {
                        let less = row[others.clone()].iter();
                        of_one[others].iter_mut().zip(less).for_each(|(left, less)| *left -= part * less);
                    }
                }
            }
        }
        self.substitute(queues);
    }

    /// The step, by the factors that there are.
    fn substitute(&mut self, queues: &Range<usize>) {
        let n = self.laws.len();
        self.contradicts = None;
        let Self { layout, laws, matrix, step, is_free, excess, diagonal, contradicts, .. } = self;
        step[queues.clone()].copy_from_slice(&excess[queues.clone()]);
        for q in queues.clone() {
            let known = step[q];
            if diagonal[q] == 0.0 {
                let most = contradicts.map_or(ROUNDING * laws[q].capacity, |(_, most)| most.abs());
                if is_free[q] && known.abs() > most {
                    *contradicts = Some((q, known));
                }
                continue;
            }
            for others in layout.later(q) {
                let row = matrix[q * n..][others.clone()].iter();
                step[others].iter_mut().zip(row).for_each(|(left, part)| *left -= part * diagonal[q] * known);
            }
        }
        for q in queues.clone().rev() {
            let known = self.known(q);
            self.step[q] = (self.step[q] - known) * self.diagonal[q];
        }
    }

    /// What the later unknowns contribute to the equation of `queue` once those before it are solved for.
    fn known(&self, queue: usize) -> f64 {
        let row = &self.matrix[queue * self.laws.len()..];
        let mut sum = 0.0;
        for others in self.layout.later(queue) {
            for (part, step) in row[others.clone()].iter().zip(&self.step[others]) {
                sum += part * step;
            }
        }
        sum
    }

    /// Where queues hold back the same threads and cannot all be full, moves the waits in the direction that changes no rate until one of them is as
    /// small as it may be. Whether it did.
    ///
    /// The convex function falls along that direction, by what is drawn too much ([`Self::contradicts`]).
    fn leave_one_out(&mut self, queues: &Range<usize>) -> bool {
        while let Some((queue, excess)) = self.contradicts.take() {
            self.step[queues.clone()].fill(0.0);
            self.step[queue] = excess.signum();
            for q in (queues.start..queue).rev() {
                self.step[q] = -self.known(q) * self.diagonal[q];
            }
            let length = self.room(queues);
            if length > 0.0 {
                let ends = length.is_finite();
                if ends {
                    self.go(queues, length);
                }
                return ends;
            }
            // A queue whose wait has just ended allows no step. Without it there is another direction.
            self.look(queues);
            if self.was_free == self.is_free {
                return false;
            }
            self.aim(queues);
        }
        false
    }

    /// Takes as much of the step as makes the convex function smallest on the way to where a wait is as small as it may be. Whether that leaves much
    /// less than `last` apart.
    ///
    /// A soft queue that is nearly full delivers hardly less while its wait falls by half, so that a whole step goes much too far.
    fn shorten(&mut self, queues: &Range<usize>, last: f64) -> bool {
        let room = self.room(queues).min(1.0);
        if room <= 0.0 {
            return false;
        }
        let (mut short, mut long) = (0.0, room);
        for _ in 0..HALVINGS {
            let length = 0.5 * (short + long);
            self.waits[queues.clone()].copy_from_slice(&self.before[queues.clone()]);
            self.go(queues, length);
            if self.falls_along_the_step(queues) { short = length } else { long = length }
        }
        self.look(queues) <= 0.9 * last
    }

    /// Whether the convex function is still falling in the direction of the step: where the step makes bytes wait longer, more is drawn than delivered.
    fn falls_along_the_step(&self, queues: &Range<usize>) -> bool {
        let with_capacity = queues.clone().filter(|&q| self.laws[q].capacity > 0.0);
        let falls = with_capacity.map(|q| {
            let law = self.laws[q];
            let delivered = if law.is_hard() { law.capacity } else { law.delivered(self.waits[q]).0 };
            (self.drawn[q] - delivered) * self.step[q]
        });
        falls.sum::<f64>() > 0.0
    }

    /// How often the step can be taken until a wait is as small as it may be.
    fn room(&self, queues: &Range<usize>) -> f64 {
        let shrinks = queues.clone().filter(|&q| self.step[q] < 0.0);
        shrinks
            .map(|q| (self.least(q, self.waits[q]) - self.waits[q]) / self.step[q])
            .fold(f64::INFINITY, f64::min)
    }

    /// What the wait of a queue, which is `wait`, may become by one step. Only that of a hard queue may become 0.
    fn least(&self, queue: usize, wait: f64) -> f64 {
        if self.laws[queue].is_hard() { 0.0 } else { 0.01 * wait }
    }

    /// By conjugate gradients.
    fn aim_by_gradients(&mut self, queues: &Range<usize>) {
        self.diagonal[queues.clone()].copy_from_slice(&self.slopes[queues.clone()]);
        for &g in &self.active {
            let (group, rate) = (&self.groups[g as usize], self.rates[g as usize]);
            for one in self.layout.group(g) {
                self.diagonal[one.queue as usize] +=
                    one.taken * one.taken * group.threads * group.waits * rate * rate;
            }
        }
        let mut gain = 0.0;
        for q in queues.clone() {
            self.step[q] = 0.0;
            self.residual[q] = if self.is_free[q] { self.excess[q] } else { 0.0 };
            self.direction[q] = if self.is_free[q] { self.excess[q] / self.diagonal[q] } else { 0.0 };
            gain += self.residual[q] * self.direction[q];
        }
        let enough = 1e-20 * gain;
        for _ in 0..3 * queues.len() + 5 {
            if gain <= enough {
                break;
            }
            self.map(queues);
            let along: f64 = queues.clone().map(|q| self.direction[q] * self.image[q]).sum();
            if along <= 0.0 || !along.is_finite() {
                break;
            }
            let (length, mut next) = (gain / along, 0.0);
            for q in queues.clone().filter(|&q| self.is_free[q]) {
                self.step[q] += length * self.direction[q];
                self.residual[q] -= length * self.image[q];
                next += self.residual[q] * self.residual[q] / self.diagonal[q];
            }
            for q in queues.clone().filter(|&q| self.is_free[q]) {
                self.direction[q] = self.residual[q] / self.diagonal[q] + next / gain * self.direction[q];
            }
            gain = next;
        }
    }

    /// What the excess loses by a step in the direction.
    fn map(&mut self, queues: &Range<usize>) {
        let Self { layout, active, groups, rates, slopes, direction, image, is_free, .. } = self;
        for q in queues.clone() {
            image[q] = if is_free[q] { slopes[q] * direction[q] } else { 0.0 };
        }
        for &g in active.iter() {
            let (uses, group, rate) = (layout.group(g), &groups[g as usize], rates[g as usize]);
            let sum: f64 = uses.iter().map(|one| one.taken * direction[one.queue as usize]).sum();
            let less = sum * group.threads * group.waits * rate * rate;
            for one in uses.iter().filter(|one| is_free[one.queue as usize]) {
                image[one.queue as usize] += one.taken * less;
            }
        }
    }

    /// Takes the step as often as that.
    fn go(&mut self, queues: &Range<usize>, length: f64) {
        for q in queues.clone() {
            self.before[q] = self.waits[q];
            let least = self.least(q, self.before[q]);
            self.waits[q] = (self.before[q] + length * self.step[q]).max(least);
        }
        self.flow(queues);
    }

    /// Nothing above its capacity, whatever the steps have left.
    fn keep_within(&mut self, queues: &Range<usize>) {
        for q in queues.clone() {
            let (capacity, drawn) = (self.laws[q].capacity, self.drawn[q]);
            if capacity > 0.0 && drawn > capacity {
                for one in self.layout.queue(q) {
                    self.rates[one.group as usize] *= capacity / drawn;
                }
            }
        }
    }
}

/// Some equal threads: how many GB/s of a resource each GB/s takes times the threads, ns per byte of one of them, and the
/// part of the wait that they feel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Readers {
    pub(super) amount: f64,
    pub(super) time: f64,
    pub(super) wait: f64,
}

/// All rates when bytes wait `wait`, and minus their slope.
#[inline]
pub(super) fn rates(readers: impl Iterator<Item = Readers>, wait: f64) -> (f64, f64) {
    readers.fold((0.0, 0.0), |(sum, slope), reader| {
        let rate = 1.0 / (reader.time + wait * reader.wait);
        let all = reader.amount * rate;
        (sum + all, slope + all * reader.wait * rate)
    })
}

/// The wait at which the readers draw what is delivered.
#[inline]
pub(super) fn wait_at<I: Iterator<Item = Readers>>(readers: impl Fn() -> I, law: Law) -> f64 {
    wait_near(readers, law, 0.0)
}

/// The same, which is near `guess`.
#[inline]
fn wait_near<I: Iterator<Item = Readers>>(readers: impl Fn() -> I, law: Law, guess: f64) -> f64 {
    let (asked, slope) = rates(readers(), 0.0);
    let may_wait = if law.is_hard() { asked > law.capacity } else { asked > LEAST * law.capacity };
    if !may_wait || slope <= 0.0 {
        return 0.0;
    }
    let least = first_wait(law, asked, slope);
    let mut wait = guess.max(least);
    for _ in 0..STEPS {
        let (sum, slope) = rates(readers(), wait);
        let (above, rises) = law.excess(sum, wait);
        let step = sum * above / (slope + rises);
        wait = (wait + step).max(least);
        if step.abs() <= LAST_STEP * wait {
            break;
        }
    }
    wait
}

/// A wait that is at most that of readers who ask for `asked` of a queue, where that falls by `slope` with the first ns per byte of waiting.
///
/// A rate is at least what one thread of the mean time would have (Jensen).
#[inline]
fn first_wait(law: Law, asked: f64, slope: f64) -> f64 {
    let mean = slope / asked;
    let to_fit = (asked * law.per_gbs - 1.0) / mean;
    let behind = 2.0 * asked * law.factor / (1.0 + (1.0 + 4.0 * mean * asked * law.factor).sqrt());
    to_fit.max(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(count: f64, demand_gbs: f64) -> impl Fn() -> std::iter::Once<Readers> {
        move || std::iter::once(Readers { amount: count, time: 1.0 / demand_gbs, wait: 1.0 })
    }

    #[test]
    fn equal_threads_that_want_too_much_share_equally() {
        // 5 threads of 20 GB/s on 32: 6.4 each, 1/6.4 - 1/20 = 0.10625 ns per byte of waiting
        assert!((wait_at(equal(5.0, 20.0), queue(32.0, 0.0)) - 0.10625).abs() < 1e-12);
    }

    fn queue(capacity: f64, factor: f64) -> Law {
        Law::new(capacity, factor)
    }

    #[test]
    fn far_below_the_corner_equal_threads_follow_the_closed_form() {
        // n = 4, d = 2, B = 32, p0 = 0.5 / B: T = 0.5, T_mem = 1/32: T(4) = (0.5 + sqrt(0.25 + 4 x 12 x (0.5/32) / 32)) / 2.
        // A quarter of B is drawn, and 4^-8 = 1.5e-5.
        let factor = 3.0 * 0.5 / (32.0 * 32.0);
        let expected = f64::midpoint(0.5, (0.25 + 4.0 * 12.0 * (0.5 / 32.0) / 32.0_f64).sqrt());
        let wait = wait_at(equal(4.0, 2.0), queue(32.0, factor));
        assert!((wait / (expected - 0.5) - 1.0).abs() < 1e-5, "{wait}");
    }

    #[test]
    fn where_the_wait_alone_would_give_all_there_is_the_eighth_root_of_a_half_is_delivered() {
        // 4 threads on 32 GB/s, p0 = 0.5 / B: S = B at w = 3 x 0.5 / 32 = 0.046875. 32 x 2^(-1/8) = 29.344 are delivered, 7.336 each:
        // 0.136312 ns per byte, so that each alone has 1 / (0.136312 - 0.046875) = 11.1810 GB/s.
        let factor = 3.0 * 0.5 / (32.0 * 32.0);
        let each = 32.0 * 0.5_f64.powf(0.125) / 4.0;
        let alone = 1.0 / (1.0 / each - 0.046_875);
        assert!((alone - 11.1810).abs() < 1e-3, "{alone}");
        let wait = wait_at(equal(4.0, alone), queue(32.0, factor));
        assert!((wait - 0.046_875).abs() < 1e-12, "{wait}");
    }

    #[test]
    fn far_above_the_corner_all_there_is_is_delivered() {
        // 1000 GB/s each: T is nearly all wait, w = 4 / 32 = 0.125, 2.67 times that of S = B: 0.05 % are missing (2.67^-8 / 8 = 4.9e-5).
        let factor = 3.0 * 0.5 / (32.0 * 32.0);
        let wait = wait_at(equal(4.0, 1000.0), queue(32.0, factor));
        let drawn = 4.0 / (1e-3 + wait);
        assert!(drawn < 32.0 && drawn > 32.0 * (1.0 - 1e-4), "{drawn}");
    }

    fn solved(groups: &[Group], laws: &[(f64, f64)], uses: &[(u32, u32, f64)]) -> Queues {
        let mut waits = Queues::default();
        let mut sorted: Vec<Use> = uses
            .iter()
            .map(|&(queue, group, taken)| Use { queue, group, taken, counted: taken, penalty: 0.0 })
            .collect();
        sorted.sort_by_key(|one| one.queue);
        waits.layout.lay_out(sorted.into_iter(), laws.len(), groups.len());
        waits.make_room(groups.len(), laws.len());
        waits.groups.copy_from_slice(groups);
        waits.active = (0..).zip(groups).filter(|(_, group)| group.threads > 0.0).map(|(g, _)| g).collect();
        waits.laws = laws.iter().map(|&(capacity, factor)| Law::new(capacity, factor)).collect();
        waits.solve(0..laws.len());
        waits
    }

    fn threads(threads: f64, alone_gbs: f64) -> Group {
        Group { threads, alone: alone_gbs, time: 1.0 / alone_gbs, waits: 1.0 }
    }

    #[test]
    fn the_excess_vanishes_where_what_is_drawn_is_delivered() {
        let law = Law::new(40.0, 0.002);
        for wait in [1e-6, 0.01, 0.08, 0.1, 0.2] {
            let (delivered, slope) = law.delivered(wait);
            let (above, rises) = law.excess(delivered, wait);
            assert!(above.abs() < 1e-13 && (rises / slope - 1.0).abs() < 1e-9, "{wait}");
            // A thousandth more, and ten times as much, near and far.
            for times in [1.001, 10.0, 0.1] {
                let (above, _) = law.excess(times * delivered, wait);
                assert!(((above + 1.0) / times - 1.0).abs() < 1e-8, "{wait} {times}");
            }
        }
    }

    #[test]
    fn data_on_two_equal_memories_are_as_fast_as_on_twice_the_memory() {
        // Each memory sees half of what 8 threads of 10 GB/s move; of 30 GB/s each a thread has 60 / 8 = 7.5 with hard corners.
        let both = solved(&[threads(8.0, 10.0)], &[(30.0, 0.0), (30.0, 0.0)], &[(0, 0, 0.5), (1, 0, 0.5)]);
        assert!((both.rates[0] - 7.5).abs() < 1e-12, "{:?}", both.rates);
        let one = solved(&[threads(8.0, 10.0)], &[(60.0, 1e-3)], &[(0, 0, 1.0)]);
        let both = solved(&[threads(8.0, 10.0)], &[(30.0, 2e-3), (30.0, 2e-3)], &[(0, 0, 0.5), (1, 0, 0.5)]);
        assert!((both.rates[0] / one.rates[0] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn many_queues_are_solved_as_few_are() {
        // 240 equal memories see a 240th each: more equations than are solved directly.
        let shares = |count: u32, capacity: f64| {
            let laws = vec![(capacity, 0.5 / capacity); count as usize];
            let uses: Vec<(u32, u32, f64)> = (0..count).map(|q| (q, 0, 1.0 / f64::from(count))).collect();
            solved(&[threads(40.0, 10.0)], &laws, &uses).rates[0]
        };
        assert!((shares(240, 1.0) / shares(120, 2.0) - 1.0).abs() < 1e-12);
        assert!((shares(240, 1.0) / shares(1, 240.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_time_per_byte_is_the_mean_over_the_memories() {
        // 4 threads of 10 GB/s, a half on a memory where they wait, the other half on a wide one: 1 / (0.1 + w / 2), and w is that of
        // D(w) = 4 x that / 2.
        let waits = solved(&[threads(4.0, 10.0)], &[(10.0, 0.01), (1e6, 0.0)], &[(0, 0, 0.5), (1, 0, 0.5)]);
        let wait = waits.waits[0];
        assert!((waits.rates[0] - 1.0 / (0.1 + wait / 2.0)).abs() < 1e-12);
        let law = Law::new(10.0, 0.01);
        assert!((law.delivered(wait).0 - 2.0 * waits.rates[0]).abs() < 1e-10);
    }

    #[test]
    fn who_waits_nowhere_has_what_it_has_alone() {
        let waits = solved(
            &[threads(1.0, 10.0), threads(0.0, 5.0)],
            &[(40.0, 0.0), (12.0, 0.0)],
            &[(0, 0, 0.5), (1, 0, 0.5), (1, 1, 1.0)],
        );
        assert_eq!(waits.rates[0], 10.0);
    }

    #[test]
    fn nearly_equal_hard_queues_after_each_other_let_through_what_the_narrower_has() {
        // Half of the data of a thread of 20 GB/s behind a link of 3 and a memory of 2.967 GB/s: it has 2 x 2.967.
        let uses = [(0, 0, 0.5), (1, 0, 0.5), (2, 0, 0.5)];
        let waits = solved(&[threads(1.0, 20.0)], &[(6.3, 0.0), (3.0, 0.0), (2.967, 0.0)], &uses);
        assert!((waits.rates[0] - 5.934).abs() < 1e-12, "{:?}", waits.rates);
        // As before with soft corners that are nearly hard, but for what these take.
        let waits = solved(&[threads(1.0, 20.0)], &[(6.3, 2.5e-9), (3.0, 1.2e-9), (2.967, 1.1e-9)], &uses);
        assert!((waits.rates[0] - 5.934).abs() < 1e-6, "{:?}", waits.rates);
    }

    #[test]
    fn of_hard_queues_that_hold_back_the_same_threads_the_widest_does_not_wait() {
        // Half of the data of two threads of 10 GB/s is behind a link each, of 0.5 and of 0.6 GB/s, and in one memory of 1.1 - 1e-6: the threads could have
        // 1 and 1.2, and have 2 (1.1 - 1e-6) together. As the first waits longer, its link is full and the other link is not: the second has 1.2 - 2e-6.
        let uses = [(0, 0, 0.5), (1, 1, 0.5), (2, 0, 0.5), (2, 1, 0.5)];
        for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut laws = [(0.0, 0.0); 3];
            let capacities = [0.5, 0.6, 1.1 - 1e-6];
            (0..3).for_each(|q| laws[order[q]].0 = capacities[q]);
            let uses = uses.map(|(q, group, taken)| (u32::try_from(order[q]).expect("small"), group, taken));
            let got = solved(&[threads(1.0, 10.0), threads(1.0, 10.0)], &laws, &uses).rates;
            assert!(
                (got[0] - 1.0).abs() < 1e-12 && (got[1] - 1.2 + 2e-6).abs() < 1e-12,
                "{order:?}: {got:?}"
            );
        }
    }

    #[test]
    fn links_that_are_there_twice_are_left_out_as_one_is() {
        // Threads of two nodes in one memory of 12.2527 GB/s, each node through its link and through its one L3 domain, all of 6.1266: 0.0006 more than the
        // memory has. The bytes of the second node wait shorter, so that its link is the one that is not full.
        let (a, b) = (0.272, 1.0 / 3.0);
        let of_node = |first: u32| {
            (0..2).flat_map(move |queue| [(first + queue, first, a), (first + queue, first + 1, b)])
        };
        let of_memory = [(4, 0, a), (4, 1, b), (4, 2, a), (4, 3, b)];
        let uses: Vec<(u32, u32, f64)> = of_node(0).chain(of_node(2)).chain(of_memory).collect();
        let laws = [(6.1266, 0.0), (6.1266, 0.0), (6.1266, 0.0), (6.1266, 0.0), (12.2527, 0.0)];
        let groups = [threads(1.0, 16.0), threads(3.0, 63.0), threads(2.0, 16.0), threads(2.0, 63.0)];
        let got = solved(&groups, &laws, &uses).rates;
        let drawn = [a * got[0] + 3.0 * b * got[1], 2.0 * a * got[2] + 2.0 * b * got[3]];
        assert!((drawn[0] - 6.1266).abs() < 1e-9 && (drawn[1] - 6.1261).abs() < 1e-9, "{drawn:?}");
    }

    #[test]
    fn a_soft_queue_that_others_fill_too_delivers_little_less_until_its_wait_has_fallen_far() {
        // A thread of 1000 GB/s in a hard queue of 14.758 and a soft one of 15.2725 GB/s. Of that others have about 0.507: half of the data of a thread whose
        // other half is behind a link of 0.3 GB/s, and 0.132 of those of threads of 1.3 and 0.285 GB/s. That is 0.0075 less than is delivered while all
        // that the first thread waits it waits there. In the end its own queue is full.
        let uses = [(0, 0, 1.0), (1, 0, 1.0), (1, 1, 0.5), (1, 2, 0.132), (1, 3, 0.132), (2, 1, 0.5)];
        let groups = [threads(1.0, 1000.0), threads(1.0, 7.7), threads(1.0, 1.3), threads(1.0, 0.285)];
        let waits = solved(&groups, &[(14.758, 0.0), (15.2725, 8.3e-4), (0.3, 0.0)], &uses);
        assert!(
            (waits.rates[0] - 14.758).abs() < 1e-9 && (waits.rates[1] - 0.6).abs() < 1e-9,
            "{:?}",
            waits.rates
        );
        let drawn = 14.758 + 0.3 + 0.132 * (waits.rates[2] + waits.rates[3]);
        let delivered = Law::new(15.2725, 8.3e-4).delivered(waits.waits[1]).0;
        assert!((drawn - delivered).abs() < 1e-9, "{drawn} {delivered}");
    }

    #[test]
    fn every_queue_delivers_what_is_drawn() {
        // Spread and local data, a limit of what a node reads, long waits, narrow and wide, hard and soft queues: all at once.
        let groups = [
            threads(5.0, 20.0),
            Group { waits: 15.0, ..threads(2.0, 1.0) },
            threads(8.0, 3.0),
            threads(1.0, 100.0),
        ];
        for (a, b, c) in [(50.0, 20.0, 9.0), (5.0, 200.0, 1.0), (30.0, 30.0, 30.0), (1000.0, 1e-3, 7.0)] {
            for factor in [0.0, 1e-3, 0.3] {
                let laws = [(a, factor / (a * a)), (b, factor / (b * b)), (c, 7.0 * factor / (c * c))];
                let uses = [
                    (0, 0, 0.5),
                    (1, 0, 0.5),
                    (2, 0, 1.0),
                    (0, 1, 1.0),
                    (1, 2, 0.9),
                    (0, 2, 0.1),
                    (2, 3, 2.0),
                    (1, 3, 1.0),
                ];
                let waits = solved(&groups, &laws, &uses);
                for (q, law) in waits.laws.iter().enumerate().filter(|(_, law)| law.capacity > 0.0) {
                    let (wait, drawn) = (waits.waits[q], waits.drawn[q]);
                    let delivered = if law.is_hard() { law.capacity } else { law.delivered(wait).0 };
                    let gap = if wait <= 0.0 { (drawn - delivered).max(0.0) } else { drawn - delivered };
                    assert!(gap.abs() < 1e-12 * law.capacity, "{a} {b} {c} {factor}: queue {q} {gap}");
                }
            }
        }
    }
}
