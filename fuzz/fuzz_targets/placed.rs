//! Feeds arbitrary bytes as files of libvirt, Docker, Kubernetes or Open MPI: `numasim_fuzz::placed::placed`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| numasim_fuzz::placed::placed(data));
