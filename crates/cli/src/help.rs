//! The longer texts of `--help`: what the tool is for, examples, units and exit codes.

/// Start of `numasim --help`.
pub(crate) const ABOUT: &str = "\
Several applications share one machine with several NUMA nodes. Each node has cores and a memory \
controller; the nodes are joined by links. numasim computes how fast each application runs with its \
threads placed in a given way (evaluate), and searches for the best placement (explore). Machine, \
applications and placements are described in TOML files.

Units: 1 GB = 10^9 bytes; bandwidth in GB/s, performance in GFLOPS (10^9 floating-point operations per \
second), arithmetic intensity in FLOP per byte moved to or from memory. Nodes are numbered from 0.";

/// End of `numasim -h`, and part of the end of `--help`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0   done
  1   the input or the question is wrong (bad file, no feasible allocation, output not writable)
  2   the command line is wrong
  70  a fault of numasim itself
  130 ended by Ctrl-C";

/// End of `numasim --help`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  numasim evaluate machine.toml apps.toml scenarios.toml
  numasim explore configs/machines/MACHINE.toml configs/workloads/WORKLOAD.toml
  numasim explore study.toml --objective fair --format json -o best.json
  numasim sweep study.toml --set machine.link_gbs=5..40:5 --plot links.svg
  numasim check study.toml

Exit codes:
  0   done
  1   the input or the question is wrong (bad file, no feasible allocation, output not writable)
  2   the command line is wrong
  70  a fault of numasim itself
  130 ended by Ctrl-C";

/// End of `numasim evaluate --help`.
pub(crate) const EVALUATE: &str = "\
Examples:
  numasim evaluate machine.toml apps.toml scenarios.toml
  numasim evaluate study.toml --scenario even --scenario 'one app per node'
  numasim evaluate study.toml --format csv -o figures.csv
  numasim evaluate study.toml --model all
  numasim evaluate study.toml --scenario even --emit slurm -o job.sh

GFLOPS and GB/s (10^9 bytes per second). Files without a [[scenario]] are an error.
Beyond 64 nodes JSON lists only the links that carry something.";

/// End of `numasim explore --help`.
pub(crate) const EXPLORE: &str = "\
Examples:
  numasim explore machine.toml apps.toml
  numasim explore study.toml --objective fair --time-limit 10
  numasim explore study.toml --same-on-every-node --no-idle-cores --top 5
  numasim explore study.toml --format json -o best.json
  numasim explore study.toml --pareto total-gflops,fair --plot trade-off.svg
  numasim explore study.toml --sensitivity
  numasim explore study.toml --emit numactl -o start.sh

By default cores may idle, and each application has at least min_threads and at most max_threads threads \
over the whole machine. `optimal` is said only when it is proven; otherwise the answer carries a bound. \
Ctrl-C ends the search and keeps the best allocation found so far.

--pareto gives the front between two objectives: allocations of which none is better in one without being worse in \
the other, from the best for the first to the best for the second. Where every allocation can be compared (up to 10^7, \
equal nodes counted once) it is complete and proven. Else both ends carry a proof or a bound as without --pareto, and \
what lies between them is the best of what was compared: climbing in 25 directions, then all changes of one or two \
steps. The knee is the point farthest outside the straight line between both ends.

--sensitivity says what one more GB/s of each controller and link, or one more core, is worth, and by how much each \
input (bandwidths, peaks, arithmetic intensities) may be wrong before another allocation wins. It rests on local searches: \
gains with threads moved are lower bounds, ranges are those known, not proven. --time-limit holds for it once more. \
With --format csv its rows come in place of the allocations.

--emit prints a shell script with one command for each application; each ./NAME in it stands for what starts \
that application. It needs the processor numbers of the operating system: `cpus = \"0-19\"` in each \
[[machine.node]] (or `cpus = [\"0-19\", \"20-39\"]` in [machine]), or --cpus-from, which needs a build with \
hwloc. Of each node the first processors of the list are used, one for each core.";

/// End of `numasim sweep --help`.
pub(crate) const SWEEP: &str = "\
Examples:
  numasim sweep study.toml --set machine.link_gbs=5..40:5
  numasim sweep study.toml --explore --set app.mem.arithmetic_intensity=1/64..4*2 --plot mem.svg
  numasim sweep study.toml --scenario even --set scenario.even.threads.mem=1..8:1 \\
      --set machine.bandwidth_gbs=50,100,200 --format table
  parallel numasim sweep study.toml --set machine.link_gbs=1..100:0.001 \\
      --shard {}/8 -o part-{}.csv ::: {1..8}
  cat part-{1..8}.csv > sweep.csv

