//! Feeds arbitrary bytes as output of Intel MLC: `numasim_fuzz::mlc`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| numasim_fuzz::mlc(data));
