//! Feeds arbitrary bytes as measured CSV: `numasim_fuzz::measured`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| numasim_fuzz::measured(data));