Keys (units as in the files; a name with instances addresses them all):
  machine.link_gbs                       every link
  machine.bandwidth_gbs                  every memory controller
  machine.bandwidth_matrix_gbs.FROM.TO   one link; where FROM = TO, one controller
  machine.cores_per_node, machine.gflops_per_core, machine.core_bandwidth_gbs
  machine.sharing.PARAMETER              a parameter of the sharing model, see numasim models
  machine.node.N.KEY                     cores, gflops_per_core, bandwidth_gbs or core_bandwidth_gbs
  app.NAME.arithmetic_intensity
  app.NAME.data                          local, interleave, home:0, home:1, ...; home:any to explore
  app.NAME.KEY                           with --explore: min_threads, max_threads, weight, work_gflop
  scenario.NAME.threads.APP              on every node that has cores
  scenario.NAME.threads.APP.N            on node N
  scenario.NAME.data.APP                 as app.NAME.data, in this scenario
Names with spaces or dots stand in double quotes: --set 'scenario.\"even 2,2,2,2\".threads.mem=1..2:1'

With --explore give a --time-limit where proofs take long: the row then has the best allocation found and a bound. \
A point that cannot be (more threads than cores) has a row with its reason and no result. Ctrl-C or a killed job leaves \
FILE.partial; the same command with --resume goes on behind its last whole row. scripts/sweep.sbatch runs a sweep as a \
Slurm job array.";

/// End of `numasim calibrate --help`.
pub(crate) const CALIBRATE: &str = "\
Examples:
  numasim calibrate -o machine.toml
  numasim calibrate --quick
  numasim calibrate --format csv -o rounds.csv

Measures with the kernels of `numasim bench`: the peak of a core while all cores of its node work, what one thread draws \
from its own node, what each node gives to its own cores (a ladder of thread counts; the fewest that reach 98 % saturate \
it), and for each ordered pair of nodes what the cores of one read of the other. Steps are repeated in rounds, every other \
round backwards. The median counts; the uncertainty is the largest deviation of a round from it.

The table format is the machine file itself, complete for evaluate, explore and bench. Doubts about the measurement are \
comments in it. On a host with one node there are no links to measure.

Needs Linux and a build with hwloc (cargo build --release --features hwloc).";

/// End of `numasim validate --help`.
pub(crate) const VALIDATE: &str = "\
Examples:
  numasim validate -o results/my-host
  numasim validate configs/paper/table-iii-all.toml -o results/table-iii-here
  numasim validate -o results/my-host --resume

Writes into the folder: machine.toml and calibration.csv (calibrate), scenarios.toml (pairs of applications with arithmetic \
intensities from 1/32 to 16 that share every node, and on hosts with several nodes data on one of them), measured.csv with \
its provenance and study (bench --fit-host), comparison.json and comparison.txt (compare), report.html (report), and a README.md that \
says how it was made. Own files take the place of the pairs.

The scenarios that are judged are never used to calibrate. Needs Linux and a build with hwloc.";

/// End of `numasim bench --help`.
pub(crate) const BENCH: &str = "\
Examples:
  numasim bench machine.toml apps.toml scenarios.toml -o result.csv
  numasim bench study.toml --dry-run
  numasim bench configs/paper/table-iii.toml --fit-host -o paper.csv
  numasim bench study.toml --scenario even --repeat 20 -o even.csv --resume

Each application of a scenario is a kernel with its arithmetic intensity and its `kernel` (read, copy, triad, update). \
Every thread is bound to a core of its own, its data to the nodes that `data` says; all start together, and after the \
warm-up each counts its work in the same window. Then pages and processors are looked up: a measurement with a thread or \
a page in another place counts for nothing, is made once more, and makes the exit code 1 if it fails again.

Node i of the machine file is node i of this host (numasim detect). A scenario that does not fit is an error that says \
what is missing. --fit-host scales it: nodes side by side are folded onto one, their threads add up and, where there are \
more than cores, are scaled by the largest remainder, one each at least; data moves with its nodes. All rows of such a \
scenario have `fitted` = true.

