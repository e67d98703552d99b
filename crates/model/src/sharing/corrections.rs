//! Corrections that apply before any model shares bandwidth: the demand of a thread, and the bandwidth of a
//! controller.

use crate::demand::{Demand, ThreadLimit};
use crate::ids::NodeId;
use crate::machine::Machine;
use crate::sharing_model::{ModelKind, Parameters};
use crate::units::{GigabytesPerSecond, LINE_BYTES};

impl Parameters {
    /// The ceilings on one thread of `demand` on `from`: without and with those that follow from latencies.
    pub(crate) fn ceilings(
        &self,
        machine: &Machine,
        demand: &Demand,
        from: NodeId,
    ) -> impl Iterator<Item = (ThreadLimit, GigabytesPerSecond)> + use<> {
        let fraction = |memory| demand.placement.fraction(machine, from, memory);
        let explicit = self.mean_ceiling(None, machine, from, fraction);
        let lines = self.lines_of(machine, from);
        let by_latency = lines.and_then(|_| self.mean_ceiling(lines, machine, from, fraction));
        let ceilings = [(ThreadLimit::CoreBandwidth, explicit), (ThreadLimit::Latency, by_latency)];
        ceilings.into_iter().filter_map(|(limit, most)| Some((limit, GigabytesPerSecond::new(most?))))
    }

    /// Maximum GB/s of one thread on `from` with `fraction` of its data on each memory, on all memories
    /// together, by the ceilings of [`Parameters`]; `None` is no limit.
    pub(super) fn reader_ceiling(
        &self,
        machine: &Machine,
        from: NodeId,
        fraction: impl Fn(NodeId) -> f64,
    ) -> Option<f64> {
        self.mean_ceiling(self.lines_of(machine, from), machine, from, fraction)
    }

    /// With fractions f of the data on memories with ceilings c, a byte takes sum f / c: the time per byte is
    /// the mean over the data.
    fn mean_ceiling(
        &self,
        lines: Option<f64>,
        machine: &Machine,
        from: NodeId,
        fraction: impl Fn(NodeId) -> f64,
    ) -> Option<f64> {
        if lines.is_none() && self.core_local_gbs.is_none() && self.core_remote_gbs.is_none() {
            return None;
        }
        let ceiling = |memory| self.ceiling_with(lines, machine, from, memory);
        let time_per_byte: f64 = machine.node_ids().map(|memory| fraction(memory) / ceiling(memory)).sum();
        (time_per_byte > 0.0).then(|| 1.0 / time_per_byte)
    }

    /// Maximum GB/s of one thread on `from` with all its data on `memory`, by the ceilings of [`Parameters`];
    /// infinite without any.
    pub fn ceiling_gbs(&self, machine: &Machine, from: NodeId, memory: NodeId) -> f64 {
        self.ceiling_with(self.lines_of(machine, from), machine, from, memory)
    }

    /// Maximum number of outstanding cache lines of a thread on `from`: the given number. Under ecm without
    /// one, it is that of the benchmark ([`Machine::benchmark_lines`]), so that the thread draws less from a
    /// more distant memory. The other models use latencies only if the number is given.
    fn lines_of(&self, machine: &Machine, from: NodeId) -> Option<f64> {
        let by_latency = machine.sharing().kind == ModelKind::Ecm && self.core_remote_gbs.is_none();
        self.outstanding_lines.or_else(|| machine.benchmark_lines(from).filter(|_| by_latency))
    }

    fn ceiling_with(&self, lines: Option<f64>, machine: &Machine, from: NodeId, memory: NodeId) -> f64 {
        let explicit = if from == memory { self.core_local_gbs } else { self.core_remote_gbs };
        let by_latency =
            lines.zip(machine.latency_ns(from, memory)).map(|(lines, latency)| lines * LINE_BYTES / latency);
        explicit.into_iter().chain(by_latency).fold(f64::INFINITY, f64::min)
    }

    /// GB/s that a controller with `bandwidth` GB/s delivers under a demand of `asked`: the smooth minimum of
    /// both, (asked^-p + bandwidth^-p)^(-1/p) with p = 1 / knee. It never exceeds either.
    ///
    /// Without a knee the result is `bandwidth`, and the model takes the minimum itself. With an overload
    /// loss, `bandwidth` is reduced if the demand is higher: bandwidth / (1 + loss (asked / bandwidth - 1)).
    #[inline]
    pub(super) fn controller(&self, bandwidth: f64, asked: f64) -> f64 {
        let overload = if asked > bandwidth { asked / bandwidth - 1.0 } else { 0.0 };
        let bandwidth = bandwidth / (1.0 + self.overload_loss * overload);
        if self.saturation_knee == 0.0 || asked <= 0.0 {
            return bandwidth;
        }
        let p = 1.0 / self.saturation_knee;
        let (small, large) = if asked < bandwidth { (asked, bandwidth) } else { (bandwidth, asked) };
        // small / (1 + (small / large)^p)^(1/p) cannot overflow, and the result is at most `small`.
        small / libm::pow(1.0 + libm::pow(small / large, p), self.saturation_knee)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knee(saturation_knee: f64) -> Parameters {
        Parameters { saturation_knee, ..Parameters::default() }
    }

    #[test]
    fn without_a_knee_a_controller_has_its_bandwidth() {
        assert_eq!(knee(0.0).controller(32.0, 5.0), 32.0);
    }

    #[test]
    fn an_overloaded_controller_loses_bandwidth() {
        // 48 GB/s requested of 32: overload 0.5, 32 / (1 + 0.2 x 0.5) = 29.09. No loss up to 32.
        let lossy = Parameters { overload_loss: 0.2, ..Parameters::default() };
        assert!((lossy.controller(32.0, 48.0) - 32.0 / 1.1).abs() < 1e-12);
        assert_eq!((lossy.controller(32.0, 32.0), lossy.controller(32.0, 3.0)), (32.0, 32.0));
    }

    #[test]
    fn at_the_corner_a_knee_of_one_tenth_gives_93_percent() {
        // asked = bandwidth: 32 / 2^0.1 = 29.857
        let delivered = knee(0.1).controller(32.0, 32.0);
        assert!((delivered - 32.0 / 2_f64.powf(0.1)).abs() < 1e-12, "{delivered}");
        assert!((delivered / 32.0 - 0.933).abs() < 1e-3);
    }

    #[test]
    fn far_from_the_corner_a_knee_changes_nothing() {
        assert!((knee(0.1).controller(32.0, 3.2) - 3.2).abs() < 1e-9);
        assert!((knee(0.1).controller(32.0, 3200.0) - 32.0).abs() < 1e-9);
        assert_eq!(knee(1e-3).controller(32.0, 1e-3), 1e-3);
    }

    #[test]
    fn a_knee_of_1_is_half_the_harmonic_mean() {
        // 1 / (1/32 + 1/16) = 10.67
        assert!((knee(1.0).controller(32.0, 16.0) - 32.0 / 3.0).abs() < 1e-12);
    }
}
