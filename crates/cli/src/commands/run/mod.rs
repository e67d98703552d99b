//! `numasim run`: the applications of a study as real processes on this host, with an agent that moves their threads.

#[cfg(target_os = "linux")]
mod going;
#[cfg(target_os = "linux")]
mod planning;
#[cfg(target_os = "linux")]
mod preloading;
#[cfg(target_os = "linux")]
mod rows;
#[cfg(target_os = "linux")]
mod starting;

#[cfg(target_os = "linux")]
pub(crate) use starting::run;

/// On other systems, threads and memory cannot be bound to nodes.
#[cfg(not(target_os = "linux"))]
pub(crate) fn run(_: &crate::args::RunArgs, _: &crate::shell::Shell) -> Result<(), crate::failure::Failure> {
    Err(crate::failure::Failure::input(
        "`run` needs Linux: elsewhere threads and memory cannot be bound to NUMA nodes",
    )
    .hint("`numasim simulate` answers the same question on any system"))
}
