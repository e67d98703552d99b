//! The longer texts of `--help`: what the tool is for, examples, units and exit codes.

use std::fmt::Write as _;

use numasim_draw::grid::wrap;
use numasim_study::figure;
use numasim_study::keys::{Key, app, call, channel, machine, node, os};

/// Start of `numasim --help`.
pub(crate) const ABOUT: &str = "\
Several applications share one machine with several NUMA nodes. Each node has cores and a memory \
controller; links connect the nodes. numasim computes how fast each application runs for a given \
placement of its threads (evaluate), and searches for the best placement (explore). Machine, \
applications and placements are described in TOML files.

Units: 1 GB = 10^9 bytes; bandwidth in GB/s, performance in GFLOPS (10^9 floating-point operations per \
second), arithmetic intensity in FLOP per byte moved to or from memory. Nodes are numbered from 0.";

/// End of `numasim -h`, and part of the end of `--help`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0    done; also explore stopped by Ctrl-C or --time-limit with its best so far
  1    the input or the question is wrong (bad file, no feasible allocation,
       output not writable)
  2    the command line is wrong
  70   a fault of numasim itself
  130  ended by Ctrl-C without a complete result";

/// End of `numasim --help`.
pub(crate) const EXAMPLES: &str = "\
Examples:
  numasim evaluate machine.toml apps.toml scenarios.toml
  numasim explore @xeon-gold-6138-4s @genomics --objective geomean
  numasim explore study.toml --objective fair --format json -o best.json
  numasim sweep study.toml --set machine.link_gbs=5..40:5 --plot links.svg
  numasim check study.toml

Exit codes:
  0    done; also explore stopped by Ctrl-C or --time-limit with its best so far
  1    the input or the question is wrong (bad file, no feasible allocation,
       output not writable)
  2    the command line is wrong
  70   a fault of numasim itself
  130  ended by Ctrl-C without a complete result";

/// End of `numasim evaluate --help`.
pub(crate) const EVALUATE: &str = "\
Examples:
  numasim evaluate machine.toml apps.toml scenarios.toml
  numasim evaluate study.toml --scenario even --scenario 'one app per node'
  numasim evaluate study.toml --format csv -o figures.csv
  numasim evaluate study.toml --model all
  numasim evaluate configs/kernels/dmv.toml --static-work
  numasim evaluate study.toml --scenario even --emit slurm -o job.sh

Results are in GFLOPS and GB/s (10^9 bytes per second). Files without a [[scenario]] are an error.
With --static-work, or `static = true` in a [[scenario]], GFLOPS of an application are threads x rate of its slowest thread.
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
  numasim explore study.toml --models all
  numasim explore study.toml --threads solver=16 --max-nodes solver=2 --exclusive solver
  numasim explore study.toml --simple --within 0.02
  numasim explore study.toml --save best.toml --plot best.svg
  numasim explore study.toml --emit numactl -o start.sh

The search takes work that threads share by their speed; a scenario with `static = true` is compared as what its slowest threads do. By default cores may idle, and each application has at least min_threads and at most max_threads threads \
over the whole machine. `optimal` means proven optimal; any other answer comes with a bound. \
The verdict also says what value and proof do not: who gets nothing, what the model warns of, whom total-gflops leaves at \
min_threads; JSON has that in `cautions`. Ctrl-C stops the search and keeps the best allocation found so far (exit code 0); a second Ctrl-C ends numasim \
without an answer (130).

--pareto computes the Pareto front of two objectives: allocations that cannot be improved in one without losing in \
the other, from the best for the first to the best for the second. If every allocation can be compared (up to 10^7, \
equal nodes counted once), the front is complete and proven. Otherwise both ends carry a proof or a bound as without \
--pareto, and the points between them are the best of those compared: hill climbing in 25 directions, then all changes \
of one or two steps. The knee is the point farthest outside the straight line between both ends.

--models finds the placement that is good whichever of several sharing models is right: its loss, 1 - value / best value (makespan: 1 - best / value), is \
smallest under the model where it is largest. It is searched for, not picked from the bests, and comes with a bound that no placement is below. Losses \
are relative to the best found; JSON says of each model whether its best is proven, and `at_most` what they can be. The first model is that of \
the answer above it (--model, else the first name, with `all` that of the machine file); corrections in [machine.sharing] hold for all. `all` leaves out models that cannot read the machine, and says so. With \
--time-limit the searches for the bests have half of the time together, in equal parts, what one leaves goes to the next, and the robust search has the rest.

