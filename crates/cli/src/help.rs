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
  numasim evaluate study.toml --scenario even --emit slurm -o job.sh

GFLOPS and GB/s (10^9 bytes per second). Files without a [[scenario]] are an error.";

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

/// End of `numasim check --help`.
pub(crate) const CHECK: &str = "\
Examples:
  numasim check study.toml
  numasim check machine.toml apps.toml --format json

Exit code 1 if anything is wrong; the message shows file, line, column and what to write instead.";

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
