//! Feeds arbitrary bytes as output of likwid-bench: `numasim_fuzz::likwid`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| numasim_fuzz::likwid(data));