--sensitivity reports what one more GB/s of each controller and link, or one more core, is worth, and by how much each \
input (bandwidths, peaks, arithmetic intensities) may be wrong before another allocation wins. It relies on local \
searches: gains with threads moved are lower bounds, and ranges are the best known, not proven. --time-limit covers the \
search and this report: at least a quarter of it is for the report, which counts what it leaves out. With --format csv its rows replace the allocations.

--emit prints a shell script with one command for each application; each ./NAME in it stands for the command that \
starts that application. It needs the processor numbers of the operating system: `cpus = \"0-19\"` in each \
[[machine.node]] (or `cpus = [\"0-19\", \"20-39\"]` in [machine]), or --cpus-from, which needs a build with \
hwloc. On each node the first processors of the list are used, one for each core.";

/// What stands before the keys in `numasim sweep --help`.
const SWEEP_EXAMPLES: &str = "\
Examples:
  numasim sweep study.toml --set machine.link_gbs=5..40:5
  numasim sweep study.toml --explore \\
      --set app.mem.arithmetic_intensity=1/64..4*2 --plot mem.svg
  numasim sweep study.toml --scenario even --format table \\
      --set scenario.even.threads.mem=1..8:1 \\
      --set machine.bandwidth_gbs=50,100,200
  numasim sweep pipeline.toml --simulate --policy none --policy lead \\
      --set policy.lead=1..8:1
  parallel numasim sweep study.toml --set machine.link_gbs=1..100:0.001 \\
      --shard {}/8 -o part-{}.csv ::: {1..8}
  cat part-{1..8}.csv > sweep.csv
  numasim sweep study.toml --explore --set machine.link_gbs=1..100:1 \\
      --submit slurm --folder shards --shards 64 --threads 4
  numasim sweep --collect shards -o sweep.csv";

/// What stands behind them.
const SWEEP_ROWS: &str = "\
Put names with spaces or dots in double quotes:
  --set 'scenario.\"even 2,2,2,2\".threads.mem=1..2:1'

With --explore, set a --time-limit if proofs take long: the row then has the best allocation found and a bound. \
With --simulate there is a row for each --policy: makespan, when each application is finished, the most items in each channel, orders, \
and threads that orders unblocked; status is ok, until (not finished at --until), deadlock or infeasible. policy.lead is the K of lead:K. \
An impossible point (more threads than cores) has a row with the reason and no result. Ctrl-C (exit code 130) or a \
killed job leaves FILE.partial; the same command with --resume continues after its last complete row. \
A part of --shard into a file has a receipt beside it, FILE.json. The folder of --submit is all that is known of a job array: \
--collect joins it once every shard is there and of this question, --resubmit submits what failed, was killed or never ran.";

/// Column in which a list of keys says what each is.
const KEYS: usize = 34;

/// A key, or several, and what is to be said of it.
fn key(text: &mut String, key: &str, what: &str) {
    for (number, line) in wrap(what, 78 - KEYS).into_iter().enumerate() {
        let key = if number == 0 { key } else { "" };
        if key.len() + 4 > KEYS {
            let _ = write!(text, "\n  {key}\n{:KEYS$}{line}", "");
        } else {
            let _ = write!(text, "\n  {key:width$}{line}", width = KEYS - 2);
        }
    }
}

