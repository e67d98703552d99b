//! `[machine.kernels]`.

use crate::writing::Lines;
use crate::writing::machine::ways;
use numasim_model::access::Access;
use numasim_model::machine::KernelVariant;

use super::{problem, read};

const MACHINE: &str =
    "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 2\ngflops_per_core = 1\nbandwidth_gbs = 1\n";

#[test]
fn variants_of_kernels_are_read_and_written_alike() {
    let text = "\n[machine.kernels]\n\
                processor = \"AMD EPYC 9654\"\n\
                read = { isa = \"avx2\", streams = 2, prefetch_bytes = [4096, 2048] }\n\
                triad = { isa = \"avx512\", streams = 1, prefetch_bytes = [0, 0], stores = \"cached\" }\n";
    let machine = read(&format!("{MACHINE}{text}")).study.machine;
    let read = KernelVariant {
        isa: "avx2".to_owned(),
        streams: 2,
        prefetch_bytes: [4096, 2048],
        streaming_stores: true,
    };
    assert_eq!(machine.kernel_variants().of(Access::Read), Some(&read));
    assert_eq!(machine.kernel_variants().of(Access::Copy), None);
    assert_eq!(machine.kernel_variants().processor(), Some("AMD EPYC 9654"));
    let mut lines = Lines::default();
    ways(&mut lines, machine.kernel_variants());
    assert_eq!(lines.text(), text.trim_start());
}

#[test]
fn unknown_variants_are_rejected() {
    for (line, place) in [
        ("read = 1", "1"),
        ("read = { isa = \"sse\", streams = 1, prefetch_bytes = [0, 0] }", "\"sse\""),
        ("read = { isa = \"avx2\", streams = 5, prefetch_bytes = [0, 0] }", "5"),
        ("read = { isa = \"avx2\", streams = 1, prefetch_bytes = [1] }", "[1]"),
        ("read = { isa = \"avx2\", streams = 1 }", "isa"),
        ("load = {}", "load"),
        ("processor = 7", "7"),
    ] {
        let (_, found) = problem(&format!("{MACHINE}[machine.kernels]\n{line}\n"));
        assert!(found.contains(place), "{line}: {found}");
    }
}
