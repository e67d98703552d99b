//! Whatever several connections send to an agent: `numasim_agent::testing::drive`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    numasim_agent::testing::drive(data);
});