/// End of `numasim sweep --help`: its keys are those that the files declare.
pub(crate) fn sweep() -> String {
    let names = |keys: &mut dyn Iterator<Item = &'static Key>| {
        keys.map(|key| key.name).collect::<Vec<_>>().join(", ")
    };
    let simulated = |key: &&'static Key| *key != &app::ARITHMETIC_INTENSITY;
    let searched = figure::of_apps().filter(simulated);
    let mut text = format!(
        "{SWEEP_EXAMPLES}\n\nKeys (units as in the files; a name with instances addresses all of them):"
    );
    let mut put = |name: &str, what: &str| key(&mut text, name, what);
    put("machine.KEY", &names(&mut figure::of_nodes().chain([&machine::LINK_GBS])));
    put("machine.node.N.KEY", &names(&mut [&node::CORES].into_iter().chain(figure::of_nodes().skip(1))));
    put("machine.bandwidth_matrix_gbs.FROM.TO", "one link; if FROM = TO, one controller");
    put("machine.shared_link.NAME.gbs", "a shared link");
    put("machine.sharing.PARAMETER", "a parameter of the sharing model, see numasim models");
    put("app.NAME.arithmetic_intensity", "FLOP per byte");
    put(
        "app.NAME.data",
        "local, interleave, home:0, home:1, ...; home:0:0.5, interleave:0.3: that share, the rest local; home:any to explore",
    );
    put("app.NAME.KEY", &format!("with --explore: {}", names(&mut { searched })));
    put("scenario.NAME.threads.APP", "on every node that has cores");
    put("scenario.NAME.threads.APP.N", "on node N");
    put("scenario.NAME.data.APP", "as app.NAME.data, in this scenario");
    text.push_str("\nWith --simulate also:");
    let mut put = |name: &str, what: &str| key(&mut text, name, what);
    let of_apps = || figure::over_time(&app::TABLE);
    put("app.NAME.KEY", &names(&mut of_apps().filter(simulated)));
    put(
        "app.NAME.phase.N.KEY",
        &format!("a phase, from 0: {}", names(&mut of_apps().filter(|key| figure::is_of_phase(key)))),
    );
    put("channel.FROM.TO.KEY", &names(&mut figure::over_time(&channel::TABLE)));
    put("call.FROM.TO.KEY", &names(&mut figure::over_time(&call::TABLE)));
    put("policy.KEY", &format!("{} (K of lead:K)", names(&mut figure::of_policy())));
    put("os.KEY", &names(&mut figure::over_time(&os::TABLE)));
    text.push('\n');
    text.push_str(SWEEP_ROWS);
    text
}

/// `--free` of `numasim fit`: the keys that a machine has for all its nodes or links.
pub(crate) fn free() -> String {
    let keys: Vec<&str> =
        figure::of_nodes().skip(1).chain([&machine::LINK_GBS]).map(|key| key.name).collect();
    format!(
        "Machine parameters to estimate, separated by commas; may be given more than once\n\nKeys as for `sweep --set`, \
         `machine.` may be left out: {} are one value for the whole machine; node.2.bandwidth_gbs is one node, \
         bandwidth_matrix_gbs.0.1 the link on which cores of node 0 read memory of node 1.",
        keys.join(", ")
    )
}

/// End of `numasim agent --help`.
pub(crate) const AGENT: &str = "\
Examples:
  numasim agent
  numasim agent study.toml --policy lead:2 --record decisions.jsonl
  numasim agent --policy fair-share --period-ms 0 --socket /tmp/mine/agent.sock
  numasim agent --adopt solver=4711 --adopt database=/sys/fs/cgroup/database
  numasim agent machine.toml --this-host --dry-run --adopt solver=4711
  numasim agent status
  numasim agent status --format json
  numasim agent stop
  numasim simulate --replay decisions.jsonl

It runs in the foreground until Ctrl-C, SIGTERM, SIGHUP or `agent stop`. Applications of the same user find it by its socket; \
those that connect under the name of an [[app]] have its arithmetic_intensity, scaling, channels and limits. Policies are those of \
`numasim simulate --help`, except script; those that compute need [machine]. A file called `status` is given as `./status`.";

/// End of `numasim simulate --help`.
pub(crate) const SIMULATE: &str = "\
Examples:
  numasim simulate study.toml
  numasim simulate study.toml --policy none --policy fair-share --policy lead:2
  numasim simulate study.toml --policy lead:2 --plot cores.svg
  numasim simulate study.toml --policy lead:2 --timeline cores.csv
  numasim simulate study.toml --policy lend --until 60 --format json -o run.json
  numasim simulate study.toml --runs 20 --seed 1
  numasim simulate study.toml --policy reexplore --trace decisions.jsonl
  numasim simulate study.toml --compare run-1 --plot both.svg
  numasim simulate --replay decisions.jsonl

