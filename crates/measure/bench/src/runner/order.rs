//! What a worker process is told and what it answers, as JSON.

use std::os::fd::RawFd;
use std::time::Duration;

use numasim_kernels::way::Way;
use numasim_model::Access;
use numasim_model::cpus::CpuList;
use numasim_model::ids::NodeId;
use numasim_model::units::FlopPerByte;
use serde::{Deserialize, Serialize};

use super::{MeasuredThread, Settings};
use crate::kernel::{Isa, Kernel, Real, Variant, Workload};
use crate::plan::{Arrays, PlannedApp, PlannedThread};

/// One application for one process.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Order {
    /// The inherited file with the shared state.
    pub(super) gate: RawFd,
    /// Threads of all processes.
    pub(super) all_threads: u32,
    /// Threads of the applications before: their data takes the first turns.
    pub(super) threads_before: usize,
    app: String,
    kernel: OrderedKernel,
    arrays: Option<OrderedArrays>,
    isa: String,
    threads: Vec<OrderedThread>,
    warm_up: Duration,
    window: Duration,
    bytes_per_thread: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum OrderedKernel {
    Synthetic { access: String, flop_per_byte: f64, variant: Option<Variant> },
    Real(Real, Option<Way>),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct OrderedArrays {
    shared: Vec<(u32, f64)>,
    own: Vec<Vec<(u32, f64)>>,
}

impl OrderedKernel {
    fn of(workload: &Workload) -> Self {
        match workload {
            Workload::Synthetic(kernel) => Self::Synthetic {
                access: kernel.access().as_str().into(),
                flop_per_byte: kernel.arithmetic_intensity().value(),
                variant: kernel.variant(),
            },
            Workload::Real(real, way) => Self::Real(*real, *way),
        }
    }

    fn read(&self) -> Result<Workload, String> {
        match self {
            Self::Real(real, way) => Ok(Workload::Real(*real, *way)),
            Self::Synthetic { access, flop_per_byte, variant } => {
                let known = Access::ALL.into_iter().find(|known| known.as_str() == access);
                let access = known.ok_or_else(|| format!("unknown access '{access}'"))?;
                let kernel = Kernel::new(access, FlopPerByte::new(*flop_per_byte));
                let kernel = kernel.map_err(|error| error.to_string())?;
                Ok(match variant {
                    Some(variant) => kernel.with(*variant),
                    None => kernel,
                }
                .into())
            }
        }
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct OrderedThread {
    node: usize,
    cpus: String,
    memory: Vec<(u32, f64)>,
}

/// What a worker says at its end.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Answer {
    /// Its threads, in order.
    Measured(Vec<MeasuredThread>),
    /// What went wrong, for people.
    Failed(String),
    /// It was told to end.
    Aborted,
}

impl Order {
    /// For one application of a scenario.
    pub(super) fn new(
        app: &PlannedApp,
        settings: &Settings,
        gate: RawFd,
        all_threads: u32,
        threads_before: usize,
    ) -> Self {
        let thread = |thread: &PlannedThread| OrderedThread {
            node: thread.node.0,
            cpus: thread.cpus.to_string(),
            memory: thread.memory.clone(),
        };
        Self {
            gate,
            all_threads,
            threads_before,
            app: app.name.clone(),
            kernel: OrderedKernel::of(&app.kernel),
            arrays: app.arrays.clone().map(|Arrays { shared, own }| OrderedArrays { shared, own }),
            isa: settings.isa.as_str().into(),
            threads: app.threads.iter().map(thread).collect(),
            warm_up: settings.warm_up,
            window: settings.window,
            bytes_per_thread: settings.bytes_per_thread,
        }
    }

    /// The application and the settings again.
    ///
    /// # Errors
    /// What is no order of this program, for people.
    pub(super) fn read(&self) -> Result<(PlannedApp, Settings), String> {
        let isa = Isa::ALL.into_iter().find(|isa| isa.as_str() == self.isa);
        let isa = isa.ok_or_else(|| format!("unknown instruction set '{}'", self.isa))?;
        let kernel = self.kernel.read()?;
        let thread = |thread: &OrderedThread| {
            let cpus = CpuList::parse(&thread.cpus).map_err(|error| error.to_string())?;
            Ok(PlannedThread { node: NodeId(thread.node), cpus, memory: thread.memory.clone() })
        };
        let threads = self.threads.iter().map(thread).collect::<Result<_, String>>()?;
        let settings = Settings {
            isa,
            warm_up: self.warm_up,
            window: self.window,
            bytes_per_thread: self.bytes_per_thread,
            processes: true,
        };
        let arrays = self.arrays.as_ref();
        let arrays = arrays.map(|of| Arrays { shared: of.shared.clone(), own: of.own.clone() });
        Ok((PlannedApp { name: self.app.clone(), kernel, threads, arrays }, settings))
    }
}
