//! The arithmetic intensity of a program from its runs.

use crate::formats::counted::Kind;
use crate::formats::counted::Run;
use crate::statistics::{median, median_interval};

/// A figure with what it was made from.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The figure.
    pub value: f64,
    /// How it is known: the weakest of what it was made from.
    pub kind: Kind,
    /// From what, in a few words.
    pub source: String,
    /// Runs that say it.
    pub runs: usize,
    /// Where it lies: with six runs and more an interval that holds the median in 95 % of all cases, with fewer the least and
    /// the greatest. `None` of one run.
    pub range: Option<(f64, f64)>,
}

/// FLOP per byte: the median over the runs that say both, of these the ones that are known best: what counters measured, not
/// what was estimated beside it. `None` where no run says both.
pub fn intensity(runs: &[Run]) -> Option<Figure> {
    let kind = |run: &Run| Some(run.flop.as_ref()?.kind.max(run.bytes.as_ref()?.kind));
    let said: Vec<(f64, Kind, &Run)> =
        runs.iter().filter_map(|run| Some((run.intensity()?, kind(run)?, run))).collect();
    let best = said.iter().map(|(_, kind, _)| *kind).min()?;
    let known: Vec<&(f64, Kind, &Run)> = said.iter().filter(|(_, kind, _)| *kind == best).collect();
    let values: Vec<f64> = known.iter().map(|(value, ..)| *value).collect();
    let (_, _, first) = known.first()?;
    let (flop, bytes) = (first.flop.as_ref()?, first.bytes.as_ref()?);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(0.0, f64::max);
    Some(Figure {
        value: median(&values)?,
        kind: best,
        source: format!("{} over {}", flop.source, bytes.source),
        runs: values.len(),
        range: (values.len() > 1).then(|| median_interval(&values).unwrap_or((least, most))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::counted::Amount;

    #[test]
    fn what_was_measured_counts_and_estimates_only_without_it() {
        let run = |flop: f64, kind: Kind| Run {
            flop: Some(Amount { value: flop, kind: Kind::Measured, source: "FLOP".into() }),
            bytes: Some(Amount { value: 2.0, kind, source: "bytes".into() }),
            ..Run::default()
        };
        let runs =
            [run(1.0, Kind::Measured), run(3.0, Kind::Estimated), run(2.0, Kind::Measured), Run::default()];
        let found = intensity(&runs).expect("three runs");
        // 0.5 and 1.0; 1.5 is an estimate
        assert_eq!((found.value, found.kind, found.runs), (0.75, Kind::Measured, 2));
        assert_eq!((found.range, found.source.as_str()), (Some((0.5, 1.0)), "FLOP over bytes"));
        assert_eq!(intensity(&runs[1..2]).expect("one run").kind, Kind::Estimated);
        assert_eq!(intensity(&runs[..1]).expect("one run").range, None);
        assert_eq!(intensity(&[Run::default()]), None);
    }
}
