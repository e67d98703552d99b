//! Reads `[machine.kernels]`: how the benchmark's kernels go through the memory of this machine.

use super::keys::{kernels, machine, variant};
use super::names;
use super::problem::ProblemKind;
use super::table::TableReader;
use super::value::{Count, Value};
use numasim_model::access::Access;
use numasim_model::machine::{INSTRUCTION_SETS, KernelVariant, KernelVariants, MOST_PREFETCH_BYTES};

const HINT: &str = "`numasim calibrate` writes it, e.g. `read = { isa = \"avx2\", streams = 4, prefetch_bytes = [6144, 3072] }`";
const PREFETCH: Count =
    Count { what: "a distance in bytes", example: "6144", min: 0, max: MOST_PREFETCH_BYTES as u64 };
const STORES: [&str; 2] = ["streaming", "cached"];

/// The variants that the file has.
pub(super) fn read(table: &mut TableReader<'_>) -> KernelVariants {
    let Some(value) = table.optional(&machine::KERNELS) else { return KernelVariants::default() };
    let Some(mut table) = value.table(&kernels::TABLE, "a table of kernels", HINT) else {
        return KernelVariants::default();
    };
    let processor = table.optional(&kernels::PROCESSOR).and_then(|value| value.string().map(str::to_owned));
    let mut read = Access::ALL.map(|access| (access, None));
    for (access, variant) in &mut read {
        *variant = table.named(access.as_str()).and_then(|value| one(&value));
    }
    table.finish();
    KernelVariants::new(|access| read.iter().find(|(other, _)| *other == access)?.1.clone())
        .tried_on(processor)
}

fn one(value: &Value<'_>) -> Option<KernelVariant> {
    let mut table = value.table(&variant::TABLE, "a table with `isa`", HINT)?;
    let isa = table.required(&variant::ISA).and_then(|value| word(&value, &INSTRUCTION_SETS));
    let streams = table.required(&variant::STREAMS).and_then(|value| value.count());
    let prefetch = table.required(&variant::PREFETCH_BYTES).and_then(|value| prefetches(&value));
    let stores = table.optional(&variant::STORES).map_or(Some("streaming"), |value| word(&value, &STORES));
    table.finish();
    Some(KernelVariant {
        isa: isa?.to_owned(),
        streams: streams?,
        prefetch_bytes: prefetch?,
        streaming_stores: stores? == STORES[0],
    })
}

fn prefetches(value: &Value<'_>) -> Option<[u32; 2]> {
    let hint = "write how many bytes ahead, far and near, e.g. `[6144, 3072]`; `[0, 0]` is no prefetch";
    let entries = value.list("two distances in bytes", hint)?;
    let [far, near] = entries.as_slice() else {
        let message = format!("`{}` has {} entries", value.name, entries.len());
        value.report(ProblemKind::BadValue, message, "two distances are needed", hint);
        return None;
    };
    Some([far.count_of(PREFETCH)?, near.count_of(PREFETCH)?])
}

fn word(value: &Value<'_>, known: &[&'static str]) -> Option<&'static str> {
    let written = value.string()?;
    let found = known.iter().copied().find(|&word| word == written);
    if found.is_none() {
        let message = format!("unknown word {}", value.text());
        let hint = format!("write {}", names::one_of(known.iter().copied()));
        value.report(ProblemKind::BadValue, message, "not known", hint);
    }
    found
}
