"""Questions about a study."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _core
from ._checked import flag, is_list, mapping, names, real, shown, text, whole
from ._core import Advice, Evaluation, Exploration, Front, Machines, Simulation, Snapshot, Tasks
from ._errors import InputError, InputTypeError
from ._study import Asked, Machine, PathLike, folder_of, reading_of
from ._sweep import SweepResult, setting

_Figures = list[tuple[str | None, int]]


def evaluate(
    study: Asked,
    scenario: str | Sequence[str] | None = None,
    *,
    model: str | None = None,
    static_work: bool = False,
) -> Evaluation:
    """Computes GFLOPS and GB/s of scenarios, as ``numasim evaluate`` does.

    Args:
        study: A study, or the paths of input files.
        scenario: One or several names; by default all scenarios.
        model: A bandwidth-sharing model that replaces the model of the machine.
        static_work: Work is divided statically among the threads of an application, so that its slowest thread sets the speed.

    Raises:
        InputTypeError: an argument has the wrong type.
        InputError: a scenario cannot be evaluated.
        KeyboardInterrupt: after Ctrl-C.
    """
    wanted = None if scenario is None else names("scenario", scenario)
    return _core.evaluate(reading_of(study), wanted, _name("model", model), flag("static_work", static_work))


def explore(
    study: Asked,
    objective: str = "geomean",
    *,
    same_on_every_node: bool = False,
    whole_nodes: bool = False,
    min_threads_per_node: int = 0,
    no_idle_cores: bool = False,
    app_threads: Mapping[str, int] | None = None,
    threads_multiple: int | Mapping[str, int] | None = None,
    max_nodes: int | Mapping[str, int] | None = None,
    whole_l3: bool = False,
    threads_per_l3: int | Mapping[str, int] | None = None,
    max_l3: int | Mapping[str, int] | None = None,
    exclusive: str | Sequence[str] | None = None,
    model: str | None = None,
    models: str | Sequence[str] | None = None,
    simple: bool = False,
    fewest_threads: bool = False,
    within: float | None = None,
    time_limit: float | None = None,
    top: int = 3,
    seed: int = 0,
    threads: int | None = None,
) -> Exploration:
    """Searches for the best allocation of threads to NUMA nodes, as ``numasim explore`` does.

    The same study, seed and version give the same answer on any number of threads, unless the time limit stops the search.

    Args:
        study: A study, or the paths of input files.
        objective: ``"geomean"`` (weighted geometric mean of p = GFLOPS / GFLOPS alone), ``"fair"`` (the largest smallest p,
            then the next), ``"total-gflops"`` (sum of weight x GFLOPS), ``"makespan"`` (s until all ``work_gflop`` are done).
        same_on_every_node: An application has as many threads on every node with cores.
        whole_nodes: At most one application has threads on a node.
        min_threads_per_node: Minimum number of threads of each application on every node with cores.
        no_idle_cores: Every core is used.
        app_threads: Exact number of threads over the machine, by application (its own name, or that of its group:
            each instance); ``--threads APP=N`` of the command line.
        threads_multiple: The threads of an application on each node are a multiple of this: one number for every
            application, or by application.
        max_nodes: Maximum number of nodes with threads of an application: one number, or by application.
        whole_l3: At most one application has threads in an L3 domain (``cores_per_l3``).
        threads_per_l3: An L3 domain has either no threads of an application or this number: one number, or by application.
        max_l3: Maximum number of L3 domains, over the machine, with threads of an application: one number, or by
            application.
        exclusive: Applications that share their nodes with no other application: one or several names.
        model: A bandwidth-sharing model that replaces the model of the machine.
        models: Also find the placement that is good whichever of these models is right (``robust`` of the answer): the
            smallest worst loss compared with the best of each. Names, or ``"all"``: every model that can answer the question.
            Without ``model`` the first name is the model of the ordinary answer.
        simple: Also search for the simplest allocation that loses little of the best (``simple`` of the answer): few
            different numbers of threads of an application, whole nodes before shared ones.
        fewest_threads: Also search for the fewest threads of all applications together that are nearly as good (``fewest`` of
            the answer).
        within: How much of the best ``simple`` (0.01 by default) and ``fewest_threads`` (0 by default) may lose, as a share.
        time_limit: Maximum seconds to search for a proof; then the best found is the answer. By default until proven
            or until a search budget of some seconds is spent. All searches share it.
        top: Number of alternatives.
        seed: Seed of the random restarts.
        threads: Worker threads of the search; by default one for each core of this host.

    Raises:
        InputTypeError: an argument has the wrong type.
        InputError: the question is invalid, or a named model does not support the machine.
        InfeasibleError: no allocation meets the constraints, or none was found in time.
        KeyboardInterrupt: after Ctrl-C, which stops the search within a moment.
    """
    return _core.explore(
        reading_of(study),
        text("objective", objective),
        _restrictions(same_on_every_node, whole_nodes, min_threads_per_node, no_idle_cores),
        _of_apps(app_threads, threads_multiple, max_nodes, exclusive),
        _domains(whole_l3, threads_per_l3, max_l3),
        (flag("simple", simple), flag("fewest_threads", fewest_threads), _real("within", within)),
        whole("top", top),
        whole("seed", seed),
        model=_name("model", model),
        models=None if models is None else ",".join(names("models", models)),
        time_limit_s=_real("time_limit", time_limit),
        threads=None if threads is None else whole("threads", threads),
    )


def machines(
    studies: Sequence[Asked],
    objective: str = "geomean",
    *,
    same_on_every_node: bool = False,
    whole_nodes: bool = False,
    min_threads_per_node: int = 0,
    no_idle_cores: bool = False,
    app_threads: Mapping[str, int] | None = None,
    threads_multiple: int | Mapping[str, int] | None = None,
    max_nodes: int | Mapping[str, int] | None = None,
    whole_l3: bool = False,
    threads_per_l3: int | Mapping[str, int] | None = None,
    max_l3: int | Mapping[str, int] | None = None,
    exclusive: str | Sequence[str] | None = None,
    model: str | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Machines:
    """Searches for the best allocation on each of several machines, as ``numasim explore --machine A --machine B`` does.

    The machines are compared by the GFLOPS of the applications on the first one.

    Args:
        studies: Two or more studies, or paths of their input files, with the same applications on different machines.

    The other arguments are those of :func:`explore`. All machines share the time limit.

    Raises:
        InputTypeError: an argument has the wrong type.
        InputError: the question is invalid, or the applications differ.
        InfeasibleError: no allocation meets the constraints on one of the machines, or none was found in time.
        KeyboardInterrupt: after Ctrl-C, which stops the search within a moment.
    """
    if not is_list(studies):
        raise InputTypeError(f"studies is a sequence of studies, or of lists of paths, not {shown(studies)}")
    return _core.machines(
        [reading_of(study) for study in studies],
        text("objective", objective),
        _restrictions(same_on_every_node, whole_nodes, min_threads_per_node, no_idle_cores),
        _of_apps(app_threads, threads_multiple, max_nodes, exclusive),
        _domains(whole_l3, threads_per_l3, max_l3),
        whole("seed", seed),
        model=_name("model", model),
        time_limit_s=_real("time_limit", time_limit),
        threads=None if threads is None else whole("threads", threads),
    )


def pareto(
    study: Asked,
    objectives: Sequence[str] = ("total-gflops", "fair"),
    *,
    same_on_every_node: bool = False,
    whole_nodes: bool = False,
    min_threads_per_node: int = 0,
    no_idle_cores: bool = False,
    model: str | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> Front:
    """Searches for the cost of one objective in terms of another, as ``numasim explore --pareto`` does.

    Args:
        study: A study, or the paths of input files.
        objectives: Two different names, as in :func:`explore`.

    The other arguments are those of :func:`explore`.

    Raises:
        InputTypeError: an argument has the wrong type.
        InputError: the question is invalid.
        InfeasibleError: no allocation meets the constraints, or none was found in time.
        KeyboardInterrupt: after Ctrl-C, which stops the search within a moment.
    """
    pair = names("objectives", objectives)
    if len(pair) != 2:
        raise InputError(f"objectives are two names, not {len(pair)}")
    return _core.pareto(
        reading_of(study),
        (pair[0], pair[1]),
        _restrictions(same_on_every_node, whole_nodes, min_threads_per_node, no_idle_cores),
        whole("seed", seed),
        model=_name("model", model),
        time_limit_s=_real("time_limit", time_limit),
        threads=None if threads is None else whole("threads", threads),
    )


def sweep(
    study: Asked,
    axes: Mapping[str, Any],
    *,
    scenario: str | Sequence[str] | None = None,
    explore: bool = False,
    objective: str = "geomean",
    same_on_every_node: bool = False,
    whole_nodes: bool = False,
    min_threads_per_node: int = 0,
    no_idle_cores: bool = False,
    model: str | None = None,
    time_limit: float | None = None,
    seed: int = 0,
) -> SweepResult:
    """Evaluates scenarios, or searches, with other values at every point of a grid, as ``numasim sweep`` does.

    Args:
        study: A study, or the paths of input files.
        axes: For each key (``"machine.link_gbs"``, ``"app.mem.weight"``, ``"scenario.even.threads.mem.0"``,
            ``"app.bad.data"`` ...) its values: a list or array, or a range as on the command line
            (``"10..100:10"``, ``"1/64..64*2"``). The last axis changes fastest.
        scenario: One or several names; by default all scenarios.
        explore: Search for the best allocation at every point, with the arguments of :func:`explore`.
        time_limit: Seconds for each point.

    Raises:
        InputTypeError: an argument has the wrong type.
        InputError: there is no such key, or a value is never valid. An impossible point has the status
            ``infeasible`` and a reason; the others have results.
        KeyboardInterrupt: after Ctrl-C.
    """
    restrictions = _restrictions(same_on_every_node, whole_nodes, min_threads_per_node, no_idle_cores)
    objective = text("objective", objective)
    columns = _core.sweep(
        reading_of(study),
        [setting(key, values) for key, values in mapping("axes", axes).items()],
        None if scenario is None else names("scenario", scenario),
        model=_name("model", model),
        explore=(objective, restrictions) if flag("explore", explore) else None,
        seed=whole("seed", seed),
        time_limit_s=_real("time_limit", time_limit),
    )
    return SweepResult(columns, len(axes))


def _of_apps(
    app_threads: Mapping[str, int] | None,
    threads_multiple: int | Mapping[str, int] | None,
    max_nodes: int | Mapping[str, int] | None,
    exclusive: str | Sequence[str] | None,
) -> tuple[_Figures, _Figures, _Figures, list[str]]:
    return (
        _figures("app_threads", app_threads),
        _figures("threads_multiple", threads_multiple),
        _figures("max_nodes", max_nodes),
        names("exclusive", exclusive),
    )


def _domains(
    whole_l3: bool,
    threads_per_l3: int | Mapping[str, int] | None,
    max_l3: int | Mapping[str, int] | None,
) -> tuple[bool, _Figures, _Figures]:
    return (flag("whole_l3", whole_l3), _figures("threads_per_l3", threads_per_l3), _figures("max_l3", max_l3))


def _restrictions(same: bool, whole_nodes: bool, fewest: int, no_idle: bool) -> tuple[bool, bool, int, bool]:
    return (
        flag("same_on_every_node", same),
        flag("whole_nodes", whole_nodes),
        whole("min_threads_per_node", fewest),
        flag("no_idle_cores", no_idle),
    )


def _name(name: str, value: str | None) -> str | None:
    return None if value is None else text(name, value)


def _real(name: str, value: float | None) -> float | None:
    return None if value is None else real(name, value)


def _figures(name: str, figures: int | Mapping[str, int] | None) -> _Figures:
    """Numbers by application; None means every application."""
    if figures is None:
        return []
    if isinstance(figures, Mapping):
        return [(app, _figure(name, figure)) for app, figure in mapping(name, figures).items()]
    return [(None, _figure(name, figures))]


def _figure(name: str, figure: int) -> int:
    # The compiled part says which numbers there are; these are those that it counts.
    return max(-(2**63), min(whole(name, figure, -(2**20000), 2**20000), 2**63 - 1))


def simulate(
    study: Asked,
    policy: str | Sequence[str] | None = None,
    *,
    until: float | None = None,
    seed: int = 1,
    runs: int = 1,
    model: str | None = None,
    timeline: bool = False,
) -> Simulation:
    """Simulates applications over time, as ``numasim simulate`` does.

    The same study, policy, seed and version give the same result.

    Args:
        study: A study whose applications have work, or the paths of input files.
        policy: The policy that decides about threads: one or several of ``"none"``, ``"script"``, ``"static-even"``,
            ``"static:SCENARIO"``, ``"fair-share"``, ``"lead:K"``, ``"lend"``, ``"oversubscribe:N"``, ``"marginal"``,
            ``"reexplore"``, ``"replan"``; by default that of the files, else ``"none"``.
        until: Seconds of simulated time after which it ends; by default when every application is finished.
        seed: Seed of the work of tasks with a ``task_spread``.
        runs: Number of seeds, from ``seed`` on.
        model: A bandwidth-sharing model that replaces the model of the machine.
        timeline: Record the state of every application over time (``timeline`` of each run), as ``--timeline`` writes it.

    Raises:
        InputTypeError: an argument has the wrong type.
        InputError: it cannot be simulated: work or a home is missing, applications wait for each other for ever ...
        KeyboardInterrupt: after Ctrl-C, which stops it within a moment.
    """
    return _core.simulate(
        reading_of(study),
        None if policy is None else names("policy", policy),
        _real("until", until),
        whole("seed", seed),
        whole("runs", runs),
        model=_name("model", model),
        timeline=flag("timeline", timeline),
    )


def tasks(
    study: Asked,
    scheduler: str | Sequence[str] | None = None,
    *,
    placement: str = "first-touch",
    scenario: str | Sequence[str] | None = None,
    steal: bool = False,
    seed: int | None = None,
    runs: int = 1,
    metg: float | None = None,
    model: str | None = None,
    graph: PathLike | None = None,
    plan: PathLike | None = None,
    trace: bool = False,
) -> Tasks:
    """Simulates a graph of tasks under schedulers, as ``numasim tasks`` does.

    Args:
        study: A study with tasks, a program or a generator, or the paths of input files.
        scheduler: The scheduler that places tasks: one or several names, such as ``"fifo"``, ``"sa"``, ``"dep"``,
            ``"rip-dep"``, ``"tbb"``, ``"tbb-numa"``, ``"hint"``, ``"plan"``; by default that of the files, else ``"fifo"``.
        placement: The page placement of blocks: ``"first-touch"``, ``"interleave"`` ...
        scenario: One or several scenarios of paper 003, instead of scheduler and placement.
        steal: Idle workers steal from other sockets, the nearest first.
        seed: Seed of all random draws; by default that of the files, else 1.
        runs: Number of seeds, from ``seed`` on.
        metg: Task Bench: also find the smallest granularity of tasks at which the cores keep this share of their peak.
        model: A bandwidth-sharing model that replaces the model of the machine.
        graph: A folder with ``blocks.csv`` and ``tasks.csv``, for files without a graph.
        plan: A folder written by ``numasim plan``, for the scheduler ``"plan"``.
        trace: Record time and place of each task (``trace`` of each run), as ``--trace`` writes it.

    Raises:
        InputTypeError: an argument has the wrong type.
        InputError: it cannot be simulated.
        OSError: a file of ``graph`` or ``plan`` cannot be read.
        KeyboardInterrupt: after Ctrl-C, which stops it within a moment.
    """
    if scenario is not None and (scheduler is not None or placement != "first-touch"):
        raise TypeError("a scenario stands for scheduler and placement: give one or the other")
    return _core.tasks(
        reading_of(study),
        names("scheduler", scheduler),
        text("placement", placement),
        names("scenario", scenario),
        flag("steal", steal),
        None if seed is None else whole("seed", seed),
        whole("runs", runs),
        metg=_real("metg", metg),
        model=_name("model", model),
        graph=None if graph is None else folder_of(graph, ("blocks.csv", "tasks.csv")),
        plan=None if plan is None else folder_of(plan, ("plan-tree.csv", "plan-dbs.csv")),
        trace=flag("trace", trace),
    )


def snapshot(
    machine: Machine | PathLike | None = None,
    *,
    select: str | Sequence[str] | None = None,
    root: PathLike | Sequence[PathLike] | None = None,
    seconds: float = 2.0,
) -> Snapshot:
    """Lists the applications on this host, or on a recorded one, as ``numasim snapshot`` does. It changes nothing.

    The study is ``numasim.Study.from_toml(snapshot.to_toml())``; the present placement is its scenario ``"now"``.

    Args:
        machine: The measured machine; by default the topology in ``/sys``, with assumed bandwidths and peaks.
        select: One or several applications: names, numbers of processes, control groups, units of services, or the
            beginnings of container identifiers; by default all applications that use more than 5 % of a core.
        root: A recorded host: a folder with ``proc`` and ``sys``, one with ``at-0`` and ``at-1``, or two folders.
        seconds: Time between the two instants of this host.

    Raises:
        InputTypeError: an argument has the wrong type.
        InputError: there is no such host or application, or the machine does not match.
        OSError: the file of the machine cannot be read.
        KeyboardInterrupt: after Ctrl-C.
    """
    return _core.snapshot(*_look(machine, select, root, seconds))


def advise(
    machine: Machine | PathLike | None = None,
    objective: str = "geomean",
    *,
    select: str | Sequence[str] | None = None,
    root: PathLike | Sequence[PathLike] | None = None,
    seconds: float = 2.0,
) -> Advice:
    """Advises moves on this host, or on a recorded one, as ``numasim advise`` does. It changes nothing.

    Args:
        machine: The measured machine. Without one there is no advice, because the bandwidths would be assumed.
        objective: ``"geomean"`` or ``"fair"``.

    The other arguments are those of :func:`snapshot`.

    Raises:
        InputTypeError: an argument has the wrong type.
        InputError: there is no such host, application or objective, or the machine does not match.
        OSError: the file of the machine cannot be read.
        KeyboardInterrupt: after Ctrl-C, which stops the search within a moment.
    """
    return _core.advise(text("objective", objective), *_look(machine, select, root, seconds))


def _look(
    machine: Machine | PathLike | None,
    select: str | Sequence[str] | None,
    root: PathLike | Sequence[PathLike] | None,
    seconds: float,
) -> tuple[list[str], list[str], float, _core.Reading | None]:
    """The applications to look at."""
    if not (machine is None or isinstance(machine, (Machine, str, os.PathLike))):
        raise InputTypeError(f"machine is a Machine or the path of its file, not {shown(machine)}")
    reading = machine._reading if isinstance(machine, Machine) else None if machine is None else reading_of(machine)
    between = real("seconds", seconds)
    if not 0.2 <= between <= 3600.0:
        raise InputError(f"seconds is a number from 0.2 to 3600, not {shown(seconds)}")
    return _folders(root), names("select", select), between, reading


def _folders(root: Any) -> list[str]:
    """The folders of a recorded host; an empty list is this host."""
    given: Any = [] if root is None else [root] if isinstance(root, (str, os.PathLike)) else root
    if not is_list(given) or not all(isinstance(one, (str, os.PathLike)) for one in given):
        raise InputTypeError(f"root is one path or two, not {shown(root)}")
    return [os.fspath(one) for one in given]
