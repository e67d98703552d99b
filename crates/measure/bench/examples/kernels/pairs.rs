//! Our kernel and one rival, in pairs: on a shared machine only adjacent measurements can be compared.

use numasim_evidence::statistics::{bootstrap_median_interval, median};

use crate::measure::Rate;
use crate::options::Options;
use crate::system::Failure;

/// A comparison: the rivals, the number of threads, the value to compare, and the required ratio.
pub(crate) struct Pairs<'a> {
    pub(crate) title: &'a str,
    pub(crate) threads: usize,
    pub(crate) names: [&'a str; 2],
    pub(crate) figure: &'a dyn Fn(Rate) -> f64,
    /// The required ratio, if any.
    pub(crate) goal: Option<f64>,
}

impl Pairs<'_> {
    /// Runs the requested number of pairs and alternates which side goes first. Prints the median of ours / theirs with its 95 % bootstrap
    /// interval.
    pub(crate) fn run(
        &self,
        options: &mut Options,
        mut measure: impl FnMut(usize) -> Result<Rate, Failure>,
    ) -> Result<(), Failure> {
        let title = format!("{}, pairs", self.title);
        let mut ratios = Vec::new();
        for pair in 1..=options.pairs {
            let mut both = [0.0; 2];
            for side in if pair % 2 == 0 { [0, 1] } else { [1, 0] } {
                let rate = measure(side)?;
                options.keep(&title, self.threads, self.names[side], pair, rate)?;
                both[side] = (self.figure)(rate);
            }
            ratios.push(both[0] / both[1]);
        }
        let Some((low, high)) = bootstrap_median_interval(&ratios) else { return Ok(()) };
        let middle = median(&ratios).ok_or("no pair")?;
        let rival = self.names[1];
        print!("ours / {rival} in {} pairs of their own: {middle:.3} [{low:.3}, {high:.3}]", options.pairs);
        match self.goal {
            Some(goal) if middle < goal => println!(", wanted {goal}: missed"),
            Some(goal) => println!(", wanted {goal}"),
            None => println!(),
        }
        Ok(())
    }
}