RESULT.csv has one row for each scenario x application x node x repetition; GB/s are 10^9 bytes per second, traffic \
counted as STREAM does. Each measurement is on disk before the next begins: after Ctrl-C or a kill, the same command with \
--resume goes on. Scenarios are interleaved in another order in each repetition, so that drift favours none. Beside it, \
RESULT.provenance.json says on what and how it was measured, with every doubt, and RESULT.study.toml what ran, for \
numasim evaluate. --host-machine puts the figures of this host there, in place of those of the file.

Needs Linux and a build with hwloc (cargo build --release --features hwloc).";

/// End of `numasim compare --help`.
pub(crate) const COMPARE: &str = "\
Examples:
  numasim compare machine.toml study.toml --measured measured.csv
  numasim compare study.toml --measured measured.csv --format csv -o errors.csv

The CSV is what `numasim bench` writes, or has the columns scenario,app,gflops and, if measured, bandwidth_gbs \
and repetition; an empty app is the whole scenario. Lines that begin with # are comments.

  error            (predicted - measured) / measured, measured: the median of the repetitions
  spread           sample standard deviation / mean of the repetitions
  95th percentile  of n absolute errors in ascending order the one at place (n - 1) x 0.95 from 0;
                   between two places in proportion
  regret           (best measured - measured of what the model prefers) / best measured
  Kendall's tau-b  between predicted and measured totals: +1 the same order, -1 the opposite one

JSON and CSV give errors, spread and regret as fractions.";

/// End of `numasim models --help`.
pub(crate) const MODELS: &str = "\
Examples:
  numasim models
  numasim models max-min
  numasim models --format json

A model is chosen with --model NAME or in the machine file:

  [machine.sharing]
  model = \"max-min\"
  link_efficiency = 0.9";

/// End of `numasim discriminate --help`.
pub(crate) const DISCRIMINATE: &str = "\
Examples:
  numasim discriminate machine.toml
  numasim discriminate machine.toml --emit-scenarios apart.toml
  numasim bench machine.toml apart.toml -o measured.csv
  numasim compare machine.toml apart.toml --measured measured.csv --model max-min

Looks through scenarios of two applications: both local on one node, or one local and one that reads this node's \
memory from another node or from all others. Those in which the models disagree most are proposed.";

/// End of `numasim published --help`.
pub(crate) const PUBLISHED: &str = "\
Examples:
  numasim published
  numasim published --format csv -o summary.csv --plots .
  numasim published --scaling curves.csv

The data are carried in the program: bandwidth over cores of eight machines (RRZE), several nodes that read \
one memory of an Opteron, the paper's Table III, local and remote readers of a Xeon Max. Errors are those of \
points that no fit used. results/published-data/README.md says what they mean.

--scaling takes the columns machine_file,kernel,cores,bw_GBs,cores_per_numa_domain and, if there are \
hyper-threads, smt_per_core_used. Three points of each curve are fitted: one core, half of the NUMA domain, all of it.";

/// End of `numasim plot --help`.
pub(crate) const PLOT: &str = "\
Examples:
  numasim plot matrix machine.toml -o matrix.svg
  numasim plot roofline machine.toml apps.toml -o roofline.svg
  numasim plot threads study.toml --scenario even -o even.png
  numasim plot allocations study.toml --x mem --y compute -o allocations.svg
  numasim plot allocations study.toml --x mem --y bad --rest compute --objective fair -o fair.svg
  numasim plot bars study.toml --measured measured.csv -o bars.svg

The name of the file decides: .svg, or .png (twice as many pixels; needs a build with --features png). \
Without -o the SVG goes to standard output. Colours can be told apart by colour-blind readers, and everything also \
when printed in grey.

In allocations a name with instances addresses them all: each has that many threads on every node. Applications that \
are not named have no threads; --rest gives one the cores that are left.";

/// End of `numasim fit --help`.
pub(crate) const FIT: &str = "\
Examples:
  numasim fit machine.toml study.toml --measured measured.csv --free bandwidth_gbs,link_gbs
  numasim fit study.toml --measured measured.csv --free bandwidth_gbs --scenario even
  numasim fit study.toml --measured measured.csv --free bandwidth_gbs --emit-machine fitted.toml

