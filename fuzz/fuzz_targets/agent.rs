//! Feeds arbitrary bytes to an agent over several connections: `numasim_agent::testing::drive`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    numasim_agent::testing::drive(data);
});
