//! What the commands that measure have in common: `bench` and `calibrate`.

use numasim_bench::doubt::Doubt;
use numasim_kernels::loops::Isa;
use numasim_model::words::choice;

use crate::failure::Failure;
use crate::shell::Shell;

/// Each doubt on standard error, with what to do about it.
pub(super) fn tell<'a>(doubts: impl Iterator<Item = &'a Doubt>, shell: &Shell) {
    for doubt in doubts {
        shell.warn(format!("{doubt}. {}", sentence(&doubt.advice())));
    }
}

/// "do this" as a sentence of its own.
fn sentence(advice: &str) -> String {
    format!("What to do: {}", advice.trim_end_matches('.'))
}

/// The instruction set of the kernels, if this processor has it.
pub(super) fn available(asked: Option<Isa>) -> Result<Isa, Failure> {
    let isa = asked.unwrap_or_else(Isa::best);
    if isa.is_available() {
        return Ok(isa);
    }
    let there: Vec<&str> = Isa::available().into_iter().map(Isa::as_str).collect();
    Err(Failure::input(format!("this processor does not support {isa}"))
        .hint(format!("leave --isa out, or choose {}", choice(there))))
}
