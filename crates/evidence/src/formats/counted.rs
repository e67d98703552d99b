//! One run of a program, with the values that a tool counted.

use std::fmt;

/// The origin of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Counted or timed while the program ran.
    Measured,
    /// Derived from another count that represents it.
    Estimated,
    /// Entered by a person.
    Given,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Measured => "measured",
            Self::Estimated => "estimated",
            Self::Given => "given",
        })
    }
}

/// A count over a run, or an estimate of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Amount {
    /// The amount: FLOP, bytes.
    pub value: f64,
    /// Its origin.
    pub kind: Kind,
    /// Its source, in a few words: `fp_arith_inst_retired.*`.
    pub source: String,
}

/// Bytes of a part of memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Its name: `channels 0-3`, `reads`.
    pub name: String,
    /// The whole, in words; parts of the same whole with other names are the rest.
    pub of: String,
    /// Its size.
    pub amount: Amount,
}

/// One run, with its threads. Values that the tool does not report are absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The file, as messages name it; the caller fills it in.
    pub file: String,
    /// Threads of the program.
    pub threads: Option<u32>,
    /// NUMA nodes on which they ran.
    pub nodes: Option<u32>,
    /// Floating-point operations of all threads.
    pub flop: Option<Amount>,
    /// Bytes moved to and from memory.
    pub bytes: Option<Amount>,
    /// Bytes of a part of memory, if the rest was counted in another run.
    pub part: Option<Part>,
    /// Its duration.
    pub seconds: Option<f64>,
    /// Reasons for caution about these values, one sentence each.
    pub doubts: Vec<String>,
}

impl Run {
    /// FLOP per byte; `None` if one of them is unknown, or zero.
    pub fn intensity(&self) -> Option<f64> {
        let (flop, bytes) = (self.flop.as_ref()?.value, self.bytes.as_ref()?.value);
        Some(flop / bytes).filter(|intensity| intensity.is_finite() && *intensity > 0.0)
    }

    /// A sentence, if only a part of the memory was counted, so that the bytes are unknown.
    pub fn lacks_rest(&self) -> Option<String> {
        let part = self.part.as_ref()?;
        Some(format!(
            "memory was counted for {} only, a part of {}: measure the rest as well, and give both files",
            part.name, part.of
        ))
    }

    /// Work per second of all threads: GFLOPS if FLOP are counted, otherwise runs per second (the same work
    /// in each); `true` for GFLOPS.
    pub fn speed(&self) -> Option<(f64, bool)> {
        let seconds = self.seconds.filter(|&seconds| seconds > 0.0)?;
        let flop = self.flop.as_ref().map(|flop| flop.value).filter(|&flop| flop > 0.0);
        let speed = flop.map_or(1.0 / seconds, |flop| flop / seconds / 1e9);
        (speed.is_finite() && speed > 0.0).then_some((speed, flop.is_some()))
    }
}

/// Merges the values of several files about the same run: FLOP of one and bytes of another, if no file has
/// both, as likwid-perfctr writes for one group per run. Parts of the memory are merged first. Bytes are
/// scaled to the time in which the FLOP were counted.
pub fn joined(runs: Vec<Run>) -> Vec<Run> {
    let (mut whole, parts): (Vec<Run>, Vec<Run>) =
        whole_memory(runs).into_iter().partition(|run| run.flop.is_some() == run.bytes.is_some());
    let (flops, mut moves): (Vec<Run>, Vec<Run>) = parts.into_iter().partition(|run| run.flop.is_some());
    for mut run in flops {
        let partner = moves.iter().position(|other| other.threads == run.threads);
        if let Some(at) = partner {
            let other = moves.remove(at);
            run.bytes = other.bytes.as_ref().map(|bytes| over(&run, &other, bytes));
            if other.file != run.file {
                run.doubts.push(format!(
                    "FLOP were counted in {} and bytes in {}: both have to be runs of the same program with the same input",
                    run.file, other.file
                ));
            }
            run.doubts.extend(other.doubts);
        }
        whole.push(run);
    }
    whole.extend(moves);
    whole
}

/// Merges parts of the memory that were counted in different runs. A part without the rest is unchanged.
fn whole_memory(runs: Vec<Run>) -> Vec<Run> {
    let (mut parts, mut whole): (Vec<Run>, Vec<Run>) = runs.into_iter().partition(|run| run.part.is_some());
    while !parts.is_empty() {
        let mut run = parts.remove(0);
        let Some(part) = run.part.clone() else { continue };
        let rest = parts.iter().position(|other| {
            let fits =
                other.part.as_ref().is_some_and(|other| other.of == part.of && other.name != part.name);
            fits && other.threads == run.threads
        });
        if let Some(other) = rest.map(|at| parts.remove(at)) {
            let more = other.part.as_ref().map_or(0.0, |rest| over(&run, &other, &rest.amount).value);
            let source = other.part.as_ref().map_or("", |rest| &rest.amount.source);
            run.bytes = Some(Amount {
                value: part.amount.value + more,
                source: format!("{} and {source}", part.amount.source),
                ..part.amount
            });
            run.part = None;
            run.doubts.push(format!(
                "memory was counted in two runs, first {}: both have to be runs of the same program with the same input",
                part.name
            ));
        }
        whole.push(run);
    }
    whole
}

/// Traffic of `other`, scaled to the time of `run`.
fn over(run: &Run, other: &Run, bytes: &Amount) -> Amount {
    let scale = run.seconds.zip(other.seconds).map(|(own, others)| own / others);
    let scale = scale.filter(|scale| scale.is_finite()).unwrap_or(1.0);
    Amount { value: bytes.value * scale, ..bytes.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(value: f64) -> Amount {
        Amount { value, kind: Kind::Measured, source: String::new() }
    }

    #[test]
    fn two_groups_with_the_same_threads_are_one_run() {
        let flop = Run { flop: Some(amount(8e9)), seconds: Some(2.0), threads: Some(4), ..Run::default() };
        let bytes = Run { bytes: Some(amount(6e9)), seconds: Some(3.0), threads: Some(4), ..Run::default() };
        let other = Run { bytes: Some(amount(1.0)), threads: Some(1), ..Run::default() };
        let runs = joined(vec![other.clone(), flop, bytes]);
        // 6e9 bytes in 3 s are 4e9 in 2 s: 8e9 / 4e9.
        assert_eq!(runs[0].intensity(), Some(2.0));
        assert_eq!(runs[0].speed(), Some((4.0, true)));
        assert_eq!((runs.len(), runs[1].threads), (2, other.threads));
        assert_eq!(Run { seconds: Some(4.0), ..Run::default() }.speed(), Some((0.25, false)));
        assert_eq!(
            Run { flop: Some(amount(1.0)), bytes: Some(amount(0.0)), ..Run::default() }.intensity(),
            None
        );
    }
}
