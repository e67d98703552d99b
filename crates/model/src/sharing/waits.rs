//! Waits in queues that depend on each other: threads that need several of them, as their data are spread or what their node reads is limited.
//!
//! # Unit
//! Times are nanoseconds per byte, rates GB/s.
//!
//! # Problem
//! A group of n threads has the rate r = 1 / (t + v x sum of a w): a byte of it waits a w in each queue that it needs, where it takes a GB/s of the queue for
//! each GB/s that it moves, and v times as long as others. A queue delivers D(w) ([`Law`]). Which waits w deliver just what is drawn, sum n a r?
//!
//! # Approach
//! These are the conditions for the least of a convex function of the waits, so that there is one answer. Each queue by itself in turn (its own wait,
//! the others as they are) always comes nearer. After each turn a step of Newton's method for all at once, which is taken where it comes nearer
//! still: a queue is looked at from the side on which its law is nearly straight, what it delivers, where its wait is too short or more is drawn
//! than it has, and else what it would wait for what is drawn. The equations of a step are symmetric: conjugate gradients, without a matrix. Hard
//! queues wait only where all that they have is drawn, exactly as without others.

/// The power of the soft corner, for all machines. Chosen by the half of the published curves that chooses
/// (`results/published-data/CHOICES.md`).
const SHARPNESS: i32 = 8;

/// The power 1 / [`SHARPNESS`] of a number.
fn root_of_sharpness(number: f64) -> f64 {
    number.sqrt().sqrt().sqrt()
}

/// How a queue delivers at most `capacity` GB/s: (S^-8 + capacity^-8)^(-1/8) of the S = w / `factor` that the wait w alone would give.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Law {
    pub(super) capacity: f64,
    /// What the rates are multiplied by to give the wait, where little is drawn; above 0.
    pub(super) factor: f64,
}

impl Law {
    /// Whether so few wait behind each other that the corner is hard: nobody waits up to the capacity.
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
            let delivered = alone / root_of_sharpness(soft);
            (delivered, delivered / (soft * wait))
        } else {
            let little = above.powi(-SHARPNESS);
            let soft = 1.0 + little;
            let delivered = self.capacity / root_of_sharpness(soft);
            (delivered, delivered * little / (soft * wait))
        }
    }

    /// How long bytes wait where `drawn` is drawn, and how much longer with each GB/s more; `None` where that is more than there is.
    fn waited(self, drawn: f64) -> Option<(f64, f64)> {
        let left = 1.0 - (drawn / self.capacity).powi(SHARPNESS);
        let slope = self.factor / root_of_sharpness(left);
        (left > 0.0).then_some((slope * drawn, slope / left))
    }
}

/// Where a group needs a queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) queue: u32,
    pub(super) group: u32,
    /// GB/s of the queue for each GB/s that a thread moves.
    pub(super) taken: f64,
}

/// Equal threads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    /// How many; of none nothing is looked at.
    pub(super) threads: f64,
    /// GB/s of one alone, 1 / t.
    pub(super) alone: f64,
    /// How many times as long as others it waits.
    pub(super) waits: f64,
}

/// Queues, the groups that need them, and the answer. Everything is kept for the next question.
#[derive(Clone, Debug, Default)]
pub(super) struct Queues {
    pub(super) uses: Vec<Use>,
    pub(super) groups: Vec<Group>,
    /// A queue without a capacity is none.
    pub(super) laws: Vec<Law>,
    /// The answer: of each queue its wait, of each group the rate of one thread.
    pub(super) waits: Vec<f64>,
    pub(super) rates: Vec<f64>,
    drawn: Vec<f64>,
    /// Of each queue: by how much too much is drawn, its own slope, and what conjugate gradients need.
    excess: Vec<f64>,
    slopes: Vec<f64>,
    diagonal: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
    step: Vec<f64>,
    before: Vec<f64>,
    /// Of each queue: whether its wait may be any, and where its uses begin.
    is_free: Vec<bool>,
    firsts: Vec<usize>,
    /// Of each group: a sum over its queues.
    sums: Vec<f64>,
}

/// What is drawn and delivered may differ by this part of the capacity.
const TOLERANCE: f64 = 1e-13;
/// What rounding may leave of that, where nothing comes nearer any more.
const ROUNDING: f64 = 1e-10;
/// Newton's steps for one queue; a handful is enough.
const STEPS: usize = 64;
/// Turns; a handful is enough, but for queues that nearly are one.
const TURNS: usize = 500;
/// A queue with a smaller penalty x (N - 1) has a hard corner: its bytes would wait less than this part of a transfer time, and fractions of
/// threads that add up to one are one.
const HARD: f64 = 1e-9;

