//! Ways through memory that `calibrate` chose: which kernels of a plan take them, and which cannot on this processor.

use numasim_kernels::way::Way;
use numasim_model::app::App;
use numasim_model::{Access, Machine};

use numasim_kernels::isa::Isa;
use numasim_kernels::synthetic::{Kernel, KernelError, Variant};
use numasim_kernels::workload::{Real, Workload};

/// A way of a machine file that was chosen with an instruction set which this processor lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// The kernel's use of memory.
    pub access: Access,
    /// The instruction set.
    pub isa: Isa,
}

/// What the threads of an application compute, with the way through memory that was the fastest on this machine, where the file has one for a processor like this.
pub(super) fn workload(app: &App, machine: &Machine, asked: Option<Isa>) -> Result<Workload, KernelError> {
    if let Some(problem) = &app.problem {
        let real = Real::new(problem)?;
        let way =
            real.access().map(|access| Variant::of_machine(access, machine, asked)).transpose()?.flatten();
        return Ok(Workload::Real(real, way.map(Way::from)));
    }
    let kernel = Kernel::new(app.kernel, app.arithmetic_intensity)?;
    let variant = Variant::of_machine(kernel.access(), machine, asked)?;
    Ok(variant.map_or(kernel, |variant| kernel.with(variant)).into())
}

/// Ways that these workloads would take if the processor could, each once.
pub(super) fn unavailable<'a>(
    workloads: impl IntoIterator<Item = &'a Workload>,
    machine: &Machine,
    can: impl Fn(Isa) -> bool,
) -> Vec<Unavailable> {
    let mut found = Vec::new();
    for access in workloads.into_iter().filter_map(Workload::access) {
        let said = machine.kernel_variants().of(access);
        let isa = said.and_then(|said| said.isa.parse::<Isa>().ok());
        if let Some(isa) = isa.filter(|&isa| !can(isa)) {
            let way = Unavailable { access, isa };
            if !found.contains(&way) {
                found.push(way);
            }
        }
    }
    found
}

/// The processor on which these workloads' ways were tried, where any of them has one and the file says.
pub(super) fn tried_on<'a>(
    workloads: impl IntoIterator<Item = &'a Workload>,
    machine: &Machine,
) -> Option<String> {
    let variants = machine.kernel_variants();
    let tried =
        workloads.into_iter().filter_map(Workload::access).any(|access| variants.of(access).is_some());
    variants.processor().filter(|_| tried).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use numasim_kernels::way::Stores;
    use numasim_model::problem::KernelName;
    use numasim_study::{SourceFile, read_study};

    use super::*;

    const TEXT: &str = "[machine]\nname = \"m\"\nnodes = 1\ncores_per_node = 2\ngflops_per_core = 10\nbandwidth_gbs = 30\n\
        [machine.kernels]\nread = { isa = \"portable\", streams = 2, prefetch_bytes = [512, 256] }\n\
        copy = { isa = \"portable\", streams = 1, prefetch_bytes = [0, 0], stores = \"cached\" }\n\
        [[app]]\nname = \"dense\"\nkernel = \"dmv\"\n[[app]]\nname = \"copy\"\nkernel = \"memcpy\"\n\
        [[app]]\nname = \"chains\"\nkernel = \"chase\"\n[[app]]\nname = \"a\"\narithmetic_intensity = 0.5\nkernel = \"triad\"\n\
        [[app]]\nname = \"b\"\narithmetic_intensity = 0.5\n";

    fn study() -> numasim_model::Study {
        let file = SourceFile { name: "m.toml".into(), text: TEXT.into() };
        read_study(&[file]).expect("a study").study
    }

    #[test]
    fn real_kernels_take_the_way_of_the_kernel_that_uses_memory_like_them() {
        let study = study();
        let way = |app: usize| match workload(&study.apps[app], &study.machine, None).expect("runs") {
            Workload::Real(_, way) => way,
            Workload::Synthetic(kernel) => kernel.variant().map(Way::from),
        };
        let read = Way { streams: 2, prefetch_bytes: [512, 256], stores: Stores::Streaming };
        let copy = Way { streams: 1, prefetch_bytes: [0, 0], stores: Stores::Cached };
        // Chains have none, and of `triad` the file says nothing.
        assert_eq!([0, 1, 2, 3, 4].map(way), [Some(read), Some(copy), None, None, Some(read)]);
        assert_eq!(
            Real::new(&numasim_model::problem::KernelProblem::of(KernelName::Spmv)).map(Real::access),
            Ok(Some(Access::Read))
        );
        // A person who asks for another instruction set has the usual way.
        let other = workload(&study.apps[0], &study.machine, Some(Isa::Avx2));
        assert!(matches!(other, Ok(Workload::Real(_, None))));
    }

    #[test]
    fn ways_for_an_instruction_set_that_the_processor_lacks_are_told_once_each() {
        let study = study();
        let all: Vec<Workload> =
            study.apps.iter().map(|app| workload(app, &study.machine, None).expect("runs")).collect();
        assert_eq!(unavailable(&all, &study.machine, |_| true), []);
        let lacking = |access| Unavailable { access, isa: Isa::Portable };
        let found = unavailable(&all, &study.machine, |isa| isa != Isa::Portable);
        assert_eq!(found, [lacking(Access::Read), lacking(Access::Copy)]);
    }
}
