
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
            cand explore 'Find the best allocation of threads to NUMA nodes'
            cand sweep 'Evaluate or explore with other figures: bandwidths, thread counts, places of data, ...'
            cand models 'Explain the models of how bandwidth is shared, and their parameters'
            cand calibrate 'Measure this host and write its machine file'
            cand bench 'Run every scenario on this host, with pinned threads and bound memory, and measure it'
            cand validate 'Detect, calibrate, measure, compare and report: is the model right on this host?'
            cand compare 'Put measured performance beside what the model says'
            cand fit 'Estimate figures of the machine from measured scenarios, and say what the estimates are worth'
            cand discriminate 'Propose scenarios that tell the sharing models apart on a machine'
            cand published 'Judge the sharing models by published measurements of real machines'
            cand plot 'Draw a machine, a scenario or a set of allocations'
            cand report 'Write a web page of model and measurement that needs nothing else'
            cand check 'Validate files and say what was read'
            cand detect 'Read NUMA nodes, cores and caches of this host and print the skeleton of a machine file'
            cand import 'Make a machine file or a measured CSV from what another tool printed'
            cand schema 'Print the JSON Schema of the input files'
            cand completions 'Print a script that completes commands and switches in a shell'
            cand man 'Print the manual page'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'numasim;evaluate'= {
            cand --model 'How bandwidth is shared; `all` shows every model side by side [default: as the machine file says, else baseline-proportional]'
            cand --scenario 'Only the scenario with this name; may be given more than once'
            cand --emit 'Print a script that puts the allocation on the machine, instead of the table'
            cand --cpus-from 'Take processor numbers from an hwloc XML or from this host (`host`), not from the machine file'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --output 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand --explain 'Show how the model comes to its figures, step by step'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;explore'= {
            cand --model 'How bandwidth is shared [default: as the machine file says, else baseline-proportional]'
            cand --objective 'What to make as good as possible'
            cand --pareto 'Trade two objectives against each other: allocations of which none is better in one without being worse in the other'
            cand --min-threads-per-node 'Each application has at least N threads on every node that has cores'
            cand --time-limit 'Stop after this many seconds with the best allocation found so far [default: no limit]'
            cand --top 'Show up to K next-best allocations besides the best one'
            cand --seed 'Seed of the random restarts; the same seed gives the same answer'
            cand --threads 'Worker threads of the search itself [default: one per core of this host]'
            cand --plot 'Draw the trade-off, as SVG or PNG'
            cand --emit 'Print a script that puts the allocation on the machine, instead of the table'
            cand --cpus-from 'Take processor numbers from an hwloc XML or from this host (`host`), not from the machine file'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --output 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand --same-on-every-node 'An application has the same number of threads on every node that has cores'
            cand --whole-nodes 'At most one application has threads on a node'
            cand --no-idle-cores 'Every core is used'
            cand --sensitivity 'Also say what a wider resource is worth, and how far each input may be wrong'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;sweep'= {
            cand --model 'How bandwidth is shared [default: as the machine file says, else baseline-proportional]'
            cand --set 'A figure and the values it takes; several make a grid, the last one changes fastest'
            cand --scenario 'Evaluate only the scenario with this name; may be given more than once'
            cand --objective 'What to make as good as possible [default: total-gflops]'
            cand --min-threads-per-node 'Each application has at least N threads on every node that has cores'
            cand --time-limit 'Give each point this many seconds [default: no limit]'
            cand --seed 'Seed of the random restarts; the same seed gives the same answers'
            cand --shard 'Take the I-th of N equal parts of the points, I from 1; part 1 has the header'
            cand --threads 'Worker threads of numasim itself [default: one per core of this host]'
            cand --plot 'Draw one axis as lines, two as a heat map, as SVG or PNG'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --output 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand --explore 'Search for the best allocation at every point, instead of evaluating the scenarios'
            cand --same-on-every-node 'An application has the same number of threads on every node that has cores'
            cand --whole-nodes 'At most one application has threads on a node'
            cand --no-idle-cores 'Every core is used'
            cand --resume 'Go on with FILE.partial, which an interrupted sweep with `-o FILE` left; start if there is none'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;models'= {
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --output 'Write the result to FILE, whole or not at all, instead of standard output'
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
            cand --memory-per-thread 'Data of each thread, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]'
            cand --name 'Name of the machine [default: the name of this host]'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --output 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand --quick 'Under a minute on a few cores: 3 rounds of 0.2 s, few thread counts'
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
            cand --memory-per-thread 'Data of each thread, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]'
            cand --bind 'What a thread is bound to'
            cand --host-machine 'Machine file of this host: its figures stand in RESULT.study.toml'
            cand -o 'Keep the measurements in this new file [default: bench-HOST-TIME.csv]'
            cand --output 'Keep the measurements in this new file [default: bench-HOST-TIME.csv]'
            cand --format 'How to print the summary (or the plan) on standard output'
            cand --color 'When to use colours'
            cand --processes 'Each application is a process of its own, not a group of threads in one process'
            cand --fit-host 'Scale scenarios that do not fit this host: nodes, threads and places of data'
            cand --dry-run 'Print what would run where, and what is doubtful about it; measure nothing'
            cand --resume 'Go on with the run that RESULT.csv is from; start it if there is none'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;validate'= {
            cand -o 'Folder for everything that is measured and made; it is created'
            cand --output 'Folder for everything that is measured and made; it is created'
            cand --repeat 'Measure each scenario N times'
            cand --window 'Length of the measuring window'
            cand --memory-per-thread 'Data of each thread, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]'
            cand --isa 'Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]'
            cand --model 'How bandwidth is shared [default: what the machine file says, else baseline-proportional]'
            cand --color 'When to use colours'
            cand --resume 'Go on in a folder that an earlier run began'
            cand --processes 'Each application is a process of its own, not a group of threads in one process'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;compare'= {
            cand --model 'How bandwidth is shared [default: as the machine file says, else baseline-proportional]'
            cand --measured 'What was measured: the CSV of `numasim bench`, or one with the columns scenario,app,gflops'
            cand --scenario 'Only the scenario with this name; may be given more than once'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --output 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;fit'= {
            cand --model 'How bandwidth is shared [default: as the machine file says, else baseline-proportional]'
            cand --measured 'What was measured: the CSV of `numasim bench`, or one with the columns scenario,app,gflops'
            cand --free 'Figures of the machine to estimate, separated by commas; may be given more than once'
            cand --scenario 'Fit to the scenario with this name only, and predict the other measured ones; may be given more than once'
            cand --emit-machine 'Also write a machine file with the fitted figures, whole or not at all'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --output 'Write the result to FILE, whole or not at all, instead of standard output'
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
            cand -o 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --output 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;published'= {
            cand --scaling 'Judge the curves of bandwidth over cores in this CSV, and nothing else'
            cand --plots 'Draw the plots into this directory, as SVG'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --output 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;plot'= {
            cand --model 'How bandwidth is shared [default: as the machine file says, else baseline-proportional]'
            cand --scenario 'The scenario: what threads draws, what applications get in roofline, where data lies in allocations, the only one in bars and scatter'
            cand --measured 'What was measured, for bars and scatter: the CSV of `numasim bench`, or one with scenario,app,gflops'
            cand --x 'The application whose threads per node grow to the right [default: the first]'
            cand --y 'The application whose threads per node grow upwards [default: the next]'
            cand --rest 'The application that has the cores that are left [default: none, they are idle]'
            cand --objective 'What is drawn as colour [default: total-gflops]'
            cand -o 'Write to FILE.svg or FILE.png, whole or not at all, instead of SVG to standard output'
            cand --output 'Write to FILE.svg or FILE.png, whole or not at all, instead of SVG to standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;report'= {
            cand --measured 'What was measured: the CSV of `numasim bench`, or one with the columns scenario,app,gflops [default: the CSV of the folder]'
            cand --model 'How bandwidth is shared [default: as the machine file says, else baseline-proportional]'
            cand --title 'The title of the page [default: the name of the machine]'
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
            cand -o 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --output 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;detect'= {
            cand --from-xml 'Describe the machine on which `lstopo --of xml FILE` was run, not this host'
            cand --from-synthetic 'Describe an imagined machine, in hwloc''s words: "node:4 core:20 pu:1"'
            cand --format 'How to write the result'
            cand -o 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --output 'Write the result to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand --smt 'Count each hardware thread (SMT) as a core, not each physical core'
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
            cand hwloc 'hwloc, lstopo --of xml: the skeleton of a machine file'
            cand likwid 'likwid-bench, one run or a sweep: a CSV of bandwidth over threads'
            cand stream 'STREAM: a CSV of bandwidth by kernel'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'numasim;import;mlc'= {
            cand --name 'The name of the machine [default: that of the table or of the file]'
            cand --cores-per-node 'Physical cores of each node; the matrix does not say it'
            cand --gflops-per-core 'Peak of one core in GFLOPS; the matrix does not say it'
            cand --select 'The table with this in its name, of a CSV with a column `file`'
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;hwloc'= {
            cand -o 'Write to FILE, whole or not at all, instead of standard output'
            cand --output 'Write to FILE, whole or not at all, instead of standard output'
            cand --color 'When to use colours'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'numasim;import;likwid'= {
            cand --select 'Only machines with this in their name, of a CSV with a column `machine_file`'
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
        &'numasim;import;help'= {
            cand mlc 'Intel Memory Latency Checker, --bandwidth_matrix or --latency_matrix: a machine file'
            cand hwloc 'hwloc, lstopo --of xml: the skeleton of a machine file'
            cand likwid 'likwid-bench, one run or a sweep: a CSV of bandwidth over threads'
            cand stream 'STREAM: a CSV of bandwidth by kernel'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'numasim;import;help;mlc'= {
        }
        &'numasim;import;help;hwloc'= {
        }
        &'numasim;import;help;likwid'= {
        }
        &'numasim;import;help;stream'= {
        }
        &'numasim;import;help;help'= {
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
            cand explore 'Find the best allocation of threads to NUMA nodes'
            cand sweep 'Evaluate or explore with other figures: bandwidths, thread counts, places of data, ...'
            cand models 'Explain the models of how bandwidth is shared, and their parameters'
            cand calibrate 'Measure this host and write its machine file'
            cand bench 'Run every scenario on this host, with pinned threads and bound memory, and measure it'
            cand validate 'Detect, calibrate, measure, compare and report: is the model right on this host?'
            cand compare 'Put measured performance beside what the model says'
            cand fit 'Estimate figures of the machine from measured scenarios, and say what the estimates are worth'
            cand discriminate 'Propose scenarios that tell the sharing models apart on a machine'
            cand published 'Judge the sharing models by published measurements of real machines'
            cand plot 'Draw a machine, a scenario or a set of allocations'
            cand report 'Write a web page of model and measurement that needs nothing else'
            cand check 'Validate files and say what was read'
            cand detect 'Read NUMA nodes, cores and caches of this host and print the skeleton of a machine file'
            cand import 'Make a machine file or a measured CSV from what another tool printed'
            cand schema 'Print the JSON Schema of the input files'
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
        &'numasim;help;published'= {
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
            cand hwloc 'hwloc, lstopo --of xml: the skeleton of a machine file'
            cand likwid 'likwid-bench, one run or a sweep: a CSV of bandwidth over threads'
            cand stream 'STREAM: a CSV of bandwidth by kernel'
        }
        &'numasim;help;import;mlc'= {
        }
        &'numasim;help;import;hwloc'= {
        }
        &'numasim;help;import;likwid'= {
        }
        &'numasim;help;import;stream'= {
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
