//! Names that nothing has: which one was probably meant, and which there are.

use numasim_study::names;
use numasim_study::reader::Log;
use numasim_study::{Place, Problem, ProblemKind};

/// Letters that are compared to find the one that was meant by an unknown name.
const MOST_COMPARED: usize = 200_000;

/// Reports that no `noun` is called `name`; `known` are those that there are, and `none` says what to do where there are none.
pub(super) fn report(noun: &str, name: &str, place: Place, known: &[&str], none: &str, log: &Log) {
    let mut compared = 0;
    let few = known.iter().copied().take_while(|known| {
        compared += known.len().saturating_mul(name.len());
        compared <= MOST_COMPARED
    });
    let hint = if let Some(close) = log.suggest(name, few) {
        format!("did you mean `{}`?", names::shown(close))
    } else if known.is_empty() {
        none.to_owned()
    } else {
        let shown: Vec<String> = known.iter().take(100).map(|known| names::shown(known)).collect();
        let more = known.len() - shown.len();
        let more = if more > 0 { format!(" (and {more} others)") } else { String::new() };
        format!("the {noun}s are {}{more}", names::list(shown.iter().map(String::as_str)))
    };
    let message = format!("there is no {noun} `{}`", names::shown(name));
    log.report(
        Problem::new(ProblemKind::UnknownName, message).at(place, format!("unknown {noun}")).hint(hint),
    );
}
