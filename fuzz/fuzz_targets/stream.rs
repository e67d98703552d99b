//! Feeds arbitrary bytes as output of STREAM: `numasim_fuzz::stream`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| numasim_fuzz::stream(data));