Policies (a scenario is one of the files):
  none             nobody decides: all threads run, also more than cores
  script           the commands of the files, [[command]]
  static-even      all that are there share the cores, whether they wait or not
  static:SCENARIO  the threads and the data of a scenario
  fair-share       those that do not wait share the cores
  lead:K           as fair-share, and a producer K items ahead waits [K: 2]
  lend             as static-even, and who needs a core less lends it
  oversubscribe:N  as fair-share, and N threads more per node for who has io_ms
                   [N: 1]
  marginal         each core where it adds most GFLOPS
  reexplore        the allocation of explore --objective total-gflops, again
                   after each change
  replan           as reexplore, with the work that is left and what a move
                   costs

Each [[app]] needs its work: work_gflop (over all iterations) or task_gflop (of each task). [policy] has period_ms (0: a policy \
is asked whenever something changes) and command_ms (from an order to its effect), [os] what it costs that more threads run \
than there are cores. The lower bound on the makespan holds for every policy: no allocation does the work faster.

--timeline has the columns time_s, app, node, running (threads in a task), busy (cores that they use), idle, blocked, \
gflops, gbs, and items (in the channels out of the application). A row holds until the next one of the same application and \
node. --trace has the input files and then, one JSON object a line, what the policy saw and ordered; --replay asks the same \
policy again for each line and ends with exit code 1 at the first order that differs.

A deadlock (nobody can go on, nothing is to come) names who waits for whom, exit code 1. Applications that are not \
finished at --until have null in JSON; exit code 0, with a warning. Ctrl-C writes what was simulated until then, says \
that it is partial, and ends with 130.

Everything computed here is a consequence of the model, nothing of it is measured.";

/// End of `numasim calibrate --help`.
pub(crate) const CALIBRATE: &str = "\
Examples:
  numasim calibrate -o machine.toml
  numasim calibrate --quick --dry-run
  numasim calibrate --quick
  numasim calibrate --format csv -o rounds.csv

Measures with the kernels of `numasim bench`: the peak of a core while all cores of its node are busy, the bandwidth of \
one thread on its own node, the local bandwidth of each node (with increasing thread counts; the smallest that reaches \
98 % saturates it), the remote bandwidth of each ordered pair of nodes, and what the memory of a node delivers to its copies, triads and updates \
(copy_gbs, triad_gbs, update_gbs; not with --reads-only). Then what reads at once: all nodes of a socket \
from another one ([[machine.shared_link]], where a socket has several nodes), and all threads of a node from local and \
remote memories (read_gbs). Those two are written only where they are below 90 % of what the file without them predicts \
for the same readers; a comment names both figures. Steps are repeated in rounds, every other \
round in reverse order. The result is the median; its uncertainty is the largest deviation of a round from it.

The table format is the machine file itself, complete for evaluate, explore and bench. Doubts about the measurement are \
comments in it. A host with one node has no links to measure. --dry-run says how many measurements there are, and how \
long they take.

Needs Linux and a build with hwloc (cargo build --release --features hwloc).";

/// End of `numasim validate --help`.
pub(crate) const VALIDATE: &str = "\
Examples:
  numasim validate -o results/my-host
  numasim validate configs/paper/table-iii-all.toml -o results/table-iii-here
  numasim validate -o results/my-host --resume
  numasim validate -o results/my-host --resume --bundle my-host.tar.zst

Writes into the folder: machine.toml and calibration.csv (calibrate), scenarios.toml (the same applications placed in several \
ways, so that memories and links are asked for more than they have where the host can do that), measured.csv with \
its provenance and study (bench --fit-host), comparison.json and comparison.txt (compare), report.html (report), and a \
README.md that says how it was made. Files of your own replace the scenarios.

Each application is a process of its own (bench --processes); --one-process makes all of them threads of one process.

On hosts with one NUMA node the last-level cache is asked, too: two applications whose data fit it together (cache-inside.csv), \
or one by one only (cache-beyond.csv); scenarios in cache.toml, result in cache.json. No sharing model has a figure for \
caches, so that this is shown apart and is no part of the verdict on sharing.

--bundle packs these files to send them. Taken out are the name of the host, and folders in the command line, comments and doubts; page, comparison \
and README.md are made again without them. Processor, kernel, settings and your own files with their comments stay. Of a finished folder \
--resume --bundle makes the bundle alone. numasim report reads it.

The scenarios used for validation are never used for calibration. Needs Linux and a build with hwloc.";

