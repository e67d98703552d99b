//! `libnumasim_agent.so`: OpenMP and oneTBB programs under an agent, unmodified.
//!
//! The library is loaded with `LD_PRELOAD`, or linked before the runtime of the program. It exports functions of GNU's libgomp,
//! LLVM's libomp and oneTBB, and each of them calls the function of the same name in the next library. At the first parallel
//! region it connects to the agent, with the code that numasim's own runtime uses (`numasim-client`). A program without parallel
//! regions never connects.
//!
//! | runtime | order | threads on nodes |
//! |---|---|---|
//! | libgomp | the number of threads of the next region, in `GOMP_parallel` and its relatives | each thread binds itself when it enters the region |
//! | libomp | the same, in `__kmpc_fork_call` | the same |
//! | oneTBB | a `global_control`, at once | an observer of each arena binds the workers that enter |
//!
//! # Decisions
//! - libomp has OMPT, but a tool cannot change the number of threads of the region that begins, and only one tool can be active.
//!   So the entry itself is wrapped, and OMPT stays free for profilers.
//! - `global_control` and `task_scheduler_observer` are C++ classes whose headers are compiled into programs. Their layout is
//!   therefore fixed within version 12 of the binary interface, and the library can make such objects without a C++ compiler.
//!   With another version it leaves oneTBB alone.
//! - `"total"` binds nothing: an agent that orders a number of threads does not know their cores. `"per-node"` binds threads to
//!   the logical CPUs of their node.
//!
//! # Rules
//! A region gets as many threads as the program asks for, at most those that the order leaves. It always has the thread that
//! enters it. If an order allows no thread, a thread that enters a region waits there; the end of the agent releases it.
//! A child of fork has no agent, and its regions are as the program wants them.
#![allow(unsafe_code, reason = "functions of C and C++ libraries; every block says why it is sound")]

#[cfg(target_os = "linux")]
mod environment;
#[cfg(target_os = "linux")]
mod gomp;
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod kmp;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod next;
#[cfg(target_os = "linux")]
mod omp;
#[cfg(target_os = "linux")]
mod process;
#[cfg(target_os = "linux")]
mod region;
#[cfg(target_os = "linux")]
mod steering;
#[cfg(target_os = "linux")]
mod tbb;
