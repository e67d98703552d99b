//! Feeds arbitrary bytes to `numasim_fuzz::plans::plan`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| numasim_fuzz::plans::plan(data));
