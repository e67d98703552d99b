//! Finds the fastest access variant for each kernel on this host.

use std::time::Duration;

use numasim_model::Access;
use numasim_model::ids::NodeId;

use super::steps::{self, Purpose, Step};
use super::{CalibrateError, Figure, Options, Progress, Session};
use crate::runner::Settings;
use numasim_kernels::loops::Isa;
use numasim_kernels::synthetic::Variant;

/// The window of a trial: short, because there are many.
pub(super) const WINDOW: Duration = Duration::from_millis(50);
/// Warm-up before each window.
pub(super) const WARM_UP: Duration = Duration::from_millis(15);
/// Number of trials of each variant during the search.
const LOOKS: usize = 2;
/// Number of paired measurements of the best and the default variant at the end, for each thread count.
const DUELS: usize = 7;
/// A variant must be better than the default by this factor.
const CLEARLY: f64 = 1.01;

/// The access variant of a kernel that `calibrate` chose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// The kernel's use of memory.
    pub access: Access,
    /// Its access variant.
    pub variant: Variant,
    /// Its speed relative to the default variant, as a factor: from pairs, the geometric mean over one thread and all cores. `None`: it is
    /// the default.
    pub gain: Option<Figure>,
}

/// Maximum number of trials, to estimate the time.
pub(super) fn most_trials(kernels: &[Access]) -> usize {
    let of = |access: Access| {
        let usual = Variant::usual(access, Isa::best());
        alternatives(access, usual).iter().map(|others| LOOKS * (others.len() + 1)).sum::<usize>() + 4 * DUELS
    };
    with_reads(kernels).map(of).sum()
}

fn with_reads(kernels: &[Access]) -> impl Iterator<Item = Access> + '_ {
    std::iter::once(Access::Read).chain(kernels.iter().copied().filter(|&kernel| kernel != Access::Read))
}

/// Other variants with one difference each, a list for each kind of difference.
fn alternatives(access: Access, from: Variant) -> [Vec<Variant>; 4] {
    let all = Variant::candidates(access);
    let other = |same: fn(&Variant, &Variant) -> bool| {
        all.iter().copied().filter(|variant| *variant != from && same(variant, &from)).collect()
    };
    [
        other(|a, b| (a.isa, a.streams, a.stores) == (b.isa, b.streams, b.stores)),
        other(|a, b| (a.isa, a.prefetch_bytes, a.stores) == (b.isa, b.prefetch_bytes, b.stores)),
        other(|a, b| (a.streams, a.prefetch_bytes, a.stores) == (b.streams, b.prefetch_bytes, b.stores)),
        other(|a, b| (a.isa, a.streams, a.prefetch_bytes) == (b.isa, b.streams, b.prefetch_bytes)),
    ]
}

/// Chooses variants for reads and for these kernels, on the first node with cores; they are used from then on.
pub(super) fn choose(session: &mut Session<'_>, options: &Options) -> Result<(), CalibrateError> {
    let Some((node, cores)) = steps::readers(session.host).next() else { return Ok(()) };
    let settings = Settings { window: WINDOW, warm_up: WARM_UP, ..session.settings.clone() };
    let isa = session.settings.isa;
    for access in with_reads(&options.kernels) {
        let mut trials = Trials { session, settings: &settings, access, node };
        let usual = Variant::usual(access, isa);
        let mut best = usual;
        for kind in 0..alternatives(access, usual).len() {
            // Each kind of difference from the best so far.
            let others = alternatives(access, best)[kind].clone();
            let allowed = |way: &Variant| options.any_isa || way.isa == isa;
            let ways: Vec<Variant> =
                std::iter::once(best).chain(others.into_iter().filter(allowed)).collect();
            if ways.len() > 1 {
                best = trials.fastest(&ways, cores)?;
            }
        }
        let better = if best == usual { None } else { trials.duel(usual, best, cores)? };
        let choice = better.unwrap_or(Choice { access, variant: usual, gain: None });
        session.chosen.push(choice);
    }
    Ok(())
}

/// Measures variants of a kernel.
struct Trials<'s, 'r> {
    session: &'s mut Session<'r>,
    settings: &'s Settings,
    access: Access,
    node: NodeId,
}

impl Trials<'_, '_> {
    /// GB/s.
    fn once(&mut self, variant: Variant, threads: u32) -> Result<f64, CalibrateError> {
        let step = Step::single(Purpose::Variant(self.access, variant), self.node, self.node, threads);
        let (done, of) = (self.session.done, self.session.of);
        (self.session.observer)(Progress { done, of, next: &step });
        self.session.done += 1;
        Ok(self.session.once(&step, self.settings)?.1)
    }

    /// The one with the highest bandwidth, in turn on all cores; the first one in a tie.
    fn fastest(&mut self, ways: &[Variant], threads: u32) -> Result<Variant, CalibrateError> {
        let mut found = vec![0.0_f64; ways.len()];
        for _ in 0..LOOKS {
            for (found, &way) in found.iter_mut().zip(ways) {
                // The highest: disturbances only slow it down.
                *found = found.max(self.once(way, threads)?);
            }
        }
        let mut best = 0;
        for at in 1..found.len() {
            if found[at] > found[best] {
                best = at;
            }
        }
        Ok(ways[best])
    }

    /// The new variant if it is clearly faster than the default, measured once more in pairs: a winner among many may have been lucky.
    fn duel(&mut self, usual: Variant, new: Variant, cores: u32) -> Result<Option<Choice>, CalibrateError> {
        let mut counts = vec![1, cores];
        counts.dedup();
        let mut ratios = Vec::new();
        for pair in 0..DUELS {
            let mut logarithm = 0.0;
            for &threads in &counts {
                // They alternate which one goes first.
                let (first, second) = if pair % 2 == 0 { (usual, new) } else { (new, usual) };
                let (first, second) = (self.once(first, threads)?, self.once(second, threads)?);
                let ratio = if pair % 2 == 0 { second / first } else { first / second };
                logarithm += ratio.ln() / counts.len() as f64;
            }
            ratios.push(logarithm.exp());
        }
        let gain = Figure::of(&ratios).filter(|gain| gain.median >= CLEARLY);
        Ok(gain.map(|gain| Choice { access: self.access, variant: new, gain: Some(gain) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tried_variants_differ_in_one_setting() {
        let usual = Variant::usual(Access::Copy, Isa::Portable);
        for (kind, ways) in alternatives(Access::Copy, usual).iter().enumerate() {
            for way in ways {
                let differs = [
                    way.prefetch_bytes != usual.prefetch_bytes,
                    way.streams != usual.streams,
                    way.isa != usual.isa,
                    way.stores != usual.stores,
                ];
                assert!(differs.iter().enumerate().all(|(at, &differs)| differs == (at == kind)), "{way}");
            }
        }
        assert!(alternatives(Access::Triad, Variant::usual(Access::Triad, Isa::best()))[1].is_empty());
        assert!(alternatives(Access::Read, Variant::usual(Access::Read, Isa::best()))[3].is_empty());
    }
}