impl Queues {
    /// Makes room for this number of groups and queues.
    pub(super) fn make_room(&mut self, groups: usize, queues: usize) {
        self.groups.resize(groups, Group::default());
        self.rates.resize(groups, 0.0);
        self.sums.resize(groups, 0.0);
        self.laws.resize(queues, Law::default());
        let Self { waits, drawn, excess, slopes, diagonal, residual, direction, image, step, before, .. } =
            self;
        for of_queues in [waits, drawn, excess, slopes, diagonal, residual, direction, image, step, before] {
            of_queues.resize(queues, 0.0);
        }
        self.is_free.resize(queues, false);
    }

    /// Finds the waits.
    pub(super) fn solve(&mut self) {
        self.begin();
        let mut last = f64::INFINITY;
        for _ in 0..TURNS {
            self.take_turns();
            let apart = self.look();
            if apart <= TOLERANCE || (apart <= ROUNDING && apart >= 0.5 * last) {
                break;
            }
            last = apart;
            self.aim();
            self.step_if_nearer(apart);
        }
        self.keep_within();
    }

    /// No waits yet, and where the uses of each queue are.
    fn begin(&mut self) {
        let Self { uses, laws, waits, firsts, drawn, .. } = self;
        uses.sort_by_key(|one| one.queue);
        waits.fill(0.0);
        drawn.fill(0.0);
        firsts.clear();
        firsts.extend((0..=laws.len()).map(|q| uses.partition_point(|one| (one.queue as usize) < q)));
        self.flow();
        for (law, &asked) in self.laws.iter_mut().zip(&self.drawn) {
            if asked <= 0.0 {
                law.capacity = 0.0;
            }
        }
    }

    /// Each queue in turn finds its wait, the others as they are.
    fn take_turns(&mut self) {
        let Self { uses, groups, laws, waits, firsts, sums, .. } = self;
        for (q, law) in laws.iter().enumerate().filter(|(_, law)| law.capacity > 0.0) {
            let uses = &uses[firsts[q]..firsts[q + 1]];
            let before = waits[q];
            let readers = || {
                let with_threads = uses.iter().filter(|one| groups[one.group as usize].threads > 0.0);
                with_threads.map(|one| {
                    let group = groups[one.group as usize];
                    let elsewhere = (sums[one.group as usize] - one.taken * before).max(0.0);
                    Readers {
                        amount: group.threads * one.taken,
                        time: 1.0 / group.alone + group.waits * elsewhere,
                        wait: group.waits * one.taken,
                    }
                })
            };
            waits[q] = wait_near(readers, *law, before);
            for one in uses {
                sums[one.group as usize] += one.taken * (waits[q] - before);
            }
        }
        self.flow();
    }

    /// The rates and what is drawn at these waits.
    fn flow(&mut self) {
        let Self { uses, groups, waits, rates, drawn, sums, .. } = self;
        sums.fill(0.0);
        for one in uses.iter() {
            sums[one.group as usize] += one.taken * waits[one.queue as usize];
        }
        for ((rate, group), sum) in rates.iter_mut().zip(groups.iter()).zip(sums.iter()) {
            *rate =
                if group.threads > 0.0 { group.alone / (1.0 + group.alone * group.waits * sum) } else { 0.0 };
        }
        drawn.fill(0.0);
        for one in uses.iter() {
            let group = one.group as usize;
            drawn[one.queue as usize] += groups[group].threads * one.taken * rates[group];
        }
    }

    /// What is drawn of a queue less what it delivers, and how much more with each ns per byte more; `None` where nobody waits, and need not.
    fn gap(&self, q: usize) -> Option<(f64, f64)> {
        let (law, wait, drawn) = (self.laws[q], self.waits[q], self.drawn[q]);
        if law.capacity <= 0.0 || (law.is_hard() && wait <= 0.0 && drawn <= law.capacity) {
            return None;
        }
        let (delivered, slope) = if law.is_hard() { (law.capacity, 0.0) } else { law.delivered(wait) };
        Some((drawn - delivered, slope))
    }

    /// By how much too much is drawn of each queue, and its slope, from the side that is nearly straight. The most by which what is drawn and
    /// delivered differ, in parts of the capacity.
    fn look(&mut self) -> f64 {
        let mut apart = 0.0_f64;
        for q in 0..self.laws.len() {
            let law = self.laws[q];
            let gap = self.gap(q);
            self.is_free[q] = gap.is_some();
            let (excess, slope) = gap.unwrap_or_default();
            if gap.is_some() {
                apart = apart.max(excess.abs() / law.capacity);
            }
            let waited = if law.is_hard() { None } else { law.waited(self.drawn[q]) };
            (self.excess[q], self.slopes[q]) = match waited {
                Some((waited, slower)) if self.waits[q] > waited => {
                    ((waited - self.waits[q]) / slower, 1.0 / slower)
                }
                _ => (excess, slope),
            };
        }
        apart
    }