/// End of `numasim bench --help`.
pub(crate) const BENCH: &str = "\
Examples:
  numasim bench machine.toml apps.toml scenarios.toml -o result.csv
  numasim bench study.toml --dry-run
  numasim bench configs/paper/table-iii.toml --fit-host -o paper.csv
  numasim bench study.toml --scenario even --repeat 20 -o even.csv --resume

Each application of a scenario is run as a kernel with its arithmetic intensity and its `kernel` (read, copy, triad, \
update). Every thread is bound to a core of its own, its data to the nodes given by `data`; all start together, and after \
the warm-up each counts its work in the same window. Then the location of pages and threads is verified: a measurement \
with a misplaced thread or page is discarded and repeated once; if it fails again, the exit code is 1.

Node i of the machine file is node i of this host (numasim detect). A scenario that does not fit is an error that says \
what is missing. --fit-host scales it: neighbouring nodes are folded onto one, their threads are added and, if there are \
more than cores, scaled by the largest remainder, at least one each; data moves with its nodes. All rows of such a \
scenario have `fitted` = true.

RESULT.csv has one row for each scenario x application x node x repetition; GB/s are 10^9 bytes per second, traffic \
counted as STREAM does. Each measurement is on disk before the next begins: after Ctrl-C (exit code 130) or a kill, the \
same command with --resume continues. Scenarios are interleaved in a different order in each repetition, so that drift \
favours none. Next to it, RESULT.provenance.json records where and how it was measured, with every doubt, and \
RESULT.study.toml what ran, for numasim evaluate. --host-machine uses the values of this host there, instead of those of \
the file.

Needs Linux and a build with hwloc (cargo build --release --features hwloc).";

/// End of `numasim compare --help`.
pub(crate) const COMPARE: &str = "\
Examples:
  numasim compare machine.toml study.toml --measured measured.csv
  numasim compare study.toml --measured measured.csv --format csv -o errors.csv

The CSV is what `numasim bench` writes, or has the columns scenario,app,gflops and, if measured, bandwidth_gbs \
and repetition; an empty app is the whole scenario. Lines that begin with # are comments.

  error            (predicted - measured) / measured, where measured is the
                   median of the repetitions
  spread           sample standard deviation / mean of the repetitions
  95th percentile  of n absolute errors in ascending order the one at index
                   (n - 1) x 0.95 from 0, interpolated linearly
  regret           (best measured - measured of what the model prefers) /
                   best measured
  Kendall's tau-b  between predicted and measured totals: +1 the same order,
                   -1 the opposite order
  no sharing       each thread as fast as alone on the machine
  equal parts      each controller and link divided by the number of its
                   threads, whatever they want
  contention       demand / capacity where that is largest; the demand is what
                   the threads would draw without sharing

Regret is told among scenarios of the same applications. The model is better than no sharing or equal parts where the 95 % \
interval of its advantage lies above 0: means of absolute errors of the totals, paired bootstrap over scenarios and repetitions. \
Only scenarios with a contention of 1.3 or more count for a verdict on sharing, and six are needed.

JSON and CSV give errors, spread and regret as fractions.";

/// End of `numasim tasks --help`.
pub(crate) const TASKS: &str = "\
Examples:
  numasim tasks configs/tasks/three.toml
  numasim tasks machine.toml gauss-seidel.toml --scheduler fifo,sa,dep,rip-dep --runs 10
  numasim tasks machine.toml gauss-seidel.toml --scheduler dep --gantt dep.svg --trace dep.json
  numasim tasks machine.toml --graph DIR --scheduler fifo,dep --format json -o runs.json
  numasim tasks machine.toml qr.toml --emit-graph DIR

A task is one thread of the sharing model with data fractions of its own; the last-level cache of each node holds whole
blocks (llc_mb of the machine file). Times are simulated seconds, bytes are those that tasks move.";

/// End of `numasim profile --help`.
pub(crate) const PROFILE: &str = "\
Examples:
  numasim profile machine.toml stencil2d.toml -o profile
  numasim profile machine.toml --graph DIR -o profile
  numasim plan profile -o plan

The program is a tree: one task that the master creates, which creates all others. Each task runs alone on the first core, \
with each of its blocks near and all others far, and once in the whole run. The files ptrace-*.csv are those of OCR-Vx, with \
simulated seconds.";

