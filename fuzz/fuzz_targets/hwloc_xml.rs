//! Feeds arbitrary bytes as XML of hwloc: `numasim_fuzz::hwloc_xml`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| numasim_fuzz::hwloc_xml(data));
