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
//! These are the conditions for the least of a convex function of the waits, so that there is one answer. Newton's method, in which a queue is looked at
//! from the side on which its law is nearly straight: what it delivers, where its wait is too short or more is drawn than it has, and else
//! what it would wait for what is drawn. The equations of a step are symmetric: conjugate gradients, without a matrix. A step that overshoots is halved.

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
    /// Of each group: a sum over its queues.
    sums: Vec<f64>,
}

/// What is drawn and delivered may differ by this part of the capacity.
const TOLERANCE: f64 = 1e-13;
/// Newton's steps; a handful is enough.
const STEPS: usize = 60;
/// A queue that nobody waits behind has this penalty x capacity^2, so that its corner is soft, too.
const LEAST: f64 = 1e-9;

impl Queues {
    /// Room for so many groups and queues.
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
    }

    /// Finds the waits.
    pub(super) fn solve(&mut self) {
        self.begin();
        for _ in 0..STEPS {
            if self.look() {
                break;
            }
            self.aim();
            self.advance();
        }
        self.keep_within();
    }

    /// Waits as if each queue were the only one, from below ([`super::ecm`]). A hard queue in which there is room for all is none.
    fn begin(&mut self) {
        let Self { uses, groups, laws, waits, drawn, image, .. } = self;
        drawn.fill(0.0);
        image.fill(0.0);
        for one in uses.iter() {
            let group = groups[one.group as usize];
            if group.threads > 0.0 {
                let alone = one.taken * group.alone;
                drawn[one.queue as usize] += group.threads * alone;
                image[one.queue as usize] += group.threads * alone * alone * group.waits;
            }
        }
        for (((law, wait), &asked), &slope) in laws.iter_mut().zip(waits).zip(drawn.iter()).zip(image.iter())
        {
            *wait = 0.0;
            if asked <= 0.0 || (law.factor <= 0.0 && asked <= law.capacity) {
                law.capacity = 0.0;
            } else if law.capacity > 0.0 {
                // Where there is room for all, the smaller the factor, the more it is like none.
                let least = if asked > law.capacity { LEAST } else { 0.0 };
                law.factor = law.factor.max(least / (law.capacity * law.capacity));
                *wait = first_wait(*law, asked, slope);
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

    /// By how much too much is drawn of each queue, and its slope, from the side that is nearly straight. Whether all is as it should be.
    fn look(&mut self) -> bool {
        let mut found = true;
        for (q, law) in self.laws.iter().enumerate().filter(|(_, law)| law.capacity > 0.0) {
            let (wait, drawn) = (self.waits[q], self.drawn[q]);
            let (delivered, slope) = law.delivered(wait);
            found &= (drawn - delivered).abs() <= TOLERANCE * law.capacity;
            (self.excess[q], self.slopes[q]) = match law.waited(drawn) {
                Some((waited, slower)) if wait > waited => ((waited - wait) / slower, 1.0 / slower),
                _ => (drawn - delivered, slope),
            };
        }
        found
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
            let is_queue = self.laws[q].capacity > 0.0;
            self.residual[q] = if is_queue { self.excess[q] } else { 0.0 };
            self.direction[q] = if is_queue { self.excess[q] / self.diagonal[q] } else { 0.0 };
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
            for q in 0..queues {
                if self.laws[q].capacity > 0.0 {
                    self.step[q] += length * self.direction[q];
                    self.residual[q] -= length * self.image[q];
                    next += self.residual[q] * self.residual[q] / self.diagonal[q];
                }
            }
            for q in 0..queues {
                if self.laws[q].capacity > 0.0 {
                    self.direction[q] = self.residual[q] / self.diagonal[q] + next / gain * self.direction[q];
                }
            }
            gain = next;
        }
    }

    /// What the excess loses by a step in the direction.
    fn map(&mut self) {
        let Self { uses, groups, rates, laws, slopes, direction, image, sums, .. } = self;
        sums.fill(0.0);
        for one in uses.iter() {
            sums[one.group as usize] += one.taken * direction[one.queue as usize];
        }
        for ((sum, group), rate) in sums.iter_mut().zip(groups.iter()).zip(rates.iter()) {
            *sum *= group.threads * group.waits * rate * rate;
        }
        for (q, law) in laws.iter().enumerate() {
            image[q] = if law.capacity > 0.0 { slopes[q] * direction[q] } else { 0.0 };
        }
        for one in uses.iter().filter(|one| laws[one.queue as usize].capacity > 0.0) {
            image[one.queue as usize] += one.taken * sums[one.group as usize];
        }
    }

    /// Takes the step, or a part of it: no wait becomes less than a hundredth at once, and what is left to gain in its direction is at most half of what
    /// it was on the other side.
    fn advance(&mut self) {
        self.before.copy_from_slice(&self.waits);
        // What is delivered less what is drawn; conjugate gradients no longer need the room.
        for q in 0..self.laws.len() {
            self.image[q] = self.gap(q);
        }
        let mut part = 1.0;
        while part > 1e-3 {
            for (q, wait) in self.waits.iter_mut().enumerate() {
                *wait = (self.before[q] + part * self.step[q]).max(0.01 * self.before[q]);
            }
            self.flow();
            let moved = |q: usize| self.waits[q] - self.before[q];
            let along =
                |gap: &dyn Fn(usize) -> f64| (0..self.laws.len()).map(|q| gap(q) * moved(q)).sum::<f64>();
            if along(&|q| self.gap(q)) <= 0.5 * along(&|q| self.image[q]).abs() {
                break;
            }
            part *= 0.5;
        }
    }

    /// What the queue delivers less what is drawn.
    fn gap(&self, q: usize) -> f64 {
        let law = self.laws[q];
        if law.capacity > 0.0 { law.delivered(self.waits[q]).0 - self.drawn[q] } else { 0.0 }
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

/// A wait that is at most that of readers who ask for `asked` of a queue, where that falls by `slope` with the first ns per byte of waiting.
///
/// A rate is at least what one thread of the mean time would have (Jensen).
pub(super) fn first_wait(law: Law, asked: f64, slope: f64) -> f64 {
    let mean = slope / asked;
    let to_fit = (asked / law.capacity - 1.0) / mean;
    let behind = 2.0 * asked * law.factor / (1.0 + (1.0 + 4.0 * mean * asked * law.factor).sqrt());
    to_fit.max(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!((both.rates[0] - 7.5).abs() < 1e-5, "{:?}", both.rates);
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
                    let gap = law.delivered(waits.waits[q]).0 - waits.drawn[q];
                    assert!(gap.abs() < 1e-12 * law.capacity, "{a} {b} {c} {factor}: queue {q} {gap}");
                }
            }
        }
    }
}
