"""Questions about a study."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypedDict, TypeVar, Union

from . import _core
from ._checked import flag, is_list, mapping, names, real, shown, text, whole
from ._core import Advice, Evaluation, Exploration, Front, Machines, Simulation, Snapshot, Tasks
from ._errors import InputError, InputTypeError
from ._study import Asked, Machine, PathLike, folder_of, reading_of
from ._sweep import SweepResult, setting

if TYPE_CHECKING:
    from typing_extensions import Unpack

_Figures = list[tuple[Union[str, None], int]]
#: A number for every application, or numbers by application.
OfApps = Union[int, Mapping[str, int], None]


class Search(TypedDict, total=False):
    """The arguments of every search, and of every point of a sweep. The names are the switches of the command line."""

    same_on_every_node: bool
    whole_nodes: bool
    min_threads_per_node: int
    no_idle_cores: bool
    model: str | None
    time_limit: float | None
    seed: int | None
    threads: int | Mapping[str, int] | Sequence[int | Mapping[str, int]] | None


class SearchOfApps(Search, total=False):
    """The same, and the constraints on single applications and L3 domains."""

    whole_l3: bool
    threads_multiple: OfApps
    max_nodes: OfApps
    threads_per_l3: OfApps
    max_l3: OfApps
    exclusive: str | Sequence[str] | None


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


def _threads(name: str, threads: Any) -> _Figures:
    """Threads of applications; without a name the worker threads of the search."""
    given = threads if isinstance(threads, (list, tuple)) else [threads]
    return [figure for one in given for figure in _figures(name, one)]


def _whole(name: str, value: int | None) -> int | None:
    return None if value is None else whole(name, value)


#: How each argument of a search is checked, and its default.
_SEARCH: dict[str, tuple[Callable[[str, Any], Any], Any]] = {
    "same_on_every_node": (flag, False),
    "whole_nodes": (flag, False),
    "min_threads_per_node": (whole, 0),
    "no_idle_cores": (flag, False),
    "model": (_name, None),
    "time_limit": (_real, None),
    "seed": (_whole, None),
    "threads": (_threads, None),
    "whole_l3": (flag, False),
    "threads_multiple": (_figures, None),
    "max_nodes": (_figures, None),
    "threads_per_l3": (_figures, None),
    "max_l3": (_figures, None),
    "exclusive": (names, None),
}


_P = ParamSpec("_P")
_T = TypeVar("_T")


def _asked(keys: Any) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Shows these keywords in the signature of a function that takes them together, and refuses all others."""

    def named(function: Callable[_P, _T]) -> Callable[_P, _T]:
        whole = inspect.signature(function)
        kept = [one for one in whole.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        for name, hint in keys.__annotations__.items():
            hint = getattr(hint, "__forward_arg__", hint)
            kept.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_SEARCH[name][1], annotation=hint))
        signature = whole.replace(parameters=kept)

        @functools.wraps(function)
        def checked(*args: _P.args, **given: _P.kwargs) -> _T:
            try:
                signature.bind(*args, **given)
            except TypeError as error:
                raise TypeError(f"{function.__name__}(): {error}") from None
            return function(*args, **given)

        checked.__signature__ = signature  # type: ignore[attr-defined]
        return checked

    return named


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


@_asked(SearchOfApps)
def explore(
    study: Asked,
    objective: str = "geomean",
    *,
    models: str | Sequence[str] | None = None,
    simple: bool = False,
    fewest_threads: bool = False,
    within: float | None = None,
    sensitivity: bool = False,
    top: int = 3,
    **asked: Unpack[SearchOfApps],
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
        seed: Seed of the random restarts; by default 0.
        sensitivity: Also compute the gain from more of each resource, and how wrong each value may be (``sensitivity`` of
            the answer).
        threads: A dict: the exact number of threads over the machine, by application (its own name, or that of its group:
            each instance). A number: worker threads of the search; by default one for each core of this host. A list has both.

    Raises:
        InputTypeError: an argument has the wrong type.
        InputError: the question is invalid, or a named model does not support the machine.
        InfeasibleError: no allocation meets the constraints, or none was found in time.
        KeyboardInterrupt: after Ctrl-C, which stops the search within a moment.
    """
    return _core.explore(
        reading_of(study),
        text("objective", objective),
        _search(asked),
        (flag("simple", simple), flag("fewest_threads", fewest_threads), _real("within", within)),
        flag("sensitivity", sensitivity),
        whole("top", top),
        models=None if models is None else ",".join(names("models", models)),
    )


@_asked(SearchOfApps)
def machines(studies: Sequence[Asked], objective: str = "geomean", **asked: Unpack[SearchOfApps]) -> Machines:
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
    return _core.machines([reading_of(study) for study in studies], text("objective", objective), _search(asked))


@_asked(SearchOfApps)
def pareto(
    study: Asked, objectives: Sequence[str] = ("total-gflops", "fair"), **asked: Unpack[SearchOfApps]
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
    return _core.pareto(reading_of(study), (pair[0], pair[1]), _search(asked))


@_asked(Search)
def sweep(
    study: Asked,
    set: Mapping[str, Any],
    *,
    scenario: str | Sequence[str] | None = None,
    explore: bool = False,
    objective: str = "geomean",
    simulate: bool = False,
    policy: str | Sequence[str] | None = None,
    until: float | None = None,
    **asked: Unpack[Search],
) -> SweepResult:
    """Evaluates scenarios, searches, or simulates, with other values at every point of a grid, as ``numasim sweep`` does.

    Args:
        study: A study, or the paths of input files.
        set: For each key (``"machine.link_gbs"``, ``"app.mem.weight"``, ``"scenario.even.threads.mem.0"``,
            ``"app.bad.data"`` ...) its values: a list or array, or a range as on the command line
            (``"10..100:10"``, ``"1/64..64*2"``). The last axis changes fastest.
        scenario: One or several names; by default all scenarios.
        explore: Search for the best allocation at every point, with the arguments of :func:`explore`; the time limit is for each
            point.
        simulate: Simulate at every point, with the arguments of :func:`simulate`.
        policy: With ``simulate``: the policies, each with a row at every point.
        until: With ``simulate``: seconds of simulated time after which each simulation ends.
        seed: Seed of the searches (by default 0) or of the simulations (by default 1).
        threads: Worker threads; by default one for each core of this host.

    Raises:
        InputTypeError: an argument has the wrong type.
        InputError: there is no such key, or a value is never valid. An impossible point has the status
            ``infeasible`` and a reason; the others have results.
        KeyboardInterrupt: after Ctrl-C.
    """
    if flag("explore", explore) and flag("simulate", simulate):
        raise InputError("a sweep explores or simulates: give one of the two")
    search = _search(asked, 1 if simulate else 0)
    if any(app is not None for app, _ in search["threads"]):
        raise InputTypeError("threads of a sweep is a whole number: its worker threads")
    columns = _core.sweep(
        reading_of(study),
        [setting(key, values) for key, values in mapping("set", set).items()],
        search,
        names("scenario", scenario),
        explore=text("objective", objective) if explore else None,
        simulate=(names("policy", policy), _real("until", until)) if simulate else None,
    )
    return SweepResult(columns, len(set))


def _search(asked: Mapping[str, Any], seed: int = 0) -> dict[str, Any]:
    """The arguments of a search, checked, for the compiled part."""
    checked = {name: check(name, asked.get(name, default)) for name, (check, default) in _SEARCH.items()}
    return checked | {"seed": seed if checked["seed"] is None else checked["seed"]}


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
        _whole("seed", seed),
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
