//! Runs two applications next to each other, 1/32 and 16 FLOP/byte with one thread each on the first two logical CPUs, as threads and as
//! processes: `cargo run --release -p numasim-bench --features examples --example side_by_side [SECONDS [REPETITIONS]]`.

use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

use numasim_bench::plan::{PlannedApp, PlannedScenario, PlannedThread};
use numasim_bench::runner::{HostRunner, Runner as _, Settings, WORKER_COMMAND, serve};
use numasim_kernels::loops::Isa;
use numasim_kernels::synthetic::Kernel;
use numasim_model::Access;
use numasim_model::cpus::CpuList;
use numasim_model::ids::NodeId;
use numasim_model::units::FlopPerByte;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == WORKER_COMMAND) {
        let mut order = String::new();
        std::io::stdin().read_to_string(&mut order)?;
        std::io::stdout().write_all(serve(&order).as_bytes())?;
        return Ok(());
    }
    let number = |at: usize, default: f64| arguments.get(at).map_or(Ok(default), |text| text.parse::<f64>());
    let (seconds, repetitions) = (number(0, 1.0)?, number(1, 3.0)?);
    let app = |name: &str, intensity: f64, cpu: u32| -> Result<PlannedApp, Box<dyn std::error::Error>> {
        let kernel = Kernel::new(Access::Read, FlopPerByte::new(intensity))?;
        let memory = vec![(0, 1.0)];
        let threads = vec![PlannedThread { node: NodeId(0), cpus: CpuList::new(vec![cpu])?, memory }];
        Ok(PlannedApp { name: name.into(), kernel: kernel.into(), threads, arrays: None })
    };
    let apps = vec![app("mem", 1.0 / 32.0, 0)?, app("comp", 16.0, 1)?];
    let lists: Vec<&CpuList> = apps.iter().flat_map(|app| &app.threads).map(|thread| &thread.cpus).collect();
    let bytes_per_thread = bytes_per_thread(&lists);
    let scenario = PlannedScenario { name: "side by side".into(), apps, fitted: false };
    println!("{} MiB for each thread, {}", bytes_per_thread >> 20, Isa::best());
    let mut runner = HostRunner::new(Arc::default());
    let mut repetition = 0.0;
    while repetition < repetitions {
        repetition += 1.0;
        for processes in [false, true] {
            let settings = Settings {
                isa: Isa::best(),
                warm_up: Duration::from_millis(200),
                window: Duration::from_secs_f64(seconds),
                bytes_per_thread,
                processes,
            };
            let began = std::time::Instant::now();
            let measured = runner.measure(&scenario, &settings)?;
            for (app, planned) in measured.apps.iter().zip(&scenario.apps) {
                for thread in &app.threads {
                    println!(
                        "{} {:5} {:7.3} GB/s {:7.3} GFLOPS in {:.4} s, clock {:.5} %, cpus {:?}, pages {:?}, huge {:?}, {:?}",
                        if processes { "processes" } else { "threads  " },
                        planned.name,
                        thread.bytes as f64 / thread.counted_s * 1e-9,
                        thread.flop as f64 / thread.counted_s * 1e-9,
                        thread.counted_s,
                        100.0 * thread.clock_share,
                        thread.cpus,
                        thread.pages,
                        thread.huge_pages,
                        thread.misplaced,
                    );
                }
            }
            println!("          all of it took {:.2} s", began.elapsed().as_secs_f64());
        }
    }
    Ok(())
}

fn bytes_per_thread(threads: &[&CpuList]) -> u64 {
    numasim_host::memory::bytes_per_thread(threads)
}
