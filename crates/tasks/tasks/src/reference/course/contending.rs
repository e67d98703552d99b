//! Contenders: other programs that want the workers, too.

use super::Course;

/// What others have of the workers.
#[derive(Clone, Debug)]
pub(in crate::reference) struct Contending {
    /// When how many programs share the workers from then on; those that are past leave.
    bounds: Vec<(f64, u32)>,
    /// Per worker that has left: since and until when it runs a contender's task.
    away: Vec<Option<(f64, f64)>>,
    /// Per worker: whether it is dealt to the program, as whoever decides has it.
    dealt: Vec<bool>,
    /// Tasks that have ended, and per worker the seconds of all.
    pub(in crate::reference) tasks: u64,
    pub(in crate::reference) busy_s: Vec<f64>,
}

impl Contending {
    /// Of `workers` workers none has left.
    pub(super) fn new(question: &crate::Question, workers: usize) -> Self {
        let mut bounds = Vec::new();
        if let Some(contender) = question.contender {
            let programs = contender.count + 1;
            match &contender.phases {
                None => bounds.push((0.0, programs)),
                Some(phases) => {
                    for (from, to) in phases {
                        bounds.push((from.value(), programs));
                        bounds.push((to.value(), 1));
                    }
                }
            }
        }
        Self {
            bounds,
            away: vec![None; workers],
            dealt: vec![true; workers],
            tasks: 0,
            busy_s: vec![0.0; workers],
        }
    }
}

impl Course<'_> {
    /// Phases that begin or end now: how many programs share the workers then.
    pub(in crate::reference) fn pass_bounds(&mut self) -> Vec<u32> {
        let mut passed = Vec::new();
        while let Some(&(time_s, programs)) = self.contending.bounds.first()
            && self.is_now(time_s)
        {
            self.contending.bounds.remove(0);
            passed.push(programs);
        }
        passed
    }

    /// Who is dealt to the program now.
    pub(in crate::reference) fn deal(&mut self, is_dealt: impl Fn(usize) -> bool) {
        for (worker, dealt) in self.contending.dealt.iter_mut().enumerate() {
            *dealt = is_dealt(worker);
        }
    }

    /// Contenders' tasks that end now. Their workers come back if they are dealt to the program, else they run the next one. Those who came
    /// back, by number.
    pub(in crate::reference) fn end_contenders(&mut self) -> Vec<usize> {
        let mut back = Vec::new();
        for worker in 0..self.worker_count() {
            let Some((since_s, until_s)) = self.contending.away[worker] else { continue };
            if !self.is_now(until_s) {
                continue;
            }
            self.contending.tasks += 1;
            self.contending.busy_s[worker] += self.now_s - since_s;
            self.contending.away[worker] = None;
            if self.contending.dealt[worker] {
                back.push(worker);
            } else {
                self.contend(worker);
            }
        }
        back
    }

    /// An idle worker that found nothing leaves if it is dealt to another program; whether it does.
    pub(in crate::reference) fn leaves(&mut self, worker: usize) -> bool {
        let leaves = self.is_idle(worker) && !self.contending.dealt[worker];
        if leaves {
            self.contend(worker);
        }
        leaves
    }

    /// A worker runs a contender's task. It takes longer than an instant.
    fn contend(&mut self, worker: usize) {
        let gflop = self.question.contender.map_or(0.0, |contender| contender.gflop);
        let gflops = self.question.machine.node(self.node_of(worker)).gflops_per_core.value();
        let duration_s = (gflop / gflops).max(2.0 * super::TOGETHER * self.now_s);
        self.contending.away[worker] = Some((self.now_s, self.now_s + duration_s));
    }

    /// Whether a worker has left.
    pub(super) fn is_away(&self, worker: usize) -> bool {
        self.contending.away[worker].is_some()
    }

    /// When something of contenders comes that may matter to the program. `alone`: nothing else comes; then only workers that
    /// come back do.
    pub(super) fn next_of_contenders(&self, alone: bool) -> Option<f64> {
        let bound = self.contending.bounds.first().map(|&(time_s, _)| time_s);
        let comes_back = || {
            let pairs = self.contending.away.iter().zip(&self.contending.dealt);
            pairs.clone().any(|(away, &dealt)| away.is_some() && dealt)
        };
        if alone && bound.is_none() && !comes_back() {
            return None;
        }
        let ends = self.contending.away.iter().flatten().map(|&(_, until_s)| until_s);
        ends.chain(bound).min_by(f64::total_cmp)
    }

    /// The run is over: nobody runs a contender's task any more.
    pub(in crate::reference) fn stop_contenders(&mut self) {
        for (away, busy_s) in self.contending.away.iter_mut().zip(&mut self.contending.busy_s) {
            if let Some((since_s, _)) = away.take() {
                *busy_s += self.now_s - since_s;
            }
        }
    }
}