    /// The step that would leave nothing in excess if everything were straight.
    fn aim(&mut self) {
        self.diagonal.copy_from_slice(&self.slopes);
        for one in &self.uses {
            let group = one.group as usize;
            let slope =
                self.groups[group].threads * self.groups[group].waits * self.rates[group] * self.rates[group];
            self.diagonal[one.queue as usize] += one.taken * one.taken * slope;
        }
        let queues = self.laws.len();
        self.step.fill(0.0);
        let mut gain = 0.0;
        for q in 0..queues {
            self.residual[q] = if self.is_free[q] { self.excess[q] } else { 0.0 };
            self.direction[q] = if self.is_free[q] { self.excess[q] / self.diagonal[q] } else { 0.0 };
            gain += self.residual[q] * self.direction[q];
        }
        let enough = 1e-20 * gain;
        for _ in 0..3 * queues + 5 {
            if gain <= enough {
                break;
            }
            self.map();
            let along: f64 = self.direction.iter().zip(&self.image).map(|(a, b)| a * b).sum();
            if along <= 0.0 || !along.is_finite() {
                break;
            }
            let (length, mut next) = (gain / along, 0.0);
            for q in (0..queues).filter(|&q| self.is_free[q]) {
                self.step[q] += length * self.direction[q];
                self.residual[q] -= length * self.image[q];
                next += self.residual[q] * self.residual[q] / self.diagonal[q];
            }
            for q in (0..queues).filter(|&q| self.is_free[q]) {
                self.direction[q] = self.residual[q] / self.diagonal[q] + next / gain * self.direction[q];
            }
            gain = next;
        }
    }

    /// What the excess loses by a step in the direction.
    fn map(&mut self) {
        let Self { uses, groups, rates, slopes, direction, image, sums, is_free, .. } = self;
        sums.fill(0.0);
        for one in uses.iter() {
            sums[one.group as usize] += one.taken * direction[one.queue as usize];
        }
        for ((sum, group), rate) in sums.iter_mut().zip(groups.iter()).zip(rates.iter()) {
            *sum *= group.threads * group.waits * rate * rate;
        }
        for (q, image) in image.iter_mut().enumerate() {
            *image = if is_free[q] { slopes[q] * direction[q] } else { 0.0 };
        }
        for one in uses.iter().filter(|one| is_free[one.queue as usize]) {
            image[one.queue as usize] += one.taken * sums[one.group as usize];
        }
    }

    /// Takes the step, if what is drawn and delivered differs less after it. Only the wait of a hard queue may become 0.
    fn step_if_nearer(&mut self, apart: f64) {
        self.before.copy_from_slice(&self.waits);
        for q in 0..self.laws.len() {
            let least = if self.laws[q].is_hard() { 0.0 } else { 0.01 * self.before[q] };
            self.waits[q] = (self.before[q] + self.step[q]).max(least);
        }
        self.flow();
        let after = (0..self.laws.len())
            .filter_map(|q| Some(self.gap(q)?.0.abs() / self.laws[q].capacity))
            .fold(0.0, f64::max);
        if after.is_nan() || after >= apart {
            self.waits.copy_from_slice(&self.before);
            self.flow();
        }
    }

