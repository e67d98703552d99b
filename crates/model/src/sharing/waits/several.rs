//! The waits in several queues that depend on each other.

use std::ops::Range;

use super::law::{LEAST, Law};
use super::layout::{Layout, MOST_DIRECTLY, Use};
use super::one::{Readers, first_wait, wait_near};

/// The allowed relative difference between the drawn and the delivered bandwidth.
const TOLERANCE: f64 = 1e-13;
/// The relative difference that rounding may leave once the steps stop improving.
const ROUNDING: f64 = 1e-10;
/// A queue whose relative excess at the waits of a similar question is above this has other threads than there.
const CHANGED: f64 = 0.003;
/// Below this relative excess the factors of the previous step are good enough for the next one, which leaves about this fraction of it.
const AGAIN: f64 = 1e-6;
/// The same holds only if the previous step reduced the excess to this fraction.
const BY_FAR: f64 = 1e-2;
/// The largest number of steps. About ten suffice, except for queues that are nearly equal.
const TURNS: usize = 500;
/// The number of trials of a line search.
const TRIALS: usize = 24;
/// Above this relative excess a step may have gone much too far although the excess has become smaller.
const FAR: f64 = 0.5;
/// A pivot below this fraction of the diagonal belongs to an equation that follows from others.
const NO_PIVOT: f64 = 1e-14;

/// A group of equal threads.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::sharing) struct Group {
    pub(in crate::sharing) threads: f64,
    /// The rate of one thread without waiting, GB/s, and its inverse, ns per byte.
    pub(in crate::sharing) alone: f64,
    pub(in crate::sharing) time: f64,
    /// The factor by which its bytes wait longer than those of others.
    pub(in crate::sharing) waits: f64,
}

/// Queues, the groups that use them, and the answer. The buffers are kept for the next question.
#[derive(Clone, Debug, Default)]
pub(in crate::sharing) struct Queues {
    pub(in crate::sharing) layout: Layout,
    pub(in crate::sharing) groups: Vec<Group>,
    /// The groups with threads, in the order of summation.
    pub(in crate::sharing) active: Vec<u32>,
    /// The law of each queue. A queue of capacity 0 does not count.
    pub(in crate::sharing) laws: Vec<Law>,
    /// The answer: the wait in each queue (ns per byte) and the rate of one thread of each group (GB/s).
    pub(in crate::sharing) waits: Vec<f64>,
    pub(in crate::sharing) rates: Vec<f64>,
    /// Whether `waits` holds the answer to a similar question, from which the solver starts.
    pub(in crate::sharing) begins_near: bool,
    drawn: Vec<f64>,
    /// For each queue: the excess of the drawn bandwidth ([`Law::excess`]), the rate at which it falls with the wait, and whether the wait is free to change.
    excess: Vec<f64>,
    slopes: Vec<f64>,
    is_free: Vec<bool>,
    /// `is_free` at the last factorisation of the matrix.
    was_free: Vec<bool>,
    step: Vec<f64>,
    before: Vec<f64>,
    /// The upper triangle of the equations of a step. Empty if conjugate gradients solve them.
    matrix: Vec<f64>,
    /// For one group: its queues whose waits are free, and the GB/s of each queue for each GB/s that a thread moves.
    free: Vec<(usize, f64)>,
    diagonal: Vec<f64>,
    residual: Vec<f64>,
    direction: Vec<f64>,
    image: Vec<f64>,
    /// For each group: the sum of its waits over its queues.
    sums: Vec<f64>,
    /// The queue whose equation contradicts the earlier ones most, and the excess that they leave in it, GB/s.
    contradicts: Option<(usize, f64)>,
}

