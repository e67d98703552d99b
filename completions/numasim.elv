
use builtin;
use str;

set edit:completion:arg-completer[numasim] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'numasim'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'numasim'= {
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand evaluate 'Compute the performance of every scenario in the files'
            cand explore 'Find the best placement of threads on NUMA nodes'
            cand sweep 'Evaluate or explore with varied inputs'
            cand simulate 'Simulate applications over time, with a policy that moves cores'
            cand agent 'Assign cores to the applications of this host'
            cand run 'Run the applications of the files on this host, under an agent'
            cand top 'Watch this host, or an agent, in the terminal'
            cand snapshot 'Take a snapshot of this host as a study'
            cand advise 'Recommend what to move on this host'
            cand tasks 'Simulate a graph of tasks under the schedulers of task runtimes'
            cand profile 'Time each task of a tree program with local and remote data'
            cand plan 'Plan the placement of data and tasks from a profile'
            cand models 'Explain the bandwidth-sharing models and their parameters'
            cand calibrate 'Measure this host and write its machine file'
            cand bench 'Run and measure every scenario on this host'
            cand validate 'Check the model on this host'
            cand compare 'Compare measured performance with the model''s predictions'
            cand fit 'Estimate machine parameters from measured scenarios'
            cand discriminate 'Propose scenarios that tell the sharing models apart'
            cand profile-app 'Describe a program as an [[app]]'
            cand plot 'Draw a machine, a scenario or a set of placements'
            cand report 'Write a self-contained web page on model and measurements'
            cand check 'Validate files and show what was read'
            cand detect 'Print the skeleton of a machine file of this host'
            cand import 'Convert the output of other tools'
            cand catalog 'List the built-in machines and workloads, or print one'
            cand init 'Write a first study: a machine, applications and a scenario'
            cand export 'Write the machine for another tool'
            cand schema 'Print the JSON Schema of the input files or of an output'
            cand completions 'Print a script that completes commands and switches in a shell'
            cand man 'Print the manual page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'numasim;evaluate'= {
            cand --model 'Bandwidth-sharing model; `all` shows every model side by side [default: the model in the machine file, else baseline-proportional]'
            cand --scenario 'Only the scenario with this name; may be given more than once'
            cand --save 'Also write the scenarios to FILE, as [[scenario]] tables for any command, with the files of the same machine and applications'
            cand --emit 'A script or files that set up the placement'
            cand --cpus-from 'Logical CPU numbers for --emit'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE'
            cand --output 'Write the result to FILE'
            cand --color 'When to use colours'
            cand --static-work 'Static scheduling: divide the work of every application equally among its threads in advance, so that its slowest thread determines the result. In a file: `static = true` in a [[scenario]]'
            cand --explain 'Show how the model computes its results, step by step'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;explore'= {
            cand --model 'Sharing model [default: the model in the file]'
            cand --objective 'What to optimise'
            cand --machine 'The machine; given twice or more, compare machines'
            cand --pareto 'Trade-off between two objectives'
            cand --models 'Also find a placement that is good under each model'
            cand --min-threads-per-node 'At least N threads of each on every node'
            cand --threads 'Exactly N threads of APP'
            cand --threads-multiple 'A multiple of N threads on each node'
            cand --max-nodes 'Threads on at most N nodes'
            cand --threads-per-l3 '0 or N threads in each L3 domain'
            cand --max-l3 'Threads in at most N L3 domains'
            cand --exclusive 'No other application on the nodes of APP'
            cand --within 'Largest loss allowed with --simple or --fewest-threads'
            cand --time-limit 'Search for at most this many seconds'
            cand --top 'Show up to K alternatives'
            cand --seed 'Seed of the random restarts'
            cand --save 'Also write all placements to FILE'
            cand --plot 'Draw the best placement as SVG, PNG or PDF'
            cand --emit 'A script or files that set up the placement'
            cand --cpus-from 'Logical CPU numbers for --emit'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE'
            cand --output 'Write the result to FILE'
            cand --color 'When to use colours'
            cand --same-on-every-node 'Equal threads on every node'
            cand --whole-nodes 'At most one application on a node'
            cand --no-idle-cores 'Use every core'
            cand --whole-l3 'At most one application in an L3 domain'
            cand --simple 'Also find the simplest placement that is nearly as good'
            cand --fewest-threads 'Also find the fewest threads that are as good'
            cand --sensitivity 'Also report the gain from more of each resource'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;sweep'= {
            cand --model 'Sharing model [default: the model in the file]'
            cand --set 'An input and its values; several inputs form a grid, and the last one varies fastest'
            cand --scenario 'Evaluate only the scenario with this name; may be given more than once'
            cand --objective 'Objective to optimise [default: geomean]'
            cand --min-threads-per-node 'Each application has at least N threads on every node that has cores'
            cand --time-limit 'Search at most this many seconds at each point [default: no limit]'
            cand --policy 'The policy that assigns threads; each of several has a row at every point [default: the policy in the files, else none]'
            cand --until 'Stop each simulation after SECONDS of simulated time [default: when every application is finished]'
            cand --seed 'Seed of the random restarts, or of the random draws of a simulation; the same seed gives the same answers [default: 0, with --simulate 1]'
            cand --shard 'Compute the I-th of N equal parts of the points, I from 1; part 1 has the header'
            cand --threads 'Worker threads of numasim itself [default: one per core of this host]'
            cand --submit 'Write the sweep into --folder as a job array, and submit it; prints the number of the job'
            cand --folder 'The folder of --submit, new or empty'
            cand --shards 'Number of shards into which the points are divided; each is a task with --threads worker threads [default: 16]'
            cand --sbatch-option 'An option for sbatch, e.g. --sbatch-option=--partition=long; may be given more than once'
            cand --resubmit 'Submit the missing shards in the folder of a --submit again: those that failed, were killed or never ran'
            cand --collect 'Join the shards in the folder of a --submit once all are finished; byte for byte the output of a single run'
            cand --plot 'Draw one axis as lines, two as a heat map, as SVG, PNG or PDF'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --output 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand --explore 'Search for the best placement at every point, instead of evaluating the scenarios'
            cand --same-on-every-node 'Each application has the same number of threads on every node that has cores'
            cand --whole-nodes 'At most one application has threads on a node'
            cand --no-idle-cores 'Every core is used'
            cand --simulate 'Simulate what happens over time at every point, instead of evaluating the scenarios'
            cand --resume 'Resume from FILE.partial, left by an interrupted sweep with `-o FILE`; start from the beginning if there is none'
            cand --dry-run 'Submit nothing: with --submit, write the folder and print the command that would submit'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;simulate'= {
            cand --policy 'The policy that assigns threads; several are compared, with ratios to the first [default: the policy in the files, else none]'
            cand --model 'Sharing model [default: the model in the file]'
            cand --until 'Stop the simulation after SECONDS of simulated time [default: when every application is finished]'
            cand --seed 'Seed of the random draws (task_spread, task_jitter, wake); the same seed gives the same result'
            cand --runs 'Simulate with N seeds, from --seed on, and show mean and spread (standard deviation / mean)'
            cand --compare 'Compare the simulation with the run that `numasim run` wrote to DIR, with errors; its policy is the default. With --plot, both are in one plot. One policy and one run'
            cand --timeline 'Write what every application does over time to FILE, as CSV; one policy and one run'
            cand --plot 'Draw the cores of each application over time, a strip for each node, and the items in channels below, as SVG, PNG or PDF; with --compare, the run above the simulation, with threads, commands, progress and errors. One policy and one run'
            cand --trace 'Write what the policy saw and decided to FILE, as JSON lines; one policy and one run'
            cand --replay 'Ask the policy again for every decision in FILE, from --trace or from an agent, and compare: exit code 1 if one differs'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE'
            cand --output 'Write the result to FILE'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;agent'= {
            cand --policy 'The policy that assigns threads [default: the policy in the files, else fair-share]'
            cand --period-ms 'Time between two decisions, 1 to 60000; 0: whenever something changes [default: that of [policy] in the files, else 80]'
            cand --socket 'Where applications connect [default: NUMASIM_AGENT, else $XDG_RUNTIME_DIR/numasim/agent.sock, else numasim-UID/agent.sock in the system''s folder for temporary files]'
            cand --record 'Write what the policy sees and decides to FILE, as JSON lines, for `simulate --replay`; an existing FILE is rejected'
            cand --adopt 'Control a process without agent support: move its threads by their affinity, or move all processes in a control group (a folder of cgroup v2) by its cpuset if that is writable; may be given several times'
            cand --adopt-started 'As --adopt, from when the process has become another program; for `numasim run`'
            cand --color 'When to use colours'
            cand --record-only 'Write the start of the record and exit: applications with NUMASIM_RECORD=FILE take turns as the agent'
            cand --dry-run 'Decide and record, but send no commands'
            cand --this-host 'Take the [machine] of the files for this host, or for its first nodes and cores: for --adopt, and for the load in `agent status`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand status 'Show the state and the decisions of an agent'
            cand stop 'Stop an agent, and wait until it has exited'
        }
        &'numasim;agent;status'= {
            cand --socket 'Path of its socket [default: as for numasim agent]'
            cand --format 'Output format'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;agent;stop'= {
            cand --socket 'Path of its socket [default: as for numasim agent]'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;run'= {
            cand --policy 'The policy that assigns threads [default: the policy in the files, else fair-share]'
            cand --socket 'Use the agent that listens at PATH, and its policy [default: a separate agent for this run]'
            cand --agent-library 'The library that is preloaded into each `command` with control "total" or "per-node", so that its OpenMP and oneTBB follow the agent [default: libnumasim_agent.so next to numasim, else in ../lib/numasim]'
            cand --until 'Stop after SECONDS [default: when every application is finished]'
            cand --seed 'Seed of the work of tasks with a task_spread: the same tasks as those of `simulate` with this seed'
            cand --sample-ms 'Time between two rows of the timeline, in milliseconds'
            cand --isa 'Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]'
            cand --memory-per-thread 'Size of each thread''s data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]'
            cand -o 'Write everything into this new folder'
            cand --output 'Write everything into this new folder'
            cand --format 'Format of the summary on standard output'
            cand --color 'When to use colours'
            cand --explore 'Choose the placement with the largest total GFLOPS first, as `explore` does, and apply it: policy static'
            cand --no-agent 'Run without an agent: all threads run'
            cand --agent-in-apps 'Run without a separate agent: one application serves, and when it ends or is killed the next one takes over'
            cand --real-items 'Take memory of item_mb for each item of a channel, from when it is produced until it is finished'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;top'= {
            cand --socket 'Path of the agent''s socket [default: NUMASIM_AGENT, else the agent''s own default]'
            cand --machine 'Measured machine file of this host [default: the topology in /sys, with assumed bandwidths and peaks]'
            cand --root 'Read a recorded host instead of this one: a folder with `proc` and `sys`'
            cand --select 'Only this application; may be given more than once'
            cand --interval-ms 'Time between two updates, in milliseconds'
            cand --color 'When to use colours'
            cand --once 'Print one frame as plain text and exit'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;snapshot'= {
            cand --machine 'Measured machine file of this host [default: the topology in /sys, with assumed bandwidths and peaks]'
            cand --root 'Read a recorded host instead of this one: a folder with `proc` and `sys`'
            cand --select 'Only this application; may be given more than once'
            cand --seconds 'Time between the two instants'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE'
            cand --output 'Write the result to FILE'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;advise'= {
            cand --machine 'Measured machine file of this host [default: the topology in /sys, with assumed bandwidths and peaks]'
            cand --root 'Read a recorded host instead of this one: a folder with `proc` and `sys`'
            cand --select 'Only this application; may be given more than once'
            cand --seconds 'Time between the two instants'
            cand --objective 'What to optimise'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE'
            cand --output 'Write the result to FILE'
            cand --color 'When to use colours'
            cand --emit 'Write the moves as a shell script'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;tasks'= {
            cand --graph 'Read the graph from blocks.csv and tasks.csv in DIR'
            cand --scheduler 'The scheduler that chooses where each task runs; several are compared, with speedups over the first [default: the scheduler in the files, else fifo]'
            cand --plan 'Read plan-tree.csv and plan-dbs.csv in PLAN, for the scheduler plan'
            cand --placement 'Data placement of the blocks, page by page'
            cand --scenario 'A scheduler with a data placement from paper 003, instead of both; several are compared, with speedups over the first'
            cand --model 'Sharing model [default: the model in the file]'
            cand --runs 'Simulate with N seeds, from --seed on, and show mean and spread (standard deviation / mean)'
            cand --seed 'Seed of all random numbers; the same seed gives the same result [default: the seed in [runtime] in the files, else 1]'
            cand --metg 'Task Bench: also find the smallest task granularity at which the cores reach SHARE of their peak'
            cand --trace 'Write when and where each task ran to FILE. The extension selects the format: .csv, .json for Perfetto and chrome://tracing, .rec for a tasks.rec as StarPU writes it, or .paje (.trace) for the Paje format; the last two need one scheduler and one run. With --real it covers the last run on this host'
            cand --gantt 'Draw the workers over time, nodes as bands and kinds of tasks as colours, as SVG, PNG or PDF; one scheduler and one run'
            cand --emit-graph 'Write the graph to blocks.csv, tasks.csv and edges.csv in DIR'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE'
            cand --output 'Write the result to FILE'
            cand --color 'When to use colours'
            cand --steal 'Idle workers steal from other sockets, the nearest first'
            cand --real 'Also run the graph on this host, with real kernels on bound threads, and compare with the simulation: for the generators cholesky, qr, gauss-seidel, red-black, jacobi and stencil2d, with results checked against a serial run. If an agent is running (NUMASIM_AGENT), the run follows its commands'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;profile'= {
            cand --graph 'Read the graph from blocks.csv and tasks.csv in DIR'
            cand --model 'Sharing model [default: the model in the file]'
            cand -o 'Write the files ptrace-*.csv to DIR'
            cand --output 'Write the files ptrace-*.csv to DIR'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;plan'= {
            cand --pattern 'For a profile: how blocks are distributed over nodes: consecutive ones together, round-robin, or as the programmer specified [default: block]'
            cand --graph 'Plan the graph in blocks.csv and tasks.csv in DIR, for the machine in the files'
            cand --model 'For a graph: bandwidth-sharing model [default: the model in the machine file, else baseline-proportional]'
            cand -o 'Write the plan to PLAN: plan.toml with plan-dbs.csv and plan-tree.csv, or for a graph with blocks.csv, tasks.csv and edges.csv'
            cand --output 'Write the plan to PLAN: plan.toml with plan-dbs.csv and plan-tree.csv, or for a graph with blocks.csv, tasks.csv and edges.csv'
            cand --format 'Format of the summary on standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;models'= {
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE'
            cand --output 'Write the result to FILE'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;calibrate'= {
            cand --rounds 'Measure every step N times'
            cand --window 'Length of the measuring window'
            cand --warm-up 'Time from the common start of all threads to the measuring window'
            cand --isa 'Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]'
            cand --memory-per-thread 'Size of each thread''s data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]'
            cand --name 'Name of the machine [default: the name of this host]'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE'
            cand --output 'Write the result to FILE'
            cand --color 'When to use colours'
            cand --quick 'Under a minute on a few cores: 3 rounds of 0.2 s, few thread counts'
            cand --reads-only 'Measure only reads, not copies, triads and updates'
            cand --smt 'Measure the gain from the second hardware thread of each core (smt_speedup of applications)'
            cand --usual-kernels 'Measure with the default kernels, instead of trying access variants first'
            cand --dry-run 'Print the planned measurements and their duration, without measuring'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;bench'= {
            cand --scenario 'Only the scenario with this name; may be given more than once'
            cand --repeat 'Measure each scenario N times, interleaved with the others'
            cand --window 'Length of the measuring window'
            cand --warm-up 'Time from the common start of all threads to the measuring window'
            cand --isa 'Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]'
            cand --memory-per-thread 'Size of each thread''s data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]'
            cand --bind 'Bind each thread to this'
            cand --host-machine 'Machine file of this host: its values are written to RESULT.study.toml'
            cand -o 'Write the measurements to this new file [default: bench-HOST-TIME.csv]'
            cand --output 'Write the measurements to this new file [default: bench-HOST-TIME.csv]'
            cand --format 'Format of the summary (or the plan) on standard output'
            cand --color 'When to use colours'
            cand --processes 'Each application is a separate process, not a group of threads in one process'
            cand --fit-host 'Scale scenarios that do not fit this host: nodes, threads and data placement'
            cand --dry-run 'Print what would run where, and every warning, without measuring'
            cand --resume 'Resume the run that wrote RESULT.csv; start one if there is none'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;validate'= {
            cand -o 'Folder for all measurements and results; it is created'
            cand --output 'Folder for all measurements and results; it is created'
            cand --bundle 'Pack the result into FILE.tar.zst to send it: machine, raw rows, provenance, page, without the name of the host; with --resume, a finished folder is packed and nothing is measured'
            cand --repeat 'Measure each scenario N times'
            cand --window 'Length of the measuring window'
            cand --memory-per-thread 'Size of each thread''s data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]'
            cand --isa 'Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]'
            cand --model 'Sharing model [default: the model in the file]'
            cand --color 'When to use colours'
            cand --resume 'Resume in a folder that an earlier run started'
            cand --one-process 'All applications are threads of one process [default: each is a separate process]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;compare'= {
            cand --model 'Sharing model [default: the model in the file]'
            cand --measured 'Measurements: the CSV of `numasim bench`, or one with the columns scenario,app,gflops'
            cand --scenario 'Only the scenario with this name; may be given more than once'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE'
            cand --output 'Write the result to FILE'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;fit'= {
            cand --model 'Sharing model [default: the model in the file]'
            cand --measured 'Measurements: the CSV of `numasim bench`, or one with the columns scenario,app,gflops'
            cand --free 'Machine parameters to estimate, separated by commas; may be given more than once'
            cand --scenario 'Fit only to the scenario with this name, and predict the other measured ones; may be given more than once'
            cand --emit-machine 'Also write a machine file with the fitted values, whole or not at all'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE'
            cand --output 'Write the result to FILE'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;discriminate'= {
            cand --most 'Propose at most N scenarios'
            cand --emit-scenarios 'Also write the applications and scenarios to FILE, for bench and compare'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE'
            cand --output 'Write the result to FILE'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;profile-app'= {
            cand --app 'The application in the CSV, if it contains several'
            cand --perf 'Output of `perf stat`: with -x, (CSV), with -j (JSON), or as it is printed; one file for each run'
            cand --likwid 'Output of `likwid-perfctr`, groups such as MEM_DP, or FLOPS_DP and MEM, with or without -O; one file for each run'
            cand --region 'The region of likwid-perfctr -m, if the program marks several'
            cand --threads 'Threads of each run of --perf, in the order of its files: 1,2,4'
            cand --nodes 'Number of NUMA nodes with threads in each run of --perf, in the order of its files: 1,2,4; with equal threads on each node they show the loss on several nodes'
            cand --arithmetic-intensity 'FLOP per byte, if no counter provides them'
            cand --work 'Number of requests, rows or tokens that each measured run served; the file gets their number per GB (`rate`) instead of an arithmetic intensity'
            cand --unit 'The unit of --work, such as queries'
            cand --pid 'A running process of this host: its pages and its threads (Linux)'
            cand --numa-maps 'A copy of /proc/PID/numa_maps; two copies, with threads on different nodes, distinguish local data from data with a home node'
            cand --threads-per-node 'Threads of each NUMA node while --numa-maps was copied: 8,0; given once for each of its files, in their order'
            cand --machine 'The machine on which it ran: the number of nodes, and their numbers in the operating system'
            cand --name 'The name of the application in the new file [default: from the CSV, the process or the file]'
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;plot'= {
            cand --model 'Sharing model [default: the model in the file]'
            cand --scenario 'The scenario: drawn by threads; performance of the applications in roofline; data placement in allocations; the only one in bars and scatter'
            cand --measured 'Measurements for bars and scatter: the CSV of `numasim bench`, or one with scenario,app,gflops'
            cand --x 'The application on the horizontal axis, in threads per node [default: the first]'
            cand --y 'The application on the vertical axis, in threads per node [default: the next]'
            cand --rest 'The application that gets the remaining cores [default: none, they stay idle]'
            cand --objective 'Objective shown as colour [default: geomean]'
            cand --theme 'Colours of the paper: light, dark, or auto, which follows the reader''s browser (SVG only)'
            cand --width 'Width of the plot in pixels, 200 to 4000; its height and its text scale in proportion [default: 900, more for large machines]'
            cand --font-size 'Size of the labels in points, 4 to 40, for papers; the plot becomes as wide as that needs [default: 8.5]'
            cand -o 'Write to FILE.svg, FILE.png or FILE.pdf, whole or not at all, instead of SVG to standard output'
            cand --output 'Write to FILE.svg, FILE.png or FILE.pdf, whole or not at all, instead of SVG to standard output'
            cand --color 'When to use colours'
            cand --static-work 'Static scheduling: divide the work of every application equally among its threads in advance, so that its slowest thread determines the result [default: as in --scenario]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;report'= {
            cand --measured 'Measurements: the CSV of `numasim bench`, or one with the columns scenario,app,gflops [default: the CSV of the folder]'
            cand --model 'Sharing model [default: the model in the file]'
            cand --policy 'Policies that assign threads over time, if every application defines its work; several are compared [default: none, static-even, fair-share, and the policy in the files]'
            cand --scheduler 'Schedulers for a graph of tasks in the files; several are compared [default: fifo, sa if every task has a socket, dep, rip-dep, and the scheduler in the files]'
            cand --until 'Stop the simulations after SECONDS of simulated time [default: when every application is finished]'
            cand --objective 'Objective of the search, if there are no measurements [default: geomean]; with it, the search also covers applications that run over time'
            cand --time-limit 'Search for at most this many seconds'
            cand --title 'The title of the page [default: the name of the machine]'
            cand --interactive 'Embed the what-if page, with these files in it: sliders for threads and bandwidths, and the search, computed by the browser; adds about 3 MB [default: numasim.html next to the program, which bindings/web/build makes]'
            cand -o 'Write the page to FILE, whole or not at all, instead of standard output'
            cand --output 'Write the page to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;check'= {
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE'
            cand --output 'Write the result to FILE'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;detect'= {
            cand --from-xml 'Describe the machine on which `lstopo --of xml FILE` was run, instead of this host'
            cand --from-synthetic 'Describe a synthetic machine in hwloc''s notation: "node:4 core:20 pu:1"'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE'
            cand --output 'Write the result to FILE'
            cand --color 'When to use colours'
            cand --smt 'Count each hardware thread (SMT) as a core, instead of each physical core'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import'= {
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand mlc 'Intel Memory Latency Checker, --bandwidth_matrix or --latency_matrix: a machine file'
            cand hwloc 'hwloc, lstopo --of xml: the skeleton of a machine file, or a complete one if numasim exported it'
            cand numactl 'numactl --hardware: the skeleton of a machine file, with memory and distances'
            cand lscpu 'lscpu, as text, -J, -e or -p: the skeleton of a machine file, with cores and caches'
            cand likwid-topology 'likwid-topology, as text, -c or -O: the skeleton of a machine file'
            cand perf 'perf stat, one file for each run: an application, as `profile-app --perf` writes it'
            cand likwid-perfctr 'likwid-perfctr, one file for each run: an application, as `profile-app --likwid` writes it'
            cand likwid 'likwid-bench, one run or a sweep: a CSV of bandwidth over threads'
            cand stream 'STREAM or BabelStream: a CSV of bandwidth by kernel'
            cand libvirt 'virsh dumpxml, domains of libvirt: applications and a scenario'
            cand docker 'docker inspect, containers: applications and a scenario'
            cand kubernetes 'Kubernetes, pods and the NRI balloons that place them: applications and a scenario'
            cand rankfile 'A rankfile of Open MPI 5 with its mpirun line: applications and a scenario'
            cand wfcommons 'WfCommons, a workflow in WfFormat 1.5 or 1.6: a graph of tasks'
            cand dot 'DOT, a digraph with work and bytes as attributes: a graph of tasks'
            cand starpu 'StarPU, the tasks.rec of a run: a graph of tasks'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'numasim;import;mlc'= {
            cand --name 'The name of the machine [default: the name of the table or of the file]'
            cand --cores-per-node 'Physical cores of each node, which the matrix does not contain'
            cand --gflops-per-core 'Peak of one core in GFLOPS, which the matrix does not contain'
            cand --select 'Only the table whose name contains this, in a CSV with a column `file`'
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;hwloc'= {
            cand --name 'The name of the machine [default: the name of the file]'
            cand --gflops-per-core 'Peak of one core in GFLOPS'
            cand --bandwidth-gbs 'Bandwidth of the memory of a node for local cores, in GB/s'
            cand --link-gbs 'Bandwidth between the cores of a node and the memory of another node, in GB/s'
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;numactl'= {
            cand --lscpu 'Output of lscpu on the same machine, in any of its forms: cores, sockets and caches, which numactl does not report'
            cand --threads-per-core 'Hardware threads of each core: N logical CPUs count as one core'
            cand --name 'The name of the machine [default: the name of the file]'
            cand --gflops-per-core 'Peak of one core in GFLOPS'
            cand --bandwidth-gbs 'Bandwidth of the memory of a node for local cores, in GB/s'
            cand --link-gbs 'Bandwidth between the cores of a node and the memory of another node, in GB/s'
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;lscpu'= {
            cand --name 'The name of the machine [default: the name of the file]'
            cand --gflops-per-core 'Peak of one core in GFLOPS'
            cand --bandwidth-gbs 'Bandwidth of the memory of a node for local cores, in GB/s'
            cand --link-gbs 'Bandwidth between the cores of a node and the memory of another node, in GB/s'
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;likwid-topology'= {
            cand --name 'The name of the machine [default: the name of the file]'
            cand --gflops-per-core 'Peak of one core in GFLOPS'
            cand --bandwidth-gbs 'Bandwidth of the memory of a node for local cores, in GB/s'
            cand --link-gbs 'Bandwidth between the cores of a node and the memory of another node, in GB/s'
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;perf'= {
            cand --threads 'Threads of each run, in the order of the files: 1,2,4'
            cand --arithmetic-intensity 'FLOP per byte, if no counter provides them'
            cand --name 'The name of the application in the new file [default: from the first file]'
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;likwid-perfctr'= {
            cand --region 'The region of likwid-perfctr -m, if the program marks several'
            cand --arithmetic-intensity 'FLOP per byte, if no counter provides them'
            cand --name 'The name of the application in the new file [default: from the first file]'
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;likwid'= {
            cand --select 'Only machines whose name contains this, in a CSV with a column `machine_file`'
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;stream'= {
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;libvirt'= {
            cand --study 'The machine, with the logical CPUs of each node (`cpus`); may be repeated'
            cand --cpus-from 'Logical CPU numbers'
            cand --scenario 'The name of the scenario'
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;docker'= {
            cand --study 'The machine, with the logical CPUs of each node (`cpus`); may be repeated'
            cand --cpus-from 'Logical CPU numbers'
            cand --scenario 'The name of the scenario'
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;kubernetes'= {
            cand --study 'The machine, with the logical CPUs of each node (`cpus`); may be repeated'
            cand --cpus-from 'Logical CPU numbers'
            cand --scenario 'The name of the scenario'
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;rankfile'= {
            cand --run 'A script with the mpirun command line: programs, their numbers of ranks, numactl'
            cand --study 'The machine, with the logical CPUs of each node (`cpus`); may be repeated'
            cand --cpus-from 'Logical CPU numbers'
            cand --scenario 'The name of the scenario'
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;wfcommons'= {
            cand --reference-gflops 'GFLOPS of a core of the measured machine, which the file does not contain: work is runtimeInSeconds x avgCPU / 100 x GFLOPS'
            cand -o 'Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them'
            cand --output 'Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;dot'= {
            cand --default-gflop 'Work of nodes without `flop`, in GFLOP (10^9 FLOP); drawings of graphs contain no work'
            cand -o 'Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them'
            cand --output 'Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;starpu'= {
            cand --reference-gflops 'GFLOPS of a core of the measured machine, for tasks without GFlop: their work is EndTime - StartTime x GFLOPS'
            cand -o 'Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them'
            cand --output 'Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;help'= {
            cand mlc 'Intel Memory Latency Checker, --bandwidth_matrix or --latency_matrix: a machine file'
            cand hwloc 'hwloc, lstopo --of xml: the skeleton of a machine file, or a complete one if numasim exported it'
            cand numactl 'numactl --hardware: the skeleton of a machine file, with memory and distances'
            cand lscpu 'lscpu, as text, -J, -e or -p: the skeleton of a machine file, with cores and caches'
            cand likwid-topology 'likwid-topology, as text, -c or -O: the skeleton of a machine file'
            cand perf 'perf stat, one file for each run: an application, as `profile-app --perf` writes it'
            cand likwid-perfctr 'likwid-perfctr, one file for each run: an application, as `profile-app --likwid` writes it'
            cand likwid 'likwid-bench, one run or a sweep: a CSV of bandwidth over threads'
            cand stream 'STREAM or BabelStream: a CSV of bandwidth by kernel'
            cand libvirt 'virsh dumpxml, domains of libvirt: applications and a scenario'
            cand docker 'docker inspect, containers: applications and a scenario'
            cand kubernetes 'Kubernetes, pods and the NRI balloons that place them: applications and a scenario'
            cand rankfile 'A rankfile of Open MPI 5 with its mpirun line: applications and a scenario'
            cand wfcommons 'WfCommons, a workflow in WfFormat 1.5 or 1.6: a graph of tasks'
            cand dot 'DOT, a digraph with work and bytes as attributes: a graph of tasks'
            cand starpu 'StarPU, the tasks.rec of a run: a graph of tasks'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'numasim;import;help;mlc'= {
        }
        &'numasim;import;help;hwloc'= {
        }
        &'numasim;import;help;numactl'= {
        }
        &'numasim;import;help;lscpu'= {
        }
        &'numasim;import;help;likwid-topology'= {
        }
        &'numasim;import;help;perf'= {
        }
        &'numasim;import;help;likwid-perfctr'= {
        }
        &'numasim;import;help;likwid'= {
        }
        &'numasim;import;help;stream'= {
        }
        &'numasim;import;help;libvirt'= {
        }
        &'numasim;import;help;docker'= {
        }
        &'numasim;import;help;kubernetes'= {
        }
        &'numasim;import;help;rankfile'= {
        }
        &'numasim;import;help;wfcommons'= {
        }
        &'numasim;import;help;dot'= {
        }
        &'numasim;import;help;starpu'= {
        }
        &'numasim;import;help;help'= {
        }
        &'numasim;catalog'= {
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE'
            cand --output 'Write the result to FILE'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;init'= {
            cand -o 'Write the study to FILE; - is standard output'
            cand --output 'Write the study to FILE; - is standard output'
            cand --machine 'The machine: a file of the catalogue (@epyc-7501-2s) or on disk'
            cand --app 'An application: NAME=INTENSITY in FLOP per byte, NAME=TEMPLATE, or TEMPLATE alone; a template is an application of a workload of the catalogue (triad, spmv, dgemm, scan, ...). May be given more than once'
            cand --color 'When to use colours'
            cand --from-host 'The machine: this host, its nodes, cores and memory. Values that cannot be read are assumed, with instructions for measuring them'
            cand --force 'Replace an existing file'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;export'= {
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand hwloc 'XML that hwloc reads: nodes and cores, with bandwidths and latencies as memory attributes'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'numasim;export;hwloc'= {
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;export;help'= {
            cand hwloc 'XML that hwloc reads: nodes and cores, with bandwidths and latencies as memory attributes'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'numasim;export;help;hwloc'= {
        }
        &'numasim;export;help;help'= {
        }
        &'numasim;schema'= {
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;completions'= {
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;man'= {
            cand --dir 'Write all pages into this directory: numasim.1, numasim-evaluate.1, ...'
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;help'= {
            cand evaluate 'Compute the performance of every scenario in the files'
            cand explore 'Find the best placement of threads on NUMA nodes'
            cand sweep 'Evaluate or explore with varied inputs'
            cand simulate 'Simulate applications over time, with a policy that moves cores'
            cand agent 'Assign cores to the applications of this host'
            cand run 'Run the applications of the files on this host, under an agent'
            cand top 'Watch this host, or an agent, in the terminal'
            cand snapshot 'Take a snapshot of this host as a study'
            cand advise 'Recommend what to move on this host'
            cand tasks 'Simulate a graph of tasks under the schedulers of task runtimes'
            cand profile 'Time each task of a tree program with local and remote data'
            cand plan 'Plan the placement of data and tasks from a profile'
            cand models 'Explain the bandwidth-sharing models and their parameters'
            cand calibrate 'Measure this host and write its machine file'
            cand bench 'Run and measure every scenario on this host'
            cand validate 'Check the model on this host'
            cand compare 'Compare measured performance with the model''s predictions'
            cand fit 'Estimate machine parameters from measured scenarios'
            cand discriminate 'Propose scenarios that tell the sharing models apart'
            cand profile-app 'Describe a program as an [[app]]'
            cand plot 'Draw a machine, a scenario or a set of placements'
            cand report 'Write a self-contained web page on model and measurements'
            cand check 'Validate files and show what was read'
            cand detect 'Print the skeleton of a machine file of this host'
            cand import 'Convert the output of other tools'
            cand catalog 'List the built-in machines and workloads, or print one'
            cand init 'Write a first study: a machine, applications and a scenario'
            cand export 'Write the machine for another tool'
            cand schema 'Print the JSON Schema of the input files or of an output'
            cand completions 'Print a script that completes commands and switches in a shell'
            cand man 'Print the manual page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'numasim;help;evaluate'= {
        }
        &'numasim;help;explore'= {
        }
        &'numasim;help;sweep'= {
        }
        &'numasim;help;simulate'= {
        }
        &'numasim;help;agent'= {
            cand status 'Show the state and the decisions of an agent'
            cand stop 'Stop an agent, and wait until it has exited'
        }
        &'numasim;help;agent;status'= {
        }
        &'numasim;help;agent;stop'= {
        }
        &'numasim;help;run'= {
        }
        &'numasim;help;top'= {
        }
        &'numasim;help;snapshot'= {
        }
        &'numasim;help;advise'= {
        }
        &'numasim;help;tasks'= {
        }
        &'numasim;help;profile'= {
        }
        &'numasim;help;plan'= {
        }
        &'numasim;help;models'= {
        }
        &'numasim;help;calibrate'= {
        }
        &'numasim;help;bench'= {
        }
        &'numasim;help;validate'= {
        }
        &'numasim;help;compare'= {
        }
        &'numasim;help;fit'= {
        }
        &'numasim;help;discriminate'= {
        }
        &'numasim;help;profile-app'= {
        }
        &'numasim;help;plot'= {
        }
        &'numasim;help;report'= {
        }
        &'numasim;help;check'= {
        }
        &'numasim;help;detect'= {
        }
        &'numasim;help;import'= {
            cand mlc 'Intel Memory Latency Checker, --bandwidth_matrix or --latency_matrix: a machine file'
            cand hwloc 'hwloc, lstopo --of xml: the skeleton of a machine file, or a complete one if numasim exported it'
            cand numactl 'numactl --hardware: the skeleton of a machine file, with memory and distances'
            cand lscpu 'lscpu, as text, -J, -e or -p: the skeleton of a machine file, with cores and caches'
            cand likwid-topology 'likwid-topology, as text, -c or -O: the skeleton of a machine file'
            cand perf 'perf stat, one file for each run: an application, as `profile-app --perf` writes it'
            cand likwid-perfctr 'likwid-perfctr, one file for each run: an application, as `profile-app --likwid` writes it'
            cand likwid 'likwid-bench, one run or a sweep: a CSV of bandwidth over threads'
            cand stream 'STREAM or BabelStream: a CSV of bandwidth by kernel'
            cand libvirt 'virsh dumpxml, domains of libvirt: applications and a scenario'
            cand docker 'docker inspect, containers: applications and a scenario'
            cand kubernetes 'Kubernetes, pods and the NRI balloons that place them: applications and a scenario'
            cand rankfile 'A rankfile of Open MPI 5 with its mpirun line: applications and a scenario'
            cand wfcommons 'WfCommons, a workflow in WfFormat 1.5 or 1.6: a graph of tasks'
            cand dot 'DOT, a digraph with work and bytes as attributes: a graph of tasks'
            cand starpu 'StarPU, the tasks.rec of a run: a graph of tasks'
        }
        &'numasim;help;import;mlc'= {
        }
        &'numasim;help;import;hwloc'= {
        }
        &'numasim;help;import;numactl'= {
        }
        &'numasim;help;import;lscpu'= {
        }
        &'numasim;help;import;likwid-topology'= {
        }
        &'numasim;help;import;perf'= {
        }
        &'numasim;help;import;likwid-perfctr'= {
        }
        &'numasim;help;import;likwid'= {
        }
        &'numasim;help;import;stream'= {
        }
        &'numasim;help;import;libvirt'= {
        }
        &'numasim;help;import;docker'= {
        }
        &'numasim;help;import;kubernetes'= {
        }
        &'numasim;help;import;rankfile'= {
        }
        &'numasim;help;import;wfcommons'= {
        }
        &'numasim;help;import;dot'= {
        }
        &'numasim;help;import;starpu'= {
        }
        &'numasim;help;catalog'= {
        }
        &'numasim;help;init'= {
        }
        &'numasim;help;export'= {
            cand hwloc 'XML that hwloc reads: nodes and cores, with bandwidths and latencies as memory attributes'
        }
        &'numasim;help;export;hwloc'= {
        }
        &'numasim;help;schema'= {
        }
        &'numasim;help;completions'= {
        }
        &'numasim;help;man'= {
        }
        &'numasim;help;help'= {
        }
    ]
    $completions[$command]
}