The sum of squared relative errors, (fitted - measured) / measured, is made as small as possible; each application of a
scenario is one error, or the scenario as a whole where only its total was measured. A search from many starts with the
method of Levenberg and Marquardt, up to a factor of 1000 from the figures of the files.

95 %      interval by linear least squares: for noise that is independent, and a model that is right
left out  each scenario is left out in turn, predicted by a fit to the others: what a fit is worth. Of more than 100
          scenarios, hundredths are left out.

A figure gets no number where the measurements do not determine it: nothing depends on it, it is known from one side only,
or several act only together.";

/// End of `numasim report --help`.
pub(crate) const REPORT: &str = "\
Examples:
  numasim report results/paper-table-iii -o report.html
  numasim report machine.toml study.toml --measured measured.csv -o report.html
  numasim report --measured result.csv -o report.html

One HTML file, with everything in it: nothing is loaded, no program is needed but a browser. It has the question, a
verdict, the machine, each scenario with its map and figures, plots, doubts, where all of it comes from, and the
commands that make it again.

Of a folder, measured.study.toml is read (what `numasim bench` ran), or all *.toml where there is none; and
measured.csv, or the only CSV of measurements. Without any input file, RESULT.study.toml beside RESULT.csv is taken.
RESULT.provenance.json beside the CSV is read where there is one. Without measurements the page has predictions only.";

/// End of `numasim check --help`.
pub(crate) const CHECK: &str = "\
Examples:
  numasim check study.toml
  numasim check machine.toml apps.toml --format json

Exit code 1 if anything is wrong; the message shows file, line, column and what to write instead.

Beyond 64 nodes JSON has no list of links: link_gbs where all are equal, else
link_matrix_gbs; CSV has one line for equal links.";

/// End of `numasim detect --help`.
pub(crate) const DETECT: &str = "\
Examples:
  numasim detect -o machine.toml
  numasim detect --format json
  lstopo --of xml node17.xml         (on the machine itself)
  numasim detect --from-xml node17.xml
  numasim detect --from-synthetic \"node:4 core:20 pu:1\"

Counts physical cores, and names the first processor (hardware thread) of each; --smt counts every hardware thread, and \
gflops_per_core then means one hardware thread. Of this host it takes only what this process may use: processors \
that are offline, or left out by the cgroup or the processor mask (containers, Slurm, taskset), are named in the file, \
in JSON, and on standard error. A node none of whose processors may be used is memory only.

Bandwidths and peaks cannot be read from a topology: they are left out, with comments that say how to get them. What the \
firmware claims (ACPI HMAT) is a comment, too; nobody measured it. Distances are no bandwidths. Needs a build with hwloc \
(cargo build --release --features hwloc).";

/// End of `numasim import --help`.
pub(crate) const IMPORT: &str = "\
Examples:
  mlc --bandwidth_matrix > mlc.txt; numasim import mlc mlc.txt -o machine.toml
  numasim import mlc mlc.txt --cores-per-node 26 --gflops-per-core 80 -o machine.toml
  lstopo --of xml host.xml;         numasim import hwloc host.xml -o machine.toml
  likwid-bench -t load -w S0:1GB:4 > load.txt; numasim import likwid load.txt -o bandwidth.csv
  ./stream > stream.txt;            numasim import stream stream.txt -o stream.csv

Output of several runs in one file is read as a sweep. CSV tables of such figures are read as well: their first lines are \
comments that begin with #, then comes a header. What is no output of the tool is refused with the line that is wrong.";

/// End of `numasim schema --help`.
pub(crate) const SCHEMA: &str = "\
Example:
  numasim schema -o numasim.schema.json

Editors with a TOML language server (taplo, Even Better TOML) complete and check keys with it, if the \
first line of an input file is

  #:schema ./numasim.schema.json";

/// End of `numasim completions --help`.
pub(crate) const COMPLETIONS: &str = "\
Examples:
  numasim completions bash -o ~/.local/share/bash-completion/completions/numasim
  numasim completions zsh  -o ~/.zfunc/_numasim      (with fpath+=~/.zfunc in ~/.zshrc)
  numasim completions fish -o ~/.config/fish/completions/numasim.fish";

/// End of `numasim man --help`.
pub(crate) const MAN: &str = "\
Examples:
  numasim man | man -l -
  numasim man explore | man -l -
  numasim man --dir ~/.local/share/man/man1";