impl Queues {
    /// Resizes the buffers for the layout.
    pub(in crate::sharing) fn make_room(&mut self, groups: usize, queues: usize) {
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

    /// Finds the waits in these queues for the active groups. No other queue may depend on them.
    pub(in crate::sharing) fn solve(&mut self, queues: Range<usize>) {
        self.begin(&queues);
        let (mut apart, mut last) = (self.look(&queues), f64::INFINITY);
        if self.begins_near && apart > CHANGED {
            // Threads were added or removed there.
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
            let is_nearer = apart < last && (apart <= FAR || self.falls_along_the_step(&queues));
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

    /// Starts from a lower bound on the wait of each queue alone, or from the wait of a similar question. The wait of a soft queue is above 0.
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

    /// Each queue whose relative excess is at least `least` in absolute value finds its wait in turn, while the others stay fixed.
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

    /// Computes the rates and the drawn bandwidth at the current waits.
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

    /// Computes the excess of each queue and its slope. Returns the largest relative difference between drawn and delivered bandwidth.
    fn look(&mut self, queues: &Range<usize>) -> f64 {
        let mut apart = 0.0_f64;
        for q in queues.clone() {
            let (law, wait, drawn) = (self.laws[q], self.waits[q], self.drawn[q]);
            // Bytes do not wait there, and need not.
            let is_idle = law.capacity <= 0.0 || (law.is_hard() && wait <= 0.0 && drawn <= law.capacity);
            self.is_free[q] = !is_idle;
            let (above, slope) = if is_idle { (0.0, 0.0) } else { law.excess(drawn, wait) };
            (self.excess[q], self.slopes[q]) = (drawn * above, slope);
            // A comparison that is false for NaN keeps it.
            apart = if above.abs() <= apart { apart } else { above.abs() };
        }
        apart
    }

    /// Computes the Newton step, which would leave no excess if the equations were linear.
    fn aim(&mut self, queues: &Range<usize>) {
        if self.matrix.is_empty() { self.aim_by_gradients(queues) } else { self.aim_directly(queues) }
    }

    /// Whether the factors of the previous step serve for the next one: that step reduced the excess by far, little is left, and the same waits are free.
    fn can_aim_again(&self, apart: f64, last: f64) -> bool {
        self.begins_near
            && apart <= AGAIN.min(BY_FAR * last)
            && !self.matrix.is_empty()
            && self.was_free == self.is_free
    }

    /// Factors the matrix, without the queues whose waits are not free and those whose equations follow from others.
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

    /// Computes the step from the existing factors.
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

    /// The contribution of the later unknowns to the equation of `queue` after the elimination of the earlier ones.
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

    /// Some queues limit the same threads and cannot all be full. Moves their waits in the direction that changes no rate, until one wait reaches its lower
    /// limit. Returns whether it did.
    ///
    /// The convex function falls linearly along that direction, at the rate of the excess in [`Self::contradicts`].
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
            // A wait that has just become 0 allows no step. Without this queue there is another direction.
            self.look(queues);
            if self.was_free == self.is_free {
                return false;
            }
            self.aim(queues);
        }
        false
    }

    /// Goes to the minimum of the convex function along the step, at most until a wait reaches its lower limit. Returns whether the largest relative
    /// excess is then well below `last`.
    ///
    /// A nearly full soft queue delivers almost the same at half of its wait, so that the full step goes much too far.
    fn shorten(&mut self, queues: &Range<usize>, last: f64) -> bool {
        let mut long = self.room(queues).min(1.0);
        if long <= 0.0 {
            return false;
        }
        let mut short = 0.0;
        for _ in 0..TRIALS {
            // By a factor as long as every length is too long.
            let length = if short == 0.0 { 0.125 * long } else { 0.5 * (short + long) };
            self.waits[queues.clone()].copy_from_slice(&self.before[queues.clone()]);
            self.go(queues, length);
            if self.falls_along_the_step(queues) { short = length } else { long = length }
        }
        self.look(queues) <= 0.9 * last
    }

    /// Whether the convex function still falls in the direction of the step. Its gradient is the delivered minus the drawn bandwidth.
    fn falls_along_the_step(&self, queues: &Range<usize>) -> bool {
        let with_capacity = queues.clone().filter(|&q| self.laws[q].capacity > 0.0);
        let falls = with_capacity.map(|q| {
            let law = self.laws[q];
            let delivered = if law.is_hard() { law.capacity } else { law.delivered(self.waits[q]).0 };
            (self.drawn[q] - delivered) * self.step[q]
        });
        falls.sum::<f64>() > 0.0
    }

    /// The multiple of the step at which the first wait reaches its lower limit.
    fn room(&self, queues: &Range<usize>) -> f64 {
        let shrinks = queues.clone().filter(|&q| self.step[q] < 0.0);
        shrinks
            .map(|q| (self.least(q, self.waits[q]) - self.waits[q]) / self.step[q])
            .fold(f64::INFINITY, f64::min)
    }

    /// The lower limit of a wait after one step from `wait`. Only the wait in a hard queue may become 0.
    fn least(&self, queue: usize, wait: f64) -> f64 {
        if self.laws[queue].is_hard() { 0.0 } else { 0.01 * wait }
    }

    /// Computes the step by conjugate gradients.
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

    /// Computes the change of the excess for a step along `direction`.
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

    /// Takes `length` times the step.
    fn go(&mut self, queues: &Range<usize>, length: f64) {
        for q in queues.clone() {
            self.before[q] = self.waits[q];
            let least = self.least(q, self.before[q]);
            self.waits[q] = (self.before[q] + length * self.step[q]).max(least);
        }
        self.flow(queues);
    }

    /// Scales rates down so that no queue delivers more than its capacity after the last step.
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

#[cfg(test)]
mod tests;
