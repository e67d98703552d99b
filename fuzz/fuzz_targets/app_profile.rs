//! Feeds arbitrary bytes as output of counters or as `numa_maps`: `numasim_fuzz::apps::app_profile`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| numasim_fuzz::apps::app_profile(data));
