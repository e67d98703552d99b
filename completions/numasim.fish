# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_numasim_global_optspecs
    string join \n color= h/help V/version
end

function __fish_numasim_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_numasim_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_numasim_using_subcommand
    set -l cmd (__fish_numasim_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c numasim -n "__fish_numasim_needs_command" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_needs_command" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "evaluate" -d 'Compute the performance of every scenario in the files'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "explore" -d 'Find the best placement of threads on NUMA nodes'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "sweep" -d 'Evaluate or explore with varied inputs'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "simulate" -d 'Simulate applications over time, with a policy that moves cores'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "agent" -d 'Assign cores to the applications of this host'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "run" -d 'Run the applications of the files on this host, under an agent'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "top" -d 'Watch this host, or an agent, in the terminal'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "snapshot" -d 'Take a snapshot of this host as a study'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "advise" -d 'Recommend what to move on this host'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "tasks" -d 'Simulate a graph of tasks under the schedulers of task runtimes'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "profile" -d 'Time each task of a tree program with local and remote data'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "plan" -d 'Plan the placement of data and tasks from a profile'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "models" -d 'Explain the bandwidth-sharing models and their parameters'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "calibrate" -d 'Measure this host and write its machine file'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "bench" -d 'Run and measure every scenario on this host'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "validate" -d 'Check the model on this host'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "compare" -d 'Compare measured performance with the model\'s predictions'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "fit" -d 'Estimate machine parameters from measured scenarios'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "discriminate" -d 'Propose scenarios that tell the sharing models apart'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "profile-app" -d 'Describe a program as an [[app]]'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "plot" -d 'Draw a machine, a scenario or a set of placements'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "report" -d 'Write a self-contained web page on model and measurements'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "check" -d 'Validate files and show what was read'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "detect" -d 'Print the skeleton of a machine file of this host'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "import" -d 'Convert the output of other tools'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "catalog" -d 'List the built-in machines and workloads, or print one'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "init" -d 'Write a first study: a machine, applications and a scenario'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "export" -d 'Write the machine for another tool'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "schema" -d 'Print the JSON Schema of the input files or of an output'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "completions" -d 'Print a script that completes commands and switches in a shell'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "man" -d 'Print the manual page'
complete -c numasim -n "__fish_numasim_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c numasim -n "__fish_numasim_using_subcommand evaluate" -l model -d 'Bandwidth-sharing model; `all` shows every model side by side [default: the model in the machine file, else baseline-proportional]' -r -f -a "baseline-proportional\t''
remote-first\t''
max-min\t''
proportional\t''
request-fraction\t''
ecm\t''
all\t''"
complete -c numasim -n "__fish_numasim_using_subcommand evaluate" -l scenario -d 'Only the scenario with this name; may be given more than once' -r
complete -c numasim -n "__fish_numasim_using_subcommand evaluate" -l save -d 'Also write the scenarios to FILE, as [[scenario]] tables for any command, with the files of the same machine and applications' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand evaluate" -l emit -d 'A script or files that set up the placement' -r -f -a "numactl\t'Binds logical CPUs and memory of each process; sets node weights for unequal fractions'
omp\t'Pins each OpenMP thread: OMP_NUM_THREADS, OMP_PLACES, OMP_PROC_BIND'
slurm\t'A batch script: srun with --cpu-bind and --mem-bind, for each rank'
hwloc\t'Binds logical CPUs and memory of each process, with hwloc-bind'
cgroup\t'Groups of cgroup v2 with cpuset.cpus and cpuset.mems'
likwid\t'Pins each thread, with likwid-pin'
openmpi\t'Open MPI 5: a rankfile and the mpirun line'
systemd\t'systemd: a drop-in for each service'
docker\t'Docker: a compose file, and docker run lines'
libvirt\t'libvirt: a domain for each virtual machine'
kubernetes\t'Kubernetes: pods, with NRI balloons or the kubelet\'s static CPU manager'"
complete -c numasim -n "__fish_numasim_using_subcommand evaluate" -l cpus-from -d 'Logical CPU numbers for --emit' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand evaluate" -l format -d 'How to write the result' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand evaluate" -s o -l output -d 'Write the result to FILE' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand evaluate" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand evaluate" -l static-work -d 'Static scheduling: divide the work of every application equally among its threads in advance, so that its slowest thread determines the result. In a file: `static = true` in a [[scenario]]'
complete -c numasim -n "__fish_numasim_using_subcommand evaluate" -l explain -d 'Show how the model computes its results, step by step'
complete -c numasim -n "__fish_numasim_using_subcommand evaluate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand evaluate" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l model -d 'Sharing model [default: the model in the file]' -r -f -a "baseline-proportional\t''
remote-first\t''
max-min\t''
proportional\t''
request-fraction\t''
ecm\t''"
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l objective -d 'What to optimise' -r -f -a "total-gflops\t'The largest sum of weight x GFLOPS'
fair\t'The largest minimum of GFLOPS / stand-alone GFLOPS under the same constraints'
geomean\t'The largest weighted geometric mean of GFLOPS / stand-alone GFLOPS under the same constraints'
makespan\t'The shortest time until every application has done its work_gflop, in seconds'"
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l machine -d 'The machine; given twice or more, compare machines' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l pareto -d 'Trade-off between two objectives' -r
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l models -d 'Also find a placement that is good under each model' -r
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l min-threads-per-node -d 'At least N threads of each on every node' -r
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l threads -d 'Exactly N threads of APP' -r
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l threads-multiple -d 'A multiple of N threads on each node' -r
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l max-nodes -d 'Threads on at most N nodes' -r
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l threads-per-l3 -d '0 or N threads in each L3 domain' -r
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l max-l3 -d 'Threads in at most N L3 domains' -r
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l exclusive -d 'No other application on the nodes of APP' -r
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l within -d 'Largest loss allowed with --simple or --fewest-threads' -r
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l time-limit -d 'Search for at most this many seconds' -r
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l top -d 'Show up to K alternatives' -r
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l seed -d 'Seed of the random restarts' -r
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l save -d 'Also write all placements to FILE' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l plot -d 'Draw the best placement as SVG, PNG or PDF' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l emit -d 'A script or files that set up the placement' -r -f -a "numactl\t'Binds logical CPUs and memory of each process; sets node weights for unequal fractions'
omp\t'Pins each OpenMP thread: OMP_NUM_THREADS, OMP_PLACES, OMP_PROC_BIND'
slurm\t'A batch script: srun with --cpu-bind and --mem-bind, for each rank'
hwloc\t'Binds logical CPUs and memory of each process, with hwloc-bind'
cgroup\t'Groups of cgroup v2 with cpuset.cpus and cpuset.mems'
likwid\t'Pins each thread, with likwid-pin'
openmpi\t'Open MPI 5: a rankfile and the mpirun line'
systemd\t'systemd: a drop-in for each service'
docker\t'Docker: a compose file, and docker run lines'
libvirt\t'libvirt: a domain for each virtual machine'
kubernetes\t'Kubernetes: pods, with NRI balloons or the kubelet\'s static CPU manager'"
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l cpus-from -d 'Logical CPU numbers for --emit' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l format -d 'How to write the result' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand explore" -s o -l output -d 'Write the result to FILE' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l same-on-every-node -d 'Equal threads on every node'
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l whole-nodes -d 'At most one application on a node'
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l no-idle-cores -d 'Use every core'
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l whole-l3 -d 'At most one application in an L3 domain'
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l simple -d 'Also find the simplest placement that is nearly as good'
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l fewest-threads -d 'Also find the fewest threads that are as good'
complete -c numasim -n "__fish_numasim_using_subcommand explore" -l sensitivity -d 'Also report the gain from more of each resource'
complete -c numasim -n "__fish_numasim_using_subcommand explore" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand explore" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l model -d 'Sharing model [default: the model in the file]' -r -f -a "baseline-proportional\t''
remote-first\t''
max-min\t''
proportional\t''
request-fraction\t''
ecm\t''"
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l set -d 'An input and its values; several inputs form a grid, and the last one varies fastest' -r
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l scenario -d 'Evaluate only the scenario with this name; may be given more than once' -r
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l objective -d 'Objective to optimise [default: geomean]' -r -f -a "total-gflops\t'The largest sum of weight x GFLOPS'
fair\t'The largest minimum of GFLOPS / stand-alone GFLOPS under the same constraints'
geomean\t'The largest weighted geometric mean of GFLOPS / stand-alone GFLOPS under the same constraints'
makespan\t'The shortest time until every application has done its work_gflop, in seconds'"
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l min-threads-per-node -d 'Each application has at least N threads on every node that has cores' -r
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l time-limit -d 'Search at most this many seconds at each point [default: no limit]' -r
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l policy -d 'The policy that assigns threads; each of several has a row at every point [default: the policy in the files, else none]' -r
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l until -d 'Stop each simulation after SECONDS of simulated time [default: when every application is finished]' -r
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l seed -d 'Seed of the random restarts, or of the random draws of a simulation; the same seed gives the same answers [default: 0, with --simulate 1]' -r
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l shard -d 'Compute the I-th of N equal parts of the points, I from 1; part 1 has the header' -r
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l threads -d 'Worker threads of numasim itself [default: one per core of this host]' -r
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l submit -d 'Write the sweep into --folder as a job array, and submit it; prints the number of the job' -r -f -a "slurm\t'A job array of Slurm'"
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l folder -d 'The folder of --submit, new or empty' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l shards -d 'Number of shards into which the points are divided; each is a task with --threads worker threads [default: 16]' -r
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l sbatch-option -d 'An option for sbatch, e.g. --sbatch-option=--partition=long; may be given more than once' -r
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l resubmit -d 'Submit the missing shards in the folder of a --submit again: those that failed, were killed or never ran' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l collect -d 'Join the shards in the folder of a --submit once all are finished; byte for byte the output of a single run' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l plot -d 'Draw one axis as lines, two as a heat map, as SVG, PNG or PDF' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l format -d 'How to write the result' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -s o -l output -d 'Write the result to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l explore -d 'Search for the best placement at every point, instead of evaluating the scenarios'
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l same-on-every-node -d 'Each application has the same number of threads on every node that has cores'
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l whole-nodes -d 'At most one application has threads on a node'
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l no-idle-cores -d 'Every core is used'
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l simulate -d 'Simulate what happens over time at every point, instead of evaluating the scenarios'
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l resume -d 'Resume from FILE.partial, left by an interrupted sweep with `-o FILE`; start from the beginning if there is none'
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -l dry-run -d 'Submit nothing: with --submit, write the folder and print the command that would submit'
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand sweep" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand simulate" -l policy -d 'The policy that assigns threads; several are compared, with ratios to the first [default: the policy in the files, else none]' -r
complete -c numasim -n "__fish_numasim_using_subcommand simulate" -l model -d 'Sharing model [default: the model in the file]' -r -f -a "baseline-proportional\t''
remote-first\t''
max-min\t''
proportional\t''
request-fraction\t''
ecm\t''"
complete -c numasim -n "__fish_numasim_using_subcommand simulate" -l until -d 'Stop the simulation after SECONDS of simulated time [default: when every application is finished]' -r
complete -c numasim -n "__fish_numasim_using_subcommand simulate" -l seed -d 'Seed of the random draws (task_spread, task_jitter, wake); the same seed gives the same result' -r
complete -c numasim -n "__fish_numasim_using_subcommand simulate" -l runs -d 'Simulate with N seeds, from --seed on, and show mean and spread (standard deviation / mean)' -r
complete -c numasim -n "__fish_numasim_using_subcommand simulate" -l compare -d 'Compare the simulation with the run that `numasim run` wrote to DIR, with errors; its policy is the default. With --plot, both are in one plot. One policy and one run' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand simulate" -l timeline -d 'Write what every application does over time to FILE, as CSV; one policy and one run' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand simulate" -l plot -d 'Draw the cores of each application over time, a strip for each node, and the items in channels below, as SVG, PNG or PDF; with --compare, the run above the simulation, with threads, commands, progress and errors. One policy and one run' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand simulate" -l trace -d 'Write what the policy saw and decided to FILE, as JSON lines; one policy and one run' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand simulate" -l replay -d 'Ask the policy again for every decision in FILE, from --trace or from an agent, and compare: exit code 1 if one differs' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand simulate" -l format -d 'How to write the result' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand simulate" -s o -l output -d 'Write the result to FILE' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand simulate" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand simulate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand simulate" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand agent; and not __fish_seen_subcommand_from status stop" -l policy -d 'The policy that assigns threads [default: the policy in the files, else fair-share]' -r
complete -c numasim -n "__fish_numasim_using_subcommand agent; and not __fish_seen_subcommand_from status stop" -l period-ms -d 'Time between two decisions, 1 to 60000; 0: whenever something changes [default: that of [policy] in the files, else 80]' -r
complete -c numasim -n "__fish_numasim_using_subcommand agent; and not __fish_seen_subcommand_from status stop" -l socket -d 'Where applications connect [default: NUMASIM_AGENT, else $XDG_RUNTIME_DIR/numasim/agent.sock, else numasim-UID/agent.sock in the system\'s folder for temporary files]' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand agent; and not __fish_seen_subcommand_from status stop" -l record -d 'Write what the policy sees and decides to FILE, as JSON lines, for `simulate --replay`; an existing FILE is rejected' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand agent; and not __fish_seen_subcommand_from status stop" -l adopt -d 'Control a process without agent support: move its threads by their affinity, or move all processes in a control group (a folder of cgroup v2) by its cpuset if that is writable; may be given several times' -r
complete -c numasim -n "__fish_numasim_using_subcommand agent; and not __fish_seen_subcommand_from status stop" -l adopt-started -d 'As --adopt, from when the process has become another program; for `numasim run`' -r
complete -c numasim -n "__fish_numasim_using_subcommand agent; and not __fish_seen_subcommand_from status stop" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand agent; and not __fish_seen_subcommand_from status stop" -l record-only -d 'Write the start of the record and exit: applications with NUMASIM_RECORD=FILE take turns as the agent'
complete -c numasim -n "__fish_numasim_using_subcommand agent; and not __fish_seen_subcommand_from status stop" -l dry-run -d 'Decide and record, but send no commands'
complete -c numasim -n "__fish_numasim_using_subcommand agent; and not __fish_seen_subcommand_from status stop" -l this-host -d 'Take the [machine] of the files for this host, or for its first nodes and cores: for --adopt, and for the load in `agent status`'
complete -c numasim -n "__fish_numasim_using_subcommand agent; and not __fish_seen_subcommand_from status stop" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand agent; and not __fish_seen_subcommand_from status stop" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand agent; and not __fish_seen_subcommand_from status stop" -a "status" -d 'Show the state and the decisions of an agent'
complete -c numasim -n "__fish_numasim_using_subcommand agent; and not __fish_seen_subcommand_from status stop" -a "stop" -d 'Stop an agent, and wait until it has exited'
complete -c numasim -n "__fish_numasim_using_subcommand agent; and __fish_seen_subcommand_from status" -l socket -d 'Path of its socket [default: as for numasim agent]' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand agent; and __fish_seen_subcommand_from status" -l format -d 'Output format' -r -f -a "table\t'For people'
json\t'For programs; one object'"
complete -c numasim -n "__fish_numasim_using_subcommand agent; and __fish_seen_subcommand_from status" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand agent; and __fish_seen_subcommand_from status" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand agent; and __fish_seen_subcommand_from status" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand agent; and __fish_seen_subcommand_from stop" -l socket -d 'Path of its socket [default: as for numasim agent]' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand agent; and __fish_seen_subcommand_from stop" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand agent; and __fish_seen_subcommand_from stop" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand agent; and __fish_seen_subcommand_from stop" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand run" -l policy -d 'The policy that assigns threads [default: the policy in the files, else fair-share]' -r
complete -c numasim -n "__fish_numasim_using_subcommand run" -l socket -d 'Use the agent that listens at PATH, and its policy [default: a separate agent for this run]' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand run" -l agent-library -d 'The library that is preloaded into each `command` with control "total" or "per-node", so that its OpenMP and oneTBB follow the agent [default: libnumasim_agent.so next to numasim, else in ../lib/numasim]' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand run" -l until -d 'Stop after SECONDS [default: when every application is finished]' -r
complete -c numasim -n "__fish_numasim_using_subcommand run" -l seed -d 'Seed of the work of tasks with a task_spread: the same tasks as those of `simulate` with this seed' -r
complete -c numasim -n "__fish_numasim_using_subcommand run" -l sample-ms -d 'Time between two rows of the timeline, in milliseconds' -r
complete -c numasim -n "__fish_numasim_using_subcommand run" -l isa -d 'Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]' -r
complete -c numasim -n "__fish_numasim_using_subcommand run" -l memory-per-thread -d 'Size of each thread\'s data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]' -r
complete -c numasim -n "__fish_numasim_using_subcommand run" -s o -l output -d 'Write everything into this new folder' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand run" -l format -d 'Format of the summary on standard output' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand run" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand run" -l explore -d 'Choose the placement with the largest total GFLOPS first, as `explore` does, and apply it: policy static'
complete -c numasim -n "__fish_numasim_using_subcommand run" -l no-agent -d 'Run without an agent: all threads run'
complete -c numasim -n "__fish_numasim_using_subcommand run" -l agent-in-apps -d 'Run without a separate agent: one application serves, and when it ends or is killed the next one takes over'
complete -c numasim -n "__fish_numasim_using_subcommand run" -l real-items -d 'Take memory of item_mb for each item of a channel, from when it is produced until it is finished'
complete -c numasim -n "__fish_numasim_using_subcommand run" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand run" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand top" -l socket -d 'Path of the agent\'s socket [default: NUMASIM_AGENT, else the agent\'s own default]' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand top" -l machine -d 'Measured machine file of this host [default: the topology in /sys, with assumed bandwidths and peaks]' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand top" -l root -d 'Read a recorded host instead of this one: a folder with `proc` and `sys`' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand top" -l select -d 'Only this application; may be given more than once' -r
complete -c numasim -n "__fish_numasim_using_subcommand top" -l interval-ms -d 'Time between two updates, in milliseconds' -r
complete -c numasim -n "__fish_numasim_using_subcommand top" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand top" -l once -d 'Print one frame as plain text and exit'
complete -c numasim -n "__fish_numasim_using_subcommand top" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand top" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand snapshot" -l machine -d 'Measured machine file of this host [default: the topology in /sys, with assumed bandwidths and peaks]' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand snapshot" -l root -d 'Read a recorded host instead of this one: a folder with `proc` and `sys`' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand snapshot" -l select -d 'Only this application; may be given more than once' -r
complete -c numasim -n "__fish_numasim_using_subcommand snapshot" -l seconds -d 'Time between the two instants' -r
complete -c numasim -n "__fish_numasim_using_subcommand snapshot" -l format -d 'How to write the result' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand snapshot" -s o -l output -d 'Write the result to FILE' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand snapshot" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand snapshot" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand snapshot" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand advise" -l machine -d 'Measured machine file of this host [default: the topology in /sys, with assumed bandwidths and peaks]' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand advise" -l root -d 'Read a recorded host instead of this one: a folder with `proc` and `sys`' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand advise" -l select -d 'Only this application; may be given more than once' -r
complete -c numasim -n "__fish_numasim_using_subcommand advise" -l seconds -d 'Time between the two instants' -r
complete -c numasim -n "__fish_numasim_using_subcommand advise" -l objective -d 'What to optimise' -r -f -a "geomean\t''
fair\t''"
complete -c numasim -n "__fish_numasim_using_subcommand advise" -l format -d 'How to write the result' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand advise" -s o -l output -d 'Write the result to FILE' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand advise" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand advise" -l emit -d 'Write the moves as a shell script'
complete -c numasim -n "__fish_numasim_using_subcommand advise" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand advise" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l graph -d 'Read the graph from blocks.csv and tasks.csv in DIR' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l scheduler -d 'The scheduler that chooses where each task runs; several are compared, with speedups over the first [default: the scheduler in the files, else fifo]' -r -f -a "fifo\t''
sa\t''
dep\t''
rip-dep\t''
rip-sp\t''
rip-mw\t''
random-steal\t''
heft\t''
tracked\t''
tbb\t''
tbb-numa\t''
hint\t''
plan\t''
arena-per-node\t''
taskloop-affinity\t''
static\t''"
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l plan -d 'Read plan-tree.csv and plan-dbs.csv in PLAN, for the scheduler plan' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l placement -d 'Data placement of the blocks, page by page' -r -f -a "first-touch\t''
interleave\t''
master\t''
numa\t''
nadd\t''"
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l scenario -d 'A scheduler with a data placement from paper 003, instead of both; several are compared, with speedups over the first' -r -f -a "noap-ft\t''
noap-intl\t''
ap-intl\t''
nacs-intl\t''
nacs-nadd\t''"
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l model -d 'Sharing model [default: the model in the file]' -r -f -a "baseline-proportional\t''
remote-first\t''
max-min\t''
proportional\t''
request-fraction\t''
ecm\t''"
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l runs -d 'Simulate with N seeds, from --seed on, and show mean and spread (standard deviation / mean)' -r
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l seed -d 'Seed of all random numbers; the same seed gives the same result [default: the seed in [runtime] in the files, else 1]' -r
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l metg -d 'Task Bench: also find the smallest task granularity at which the cores reach SHARE of their peak' -r
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l trace -d 'Write when and where each task ran to FILE. The extension selects the format: .csv, .json for Perfetto and chrome://tracing, .rec for a tasks.rec as StarPU writes it, or .paje (.trace) for the Paje format; the last two need one scheduler and one run. With --real it covers the last run on this host' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l gantt -d 'Draw the workers over time, nodes as bands and kinds of tasks as colours, as SVG, PNG or PDF; one scheduler and one run' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l emit-graph -d 'Write the graph to blocks.csv, tasks.csv and edges.csv in DIR' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l format -d 'How to write the result' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -s o -l output -d 'Write the result to FILE' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l steal -d 'Idle workers steal from other sockets, the nearest first'
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -l real -d 'Also run the graph on this host, with real kernels on bound threads, and compare with the simulation: for the generators cholesky, qr, gauss-seidel, red-black, jacobi and stencil2d, with results checked against a serial run. If an agent is running (NUMASIM_AGENT), the run follows its commands'
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand tasks" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand profile" -l graph -d 'Read the graph from blocks.csv and tasks.csv in DIR' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand profile" -l model -d 'Sharing model [default: the model in the file]' -r -f -a "baseline-proportional\t''
remote-first\t''
max-min\t''
proportional\t''
request-fraction\t''
ecm\t''"
complete -c numasim -n "__fish_numasim_using_subcommand profile" -s o -l output -d 'Write the files ptrace-*.csv to DIR' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand profile" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand profile" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand profile" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand plan" -l pattern -d 'For a profile: how blocks are distributed over nodes: consecutive ones together, round-robin, or as the programmer specified [default: block]' -r -f -a "block\t''
cyclic\t''
hints\t''"
complete -c numasim -n "__fish_numasim_using_subcommand plan" -l graph -d 'Plan the graph in blocks.csv and tasks.csv in DIR, for the machine in the files' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand plan" -l model -d 'For a graph: bandwidth-sharing model [default: the model in the machine file, else baseline-proportional]' -r -f -a "baseline-proportional\t''
remote-first\t''
max-min\t''
proportional\t''
request-fraction\t''
ecm\t''"
complete -c numasim -n "__fish_numasim_using_subcommand plan" -s o -l output -d 'Write the plan to PLAN: plan.toml with plan-dbs.csv and plan-tree.csv, or for a graph with blocks.csv, tasks.csv and edges.csv' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand plan" -l format -d 'Format of the summary on standard output' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand plan" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand plan" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand plan" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand models" -l format -d 'How to write the result' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand models" -s o -l output -d 'Write the result to FILE' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand models" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand models" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand models" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -l rounds -d 'Measure every step N times' -r
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -l window -d 'Length of the measuring window' -r
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -l warm-up -d 'Time from the common start of all threads to the measuring window' -r
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -l isa -d 'Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]' -r
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -l memory-per-thread -d 'Size of each thread\'s data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]' -r
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -l name -d 'Name of the machine [default: the name of this host]' -r
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -l format -d 'How to write the result' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -s o -l output -d 'Write the result to FILE' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -l quick -d 'Under a minute on a few cores: 3 rounds of 0.2 s, few thread counts'
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -l reads-only -d 'Measure only reads, not copies, triads and updates'
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -l smt -d 'Measure the gain from the second hardware thread of each core (smt_speedup of applications)'
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -l usual-kernels -d 'Measure with the default kernels, instead of trying access variants first'
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -l dry-run -d 'Print the planned measurements and their duration, without measuring'
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand calibrate" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand bench" -l scenario -d 'Only the scenario with this name; may be given more than once' -r
complete -c numasim -n "__fish_numasim_using_subcommand bench" -l repeat -d 'Measure each scenario N times, interleaved with the others' -r
complete -c numasim -n "__fish_numasim_using_subcommand bench" -l window -d 'Length of the measuring window' -r
complete -c numasim -n "__fish_numasim_using_subcommand bench" -l warm-up -d 'Time from the common start of all threads to the measuring window' -r
complete -c numasim -n "__fish_numasim_using_subcommand bench" -l isa -d 'Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]' -r
complete -c numasim -n "__fish_numasim_using_subcommand bench" -l memory-per-thread -d 'Size of each thread\'s data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]' -r
complete -c numasim -n "__fish_numasim_using_subcommand bench" -l bind -d 'Bind each thread to this' -r -f -a "core\t'Its own core'
node\t'All cores of its node'
none\t'Nothing: the operating system moves threads among all cores'"
complete -c numasim -n "__fish_numasim_using_subcommand bench" -l host-machine -d 'Machine file of this host: its values are written to RESULT.study.toml' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand bench" -s o -l output -d 'Write the measurements to this new file [default: bench-HOST-TIME.csv]' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand bench" -l format -d 'Format of the summary (or the plan) on standard output' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand bench" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand bench" -l processes -d 'Each application is a separate process, not a group of threads in one process'
complete -c numasim -n "__fish_numasim_using_subcommand bench" -l fit-host -d 'Scale scenarios that do not fit this host: nodes, threads and data placement'
complete -c numasim -n "__fish_numasim_using_subcommand bench" -l dry-run -d 'Print what would run where, and every warning, without measuring'
complete -c numasim -n "__fish_numasim_using_subcommand bench" -l resume -d 'Resume the run that wrote RESULT.csv; start one if there is none'
complete -c numasim -n "__fish_numasim_using_subcommand bench" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand bench" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand validate" -s o -l output -d 'Folder for all measurements and results; it is created' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand validate" -l bundle -d 'Pack the result into FILE.tar.zst to send it: machine, raw rows, provenance, page, without the name of the host; with --resume, a finished folder is packed and nothing is measured' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand validate" -l repeat -d 'Measure each scenario N times' -r
complete -c numasim -n "__fish_numasim_using_subcommand validate" -l window -d 'Length of the measuring window' -r
complete -c numasim -n "__fish_numasim_using_subcommand validate" -l memory-per-thread -d 'Size of each thread\'s data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]' -r
complete -c numasim -n "__fish_numasim_using_subcommand validate" -l isa -d 'Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]' -r
complete -c numasim -n "__fish_numasim_using_subcommand validate" -l model -d 'Sharing model [default: the model in the file]' -r -f -a "baseline-proportional\t''
remote-first\t''
max-min\t''
proportional\t''
request-fraction\t''
ecm\t''"
complete -c numasim -n "__fish_numasim_using_subcommand validate" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand validate" -l resume -d 'Resume in a folder that an earlier run started'
complete -c numasim -n "__fish_numasim_using_subcommand validate" -l one-process -d 'All applications are threads of one process [default: each is a separate process]'
complete -c numasim -n "__fish_numasim_using_subcommand validate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand validate" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand compare" -l model -d 'Sharing model [default: the model in the file]' -r -f -a "baseline-proportional\t''
remote-first\t''
max-min\t''
proportional\t''
request-fraction\t''
ecm\t''"
complete -c numasim -n "__fish_numasim_using_subcommand compare" -l measured -d 'Measurements: the CSV of `numasim bench`, or one with the columns scenario,app,gflops' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand compare" -l scenario -d 'Only the scenario with this name; may be given more than once' -r
complete -c numasim -n "__fish_numasim_using_subcommand compare" -l format -d 'How to write the result' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand compare" -s o -l output -d 'Write the result to FILE' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand compare" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand compare" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand fit" -l model -d 'Sharing model [default: the model in the file]' -r -f -a "baseline-proportional\t''
remote-first\t''
max-min\t''
proportional\t''
request-fraction\t''
ecm\t''"
complete -c numasim -n "__fish_numasim_using_subcommand fit" -l measured -d 'Measurements: the CSV of `numasim bench`, or one with the columns scenario,app,gflops' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand fit" -l free -d 'Machine parameters to estimate, separated by commas; may be given more than once' -r
complete -c numasim -n "__fish_numasim_using_subcommand fit" -l scenario -d 'Fit only to the scenario with this name, and predict the other measured ones; may be given more than once' -r
complete -c numasim -n "__fish_numasim_using_subcommand fit" -l emit-machine -d 'Also write a machine file with the fitted values, whole or not at all' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand fit" -l format -d 'How to write the result' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand fit" -s o -l output -d 'Write the result to FILE' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand fit" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand fit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand fit" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand discriminate" -l most -d 'Propose at most N scenarios' -r
complete -c numasim -n "__fish_numasim_using_subcommand discriminate" -l emit-scenarios -d 'Also write the applications and scenarios to FILE, for bench and compare' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand discriminate" -l format -d 'How to write the result' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand discriminate" -s o -l output -d 'Write the result to FILE' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand discriminate" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand discriminate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand discriminate" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -l app -d 'The application in the CSV, if it contains several' -r
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -l perf -d 'Output of `perf stat`: with -x, (CSV), with -j (JSON), or as it is printed; one file for each run' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -l likwid -d 'Output of `likwid-perfctr`, groups such as MEM_DP, or FLOPS_DP and MEM, with or without -O; one file for each run' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -l region -d 'The region of likwid-perfctr -m, if the program marks several' -r
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -l threads -d 'Threads of each run of --perf, in the order of its files: 1,2,4' -r
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -l nodes -d 'Number of NUMA nodes with threads in each run of --perf, in the order of its files: 1,2,4; with equal threads on each node they show the loss on several nodes' -r
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -l arithmetic-intensity -d 'FLOP per byte, if no counter provides them' -r
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -l work -d 'Number of requests, rows or tokens that each measured run served; the file gets their number per GB (`rate`) instead of an arithmetic intensity' -r
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -l unit -d 'The unit of --work, such as queries' -r
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -l pid -d 'A running process of this host: its pages and its threads (Linux)' -r
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -l numa-maps -d 'A copy of /proc/PID/numa_maps; two copies, with threads on different nodes, distinguish local data from data with a home node' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -l threads-per-node -d 'Threads of each NUMA node while --numa-maps was copied: 8,0; given once for each of its files, in their order' -r
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -l machine -d 'The machine on which it ran: the number of nodes, and their numbers in the operating system' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -l name -d 'The name of the application in the new file [default: from the CSV, the process or the file]' -r
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand profile-app" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand plot" -l model -d 'Sharing model [default: the model in the file]' -r -f -a "baseline-proportional\t''
remote-first\t''
max-min\t''
proportional\t''
request-fraction\t''
ecm\t''"
complete -c numasim -n "__fish_numasim_using_subcommand plot" -l scenario -d 'The scenario: drawn by threads; performance of the applications in roofline; data placement in allocations; the only one in bars and scatter' -r
complete -c numasim -n "__fish_numasim_using_subcommand plot" -l measured -d 'Measurements for bars and scatter: the CSV of `numasim bench`, or one with scenario,app,gflops' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand plot" -l x -d 'The application on the horizontal axis, in threads per node [default: the first]' -r
complete -c numasim -n "__fish_numasim_using_subcommand plot" -l y -d 'The application on the vertical axis, in threads per node [default: the next]' -r
complete -c numasim -n "__fish_numasim_using_subcommand plot" -l rest -d 'The application that gets the remaining cores [default: none, they stay idle]' -r
complete -c numasim -n "__fish_numasim_using_subcommand plot" -l objective -d 'Objective shown as colour [default: geomean]' -r -f -a "total-gflops\t'The largest sum of weight x GFLOPS'
fair\t'The largest minimum of GFLOPS / stand-alone GFLOPS under the same constraints'
geomean\t'The largest weighted geometric mean of GFLOPS / stand-alone GFLOPS under the same constraints'
makespan\t'The shortest time until every application has done its work_gflop, in seconds'"
complete -c numasim -n "__fish_numasim_using_subcommand plot" -l theme -d 'Colours of the paper: light, dark, or auto, which follows the reader\'s browser (SVG only)' -r -f -a "light\t'Dark ink on white'
dark\t'Light ink on a dark page'
auto\t'As the reader\'s browser prefers'"
complete -c numasim -n "__fish_numasim_using_subcommand plot" -l width -d 'Width of the plot in pixels, 200 to 4000; its height and its text scale in proportion [default: 900, more for large machines]' -r
complete -c numasim -n "__fish_numasim_using_subcommand plot" -l font-size -d 'Size of the labels in points, 4 to 40, for papers; the plot becomes as wide as that needs [default: 8.5]' -r
complete -c numasim -n "__fish_numasim_using_subcommand plot" -s o -l output -d 'Write to FILE.svg, FILE.png or FILE.pdf, whole or not at all, instead of SVG to standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand plot" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand plot" -l static-work -d 'Static scheduling: divide the work of every application equally among its threads in advance, so that its slowest thread determines the result [default: as in --scenario]'
complete -c numasim -n "__fish_numasim_using_subcommand plot" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand plot" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand report" -l measured -d 'Measurements: the CSV of `numasim bench`, or one with the columns scenario,app,gflops [default: the CSV of the folder]' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand report" -l model -d 'Sharing model [default: the model in the file]' -r -f -a "baseline-proportional\t''
remote-first\t''
max-min\t''
proportional\t''
request-fraction\t''
ecm\t''"
complete -c numasim -n "__fish_numasim_using_subcommand report" -l policy -d 'Policies that assign threads over time, if every application defines its work; several are compared [default: none, static-even, fair-share, and the policy in the files]' -r
complete -c numasim -n "__fish_numasim_using_subcommand report" -l scheduler -d 'Schedulers for a graph of tasks in the files; several are compared [default: fifo, sa if every task has a socket, dep, rip-dep, and the scheduler in the files]' -r -f -a "fifo\t''
sa\t''
dep\t''
rip-dep\t''
rip-sp\t''
rip-mw\t''
random-steal\t''
heft\t''
tracked\t''
tbb\t''
tbb-numa\t''
hint\t''
plan\t''
arena-per-node\t''
taskloop-affinity\t''
static\t''"
complete -c numasim -n "__fish_numasim_using_subcommand report" -l until -d 'Stop the simulations after SECONDS of simulated time [default: when every application is finished]' -r
complete -c numasim -n "__fish_numasim_using_subcommand report" -l objective -d 'Objective of the search, if there are no measurements [default: geomean]; with it, the search also covers applications that run over time' -r -f -a "total-gflops\t'The largest sum of weight x GFLOPS'
fair\t'The largest minimum of GFLOPS / stand-alone GFLOPS under the same constraints'
geomean\t'The largest weighted geometric mean of GFLOPS / stand-alone GFLOPS under the same constraints'
makespan\t'The shortest time until every application has done its work_gflop, in seconds'"
complete -c numasim -n "__fish_numasim_using_subcommand report" -l time-limit -d 'Search for at most this many seconds' -r
complete -c numasim -n "__fish_numasim_using_subcommand report" -l title -d 'The title of the page [default: the name of the machine]' -r
complete -c numasim -n "__fish_numasim_using_subcommand report" -l interactive -d 'Embed the what-if page, with these files in it: sliders for threads and bandwidths, and the search, computed by the browser; adds about 3 MB [default: numasim.html next to the program, which bindings/web/build makes]' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand report" -s o -l output -d 'Write the page to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand report" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand report" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand check" -l format -d 'How to write the result' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand check" -s o -l output -d 'Write the result to FILE' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand check" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand check" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand check" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand detect" -l from-xml -d 'Describe the machine on which `lstopo --of xml FILE` was run, instead of this host' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand detect" -l from-synthetic -d 'Describe a synthetic machine in hwloc\'s notation: "node:4 core:20 pu:1"' -r
complete -c numasim -n "__fish_numasim_using_subcommand detect" -l format -d 'How to write the result' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand detect" -s o -l output -d 'Write the result to FILE' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand detect" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand detect" -l smt -d 'Count each hardware thread (SMT) as a core, instead of each physical core'
complete -c numasim -n "__fish_numasim_using_subcommand detect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand detect" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "mlc" -d 'Intel Memory Latency Checker, --bandwidth_matrix or --latency_matrix: a machine file'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "hwloc" -d 'hwloc, lstopo --of xml: the skeleton of a machine file, or a complete one if numasim exported it'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "numactl" -d 'numactl --hardware: the skeleton of a machine file, with memory and distances'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "lscpu" -d 'lscpu, as text, -J, -e or -p: the skeleton of a machine file, with cores and caches'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "likwid-topology" -d 'likwid-topology, as text, -c or -O: the skeleton of a machine file'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "perf" -d 'perf stat, one file for each run: an application, as `profile-app --perf` writes it'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "likwid-perfctr" -d 'likwid-perfctr, one file for each run: an application, as `profile-app --likwid` writes it'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "likwid" -d 'likwid-bench, one run or a sweep: a CSV of bandwidth over threads'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "stream" -d 'STREAM or BabelStream: a CSV of bandwidth by kernel'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "libvirt" -d 'virsh dumpxml, domains of libvirt: applications and a scenario'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "docker" -d 'docker inspect, containers: applications and a scenario'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "kubernetes" -d 'Kubernetes, pods and the NRI balloons that place them: applications and a scenario'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "rankfile" -d 'A rankfile of Open MPI 5 with its mpirun line: applications and a scenario'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "wfcommons" -d 'WfCommons, a workflow in WfFormat 1.5 or 1.6: a graph of tasks'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "dot" -d 'DOT, a digraph with work and bytes as attributes: a graph of tasks'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "starpu" -d 'StarPU, the tasks.rec of a run: a graph of tasks'
complete -c numasim -n "__fish_numasim_using_subcommand import; and not __fish_seen_subcommand_from mlc hwloc numactl lscpu likwid-topology perf likwid-perfctr likwid stream libvirt docker kubernetes rankfile wfcommons dot starpu help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from mlc" -l name -d 'The name of the machine [default: the name of the table or of the file]' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from mlc" -l cores-per-node -d 'Physical cores of each node, which the matrix does not contain' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from mlc" -l gflops-per-core -d 'Peak of one core in GFLOPS, which the matrix does not contain' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from mlc" -l select -d 'Only the table whose name contains this, in a CSV with a column `file`' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from mlc" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from mlc" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from mlc" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from mlc" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from hwloc" -l name -d 'The name of the machine [default: the name of the file]' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from hwloc" -l gflops-per-core -d 'Peak of one core in GFLOPS' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from hwloc" -l bandwidth-gbs -d 'Bandwidth of the memory of a node for local cores, in GB/s' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from hwloc" -l link-gbs -d 'Bandwidth between the cores of a node and the memory of another node, in GB/s' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from hwloc" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from hwloc" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from hwloc" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from hwloc" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from numactl" -l lscpu -d 'Output of lscpu on the same machine, in any of its forms: cores, sockets and caches, which numactl does not report' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from numactl" -l threads-per-core -d 'Hardware threads of each core: N logical CPUs count as one core' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from numactl" -l name -d 'The name of the machine [default: the name of the file]' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from numactl" -l gflops-per-core -d 'Peak of one core in GFLOPS' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from numactl" -l bandwidth-gbs -d 'Bandwidth of the memory of a node for local cores, in GB/s' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from numactl" -l link-gbs -d 'Bandwidth between the cores of a node and the memory of another node, in GB/s' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from numactl" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from numactl" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from numactl" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from numactl" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from lscpu" -l name -d 'The name of the machine [default: the name of the file]' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from lscpu" -l gflops-per-core -d 'Peak of one core in GFLOPS' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from lscpu" -l bandwidth-gbs -d 'Bandwidth of the memory of a node for local cores, in GB/s' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from lscpu" -l link-gbs -d 'Bandwidth between the cores of a node and the memory of another node, in GB/s' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from lscpu" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from lscpu" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from lscpu" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from lscpu" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid-topology" -l name -d 'The name of the machine [default: the name of the file]' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid-topology" -l gflops-per-core -d 'Peak of one core in GFLOPS' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid-topology" -l bandwidth-gbs -d 'Bandwidth of the memory of a node for local cores, in GB/s' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid-topology" -l link-gbs -d 'Bandwidth between the cores of a node and the memory of another node, in GB/s' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid-topology" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid-topology" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid-topology" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid-topology" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from perf" -l threads -d 'Threads of each run, in the order of the files: 1,2,4' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from perf" -l arithmetic-intensity -d 'FLOP per byte, if no counter provides them' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from perf" -l name -d 'The name of the application in the new file [default: from the first file]' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from perf" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from perf" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from perf" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from perf" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid-perfctr" -l region -d 'The region of likwid-perfctr -m, if the program marks several' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid-perfctr" -l arithmetic-intensity -d 'FLOP per byte, if no counter provides them' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid-perfctr" -l name -d 'The name of the application in the new file [default: from the first file]' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid-perfctr" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid-perfctr" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid-perfctr" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid-perfctr" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid" -l select -d 'Only machines whose name contains this, in a CSV with a column `machine_file`' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from likwid" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from stream" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from stream" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from stream" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from stream" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from libvirt" -l study -d 'The machine, with the logical CPUs of each node (`cpus`); may be repeated' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from libvirt" -l cpus-from -d 'Logical CPU numbers' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from libvirt" -l scenario -d 'The name of the scenario' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from libvirt" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from libvirt" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from libvirt" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from libvirt" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from docker" -l study -d 'The machine, with the logical CPUs of each node (`cpus`); may be repeated' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from docker" -l cpus-from -d 'Logical CPU numbers' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from docker" -l scenario -d 'The name of the scenario' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from docker" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from docker" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from docker" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from docker" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from kubernetes" -l study -d 'The machine, with the logical CPUs of each node (`cpus`); may be repeated' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from kubernetes" -l cpus-from -d 'Logical CPU numbers' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from kubernetes" -l scenario -d 'The name of the scenario' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from kubernetes" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from kubernetes" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from kubernetes" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from kubernetes" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from rankfile" -l run -d 'A script with the mpirun command line: programs, their numbers of ranks, numactl' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from rankfile" -l study -d 'The machine, with the logical CPUs of each node (`cpus`); may be repeated' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from rankfile" -l cpus-from -d 'Logical CPU numbers' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from rankfile" -l scenario -d 'The name of the scenario' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from rankfile" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from rankfile" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from rankfile" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from rankfile" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from wfcommons" -l reference-gflops -d 'GFLOPS of a core of the measured machine, which the file does not contain: work is runtimeInSeconds x avgCPU / 100 x GFLOPS' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from wfcommons" -s o -l output -d 'Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from wfcommons" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from wfcommons" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from wfcommons" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from dot" -l default-gflop -d 'Work of nodes without `flop`, in GFLOP (10^9 FLOP); drawings of graphs contain no work' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from dot" -s o -l output -d 'Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from dot" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from dot" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from dot" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from starpu" -l reference-gflops -d 'GFLOPS of a core of the measured machine, for tasks without GFlop: their work is EndTime - StartTime x GFLOPS' -r
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from starpu" -s o -l output -d 'Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from starpu" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from starpu" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from starpu" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "mlc" -d 'Intel Memory Latency Checker, --bandwidth_matrix or --latency_matrix: a machine file'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "hwloc" -d 'hwloc, lstopo --of xml: the skeleton of a machine file, or a complete one if numasim exported it'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "numactl" -d 'numactl --hardware: the skeleton of a machine file, with memory and distances'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "lscpu" -d 'lscpu, as text, -J, -e or -p: the skeleton of a machine file, with cores and caches'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "likwid-topology" -d 'likwid-topology, as text, -c or -O: the skeleton of a machine file'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "perf" -d 'perf stat, one file for each run: an application, as `profile-app --perf` writes it'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "likwid-perfctr" -d 'likwid-perfctr, one file for each run: an application, as `profile-app --likwid` writes it'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "likwid" -d 'likwid-bench, one run or a sweep: a CSV of bandwidth over threads'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "stream" -d 'STREAM or BabelStream: a CSV of bandwidth by kernel'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "libvirt" -d 'virsh dumpxml, domains of libvirt: applications and a scenario'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "docker" -d 'docker inspect, containers: applications and a scenario'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "kubernetes" -d 'Kubernetes, pods and the NRI balloons that place them: applications and a scenario'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "rankfile" -d 'A rankfile of Open MPI 5 with its mpirun line: applications and a scenario'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "wfcommons" -d 'WfCommons, a workflow in WfFormat 1.5 or 1.6: a graph of tasks'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "dot" -d 'DOT, a digraph with work and bytes as attributes: a graph of tasks'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "starpu" -d 'StarPU, the tasks.rec of a run: a graph of tasks'
complete -c numasim -n "__fish_numasim_using_subcommand import; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c numasim -n "__fish_numasim_using_subcommand catalog" -l format -d 'How to write the result' -r -f -a "table\t'For people'
json\t'For programs; one object'
csv\t'For spreadsheets; one header line'
markdown\t'For issues and papers; tables of GitHub-flavoured Markdown'"
complete -c numasim -n "__fish_numasim_using_subcommand catalog" -s o -l output -d 'Write the result to FILE' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand catalog" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand catalog" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand catalog" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand init" -s o -l output -d 'Write the study to FILE; - is standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand init" -l machine -d 'The machine: a file of the catalogue (@epyc-7501-2s) or on disk' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand init" -l app -d 'An application: NAME=INTENSITY in FLOP per byte, NAME=TEMPLATE, or TEMPLATE alone; a template is an application of a workload of the catalogue (triad, spmv, dgemm, scan, ...). May be given more than once' -r
complete -c numasim -n "__fish_numasim_using_subcommand init" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand init" -l from-host -d 'The machine: this host, its nodes, cores and memory. Values that cannot be read are assumed, with instructions for measuring them'
complete -c numasim -n "__fish_numasim_using_subcommand init" -l force -d 'Replace an existing file'
complete -c numasim -n "__fish_numasim_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand init" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand export; and not __fish_seen_subcommand_from hwloc help" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand export; and not __fish_seen_subcommand_from hwloc help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand export; and not __fish_seen_subcommand_from hwloc help" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand export; and not __fish_seen_subcommand_from hwloc help" -f -a "hwloc" -d 'XML that hwloc reads: nodes and cores, with bandwidths and latencies as memory attributes'
complete -c numasim -n "__fish_numasim_using_subcommand export; and not __fish_seen_subcommand_from hwloc help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c numasim -n "__fish_numasim_using_subcommand export; and __fish_seen_subcommand_from hwloc" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand export; and __fish_seen_subcommand_from hwloc" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand export; and __fish_seen_subcommand_from hwloc" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand export; and __fish_seen_subcommand_from hwloc" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand export; and __fish_seen_subcommand_from help" -f -a "hwloc" -d 'XML that hwloc reads: nodes and cores, with bandwidths and latencies as memory attributes'
complete -c numasim -n "__fish_numasim_using_subcommand export; and __fish_seen_subcommand_from help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c numasim -n "__fish_numasim_using_subcommand schema" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand schema" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand schema" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand completions" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand completions" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand completions" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand man" -l dir -d 'Write all pages into this directory: numasim.1, numasim-evaluate.1, ...' -r -f -a "(__fish_complete_directories)"
complete -c numasim -n "__fish_numasim_using_subcommand man" -s o -l output -d 'Write to FILE, whole or not at all, instead of standard output' -r -F
complete -c numasim -n "__fish_numasim_using_subcommand man" -l color -d 'When to use colours' -r -f -a "auto\t'On a terminal only'
always\t'Also into pipes and with NO_COLOR set'
never\t'No colours'"
complete -c numasim -n "__fish_numasim_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c numasim -n "__fish_numasim_using_subcommand man" -s V -l version -d 'Print version'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "evaluate" -d 'Compute the performance of every scenario in the files'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "explore" -d 'Find the best placement of threads on NUMA nodes'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "sweep" -d 'Evaluate or explore with varied inputs'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "simulate" -d 'Simulate applications over time, with a policy that moves cores'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "agent" -d 'Assign cores to the applications of this host'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "run" -d 'Run the applications of the files on this host, under an agent'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "top" -d 'Watch this host, or an agent, in the terminal'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "snapshot" -d 'Take a snapshot of this host as a study'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "advise" -d 'Recommend what to move on this host'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "tasks" -d 'Simulate a graph of tasks under the schedulers of task runtimes'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "profile" -d 'Time each task of a tree program with local and remote data'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "plan" -d 'Plan the placement of data and tasks from a profile'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "models" -d 'Explain the bandwidth-sharing models and their parameters'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "calibrate" -d 'Measure this host and write its machine file'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "bench" -d 'Run and measure every scenario on this host'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "validate" -d 'Check the model on this host'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "compare" -d 'Compare measured performance with the model\'s predictions'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "fit" -d 'Estimate machine parameters from measured scenarios'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "discriminate" -d 'Propose scenarios that tell the sharing models apart'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "profile-app" -d 'Describe a program as an [[app]]'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "plot" -d 'Draw a machine, a scenario or a set of placements'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "report" -d 'Write a self-contained web page on model and measurements'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "check" -d 'Validate files and show what was read'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "detect" -d 'Print the skeleton of a machine file of this host'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "import" -d 'Convert the output of other tools'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "catalog" -d 'List the built-in machines and workloads, or print one'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "init" -d 'Write a first study: a machine, applications and a scenario'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "export" -d 'Write the machine for another tool'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "schema" -d 'Print the JSON Schema of the input files or of an output'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "completions" -d 'Print a script that completes commands and switches in a shell'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "man" -d 'Print the manual page'
complete -c numasim -n "__fish_numasim_using_subcommand help; and not __fish_seen_subcommand_from evaluate explore sweep simulate agent run top snapshot advise tasks profile plan models calibrate bench validate compare fit discriminate profile-app plot report check detect import catalog init export schema completions man help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from agent" -f -a "status" -d 'Show the state and the decisions of an agent'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from agent" -f -a "stop" -d 'Stop an agent, and wait until it has exited'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "mlc" -d 'Intel Memory Latency Checker, --bandwidth_matrix or --latency_matrix: a machine file'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "hwloc" -d 'hwloc, lstopo --of xml: the skeleton of a machine file, or a complete one if numasim exported it'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "numactl" -d 'numactl --hardware: the skeleton of a machine file, with memory and distances'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "lscpu" -d 'lscpu, as text, -J, -e or -p: the skeleton of a machine file, with cores and caches'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "likwid-topology" -d 'likwid-topology, as text, -c or -O: the skeleton of a machine file'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "perf" -d 'perf stat, one file for each run: an application, as `profile-app --perf` writes it'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "likwid-perfctr" -d 'likwid-perfctr, one file for each run: an application, as `profile-app --likwid` writes it'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "likwid" -d 'likwid-bench, one run or a sweep: a CSV of bandwidth over threads'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "stream" -d 'STREAM or BabelStream: a CSV of bandwidth by kernel'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "libvirt" -d 'virsh dumpxml, domains of libvirt: applications and a scenario'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "docker" -d 'docker inspect, containers: applications and a scenario'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "kubernetes" -d 'Kubernetes, pods and the NRI balloons that place them: applications and a scenario'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "rankfile" -d 'A rankfile of Open MPI 5 with its mpirun line: applications and a scenario'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "wfcommons" -d 'WfCommons, a workflow in WfFormat 1.5 or 1.6: a graph of tasks'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "dot" -d 'DOT, a digraph with work and bytes as attributes: a graph of tasks'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from import" -f -a "starpu" -d 'StarPU, the tasks.rec of a run: a graph of tasks'
complete -c numasim -n "__fish_numasim_using_subcommand help; and __fish_seen_subcommand_from export" -f -a "hwloc" -d 'XML that hwloc reads: nodes and cores, with bandwidths and latencies as memory attributes'
