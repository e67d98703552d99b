//! Feeds arbitrary bytes to `numasim_fuzz::graphs::starpu`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| numasim_fuzz::graphs::starpu(data));