/// End of `numasim plan --help`.
pub(crate) const PLAN: &str = "\
Examples:
  numasim plan profile -o plan
  numasim plan profile --pattern hints -o plan --format json
  numasim tasks machine.toml stencil2d.toml --scheduler tbb,hint,plan --plan plan --placement numa

Tasks that were created alike are one class, so that a plan of a few iterations holds for any number. Writes plan-dbs.csv and \
plan-tree.csv, which a run reads, and plan.toml, which says all of it.";

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
  numasim bench machine.toml apart.toml -o m.csv
  numasim compare machine.toml apart.toml --measured m.csv --model max-min

Searches scenarios of two applications: both local on one node, or one local and one that reads this node's \
memory from another node or from all others. Proposes those in which the models disagree most.";

/// End of `numasim profile-app --help`.
pub(crate) const PROFILE_APP: &str = "\
Examples:
  likwid-perfctr -C 0-7 -g MEM_DP ./solver > mem_dp.txt
  numasim profile-app --likwid mem_dp.txt --name solver -o solver.toml
  perf stat -a -x, -o run.csv -e duration_time \\
      -e fp_arith_inst_retired.scalar_double \\
      -e fp_arith_inst_retired.256b_packed_double \\
      -e uncore_imc/cas_count_read/ -e uncore_imc/cas_count_write/ -- ./solver
  numasim profile-app --perf run.csv --pid 4711 -o solver.toml
  numasim profile-app --perf t1.csv t2.csv t4.csv --threads 1,2,4
  numasim profile-app --numa-maps one.txt two.txt --threads-per-node 8,0 \\
      --threads-per-node 4,4 --arithmetic-intensity 0.25 -o solver.toml
  numasim profile-app measured.csv --app mem
  numasim check machine.toml solver.toml