    /// Nothing above its capacity, whatever the steps have left.
    fn keep_within(&mut self) {
        for one in &self.uses {
            let (capacity, drawn) = (self.laws[one.queue as usize].capacity, self.drawn[one.queue as usize]);
            if capacity > 0.0 && drawn > capacity {
                self.rates[one.group as usize] *= capacity / drawn;
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
pub(super) fn rates(readers: impl Iterator<Item = Readers>, wait: f64) -> (f64, f64) {
    readers.fold((0.0, 0.0), |(sum, slope), reader| {
        let rate = 1.0 / (reader.time + wait * reader.wait);
        (sum + reader.amount * rate, slope + reader.amount * reader.wait * rate * rate)
    })
}

/// The wait at which the rates sum to `capacity`, if they sum to more without.
///
/// Newton's method on 1 / rates, which is concave in the wait: it comes from below and is exact at once for equal readers.
fn wait_to_fit<I: Iterator<Item = Readers>>(readers: impl Fn() -> I, capacity: f64) -> f64 {
    let mut wait = 0.0;
    for _ in 0..STEPS {
        let (sum, slope) = rates(readers(), wait);
        if sum <= capacity * (1.0 + TOLERANCE) || slope <= 0.0 {
            break;
        }
        wait += sum / slope * (sum / capacity - 1.0);
    }
    wait
}

/// The wait at which the readers draw what is delivered.
pub(super) fn wait_at<I: Iterator<Item = Readers>>(readers: impl Fn() -> I, law: Law) -> f64 {
    wait_near(readers, law, 0.0)
}

/// The same, which is near `guess`.
///
/// Newton's method on 1 / rates - 1 / delivered, which rises and is concave: from a wait above the true one a step leads below it, and from there on it comes
/// from below.
fn wait_near<I: Iterator<Item = Readers>>(readers: impl Fn() -> I, law: Law, guess: f64) -> f64 {
    let (asked, slope) = rates(readers(), 0.0);
    if law.is_hard() {
        return if asked > law.capacity { wait_to_fit(readers, law.capacity) } else { 0.0 };
    }
    if asked <= 0.0 || slope <= 0.0 {
        return 0.0;
    }
    let least = first_wait(law, asked, slope);
    let mut wait = guess.max(least);
    for at in 0..STEPS {
        let (sum, slope) = rates(readers(), wait);
        let (delivered, rises) = law.delivered(wait);
        let step = (1.0 / delivered - 1.0 / sum) / (slope / (sum * sum) + rises / (delivered * delivered));
        wait = if at == 0 { (wait + step).max(least) } else { wait + step.max(0.0) };
        if step <= TOLERANCE * wait && (at > 0 || step >= -TOLERANCE * wait) {
            break;
        }
    }
    wait
}

/// A wait that is at most that of readers who ask for `asked` of a queue, where that falls by `slope` with the first ns per byte of waiting.
///
/// A rate is at least what one thread of the mean time would have (Jensen).
fn first_wait(law: Law, asked: f64, slope: f64) -> f64 {
    let mean = slope / asked;
    let to_fit = (asked / law.capacity - 1.0) / mean;
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
        Law { capacity, factor }
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
        waits.make_room(groups.len(), laws.len());
        waits.groups.copy_from_slice(groups);
        waits.laws = laws.iter().map(|&(capacity, factor)| Law { capacity, factor }).collect();
        waits.uses = uses.iter().map(|&(queue, group, taken)| Use { queue, group, taken }).collect();
        waits.solve();
        waits
    }

    fn threads(threads: f64, alone_gbs: f64) -> Group {
        Group { threads, alone: alone_gbs, waits: 1.0 }
    }

    #[test]
    fn what_is_delivered_and_what_is_waited_are_one_law() {
        let law = Law { capacity: 40.0, factor: 0.002 };
        for wait in [1e-6, 0.01, 0.08, 0.1, 0.2] {
            let (delivered, slope) = law.delivered(wait);
            let (waited, slower) = law.waited(delivered).expect("less than there is");
            assert!((waited / wait - 1.0).abs() < 1e-9 && (slope * slower - 1.0).abs() < 1e-6, "{wait}");
        }
        assert!(law.waited(40.0).is_none());
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
    fn the_time_per_byte_is_the_mean_over_the_memories() {
        // 4 threads of 10 GB/s, a half on a memory where they wait, the other half on a wide one: 1 / (0.1 + w / 2), and w is that of
        // D(w) = 4 x that / 2.
        let waits = solved(&[threads(4.0, 10.0)], &[(10.0, 0.01), (1e6, 0.0)], &[(0, 0, 0.5), (1, 0, 0.5)]);
        let wait = waits.waits[0];
        assert!((waits.rates[0] - 1.0 / (0.1 + wait / 2.0)).abs() < 1e-12);
        let law = Law { capacity: 10.0, factor: 0.01 };
        assert!((law.delivered(wait).0 - 2.0 * waits.rates[0]).abs() < 1e-10);
    }

    #[test]
    fn who_waits_nowhere_has_what_it_has_alone() {
        let waits = solved(
            &[threads(1.0, 10.0), threads(0.0, 5.0)],
            &[(40.0, 0.0), (12.0, 0.0)],
            &[(0, 0, 0.5), (1, 0, 0.5), (1, 1, 1.0)],
        );
        assert_eq!(waits.rates, [10.0, 0.0]);
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
                    let (gap, _) = waits.gap(q).unwrap_or_default();
                    assert!(gap.abs() < 1e-12 * law.capacity, "{a} {b} {c} {factor}: queue {q} {gap}");
                }
            }
        }
    }
}
