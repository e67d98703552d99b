//! Feeds arbitrary bytes to `numasim_fuzz::graphs::wfcommons`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| numasim_fuzz::graphs::wfcommons(data));