arithmetic_intensity is FLOP over bytes of memory. FLOP: fp_arith_inst_retired.* of perf (1 to 16 each), or MFLOP/s of likwid. \
Bytes: the memory controllers (perf uncore_imc, likwid's memory bandwidth), which count for everybody on the machine; \
without them LLC-load-misses x 64 B, marked as estimated. Figures of a person are marked as given.

data is the simplest placement that explains all but 5 % of the pages: local, a home, interleave, a share of one of these with the \
rest local, or fractions. What it does not explain is the residual beside it. Mapped files are data; programs and libraries are left out, \
and the file says how much of the resident memory that is. Where several placements \
explain the pages equally well, all are written as comments and none is chosen; two copies of numa_maps with threads on different nodes tell them apart.

scaling comes from runs with two or more numbers of threads: Amdahl's law by least squares, or a table of speedups where that is more \
than 5 % off and one thread was measured. memory_gib is the resident data.";

/// End of `numasim plot --help`.
pub(crate) const PLOT: &str = "\
Examples:
  numasim plot matrix machine.toml -o matrix.svg
  numasim plot roofline machine.toml apps.toml -o roofline.svg
  numasim plot threads study.toml --scenario even -o even.png
  numasim plot allocations study.toml --x mem --y compute -o allocations.svg
  numasim plot allocations study.toml --x mem --y bad --rest compute \\
      --objective fair -o fair.svg
  numasim plot bars study.toml --measured measured.csv -o bars.svg

The file extension selects the format: .svg, .png (twice as many pixels; needs a build with --features png) or .pdf (vectors, text that can be searched; --features pdf). \
Without -o the SVG goes to standard output. Colours are distinguishable for colour-blind readers, and everything stays \
legible in greyscale.

In `allocations`, a name with instances addresses all of them: each has that many threads on every node. Applications \
that are not named have no threads; --rest gives one of them the remaining cores.";

/// End of `numasim fit --help`.
pub(crate) const FIT: &str = "\
Examples:
  numasim fit study.toml --measured m.csv --free bandwidth_gbs,link_gbs
  numasim fit study.toml --measured m.csv --free bandwidth_gbs --scenario even
  numasim fit study.toml --measured m.csv --free link_gbs --emit-machine m.toml

Minimises the sum of squared relative errors, (fitted - measured) / measured. Each application of a scenario \
contributes one error, or the scenario as a whole if only its total was measured. The search uses the \
Levenberg-Marquardt method from many starting points, up to a factor of 1000 from the values in the files.

  95 %      confidence interval by linear least squares: valid for independent
            noise and a correct model
  left out  leave-one-out cross-validation: each scenario is predicted by a fit
            to the others; of more than 100 scenarios, one hundredth at a time

A parameter gets no value if the measurements do not determine it: nothing depends on it, it is bounded from one side \
only, or several act only together.";

/// End of `numasim report --help`.
pub(crate) const REPORT: &str = "\
Examples:
  numasim report results/paper-table-iii -o report.html
  numasim report their-host.tar.zst -o report.html
  numasim report machine.toml study.toml --measured m.csv -o report.html
  numasim report --measured result.csv -o report.html
  numasim report pipeline.toml --policy none --policy lead:2 -o report.html
  numasim report machine.toml study.toml --interactive -o report.html

Writes one self-contained HTML file: it loads nothing and needs only a browser. It has the question, a verdict, the \
machine, each scenario with its map and results, plots, doubts, the origin of all data, and the commands that reproduce \
it.

From a folder, measured.study.toml is read (what `numasim bench` ran), or all *.toml if there is none; and \
measured.csv, or the only CSV of measurements. Without any input file, RESULT.study.toml next to RESULT.csv is used. \
RESULT.provenance.json next to the CSV is read if it exists. Without measurements the page has predictions only. A bundle (numasim validate --bundle) is read \
as a folder with its files would be.

Where every [[app]] has its work (see numasim simulate --help), the page shows what happens over time: policies beside each other, cores \
of each application as a picture for each, and cores, GFLOPS and items at a time that the reader chooses. It then needs no [[scenario]].";

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
gflops_per_core then means one hardware thread. On this host only what this process may use counts: processors \
that are offline, or excluded by the cgroup or the CPU affinity mask (containers, Slurm, taskset), are listed in the \
file, in JSON, and on standard error. A node without any usable processor is memory-only.

memory_gib is rounded down; of nearly equal nodes the smallest counts for all. Where sockets have several nodes, comments \
leave room for what the links between the sockets carry: sockets, socket_link_gbs and shared_link_gbs, or a \
[[machine.shared_link]] for each pair of sockets.

Bandwidths and peaks cannot be read from a topology: they are left out, with comments that say how to get them. Values \
from the firmware (ACPI HMAT) are comments, too: they are not measured. Distances are not bandwidths. Cores without memory of their \
node get memory_gib = 0; cores of several kinds are named in a comment. Needs a build with \
hwloc (cargo build --release --features hwloc), but for --from-xml.";

/// End of `numasim catalog --help`.
pub(crate) const CATALOG: &str = "\
Examples:
  numasim catalog
  numasim catalog machines --format csv -o machines.csv
  numasim catalog @a64fx > my-machine.toml
  numasim check @epyc-9654-2s-nps4
  numasim explore @xeon-gold-6138-4s @hpc-node --time-limit 5

Letters say where peaks, memory bandwidths and links come from: m measured, t theoretical (data sheets), e estimated, a assumed. `numasim check @NAME` has the \
source of each figure. A file on disk whose name begins with @ is ./@NAME.";

/// End of `numasim init --help`.
pub(crate) const INIT: &str = "\
Examples:
  numasim init
  numasim init --machine @epyc-9654-2s-nps4 --app solver=spmv --app train=8
  numasim init --from-host my-study
  numasim init --machine machine.toml --app solver=0.2 -o study.toml

Without --machine and --from-host it asks; an empty answer takes what stands in brackets. Nothing is written before the last answer, and no file is replaced \
without --force.

--from-host reads nodes, cores and memory of this host. Bandwidths and peaks cannot be read: the study has round figures of kind `assumed` in their place, \
and says how each is measured (numasim calibrate).";

/// End of `numasim import --help`.
pub(crate) const IMPORT: &str = "\
Examples:
  mlc --bandwidth_matrix > mlc.txt; numasim import mlc mlc.txt -o machine.toml
  numasim import mlc mlc.txt --cores-per-node 26 --gflops-per-core 80 \\
      -o machine.toml
  lstopo --of xml host.xml; numasim import hwloc host.xml -o machine.toml
  numactl --hardware > numactl.txt; lscpu > lscpu.txt; lscpu -e > cores.txt
  numasim import numactl numactl.txt --lscpu lscpu.txt cores.txt \
      -o machine.toml
  likwid-topology > topology.txt
  numasim import likwid-topology topology.txt --gflops-per-core 35.2 \
      --bandwidth-gbs 65 --link-gbs 28 -o machine.toml
  perf stat -x, -o run.csv -e ... ./solver
  numasim import perf run.csv --name solver -o solver.toml
  likwid-bench -t load -w S0:1GB:4 > load.txt
  numasim import likwid load.txt -o bandwidth.csv
  ./stream > stream.txt; numasim import stream stream.txt -o stream.csv
  numasim import wfcommons blast.json --reference-gflops 18.4 -o blast
  numasim import starpu tasks.rec -o cholesky
  numasim import dot graph.dot -o graph
  numasim tasks machine.toml --graph graph --scheduler fifo,dep

A topology knows neither bandwidths nor peaks: they are comments with a `?` that say how to get them, or are given for all \
nodes, and `numasim check` names what is missing. Distances are no bandwidths. What is left out or assumed of a graph is told as a warning. Output of several runs in one file is read as a sweep. CSV tables of such results are read as well: comment lines that \
begin with #, then a header. Anything else is rejected, and the message shows the offending line.";

/// End of `numasim export --help`.
pub(crate) const EXPORT: &str = "\
Examples:
  numasim export hwloc machine.toml -o machine.xml
  lstopo -i machine.xml --memattrs
  numasim import hwloc machine.xml

hwloc 2.3 and newer read it: lstopo -i, HWLOC_XMLFILE, hwloc_topology_set_xml. Bandwidths of every pair of nodes are the attributes \
Bandwidth and ReadBandwidth of a memory, for the cores of the node that reads, rounded to whole MiB/s; latencies are Latency and \
ReadLatency in whole ns. Peaks and the source of the figures are texts beside the machine, which `import hwloc` reads. What is not in \
the XML is told on standard error.";

/// End of `numasim schema --help`.
pub(crate) const SCHEMA: &str = "\
Example:
  numasim schema -o numasim.schema.json
  numasim schema explore -o explore.schema.json

Editors with a TOML language server (taplo, Even Better TOML) complete and check keys with it if the \
first line of an input file is

  #:schema ./numasim.schema.json";

/// End of `numasim completions --help`.
pub(crate) const COMPLETIONS: &str = "\
Examples:
  numasim completions bash \\
      -o ~/.local/share/bash-completion/completions/numasim
  numasim completions zsh  -o ~/.zfunc/_numasim   (fpath+=~/.zfunc in ~/.zshrc)
  numasim completions fish -o ~/.config/fish/completions/numasim.fish";

/// End of `numasim man --help`.
pub(crate) const MAN: &str = "\
Examples:
  numasim man | man -l -
  numasim man explore | man -l -
  numasim man --dir ~/.local/share/man/man1";

pub(crate) const RUN: &str = "\
Each application is a process: with task_gflop or work_gflop it does that work with the kernels of `bench`, on numasim's task
runtime; with a `command` it is that program. Channels and calls are counts in shared memory. An agent of the run, or the one at
--socket, decides with the policy. The machine of the files has to be this host, or a part of it.

DIR gets timeline.csv (columns as those of `simulate --timeline`), result.json, provenance.json, agent.jsonl (for `simulate
--replay`) and app-N.out and app-N.err of programs. `simulate FILE... --compare DIR` puts the simulation beside it.

Whatever ends it (Ctrl-C, an application that fails, --until, its own end), no process is left behind.

Examples:
  numasim run machine.toml apps.toml --policy lead:2 -o run-1
  numasim run machine.toml apps.toml --no-agent -o run-2
  numasim run machine.toml apps.toml --explore -o run-3";

pub(crate) const TOP: &str = "\
It asks the agent again and again and shows its nodes, applications and last orders, at 80 columns and more. q, Esc or Ctrl-C ends it.

Threads: # runs a task, . has none, x is blocked. `order` is what was decided last, `sent/ack` its number and the last one that
the application acknowledged. GB/s are estimated from what FILE says of the work and how much of it was done, never measured;
without FILE they are not shown.

Examples:
  numasim top
  numasim top machine.toml apps.toml
  numasim top --once";
