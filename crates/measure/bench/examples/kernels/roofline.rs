//! The kernel at every intensity.

use numasim_kernels::synthetic::Kernel;
use numasim_model::Access;
use numasim_model::units::FlopPerByte;

use crate::measure::{Bench, L1_BYTES, Rate, middle_and_spread};
use crate::options::Options;
use crate::system::Failure;

/// The kernel at every intensity against min(peak, intensity x bandwidth), with both plateaus measured by itself.
pub(crate) fn roofline(bench: &mut Bench, options: &mut Options, threads: usize) -> Result<(), Failure> {
    let len = options.bytes / size_of::<f64>();
    let peak = Kernel::peak().prepare(options.isa)?;
    let kernels = (-6..=6)
        .map(|exponent| {
            Ok(Kernel::new(Access::Read, FlopPerByte::new(2.0_f64.powi(exponent)))?.prepare(options.isa)?)
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    bench.fill(&peak, len);
    let (mut peaks, mut bandwidths) = (Vec::new(), Vec::new());
    let (mut rates, mut shares) = (vec![Vec::new(); kernels.len()], vec![Vec::new(); kernels.len()]);
    for repetition in 1..=options.repeat {
        let top = bench.measure(&peak, threads, L1_BYTES / size_of::<f64>())?;
        options.keep("roofline", threads, "peak in the first-level cache", repetition, top)?;
        let top = top.gflops;
        let all: Vec<Rate> =
            kernels.iter().map(|kernel| bench.measure(kernel, threads, len)).collect::<Result<_, _>>()?;
        let bandwidth = all[1].gbs; // 1/32
        for (at, rate) in all.iter().enumerate() {
            let intensity = kernels[at].kernel().arithmetic_intensity().value();
            options.keep("roofline", threads, &format!("{intensity} FLOP/byte"), repetition, *rate)?;
            shares[at].push(rate.gflops / top.min(intensity * bandwidth));
            rates[at].push(rate.gflops);
        }
        peaks.push(top);
        bandwidths.push(bandwidth);
    }
    let ((top, _), (bandwidth, _)) = (middle_and_spread(&peaks)?, middle_and_spread(&bandwidths)?);
    println!("\nroofline, {threads} thread(s), {} repetitions, {}", options.repeat, options.isa);
    println!(
        "peak {top:.2} GFLOPS (in the first-level cache), {bandwidth:.2} GB/s (at 1/32), knee at {:.2} FLOP/byte",
        top / bandwidth
    );
    println!("{:>9} {:>9} {:>9} {:>10}", "FLOP/byte", "GFLOPS", "roof", "of roof");
    for ((kernel, rates), shares) in kernels.iter().zip(rates).zip(shares) {
        let intensity = kernel.kernel().arithmetic_intensity().value();
        let roof = top.min(intensity * bandwidth);
        let ((rate, _), (share, _)) = (middle_and_spread(&rates)?, middle_and_spread(&shares)?);
        println!("{intensity:>9.4} {rate:>9.2} {roof:>9.2} {share:>10.3}");
    }
    Ok(())
}
