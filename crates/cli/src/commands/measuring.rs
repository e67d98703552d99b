//! Common parts of the commands that measure: `bench` and `calibrate`.

use numasim_bench::doubt::Doubt;
use numasim_kernels::loops::Isa;
use numasim_model::words::choice;

use crate::failure::Failure;
use crate::shell::Shell;

/// Prints each measurement warning on standard error, with advice.
pub(super) fn tell<'a>(doubts: impl Iterator<Item = &'a Doubt>, shell: &Shell) {
    for doubt in doubts {
        shell.warn(format!("{doubt}. {}", sentence(&doubt.advice())));
    }
}

/// "do this" as a separate sentence.
fn sentence(advice: &str) -> String {
    format!("What to do: {}", advice.trim_end_matches('.'))
}

/// The instruction set of the kernels, if this CPU supports it.
pub(super) fn available(asked: Option<Isa>) -> Result<Isa, Failure> {
    let isa = asked.unwrap_or_else(Isa::best);
    if isa.is_available() {
        return Ok(isa);
    }
    let there: Vec<&str> = Isa::available().into_iter().map(Isa::as_str).collect();
    Err(Failure::input(format!("this processor does not support {isa}"))
        .hint(format!("leave --isa out, or choose {}", choice(there))))
}
