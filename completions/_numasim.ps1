
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'numasim' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'numasim'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'numasim' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('evaluate', 'evaluate', [CompletionResultType]::ParameterValue, 'Compute the performance of every scenario in the files')
            [CompletionResult]::new('explore', 'explore', [CompletionResultType]::ParameterValue, 'Find the best placement of threads on NUMA nodes')
            [CompletionResult]::new('sweep', 'sweep', [CompletionResultType]::ParameterValue, 'Evaluate or explore with varied inputs')
            [CompletionResult]::new('simulate', 'simulate', [CompletionResultType]::ParameterValue, 'Simulate applications over time, with a policy that moves cores')
            [CompletionResult]::new('agent', 'agent', [CompletionResultType]::ParameterValue, 'Assign cores to the applications of this host')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Run the applications of the files on this host, under an agent')
            [CompletionResult]::new('top', 'top', [CompletionResultType]::ParameterValue, 'Watch this host, or an agent, in the terminal')
            [CompletionResult]::new('snapshot', 'snapshot', [CompletionResultType]::ParameterValue, 'Take a snapshot of this host as a study')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Recommend what to move on this host')
            [CompletionResult]::new('tasks', 'tasks', [CompletionResultType]::ParameterValue, 'Simulate a graph of tasks under the schedulers of task runtimes')
            [CompletionResult]::new('profile', 'profile', [CompletionResultType]::ParameterValue, 'Time each task of a tree program with local and remote data')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Plan the placement of data and tasks from a profile')
            [CompletionResult]::new('models', 'models', [CompletionResultType]::ParameterValue, 'Explain the bandwidth-sharing models and their parameters')
            [CompletionResult]::new('calibrate', 'calibrate', [CompletionResultType]::ParameterValue, 'Measure this host and write its machine file')
            [CompletionResult]::new('bench', 'bench', [CompletionResultType]::ParameterValue, 'Run and measure every scenario on this host')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Check the model on this host')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare measured performance with the model''s predictions')
            [CompletionResult]::new('fit', 'fit', [CompletionResultType]::ParameterValue, 'Estimate machine parameters from measured scenarios')
            [CompletionResult]::new('discriminate', 'discriminate', [CompletionResultType]::ParameterValue, 'Propose scenarios that tell the sharing models apart')
            [CompletionResult]::new('profile-app', 'profile-app', [CompletionResultType]::ParameterValue, 'Describe a program as an [[app]]')
            [CompletionResult]::new('plot', 'plot', [CompletionResultType]::ParameterValue, 'Draw a machine, a scenario or a set of placements')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Write a self-contained web page on model and measurements')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Validate files and show what was read')
            [CompletionResult]::new('detect', 'detect', [CompletionResultType]::ParameterValue, 'Print the skeleton of a machine file of this host')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Convert the output of other tools')
            [CompletionResult]::new('catalog', 'catalog', [CompletionResultType]::ParameterValue, 'List the built-in machines and workloads, or print one')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Write a first study: a machine, applications and a scenario')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write the machine for another tool')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of the input files or of an output')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a script that completes commands and switches in a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'numasim;evaluate' {
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Bandwidth-sharing model; `all` shows every model side by side [default: the model in the machine file, else baseline-proportional]')
            [CompletionResult]::new('--scenario', '--scenario', [CompletionResultType]::ParameterName, 'Only the scenario with this name; may be given more than once')
            [CompletionResult]::new('--save', '--save', [CompletionResultType]::ParameterName, 'Also write the scenarios to FILE, as [[scenario]] tables for any command, with the files of the same machine and applications')
            [CompletionResult]::new('--emit', '--emit', [CompletionResultType]::ParameterName, 'A script or files that set up the placement')
            [CompletionResult]::new('--cpus-from', '--cpus-from', [CompletionResultType]::ParameterName, 'Logical CPU numbers for --emit')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--static-work', '--static-work', [CompletionResultType]::ParameterName, 'Static scheduling: divide the work of every application equally among its threads in advance, so that its slowest thread determines the result. In a file: `static = true` in a [[scenario]]')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Show how the model computes its results, step by step')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;explore' {
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Sharing model [default: the model in the file]')
            [CompletionResult]::new('--objective', '--objective', [CompletionResultType]::ParameterName, 'What to optimise')
            [CompletionResult]::new('--machine', '--machine', [CompletionResultType]::ParameterName, 'The machine; given twice or more, compare machines')
            [CompletionResult]::new('--pareto', '--pareto', [CompletionResultType]::ParameterName, 'Trade-off between two objectives')
            [CompletionResult]::new('--models', '--models', [CompletionResultType]::ParameterName, 'Also find a placement that is good under each model')
            [CompletionResult]::new('--min-threads-per-node', '--min-threads-per-node', [CompletionResultType]::ParameterName, 'At least N threads of each on every node')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Exactly N threads of APP')
            [CompletionResult]::new('--threads-multiple', '--threads-multiple', [CompletionResultType]::ParameterName, 'A multiple of N threads on each node')
            [CompletionResult]::new('--max-nodes', '--max-nodes', [CompletionResultType]::ParameterName, 'Threads on at most N nodes')
            [CompletionResult]::new('--threads-per-l3', '--threads-per-l3', [CompletionResultType]::ParameterName, '0 or N threads in each L3 domain')
            [CompletionResult]::new('--max-l3', '--max-l3', [CompletionResultType]::ParameterName, 'Threads in at most N L3 domains')
            [CompletionResult]::new('--exclusive', '--exclusive', [CompletionResultType]::ParameterName, 'No other application on the nodes of APP')
            [CompletionResult]::new('--within', '--within', [CompletionResultType]::ParameterName, 'Largest loss allowed with --simple or --fewest-threads')
            [CompletionResult]::new('--time-limit', '--time-limit', [CompletionResultType]::ParameterName, 'Search for at most this many seconds')
            [CompletionResult]::new('--top', '--top', [CompletionResultType]::ParameterName, 'Show up to K alternatives')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random restarts')
            [CompletionResult]::new('--save', '--save', [CompletionResultType]::ParameterName, 'Also write all placements to FILE')
            [CompletionResult]::new('--plot', '--plot', [CompletionResultType]::ParameterName, 'Draw the best placement as SVG, PNG or PDF')
            [CompletionResult]::new('--emit', '--emit', [CompletionResultType]::ParameterName, 'A script or files that set up the placement')
            [CompletionResult]::new('--cpus-from', '--cpus-from', [CompletionResultType]::ParameterName, 'Logical CPU numbers for --emit')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--same-on-every-node', '--same-on-every-node', [CompletionResultType]::ParameterName, 'Equal threads on every node')
            [CompletionResult]::new('--whole-nodes', '--whole-nodes', [CompletionResultType]::ParameterName, 'At most one application on a node')
            [CompletionResult]::new('--no-idle-cores', '--no-idle-cores', [CompletionResultType]::ParameterName, 'Use every core')
            [CompletionResult]::new('--whole-l3', '--whole-l3', [CompletionResultType]::ParameterName, 'At most one application in an L3 domain')
            [CompletionResult]::new('--simple', '--simple', [CompletionResultType]::ParameterName, 'Also find the simplest placement that is nearly as good')
            [CompletionResult]::new('--fewest-threads', '--fewest-threads', [CompletionResultType]::ParameterName, 'Also find the fewest threads that are as good')
            [CompletionResult]::new('--sensitivity', '--sensitivity', [CompletionResultType]::ParameterName, 'Also report the gain from more of each resource')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;sweep' {
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Sharing model [default: the model in the file]')
            [CompletionResult]::new('--set', '--set', [CompletionResultType]::ParameterName, 'An input and its values; several inputs form a grid, and the last one varies fastest')
            [CompletionResult]::new('--scenario', '--scenario', [CompletionResultType]::ParameterName, 'Evaluate only the scenario with this name; may be given more than once')
            [CompletionResult]::new('--objective', '--objective', [CompletionResultType]::ParameterName, 'Objective to optimise [default: geomean]')
            [CompletionResult]::new('--min-threads-per-node', '--min-threads-per-node', [CompletionResultType]::ParameterName, 'Each application has at least N threads on every node that has cores')
            [CompletionResult]::new('--time-limit', '--time-limit', [CompletionResultType]::ParameterName, 'Search at most this many seconds at each point [default: no limit]')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'The policy that assigns threads; each of several has a row at every point [default: the policy in the files, else none]')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Stop each simulation after SECONDS of simulated time [default: when every application is finished]')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random restarts, or of the random draws of a simulation; the same seed gives the same answers [default: 0, with --simulate 1]')
            [CompletionResult]::new('--shard', '--shard', [CompletionResultType]::ParameterName, 'Compute the I-th of N equal parts of the points, I from 1; part 1 has the header')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Worker threads of numasim itself [default: one per core of this host]')
            [CompletionResult]::new('--submit', '--submit', [CompletionResultType]::ParameterName, 'Write the sweep into --folder as a job array, and submit it; prints the number of the job')
            [CompletionResult]::new('--folder', '--folder', [CompletionResultType]::ParameterName, 'The folder of --submit, new or empty')
            [CompletionResult]::new('--shards', '--shards', [CompletionResultType]::ParameterName, 'Number of shards into which the points are divided; each is a task with --threads worker threads [default: 16]')
            [CompletionResult]::new('--sbatch-option', '--sbatch-option', [CompletionResultType]::ParameterName, 'An option for sbatch, e.g. --sbatch-option=--partition=long; may be given more than once')
            [CompletionResult]::new('--resubmit', '--resubmit', [CompletionResultType]::ParameterName, 'Submit the missing shards in the folder of a --submit again: those that failed, were killed or never ran')
            [CompletionResult]::new('--collect', '--collect', [CompletionResultType]::ParameterName, 'Join the shards in the folder of a --submit once all are finished; byte for byte the output of a single run')
            [CompletionResult]::new('--plot', '--plot', [CompletionResultType]::ParameterName, 'Draw one axis as lines, two as a heat map, as SVG, PNG or PDF')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--explore', '--explore', [CompletionResultType]::ParameterName, 'Search for the best placement at every point, instead of evaluating the scenarios')
            [CompletionResult]::new('--same-on-every-node', '--same-on-every-node', [CompletionResultType]::ParameterName, 'Each application has the same number of threads on every node that has cores')
            [CompletionResult]::new('--whole-nodes', '--whole-nodes', [CompletionResultType]::ParameterName, 'At most one application has threads on a node')
            [CompletionResult]::new('--no-idle-cores', '--no-idle-cores', [CompletionResultType]::ParameterName, 'Every core is used')
            [CompletionResult]::new('--simulate', '--simulate', [CompletionResultType]::ParameterName, 'Simulate what happens over time at every point, instead of evaluating the scenarios')
            [CompletionResult]::new('--resume', '--resume', [CompletionResultType]::ParameterName, 'Resume from FILE.partial, left by an interrupted sweep with `-o FILE`; start from the beginning if there is none')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Submit nothing: with --submit, write the folder and print the command that would submit')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;simulate' {
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'The policy that assigns threads; several are compared, with ratios to the first [default: the policy in the files, else none]')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Sharing model [default: the model in the file]')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Stop the simulation after SECONDS of simulated time [default: when every application is finished]')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the random draws (task_spread, task_jitter, wake); the same seed gives the same result')
            [CompletionResult]::new('--runs', '--runs', [CompletionResultType]::ParameterName, 'Simulate with N seeds, from --seed on, and show mean and spread (standard deviation / mean)')
            [CompletionResult]::new('--compare', '--compare', [CompletionResultType]::ParameterName, 'Compare the simulation with the run that `numasim run` wrote to DIR, with errors; its policy is the default. With --plot, both are in one plot. One policy and one run')
            [CompletionResult]::new('--timeline', '--timeline', [CompletionResultType]::ParameterName, 'Write what every application does over time to FILE, as CSV; one policy and one run')
            [CompletionResult]::new('--plot', '--plot', [CompletionResultType]::ParameterName, 'Draw the cores of each application over time, a strip for each node, and the items in channels below, as SVG, PNG or PDF; with --compare, the run above the simulation, with threads, commands, progress and errors. One policy and one run')
            [CompletionResult]::new('--trace', '--trace', [CompletionResultType]::ParameterName, 'Write what the policy saw and decided to FILE, as JSON lines; one policy and one run')
            [CompletionResult]::new('--replay', '--replay', [CompletionResultType]::ParameterName, 'Ask the policy again for every decision in FILE, from --trace or from an agent, and compare: exit code 1 if one differs')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;agent' {
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'The policy that assigns threads [default: the policy in the files, else fair-share]')
            [CompletionResult]::new('--period-ms', '--period-ms', [CompletionResultType]::ParameterName, 'Time between two decisions, 1 to 60000; 0: whenever something changes [default: that of [policy] in the files, else 80]')
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'Where applications connect [default: NUMASIM_AGENT, else $XDG_RUNTIME_DIR/numasim/agent.sock, else numasim-UID/agent.sock in the system''s folder for temporary files]')
            [CompletionResult]::new('--record', '--record', [CompletionResultType]::ParameterName, 'Write what the policy sees and decides to FILE, as JSON lines, for `simulate --replay`; an existing FILE is rejected')
            [CompletionResult]::new('--adopt', '--adopt', [CompletionResultType]::ParameterName, 'Control a process without agent support: move its threads by their affinity, or move all processes in a control group (a folder of cgroup v2) by its cpuset if that is writable; may be given several times')
            [CompletionResult]::new('--adopt-started', '--adopt-started', [CompletionResultType]::ParameterName, 'As --adopt, from when the process has become another program; for `numasim run`')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--record-only', '--record-only', [CompletionResultType]::ParameterName, 'Write the start of the record and exit: applications with NUMASIM_RECORD=FILE take turns as the agent')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Decide and record, but send no commands')
            [CompletionResult]::new('--this-host', '--this-host', [CompletionResultType]::ParameterName, 'Take the [machine] of the files for this host, or for its first nodes and cores: for --adopt, and for the load in `agent status`')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show the state and the decisions of an agent')
            [CompletionResult]::new('stop', 'stop', [CompletionResultType]::ParameterValue, 'Stop an agent, and wait until it has exited')
            break
        }
        'numasim;agent;status' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'Path of its socket [default: as for numasim agent]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Output format')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;agent;stop' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'Path of its socket [default: as for numasim agent]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;run' {
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'The policy that assigns threads [default: the policy in the files, else fair-share]')
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'Use the agent that listens at PATH, and its policy [default: a separate agent for this run]')
            [CompletionResult]::new('--agent-library', '--agent-library', [CompletionResultType]::ParameterName, 'The library that is preloaded into each `command` with control "total" or "per-node", so that its OpenMP and oneTBB follow the agent [default: libnumasim_agent.so next to numasim, else in ../lib/numasim]')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Stop after SECONDS [default: when every application is finished]')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of the work of tasks with a task_spread: the same tasks as those of `simulate` with this seed')
            [CompletionResult]::new('--sample-ms', '--sample-ms', [CompletionResultType]::ParameterName, 'Time between two rows of the timeline, in milliseconds')
            [CompletionResult]::new('--isa', '--isa', [CompletionResultType]::ParameterName, 'Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]')
            [CompletionResult]::new('--memory-per-thread', '--memory-per-thread', [CompletionResultType]::ParameterName, 'Size of each thread''s data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write everything into this new folder')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write everything into this new folder')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the summary on standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--explore', '--explore', [CompletionResultType]::ParameterName, 'Choose the placement with the largest total GFLOPS first, as `explore` does, and apply it: policy static')
            [CompletionResult]::new('--no-agent', '--no-agent', [CompletionResultType]::ParameterName, 'Run without an agent: all threads run')
            [CompletionResult]::new('--agent-in-apps', '--agent-in-apps', [CompletionResultType]::ParameterName, 'Run without a separate agent: one application serves, and when it ends or is killed the next one takes over')
            [CompletionResult]::new('--real-items', '--real-items', [CompletionResultType]::ParameterName, 'Take memory of item_mb for each item of a channel, from when it is produced until it is finished')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;top' {
            [CompletionResult]::new('--socket', '--socket', [CompletionResultType]::ParameterName, 'Path of the agent''s socket [default: NUMASIM_AGENT, else the agent''s own default]')
            [CompletionResult]::new('--machine', '--machine', [CompletionResultType]::ParameterName, 'Measured machine file of this host [default: the topology in /sys, with assumed bandwidths and peaks]')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Read a recorded host instead of this one: a folder with `proc` and `sys`')
            [CompletionResult]::new('--select', '--select', [CompletionResultType]::ParameterName, 'Only this application; may be given more than once')
            [CompletionResult]::new('--interval-ms', '--interval-ms', [CompletionResultType]::ParameterName, 'Time between two updates, in milliseconds')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--once', '--once', [CompletionResultType]::ParameterName, 'Print one frame as plain text and exit')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;snapshot' {
            [CompletionResult]::new('--machine', '--machine', [CompletionResultType]::ParameterName, 'Measured machine file of this host [default: the topology in /sys, with assumed bandwidths and peaks]')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Read a recorded host instead of this one: a folder with `proc` and `sys`')
            [CompletionResult]::new('--select', '--select', [CompletionResultType]::ParameterName, 'Only this application; may be given more than once')
            [CompletionResult]::new('--seconds', '--seconds', [CompletionResultType]::ParameterName, 'Time between the two instants')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;advise' {
            [CompletionResult]::new('--machine', '--machine', [CompletionResultType]::ParameterName, 'Measured machine file of this host [default: the topology in /sys, with assumed bandwidths and peaks]')
            [CompletionResult]::new('--root', '--root', [CompletionResultType]::ParameterName, 'Read a recorded host instead of this one: a folder with `proc` and `sys`')
            [CompletionResult]::new('--select', '--select', [CompletionResultType]::ParameterName, 'Only this application; may be given more than once')
            [CompletionResult]::new('--seconds', '--seconds', [CompletionResultType]::ParameterName, 'Time between the two instants')
            [CompletionResult]::new('--objective', '--objective', [CompletionResultType]::ParameterName, 'What to optimise')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--emit', '--emit', [CompletionResultType]::ParameterName, 'Write the moves as a shell script')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;tasks' {
            [CompletionResult]::new('--graph', '--graph', [CompletionResultType]::ParameterName, 'Read the graph from blocks.csv and tasks.csv in DIR')
            [CompletionResult]::new('--scheduler', '--scheduler', [CompletionResultType]::ParameterName, 'The scheduler that chooses where each task runs; several are compared, with speedups over the first [default: the scheduler in the files, else fifo]')
            [CompletionResult]::new('--plan', '--plan', [CompletionResultType]::ParameterName, 'Read plan-tree.csv and plan-dbs.csv in PLAN, for the scheduler plan')
            [CompletionResult]::new('--placement', '--placement', [CompletionResultType]::ParameterName, 'Data placement of the blocks, page by page')
            [CompletionResult]::new('--scenario', '--scenario', [CompletionResultType]::ParameterName, 'A scheduler with a data placement from paper 003, instead of both; several are compared, with speedups over the first')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Sharing model [default: the model in the file]')
            [CompletionResult]::new('--runs', '--runs', [CompletionResultType]::ParameterName, 'Simulate with N seeds, from --seed on, and show mean and spread (standard deviation / mean)')
            [CompletionResult]::new('--seed', '--seed', [CompletionResultType]::ParameterName, 'Seed of all random numbers; the same seed gives the same result [default: the seed in [runtime] in the files, else 1]')
            [CompletionResult]::new('--metg', '--metg', [CompletionResultType]::ParameterName, 'Task Bench: also find the smallest task granularity at which the cores reach SHARE of their peak')
            [CompletionResult]::new('--trace', '--trace', [CompletionResultType]::ParameterName, 'Write when and where each task ran to FILE. The extension selects the format: .csv, .json for Perfetto and chrome://tracing, .rec for a tasks.rec as StarPU writes it, or .paje (.trace) for the Paje format; the last two need one scheduler and one run. With --real it covers the last run on this host')
            [CompletionResult]::new('--gantt', '--gantt', [CompletionResultType]::ParameterName, 'Draw the workers over time, nodes as bands and kinds of tasks as colours, as SVG, PNG or PDF; one scheduler and one run')
            [CompletionResult]::new('--emit-graph', '--emit-graph', [CompletionResultType]::ParameterName, 'Write the graph to blocks.csv, tasks.csv and edges.csv in DIR')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--steal', '--steal', [CompletionResultType]::ParameterName, 'Idle workers steal from other sockets, the nearest first')
            [CompletionResult]::new('--real', '--real', [CompletionResultType]::ParameterName, 'Also run the graph on this host, with real kernels on bound threads, and compare with the simulation: for the generators cholesky, qr, gauss-seidel, red-black, jacobi and stencil2d, with results checked against a serial run. If an agent is running (NUMASIM_AGENT), the run follows its commands')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;profile' {
            [CompletionResult]::new('--graph', '--graph', [CompletionResultType]::ParameterName, 'Read the graph from blocks.csv and tasks.csv in DIR')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Sharing model [default: the model in the file]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the files ptrace-*.csv to DIR')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the files ptrace-*.csv to DIR')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;plan' {
            [CompletionResult]::new('--pattern', '--pattern', [CompletionResultType]::ParameterName, 'For a profile: how blocks are distributed over nodes: consecutive ones together, round-robin, or as the programmer specified [default: block]')
            [CompletionResult]::new('--graph', '--graph', [CompletionResultType]::ParameterName, 'Plan the graph in blocks.csv and tasks.csv in DIR, for the machine in the files')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'For a graph: bandwidth-sharing model [default: the model in the machine file, else baseline-proportional]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the plan to PLAN: plan.toml with plan-dbs.csv and plan-tree.csv, or for a graph with blocks.csv, tasks.csv and edges.csv')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the plan to PLAN: plan.toml with plan-dbs.csv and plan-tree.csv, or for a graph with blocks.csv, tasks.csv and edges.csv')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the summary on standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;models' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;calibrate' {
            [CompletionResult]::new('--rounds', '--rounds', [CompletionResultType]::ParameterName, 'Measure every step N times')
            [CompletionResult]::new('--window', '--window', [CompletionResultType]::ParameterName, 'Length of the measuring window')
            [CompletionResult]::new('--warm-up', '--warm-up', [CompletionResultType]::ParameterName, 'Time from the common start of all threads to the measuring window')
            [CompletionResult]::new('--isa', '--isa', [CompletionResultType]::ParameterName, 'Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]')
            [CompletionResult]::new('--memory-per-thread', '--memory-per-thread', [CompletionResultType]::ParameterName, 'Size of each thread''s data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the machine [default: the name of this host]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--quick', '--quick', [CompletionResultType]::ParameterName, 'Under a minute on a few cores: 3 rounds of 0.2 s, few thread counts')
            [CompletionResult]::new('--reads-only', '--reads-only', [CompletionResultType]::ParameterName, 'Measure only reads, not copies, triads and updates')
            [CompletionResult]::new('--smt', '--smt', [CompletionResultType]::ParameterName, 'Measure the gain from the second hardware thread of each core (smt_speedup of applications)')
            [CompletionResult]::new('--usual-kernels', '--usual-kernels', [CompletionResultType]::ParameterName, 'Measure with the default kernels, instead of trying access variants first')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print the planned measurements and their duration, without measuring')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;bench' {
            [CompletionResult]::new('--scenario', '--scenario', [CompletionResultType]::ParameterName, 'Only the scenario with this name; may be given more than once')
            [CompletionResult]::new('--repeat', '--repeat', [CompletionResultType]::ParameterName, 'Measure each scenario N times, interleaved with the others')
            [CompletionResult]::new('--window', '--window', [CompletionResultType]::ParameterName, 'Length of the measuring window')
            [CompletionResult]::new('--warm-up', '--warm-up', [CompletionResultType]::ParameterName, 'Time from the common start of all threads to the measuring window')
            [CompletionResult]::new('--isa', '--isa', [CompletionResultType]::ParameterName, 'Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]')
            [CompletionResult]::new('--memory-per-thread', '--memory-per-thread', [CompletionResultType]::ParameterName, 'Size of each thread''s data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]')
            [CompletionResult]::new('--bind', '--bind', [CompletionResultType]::ParameterName, 'Bind each thread to this')
            [CompletionResult]::new('--host-machine', '--host-machine', [CompletionResultType]::ParameterName, 'Machine file of this host: its values are written to RESULT.study.toml')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the measurements to this new file [default: bench-HOST-TIME.csv]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the measurements to this new file [default: bench-HOST-TIME.csv]')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'Format of the summary (or the plan) on standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--processes', '--processes', [CompletionResultType]::ParameterName, 'Each application is a separate process, not a group of threads in one process')
            [CompletionResult]::new('--fit-host', '--fit-host', [CompletionResultType]::ParameterName, 'Scale scenarios that do not fit this host: nodes, threads and data placement')
            [CompletionResult]::new('--dry-run', '--dry-run', [CompletionResultType]::ParameterName, 'Print what would run where, and every warning, without measuring')
            [CompletionResult]::new('--resume', '--resume', [CompletionResultType]::ParameterName, 'Resume the run that wrote RESULT.csv; start one if there is none')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;validate' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Folder for all measurements and results; it is created')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Folder for all measurements and results; it is created')
            [CompletionResult]::new('--bundle', '--bundle', [CompletionResultType]::ParameterName, 'Pack the result into FILE.tar.zst to send it: machine, raw rows, provenance, page, without the name of the host; with --resume, a finished folder is packed and nothing is measured')
            [CompletionResult]::new('--repeat', '--repeat', [CompletionResultType]::ParameterName, 'Measure each scenario N times')
            [CompletionResult]::new('--window', '--window', [CompletionResultType]::ParameterName, 'Length of the measuring window')
            [CompletionResult]::new('--memory-per-thread', '--memory-per-thread', [CompletionResultType]::ParameterName, 'Size of each thread''s data, such as 64MiB [default: 4 x its share of the last-level cache, at least 64 MiB]')
            [CompletionResult]::new('--isa', '--isa', [CompletionResultType]::ParameterName, 'Instruction set of the kernels: avx512, avx2 or portable [default: the best this host has]')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Sharing model [default: the model in the file]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--resume', '--resume', [CompletionResultType]::ParameterName, 'Resume in a folder that an earlier run started')
            [CompletionResult]::new('--one-process', '--one-process', [CompletionResultType]::ParameterName, 'All applications are threads of one process [default: each is a separate process]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;compare' {
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Sharing model [default: the model in the file]')
            [CompletionResult]::new('--measured', '--measured', [CompletionResultType]::ParameterName, 'Measurements: the CSV of `numasim bench`, or one with the columns scenario,app,gflops')
            [CompletionResult]::new('--scenario', '--scenario', [CompletionResultType]::ParameterName, 'Only the scenario with this name; may be given more than once')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;fit' {
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Sharing model [default: the model in the file]')
            [CompletionResult]::new('--measured', '--measured', [CompletionResultType]::ParameterName, 'Measurements: the CSV of `numasim bench`, or one with the columns scenario,app,gflops')
            [CompletionResult]::new('--free', '--free', [CompletionResultType]::ParameterName, 'Machine parameters to estimate, separated by commas; may be given more than once')
            [CompletionResult]::new('--scenario', '--scenario', [CompletionResultType]::ParameterName, 'Fit only to the scenario with this name, and predict the other measured ones; may be given more than once')
            [CompletionResult]::new('--emit-machine', '--emit-machine', [CompletionResultType]::ParameterName, 'Also write a machine file with the fitted values, whole or not at all')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;discriminate' {
            [CompletionResult]::new('--most', '--most', [CompletionResultType]::ParameterName, 'Propose at most N scenarios')
            [CompletionResult]::new('--emit-scenarios', '--emit-scenarios', [CompletionResultType]::ParameterName, 'Also write the applications and scenarios to FILE, for bench and compare')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;profile-app' {
            [CompletionResult]::new('--app', '--app', [CompletionResultType]::ParameterName, 'The application in the CSV, if it contains several')
            [CompletionResult]::new('--perf', '--perf', [CompletionResultType]::ParameterName, 'Output of `perf stat`: with -x, (CSV), with -j (JSON), or as it is printed; one file for each run')
            [CompletionResult]::new('--likwid', '--likwid', [CompletionResultType]::ParameterName, 'Output of `likwid-perfctr`, groups such as MEM_DP, or FLOPS_DP and MEM, with or without -O; one file for each run')
            [CompletionResult]::new('--region', '--region', [CompletionResultType]::ParameterName, 'The region of likwid-perfctr -m, if the program marks several')
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads of each run of --perf, in the order of its files: 1,2,4')
            [CompletionResult]::new('--nodes', '--nodes', [CompletionResultType]::ParameterName, 'Number of NUMA nodes with threads in each run of --perf, in the order of its files: 1,2,4; with equal threads on each node they show the loss on several nodes')
            [CompletionResult]::new('--arithmetic-intensity', '--arithmetic-intensity', [CompletionResultType]::ParameterName, 'FLOP per byte, if no counter provides them')
            [CompletionResult]::new('--work', '--work', [CompletionResultType]::ParameterName, 'Number of requests, rows or tokens that each measured run served; the file gets their number per GB (`rate`) instead of an arithmetic intensity')
            [CompletionResult]::new('--unit', '--unit', [CompletionResultType]::ParameterName, 'The unit of --work, such as queries')
            [CompletionResult]::new('--pid', '--pid', [CompletionResultType]::ParameterName, 'A running process of this host: its pages and its threads (Linux)')
            [CompletionResult]::new('--numa-maps', '--numa-maps', [CompletionResultType]::ParameterName, 'A copy of /proc/PID/numa_maps; two copies, with threads on different nodes, distinguish local data from data with a home node')
            [CompletionResult]::new('--threads-per-node', '--threads-per-node', [CompletionResultType]::ParameterName, 'Threads of each NUMA node while --numa-maps was copied: 8,0; given once for each of its files, in their order')
            [CompletionResult]::new('--machine', '--machine', [CompletionResultType]::ParameterName, 'The machine on which it ran: the number of nodes, and their numbers in the operating system')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The name of the application in the new file [default: from the CSV, the process or the file]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;plot' {
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Sharing model [default: the model in the file]')
            [CompletionResult]::new('--scenario', '--scenario', [CompletionResultType]::ParameterName, 'The scenario: drawn by threads; performance of the applications in roofline; data placement in allocations; the only one in bars and scatter')
            [CompletionResult]::new('--measured', '--measured', [CompletionResultType]::ParameterName, 'Measurements for bars and scatter: the CSV of `numasim bench`, or one with scenario,app,gflops')
            [CompletionResult]::new('--x', '--x', [CompletionResultType]::ParameterName, 'The application on the horizontal axis, in threads per node [default: the first]')
            [CompletionResult]::new('--y', '--y', [CompletionResultType]::ParameterName, 'The application on the vertical axis, in threads per node [default: the next]')
            [CompletionResult]::new('--rest', '--rest', [CompletionResultType]::ParameterName, 'The application that gets the remaining cores [default: none, they stay idle]')
            [CompletionResult]::new('--objective', '--objective', [CompletionResultType]::ParameterName, 'Objective shown as colour [default: geomean]')
            [CompletionResult]::new('--theme', '--theme', [CompletionResultType]::ParameterName, 'Colours of the paper: light, dark, or auto, which follows the reader''s browser (SVG only)')
            [CompletionResult]::new('--width', '--width', [CompletionResultType]::ParameterName, 'Width of the plot in pixels, 200 to 4000; its height and its text scale in proportion [default: 900, more for large machines]')
            [CompletionResult]::new('--font-size', '--font-size', [CompletionResultType]::ParameterName, 'Size of the labels in points, 4 to 40, for papers; the plot becomes as wide as that needs [default: 8.5]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE.svg, FILE.png or FILE.pdf, whole or not at all, instead of SVG to standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE.svg, FILE.png or FILE.pdf, whole or not at all, instead of SVG to standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--static-work', '--static-work', [CompletionResultType]::ParameterName, 'Static scheduling: divide the work of every application equally among its threads in advance, so that its slowest thread determines the result [default: as in --scenario]')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;report' {
            [CompletionResult]::new('--measured', '--measured', [CompletionResultType]::ParameterName, 'Measurements: the CSV of `numasim bench`, or one with the columns scenario,app,gflops [default: the CSV of the folder]')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'Sharing model [default: the model in the file]')
            [CompletionResult]::new('--policy', '--policy', [CompletionResultType]::ParameterName, 'Policies that assign threads over time, if every application defines its work; several are compared [default: none, static-even, fair-share, and the policy in the files]')
            [CompletionResult]::new('--scheduler', '--scheduler', [CompletionResultType]::ParameterName, 'Schedulers for a graph of tasks in the files; several are compared [default: fifo, sa if every task has a socket, dep, rip-dep, and the scheduler in the files]')
            [CompletionResult]::new('--until', '--until', [CompletionResultType]::ParameterName, 'Stop the simulations after SECONDS of simulated time [default: when every application is finished]')
            [CompletionResult]::new('--objective', '--objective', [CompletionResultType]::ParameterName, 'Objective of the search, if there are no measurements [default: geomean]; with it, the search also covers applications that run over time')
            [CompletionResult]::new('--time-limit', '--time-limit', [CompletionResultType]::ParameterName, 'Search for at most this many seconds')
            [CompletionResult]::new('--title', '--title', [CompletionResultType]::ParameterName, 'The title of the page [default: the name of the machine]')
            [CompletionResult]::new('--interactive', '--interactive', [CompletionResultType]::ParameterName, 'Embed the what-if page, with these files in it: sliders for threads and bandwidths, and the search, computed by the browser; adds about 3 MB [default: numasim.html next to the program, which bindings/web/build makes]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the page to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the page to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;check' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;detect' {
            [CompletionResult]::new('--from-xml', '--from-xml', [CompletionResultType]::ParameterName, 'Describe the machine on which `lstopo --of xml FILE` was run, instead of this host')
            [CompletionResult]::new('--from-synthetic', '--from-synthetic', [CompletionResultType]::ParameterName, 'Describe a synthetic machine in hwloc''s notation: "node:4 core:20 pu:1"')
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--smt', '--smt', [CompletionResultType]::ParameterName, 'Count each hardware thread (SMT) as a core, instead of each physical core')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('mlc', 'mlc', [CompletionResultType]::ParameterValue, 'Intel Memory Latency Checker, --bandwidth_matrix or --latency_matrix: a machine file')
            [CompletionResult]::new('hwloc', 'hwloc', [CompletionResultType]::ParameterValue, 'hwloc, lstopo --of xml: the skeleton of a machine file, or a complete one if numasim exported it')
            [CompletionResult]::new('numactl', 'numactl', [CompletionResultType]::ParameterValue, 'numactl --hardware: the skeleton of a machine file, with memory and distances')
            [CompletionResult]::new('lscpu', 'lscpu', [CompletionResultType]::ParameterValue, 'lscpu, as text, -J, -e or -p: the skeleton of a machine file, with cores and caches')
            [CompletionResult]::new('likwid-topology', 'likwid-topology', [CompletionResultType]::ParameterValue, 'likwid-topology, as text, -c or -O: the skeleton of a machine file')
            [CompletionResult]::new('perf', 'perf', [CompletionResultType]::ParameterValue, 'perf stat, one file for each run: an application, as `profile-app --perf` writes it')
            [CompletionResult]::new('likwid-perfctr', 'likwid-perfctr', [CompletionResultType]::ParameterValue, 'likwid-perfctr, one file for each run: an application, as `profile-app --likwid` writes it')
            [CompletionResult]::new('likwid', 'likwid', [CompletionResultType]::ParameterValue, 'likwid-bench, one run or a sweep: a CSV of bandwidth over threads')
            [CompletionResult]::new('stream', 'stream', [CompletionResultType]::ParameterValue, 'STREAM or BabelStream: a CSV of bandwidth by kernel')
            [CompletionResult]::new('libvirt', 'libvirt', [CompletionResultType]::ParameterValue, 'virsh dumpxml, domains of libvirt: applications and a scenario')
            [CompletionResult]::new('docker', 'docker', [CompletionResultType]::ParameterValue, 'docker inspect, containers: applications and a scenario')
            [CompletionResult]::new('kubernetes', 'kubernetes', [CompletionResultType]::ParameterValue, 'Kubernetes, pods and the NRI balloons that place them: applications and a scenario')
            [CompletionResult]::new('rankfile', 'rankfile', [CompletionResultType]::ParameterValue, 'A rankfile of Open MPI 5 with its mpirun line: applications and a scenario')
            [CompletionResult]::new('wfcommons', 'wfcommons', [CompletionResultType]::ParameterValue, 'WfCommons, a workflow in WfFormat 1.5 or 1.6: a graph of tasks')
            [CompletionResult]::new('dot', 'dot', [CompletionResultType]::ParameterValue, 'DOT, a digraph with work and bytes as attributes: a graph of tasks')
            [CompletionResult]::new('starpu', 'starpu', [CompletionResultType]::ParameterValue, 'StarPU, the tasks.rec of a run: a graph of tasks')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'numasim;import;mlc' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The name of the machine [default: the name of the table or of the file]')
            [CompletionResult]::new('--cores-per-node', '--cores-per-node', [CompletionResultType]::ParameterName, 'Physical cores of each node, which the matrix does not contain')
            [CompletionResult]::new('--gflops-per-core', '--gflops-per-core', [CompletionResultType]::ParameterName, 'Peak of one core in GFLOPS, which the matrix does not contain')
            [CompletionResult]::new('--select', '--select', [CompletionResultType]::ParameterName, 'Only the table whose name contains this, in a CSV with a column `file`')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;hwloc' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The name of the machine [default: the name of the file]')
            [CompletionResult]::new('--gflops-per-core', '--gflops-per-core', [CompletionResultType]::ParameterName, 'Peak of one core in GFLOPS')
            [CompletionResult]::new('--bandwidth-gbs', '--bandwidth-gbs', [CompletionResultType]::ParameterName, 'Bandwidth of the memory of a node for local cores, in GB/s')
            [CompletionResult]::new('--link-gbs', '--link-gbs', [CompletionResultType]::ParameterName, 'Bandwidth between the cores of a node and the memory of another node, in GB/s')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;numactl' {
            [CompletionResult]::new('--lscpu', '--lscpu', [CompletionResultType]::ParameterName, 'Output of lscpu on the same machine, in any of its forms: cores, sockets and caches, which numactl does not report')
            [CompletionResult]::new('--threads-per-core', '--threads-per-core', [CompletionResultType]::ParameterName, 'Hardware threads of each core: N logical CPUs count as one core')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The name of the machine [default: the name of the file]')
            [CompletionResult]::new('--gflops-per-core', '--gflops-per-core', [CompletionResultType]::ParameterName, 'Peak of one core in GFLOPS')
            [CompletionResult]::new('--bandwidth-gbs', '--bandwidth-gbs', [CompletionResultType]::ParameterName, 'Bandwidth of the memory of a node for local cores, in GB/s')
            [CompletionResult]::new('--link-gbs', '--link-gbs', [CompletionResultType]::ParameterName, 'Bandwidth between the cores of a node and the memory of another node, in GB/s')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;lscpu' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The name of the machine [default: the name of the file]')
            [CompletionResult]::new('--gflops-per-core', '--gflops-per-core', [CompletionResultType]::ParameterName, 'Peak of one core in GFLOPS')
            [CompletionResult]::new('--bandwidth-gbs', '--bandwidth-gbs', [CompletionResultType]::ParameterName, 'Bandwidth of the memory of a node for local cores, in GB/s')
            [CompletionResult]::new('--link-gbs', '--link-gbs', [CompletionResultType]::ParameterName, 'Bandwidth between the cores of a node and the memory of another node, in GB/s')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;likwid-topology' {
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The name of the machine [default: the name of the file]')
            [CompletionResult]::new('--gflops-per-core', '--gflops-per-core', [CompletionResultType]::ParameterName, 'Peak of one core in GFLOPS')
            [CompletionResult]::new('--bandwidth-gbs', '--bandwidth-gbs', [CompletionResultType]::ParameterName, 'Bandwidth of the memory of a node for local cores, in GB/s')
            [CompletionResult]::new('--link-gbs', '--link-gbs', [CompletionResultType]::ParameterName, 'Bandwidth between the cores of a node and the memory of another node, in GB/s')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;perf' {
            [CompletionResult]::new('--threads', '--threads', [CompletionResultType]::ParameterName, 'Threads of each run, in the order of the files: 1,2,4')
            [CompletionResult]::new('--arithmetic-intensity', '--arithmetic-intensity', [CompletionResultType]::ParameterName, 'FLOP per byte, if no counter provides them')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The name of the application in the new file [default: from the first file]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;likwid-perfctr' {
            [CompletionResult]::new('--region', '--region', [CompletionResultType]::ParameterName, 'The region of likwid-perfctr -m, if the program marks several')
            [CompletionResult]::new('--arithmetic-intensity', '--arithmetic-intensity', [CompletionResultType]::ParameterName, 'FLOP per byte, if no counter provides them')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'The name of the application in the new file [default: from the first file]')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;likwid' {
            [CompletionResult]::new('--select', '--select', [CompletionResultType]::ParameterName, 'Only machines whose name contains this, in a CSV with a column `machine_file`')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;stream' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;libvirt' {
            [CompletionResult]::new('--study', '--study', [CompletionResultType]::ParameterName, 'The machine, with the logical CPUs of each node (`cpus`); may be repeated')
            [CompletionResult]::new('--cpus-from', '--cpus-from', [CompletionResultType]::ParameterName, 'Logical CPU numbers')
            [CompletionResult]::new('--scenario', '--scenario', [CompletionResultType]::ParameterName, 'The name of the scenario')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;docker' {
            [CompletionResult]::new('--study', '--study', [CompletionResultType]::ParameterName, 'The machine, with the logical CPUs of each node (`cpus`); may be repeated')
            [CompletionResult]::new('--cpus-from', '--cpus-from', [CompletionResultType]::ParameterName, 'Logical CPU numbers')
            [CompletionResult]::new('--scenario', '--scenario', [CompletionResultType]::ParameterName, 'The name of the scenario')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;kubernetes' {
            [CompletionResult]::new('--study', '--study', [CompletionResultType]::ParameterName, 'The machine, with the logical CPUs of each node (`cpus`); may be repeated')
            [CompletionResult]::new('--cpus-from', '--cpus-from', [CompletionResultType]::ParameterName, 'Logical CPU numbers')
            [CompletionResult]::new('--scenario', '--scenario', [CompletionResultType]::ParameterName, 'The name of the scenario')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;rankfile' {
            [CompletionResult]::new('--run', '--run', [CompletionResultType]::ParameterName, 'A script with the mpirun command line: programs, their numbers of ranks, numactl')
            [CompletionResult]::new('--study', '--study', [CompletionResultType]::ParameterName, 'The machine, with the logical CPUs of each node (`cpus`); may be repeated')
            [CompletionResult]::new('--cpus-from', '--cpus-from', [CompletionResultType]::ParameterName, 'Logical CPU numbers')
            [CompletionResult]::new('--scenario', '--scenario', [CompletionResultType]::ParameterName, 'The name of the scenario')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;wfcommons' {
            [CompletionResult]::new('--reference-gflops', '--reference-gflops', [CompletionResultType]::ParameterName, 'GFLOPS of a core of the measured machine, which the file does not contain: work is runtimeInSeconds x avgCPU / 100 x GFLOPS')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;dot' {
            [CompletionResult]::new('--default-gflop', '--default-gflop', [CompletionResultType]::ParameterName, 'Work of nodes without `flop`, in GFLOP (10^9 FLOP); drawings of graphs contain no work')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;starpu' {
            [CompletionResult]::new('--reference-gflops', '--reference-gflops', [CompletionResultType]::ParameterName, 'GFLOPS of a core of the measured machine, for tasks without GFlop: their work is EndTime - StartTime x GFLOPS')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write blocks.csv and tasks.csv to DIR, which is created if it is missing; `numasim tasks --graph DIR` reads them')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;import;help' {
            [CompletionResult]::new('mlc', 'mlc', [CompletionResultType]::ParameterValue, 'Intel Memory Latency Checker, --bandwidth_matrix or --latency_matrix: a machine file')
            [CompletionResult]::new('hwloc', 'hwloc', [CompletionResultType]::ParameterValue, 'hwloc, lstopo --of xml: the skeleton of a machine file, or a complete one if numasim exported it')
            [CompletionResult]::new('numactl', 'numactl', [CompletionResultType]::ParameterValue, 'numactl --hardware: the skeleton of a machine file, with memory and distances')
            [CompletionResult]::new('lscpu', 'lscpu', [CompletionResultType]::ParameterValue, 'lscpu, as text, -J, -e or -p: the skeleton of a machine file, with cores and caches')
            [CompletionResult]::new('likwid-topology', 'likwid-topology', [CompletionResultType]::ParameterValue, 'likwid-topology, as text, -c or -O: the skeleton of a machine file')
            [CompletionResult]::new('perf', 'perf', [CompletionResultType]::ParameterValue, 'perf stat, one file for each run: an application, as `profile-app --perf` writes it')
            [CompletionResult]::new('likwid-perfctr', 'likwid-perfctr', [CompletionResultType]::ParameterValue, 'likwid-perfctr, one file for each run: an application, as `profile-app --likwid` writes it')
            [CompletionResult]::new('likwid', 'likwid', [CompletionResultType]::ParameterValue, 'likwid-bench, one run or a sweep: a CSV of bandwidth over threads')
            [CompletionResult]::new('stream', 'stream', [CompletionResultType]::ParameterValue, 'STREAM or BabelStream: a CSV of bandwidth by kernel')
            [CompletionResult]::new('libvirt', 'libvirt', [CompletionResultType]::ParameterValue, 'virsh dumpxml, domains of libvirt: applications and a scenario')
            [CompletionResult]::new('docker', 'docker', [CompletionResultType]::ParameterValue, 'docker inspect, containers: applications and a scenario')
            [CompletionResult]::new('kubernetes', 'kubernetes', [CompletionResultType]::ParameterValue, 'Kubernetes, pods and the NRI balloons that place them: applications and a scenario')
            [CompletionResult]::new('rankfile', 'rankfile', [CompletionResultType]::ParameterValue, 'A rankfile of Open MPI 5 with its mpirun line: applications and a scenario')
            [CompletionResult]::new('wfcommons', 'wfcommons', [CompletionResultType]::ParameterValue, 'WfCommons, a workflow in WfFormat 1.5 or 1.6: a graph of tasks')
            [CompletionResult]::new('dot', 'dot', [CompletionResultType]::ParameterValue, 'DOT, a digraph with work and bytes as attributes: a graph of tasks')
            [CompletionResult]::new('starpu', 'starpu', [CompletionResultType]::ParameterValue, 'StarPU, the tasks.rec of a run: a graph of tasks')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'numasim;import;help;mlc' {
            break
        }
        'numasim;import;help;hwloc' {
            break
        }
        'numasim;import;help;numactl' {
            break
        }
        'numasim;import;help;lscpu' {
            break
        }
        'numasim;import;help;likwid-topology' {
            break
        }
        'numasim;import;help;perf' {
            break
        }
        'numasim;import;help;likwid-perfctr' {
            break
        }
        'numasim;import;help;likwid' {
            break
        }
        'numasim;import;help;stream' {
            break
        }
        'numasim;import;help;libvirt' {
            break
        }
        'numasim;import;help;docker' {
            break
        }
        'numasim;import;help;kubernetes' {
            break
        }
        'numasim;import;help;rankfile' {
            break
        }
        'numasim;import;help;wfcommons' {
            break
        }
        'numasim;import;help;dot' {
            break
        }
        'numasim;import;help;starpu' {
            break
        }
        'numasim;import;help;help' {
            break
        }
        'numasim;catalog' {
            [CompletionResult]::new('--format', '--format', [CompletionResultType]::ParameterName, 'How to write the result')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the result to FILE')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;init' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write the study to FILE; - is standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write the study to FILE; - is standard output')
            [CompletionResult]::new('--machine', '--machine', [CompletionResultType]::ParameterName, 'The machine: a file of the catalogue (@epyc-7501-2s) or on disk')
            [CompletionResult]::new('--app', '--app', [CompletionResultType]::ParameterName, 'An application: NAME=INTENSITY in FLOP per byte, NAME=TEMPLATE, or TEMPLATE alone; a template is an application of a workload of the catalogue (triad, spmv, dgemm, scan, ...). May be given more than once')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('--from-host', '--from-host', [CompletionResultType]::ParameterName, 'The machine: this host, its nodes, cores and memory. Values that cannot be read are assumed, with instructions for measuring them')
            [CompletionResult]::new('--force', '--force', [CompletionResultType]::ParameterName, 'Replace an existing file')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;export' {
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('hwloc', 'hwloc', [CompletionResultType]::ParameterValue, 'XML that hwloc reads: nodes and cores, with bandwidths and latencies as memory attributes')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'numasim;export;hwloc' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;export;help' {
            [CompletionResult]::new('hwloc', 'hwloc', [CompletionResultType]::ParameterValue, 'XML that hwloc reads: nodes and cores, with bandwidths and latencies as memory attributes')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'numasim;export;help;hwloc' {
            break
        }
        'numasim;export;help;help' {
            break
        }
        'numasim;schema' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;completions' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;man' {
            [CompletionResult]::new('--dir', '--dir', [CompletionResultType]::ParameterName, 'Write all pages into this directory: numasim.1, numasim-evaluate.1, ...')
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Write to FILE, whole or not at all, instead of standard output')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colours')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'numasim;help' {
            [CompletionResult]::new('evaluate', 'evaluate', [CompletionResultType]::ParameterValue, 'Compute the performance of every scenario in the files')
            [CompletionResult]::new('explore', 'explore', [CompletionResultType]::ParameterValue, 'Find the best placement of threads on NUMA nodes')
            [CompletionResult]::new('sweep', 'sweep', [CompletionResultType]::ParameterValue, 'Evaluate or explore with varied inputs')
            [CompletionResult]::new('simulate', 'simulate', [CompletionResultType]::ParameterValue, 'Simulate applications over time, with a policy that moves cores')
            [CompletionResult]::new('agent', 'agent', [CompletionResultType]::ParameterValue, 'Assign cores to the applications of this host')
            [CompletionResult]::new('run', 'run', [CompletionResultType]::ParameterValue, 'Run the applications of the files on this host, under an agent')
            [CompletionResult]::new('top', 'top', [CompletionResultType]::ParameterValue, 'Watch this host, or an agent, in the terminal')
            [CompletionResult]::new('snapshot', 'snapshot', [CompletionResultType]::ParameterValue, 'Take a snapshot of this host as a study')
            [CompletionResult]::new('advise', 'advise', [CompletionResultType]::ParameterValue, 'Recommend what to move on this host')
            [CompletionResult]::new('tasks', 'tasks', [CompletionResultType]::ParameterValue, 'Simulate a graph of tasks under the schedulers of task runtimes')
            [CompletionResult]::new('profile', 'profile', [CompletionResultType]::ParameterValue, 'Time each task of a tree program with local and remote data')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Plan the placement of data and tasks from a profile')
            [CompletionResult]::new('models', 'models', [CompletionResultType]::ParameterValue, 'Explain the bandwidth-sharing models and their parameters')
            [CompletionResult]::new('calibrate', 'calibrate', [CompletionResultType]::ParameterValue, 'Measure this host and write its machine file')
            [CompletionResult]::new('bench', 'bench', [CompletionResultType]::ParameterValue, 'Run and measure every scenario on this host')
            [CompletionResult]::new('validate', 'validate', [CompletionResultType]::ParameterValue, 'Check the model on this host')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'Compare measured performance with the model''s predictions')
            [CompletionResult]::new('fit', 'fit', [CompletionResultType]::ParameterValue, 'Estimate machine parameters from measured scenarios')
            [CompletionResult]::new('discriminate', 'discriminate', [CompletionResultType]::ParameterValue, 'Propose scenarios that tell the sharing models apart')
            [CompletionResult]::new('profile-app', 'profile-app', [CompletionResultType]::ParameterValue, 'Describe a program as an [[app]]')
            [CompletionResult]::new('plot', 'plot', [CompletionResultType]::ParameterValue, 'Draw a machine, a scenario or a set of placements')
            [CompletionResult]::new('report', 'report', [CompletionResultType]::ParameterValue, 'Write a self-contained web page on model and measurements')
            [CompletionResult]::new('check', 'check', [CompletionResultType]::ParameterValue, 'Validate files and show what was read')
            [CompletionResult]::new('detect', 'detect', [CompletionResultType]::ParameterValue, 'Print the skeleton of a machine file of this host')
            [CompletionResult]::new('import', 'import', [CompletionResultType]::ParameterValue, 'Convert the output of other tools')
            [CompletionResult]::new('catalog', 'catalog', [CompletionResultType]::ParameterValue, 'List the built-in machines and workloads, or print one')
            [CompletionResult]::new('init', 'init', [CompletionResultType]::ParameterValue, 'Write a first study: a machine, applications and a scenario')
            [CompletionResult]::new('export', 'export', [CompletionResultType]::ParameterValue, 'Write the machine for another tool')
            [CompletionResult]::new('schema', 'schema', [CompletionResultType]::ParameterValue, 'Print the JSON Schema of the input files or of an output')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a script that completes commands and switches in a shell')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print the manual page')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'numasim;help;evaluate' {
            break
        }
        'numasim;help;explore' {
            break
        }
        'numasim;help;sweep' {
            break
        }
        'numasim;help;simulate' {
            break
        }
        'numasim;help;agent' {
            [CompletionResult]::new('status', 'status', [CompletionResultType]::ParameterValue, 'Show the state and the decisions of an agent')
            [CompletionResult]::new('stop', 'stop', [CompletionResultType]::ParameterValue, 'Stop an agent, and wait until it has exited')
            break
        }
        'numasim;help;agent;status' {
            break
        }
        'numasim;help;agent;stop' {
            break
        }
        'numasim;help;run' {
            break
        }
        'numasim;help;top' {
            break
        }
        'numasim;help;snapshot' {
            break
        }
        'numasim;help;advise' {
            break
        }
        'numasim;help;tasks' {
            break
        }
        'numasim;help;profile' {
            break
        }
        'numasim;help;plan' {
            break
        }
        'numasim;help;models' {
            break
        }
        'numasim;help;calibrate' {
            break
        }
        'numasim;help;bench' {
            break
        }
        'numasim;help;validate' {
            break
        }
        'numasim;help;compare' {
            break
        }
        'numasim;help;fit' {
            break
        }
        'numasim;help;discriminate' {
            break
        }
        'numasim;help;profile-app' {
            break
        }
        'numasim;help;plot' {
            break
        }
        'numasim;help;report' {
            break
        }
        'numasim;help;check' {
            break
        }
        'numasim;help;detect' {
            break
        }
        'numasim;help;import' {
            [CompletionResult]::new('mlc', 'mlc', [CompletionResultType]::ParameterValue, 'Intel Memory Latency Checker, --bandwidth_matrix or --latency_matrix: a machine file')
            [CompletionResult]::new('hwloc', 'hwloc', [CompletionResultType]::ParameterValue, 'hwloc, lstopo --of xml: the skeleton of a machine file, or a complete one if numasim exported it')
            [CompletionResult]::new('numactl', 'numactl', [CompletionResultType]::ParameterValue, 'numactl --hardware: the skeleton of a machine file, with memory and distances')
            [CompletionResult]::new('lscpu', 'lscpu', [CompletionResultType]::ParameterValue, 'lscpu, as text, -J, -e or -p: the skeleton of a machine file, with cores and caches')
            [CompletionResult]::new('likwid-topology', 'likwid-topology', [CompletionResultType]::ParameterValue, 'likwid-topology, as text, -c or -O: the skeleton of a machine file')
            [CompletionResult]::new('perf', 'perf', [CompletionResultType]::ParameterValue, 'perf stat, one file for each run: an application, as `profile-app --perf` writes it')
            [CompletionResult]::new('likwid-perfctr', 'likwid-perfctr', [CompletionResultType]::ParameterValue, 'likwid-perfctr, one file for each run: an application, as `profile-app --likwid` writes it')
            [CompletionResult]::new('likwid', 'likwid', [CompletionResultType]::ParameterValue, 'likwid-bench, one run or a sweep: a CSV of bandwidth over threads')
            [CompletionResult]::new('stream', 'stream', [CompletionResultType]::ParameterValue, 'STREAM or BabelStream: a CSV of bandwidth by kernel')
            [CompletionResult]::new('libvirt', 'libvirt', [CompletionResultType]::ParameterValue, 'virsh dumpxml, domains of libvirt: applications and a scenario')
            [CompletionResult]::new('docker', 'docker', [CompletionResultType]::ParameterValue, 'docker inspect, containers: applications and a scenario')
            [CompletionResult]::new('kubernetes', 'kubernetes', [CompletionResultType]::ParameterValue, 'Kubernetes, pods and the NRI balloons that place them: applications and a scenario')
            [CompletionResult]::new('rankfile', 'rankfile', [CompletionResultType]::ParameterValue, 'A rankfile of Open MPI 5 with its mpirun line: applications and a scenario')
            [CompletionResult]::new('wfcommons', 'wfcommons', [CompletionResultType]::ParameterValue, 'WfCommons, a workflow in WfFormat 1.5 or 1.6: a graph of tasks')
            [CompletionResult]::new('dot', 'dot', [CompletionResultType]::ParameterValue, 'DOT, a digraph with work and bytes as attributes: a graph of tasks')
            [CompletionResult]::new('starpu', 'starpu', [CompletionResultType]::ParameterValue, 'StarPU, the tasks.rec of a run: a graph of tasks')
            break
        }
        'numasim;help;import;mlc' {
            break
        }
        'numasim;help;import;hwloc' {
            break
        }
        'numasim;help;import;numactl' {
            break
        }
        'numasim;help;import;lscpu' {
            break
        }
        'numasim;help;import;likwid-topology' {
            break
        }
        'numasim;help;import;perf' {
            break
        }
        'numasim;help;import;likwid-perfctr' {
            break
        }
        'numasim;help;import;likwid' {
            break
        }
        'numasim;help;import;stream' {
            break
        }
        'numasim;help;import;libvirt' {
            break
        }
        'numasim;help;import;docker' {
            break
        }
        'numasim;help;import;kubernetes' {
            break
        }
        'numasim;help;import;rankfile' {
            break
        }
        'numasim;help;import;wfcommons' {
            break
        }
        'numasim;help;import;dot' {
            break
        }
        'numasim;help;import;starpu' {
            break
        }
        'numasim;help;catalog' {
            break
        }
        'numasim;help;init' {
            break
        }
        'numasim;help;export' {
            [CompletionResult]::new('hwloc', 'hwloc', [CompletionResultType]::ParameterValue, 'XML that hwloc reads: nodes and cores, with bandwidths and latencies as memory attributes')
            break
        }
        'numasim;help;export;hwloc' {
            break
        }
        'numasim;help;schema' {
            break
        }
        'numasim;help;completions' {
            break
        }
        'numasim;help;man' {
            break
        }
        'numasim;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
