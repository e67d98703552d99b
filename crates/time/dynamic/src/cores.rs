//! How the running threads of a node share its cores: max-min fairly.
//!
//! A thread gets at most one core, one that is bound to a core only from that core. All get the same level, but those on a
//! core with so many of its own that they get less of it [decision].

/// The running threads of one node.
#[derive(Clone, Debug)]
pub(crate) struct Cores {
    /// Threads bound to the node.
    node_bound: u32,
    /// Per core: threads bound to it.
    core_bound: Vec<u32>,
    /// Threads bound to some core.
    core_bound_total: u32,
    /// What a thread gets, unless its core gives less.
    level: f64,
    is_stale: bool,
}

impl Cores {
    /// `cores` cores, no thread.
    pub(crate) fn new(cores: u32) -> Self {
        let core_bound = vec![0; cores as usize];
        Self { node_bound: 0, core_bound, core_bound_total: 0, level: 1.0, is_stale: false }
    }

    /// A thread begins to run: on this core, or on any.
    pub(crate) fn add(&mut self, core: Option<usize>) {
        match core {
            None => self.node_bound += 1,
            Some(core) => {
                self.core_bound[core] += 1;
                self.core_bound_total += 1;
            }
        }
        self.is_stale = true;
    }

    /// A thread ends to run.
    pub(crate) fn remove(&mut self, core: Option<usize>) {
        match core {
            None => self.node_bound -= 1,
            Some(core) => {
                self.core_bound[core] -= 1;
                self.core_bound_total -= 1;
            }
        }
        self.is_stale = true;
    }

    /// Finds the level anew; whether some thread's part may have changed.
    pub(crate) fn settle(&mut self) -> bool {
        if !std::mem::take(&mut self.is_stale) {
            return false;
        }
        let before = self.level;
        self.level = self.found_level();
        // Parts on one core change with its own threads, whatever the level.
        self.core_bound_total > 0 || before.to_bits() != self.level.to_bits()
    }

    /// The part of a core that a running thread gets: on this core, or on any. Between 0 and 1.
    pub(crate) fn part(&self, core: Option<usize>) -> f64 {
        match core {
            None => self.level,
            Some(core) => self.level.min(1.0 / f64::from(self.core_bound[core].max(1))),
        }
    }

    /// The largest level of at most 1 at which all threads bound to the node find room beside those bound to cores: on a
    /// core with k of its own these take min(1, k level). Cores that their own threads fill are left out one after the
    /// other, and each makes the level larger.
    fn found_level(&self) -> f64 {
        let cores = self.core_bound.len();
        if self.node_bound == 0 {
            return 1.0;
        }
        if self.core_bound_total == 0 {
            return (cores as f64 / f64::from(self.node_bound)).min(1.0);
        }
        let mut level = 0.0;
        loop {
            let open = self.core_bound.iter().filter(|&&own| f64::from(own) * level < 1.0);
            let (count, own) = open.fold((0_u32, 0_u32), |(count, sum), &own| (count + 1, sum + own));
            let next = f64::from(count) / f64::from(self.node_bound + own);
            if next <= level || next >= 1.0 {
                return next.min(1.0).max(level);
            }
            level = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cores(cores: u32, node_bound: u32, core_bound: &[usize]) -> Cores {
        let mut shared = Cores::new(cores);
        for _ in 0..node_bound {
            shared.add(None);
        }
        for &core in core_bound {
            shared.add(Some(core));
        }
        shared.settle();
        shared
    }

    #[test]
    fn threads_bound_to_the_node_share_all_cores() {
        // 12 threads on 8 cores: 2/3 of a core each.
        assert_eq!(cores(8, 12, &[]).part(None), 8.0 / 12.0);
        assert_eq!(cores(8, 8, &[]).part(None), 1.0);
        assert_eq!(cores(8, 3, &[]).part(None), 1.0);
    }

    #[test]
    fn threads_bound_to_a_core_share_that_core() {
        // Two on core 0, one on core 1: half a core each, and a whole one.
        let shared = cores(8, 0, &[0, 0, 1]);
        assert_eq!(shared.part(Some(0)), 0.5);
        assert_eq!(shared.part(Some(1)), 1.0);
    }

    #[test]
    fn threads_bound_to_the_node_fill_what_those_bound_to_cores_leave() {
        // 2 cores, three threads on core 0, two anywhere: core 0 is filled by its own (a third each), the two share core 1.
        let shared = cores(2, 2, &[0, 0, 0]);
        assert_eq!(shared.part(Some(0)), 1.0 / 3.0);
        assert_eq!(shared.part(None), 0.5);
        // One on core 0, two anywhere: all get 2/3.
        let shared = cores(2, 2, &[0]);
        assert_eq!(shared.part(Some(0)), 2.0 / 3.0);
        assert_eq!(shared.part(None), 2.0 / 3.0);
    }

    #[test]
    fn a_crowded_core_leaves_room_on_the_others() {
        // 8 cores, two on core 0, 8 anywhere: level 8 / 10 = 0.8 would fill core 0 twice: 7 cores for 8, 0.875; core 0 gives 0.5.
        let shared = cores(8, 8, &[0, 0]);
        assert_eq!(shared.part(None), 7.0 / 8.0);
        assert_eq!(shared.part(Some(0)), 0.5);
    }
}
