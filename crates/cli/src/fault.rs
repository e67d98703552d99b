//! A panic is a fault of the program, not of the user: it prints one plain line instead of a stack trace, with exit code 70.

use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;
use std::sync::Once;

use crate::failure::Failure;

/// Runs the program. A panic in it, on any thread, ends it as a fault.
pub(crate) fn guard(program: impl FnOnce() -> ExitCode) -> ExitCode {
    panic::set_hook(Box::new(|panic| {
        // Several workers of a search may encounter the same fault.
        static TOLD: Once = Once::new();
        TOLD.call_once(|| {
            let _ = writeln!(std::io::stderr(), "{}", message(panic));
        });
    }));
    panic::catch_unwind(AssertUnwindSafe(program))
        .unwrap_or_else(|_| Failure::fault("the message was printed where it happened").exit_code())
}

/// The line for the user.
fn message(panic: &PanicHookInfo<'_>) -> String {
    let payload = panic.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let what = text.unwrap_or("no message").replace('\n', " ");
    let place = panic.location().map_or_else(String::new, |l| format!(" at {}:{}", l.file(), l.line()));
    format!(
        "error: this is a fault of numasim, not of your input: {what}{place} (numasim {}); \
         please report it as an issue with this line, the command line and the input files",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// Not a separate test: [`a_panic_is_one_line_and_exit_code_70`] runs it in a separate process.
    #[test]
    #[ignore = "ends the process; run by the test below"]
    fn the_program_panics() {
        if std::env::var_os("NUMASIM_TEST_PANIC").is_none() {
            return; // `cargo test -- --include-ignored`
        }
        let code = guard(|| {
            let worker = std::thread::spawn(|| panic!("first\nfault"));
            assert!(worker.join().is_ok(), "second fault");
            ExitCode::SUCCESS
        });
        std::process::exit(if code == ExitCode::from(70) { 70 } else { 1 });
    }

    #[test]
    fn a_panic_is_one_line_and_exit_code_70() {
        let itself = std::env::current_exe().expect("the test knows its own file");
        let child = Command::new(itself)
            .args(["--exact", "fault::tests::the_program_panics", "--ignored", "--nocapture"])
            .env("NUMASIM_TEST_PANIC", "1")
            .output()
            .expect("the test can start itself");
        let message = String::from_utf8_lossy(&child.stderr);
        assert_eq!(child.status.code(), Some(70), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(
            message.starts_with("error: this is a fault of numasim, not of your input: first fault at "),
            "{message}"
        );
    }
}
