//! Feeds arbitrary bytes as input files: `numasim_fuzz::toml`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| numasim_fuzz::toml(data));
