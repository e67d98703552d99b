//! Feeds arbitrary bytes as output of numactl, lscpu or likwid-topology: `numasim_fuzz::topologies::topology`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| numasim_fuzz::topologies::topology(data));
