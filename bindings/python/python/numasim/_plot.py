"""Pictures of answers: figures of matplotlib, or SVG without it. Called by the compiled part."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Union

import numpy as np

from . import _core
from ._errors import InputError
from ._shown import node_names, speed_title, speeds

#: One value for each group, or each place on an axis.
Values = Union[Sequence[float], np.ndarray]

#: How answers can be drawn, the preferred way first.
BACKENDS = ("matplotlib", "svg")


class Picture:
    """A picture as SVG. Notebooks show it."""

    def __init__(self, svg: str) -> None:
        #: The text of the SVG file.
        self.svg = svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the SVG file.

        Raises:
            OSError: the file cannot be written.
        """
        Path(path).write_text(self.svg, encoding="utf-8")

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<Picture: SVG of {len(self.svg)} characters>"


def plot(answer: Any, backend: str | None = None) -> Any:
    """A figure of matplotlib, or a :class:`Picture`.

    Raises:
        InputError: there is no such backend, or nothing to draw.
    """
    if backend is None:
        backend = "matplotlib" if importlib.util.find_spec("matplotlib") else "svg"
    if backend not in BACKENDS:
        raise InputError(f"backend is {' or '.join(BACKENDS)}, not {backend!r}")
    charts = _CHARTS[type(answer).__name__]
    if backend == "svg":
        return Picture(answer._svg() or charts(answer)[0].svg())
    return _figure(charts(answer))


def _figure(charts: Sequence[Chart]) -> Any:
    """The charts, one below the other."""
    import matplotlib.pyplot as plt

    height = 1.2 + 3.2 * len(charts)
    figure, axes = plt.subplots(len(charts), figsize=(8.0, height), layout="constrained", squeeze=False)
    figure.suptitle(charts[0].title, x=0.01, ha="left", fontweight="bold")
    for chart, axis in zip(charts, axes[:, 0]):
        axis.set_title(chart.subtitle, loc="left", fontsize="small")
        axis.spines[["top", "right"]].set_visible(False)
        chart.draw(axis)
        if axis.get_legend_handles_labels()[1]:
            axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")
    if "inline" in plt.get_backend():
        plt.close(figure)  # a notebook shows what a cell returns; an open figure would be there twice
    return figure


# Charts of plain values, which both backends draw.


@dataclass(frozen=True)
class Bars:
    """Groups of bars, one bar of each series; with marks at what each group cannot exceed or fall below."""

    title: str
    subtitle: str
    label: str
    groups: list[str]
    series: dict[str, Values]
    mark: str = ""
    marks: list[float | None] = field(default_factory=list)
    stacked: bool = False
    colours: tuple[str, ...] = ()

    def svg(self) -> str:
        """As the command line draws bars; beside each other."""
        groups = [(name, [float(values[at]) for values in self.series.values()]) for at, name in enumerate(self.groups)]
        return _core.bars_svg((self.title, self.subtitle), self.label, list(self.series), groups, (self.mark, self.marks))

    def draw(self, axis: Any) -> None:
        """With matplotlib."""
        places = np.arange(len(self.groups))
        width = 0.8 if self.stacked else 0.8 / max(1, len(self.series))
        base = np.zeros(len(self.groups))
        for number, (name, values) in enumerate(self.series.items()):
            shift = 0.0 if self.stacked else width * (number - (len(self.series) - 1) / 2)
            heights = np.nan_to_num(np.asarray(values, dtype=float))
            label = name if len(self.series) > 1 else None
            colour = self.colours[number] if self.colours else None
            axis.bar(places + shift, heights, width, bottom=base, label=label, color=colour)
            base = base + heights if self.stacked else base
        if self.mark:
            marks = [np.nan if mark is None else mark for mark in self.marks]
            axis.hlines(marks, places - 0.45, places + 0.45, colors="black", linestyles="dashed", label=self.mark)
        axis.set_xticks(places, self.groups)
        if sum(map(len, self.groups)) > 80:
            axis.tick_params(axis="x", rotation=30)
            for tick in axis.get_xticklabels():
                tick.set_horizontalalignment("right")
        axis.set_ylim(top=1.06 * axis.get_ylim()[1])  # what is full does not touch the frame
        axis.set_ylabel(self.label)


#: The label of an axis, and its values.
Axis = tuple[str, Union[list[float], list[str]]]


@dataclass(frozen=True)
class Lines:
    """Lines over one axis."""

    title: str
    subtitle: str
    x: Axis
    label: str
    lines: dict[str, Values]

    def svg(self) -> str:
        """As the command line draws lines."""
        lines = [(name, [float(value) for value in values]) for name, values in self.lines.items()]
        return _core.lines_svg((self.title, self.subtitle), self.x, self.label, lines)

    def draw(self, axis: Any) -> None:
        """With matplotlib."""
        for name, values in self.lines.items():
            axis.plot(self.x[1], values, marker="o", markersize=4, label=name if len(self.lines) > 1 else None)
        axis.set_xlabel(self.x[0])
        axis.set_ylabel(self.label)
        lowest, highest = axis.get_ylim()
        axis.set_ylim(min(0.0, lowest), 1.06 * highest)  # from 0: a truncated axis exaggerates small differences


@dataclass(frozen=True)
class Heat:
    """One quantity over two axes: ``values[i, j]`` at the i-th value of x and the j-th of y."""

    title: str
    subtitle: str
    x: Axis
    y: Axis
    label: str
    values: np.ndarray

    def svg(self) -> str:
        """As the command line draws heat maps."""
        return _core.heat_svg((self.title, self.subtitle), self.x, self.y, self.label, self.values.ravel().tolist())

    def draw(self, axis: Any) -> None:
        """With matplotlib."""
        drawn = axis.imshow(self.values.T, origin="lower", aspect="auto")
        for (label, values), ticks, name in ((self.x, axis.set_xticks, axis.set_xlabel), (self.y, axis.set_yticks, axis.set_ylabel)):
            every = max(1, len(values) // 10)
            shown = range(0, len(values), every)
            ticks(shown, [values[at] if isinstance(values[at], str) else f"{values[at]:.4g}" for at in shown])
            name(label)
        axis.figure.colorbar(drawn, ax=axis, label=self.label)


@dataclass(frozen=True)
class Points:
    """A front between two quantities, and other points with names; as SVG the picture of the command line."""

    title: str
    subtitle: str
    labels: tuple[str, str]
    front: list[tuple[float, float]]
    others: list[tuple[str, tuple[float, float]]]
    picture: str

    def svg(self) -> str:
        """The picture of the command line."""
        return self.picture

    def draw(self, axis: Any) -> None:
        """With matplotlib."""
        axis.plot(*zip(*self.front), marker="o", markersize=4, label="front")
        for name, at in self.others:
            axis.plot(*at, marker="x", linestyle="none", label=name)
        axis.set_xlabel(self.labels[0])
        axis.set_ylabel(self.labels[1])


Chart = Union[Bars, Lines, Heat, Points]

# Which charts an answer has.


def _scenario(result: Any) -> list[Chart]:
    total, unit = result.total
    nodes = node_names(result)
    threads = {app: row for app, row in zip(result.apps, result.threads) if row.any()}
    own = result.node_bandwidth_gbs - result.node_remote_gbs
    read = {"own node": own, "other nodes": result.node_remote_gbs}
    capacities: list[float | None] = [float(gbs) for gbs in result.node_capacity_gbs]
    return [
        Bars(f"{result.name}: {total:.5g} {unit}", "threads of each application", "threads", nodes, threads, stacked=True),
        # In grey: these are no applications.
        Bars("", "reads of each memory", "GB/s", nodes, read, "capacity", capacities, True, ("dimgrey", "silver")),
    ]


def _evaluation(evaluation: Any) -> list[Chart]:
    scenarios = evaluation.scenarios
    title = speed_title(scenarios[0])
    rows = np.array([speeds(one) for one in scenarios])
    series: dict[str, Values] = {app: rows[:, number] for number, app in enumerate(scenarios[0].apps)}
    names = [one.name for one in scenarios]
    return [Bars("Speed of each application", "by scenario", title, names, series, stacked=title != "GFLOPS or rate")]


def _exploration(found: Any) -> list[Chart]:
    return _scenario(found.best)


def _machines(machines: Any) -> list[Chart]:
    table = machines.columns()
    objective = machines.found[0].objective
    label = " ".join([objective, *filter(None, [machines.found[0].unit])])
    return [Bars("The best on each machine", objective, label, table["machine"].tolist(), {objective: table["value"]})]


def _front(front: Any) -> list[Chart]:
    first, second = front.objectives
    at: dict[tuple[float, float], list[str]] = {}
    for one, values in zip(front.baselines, front.baseline_values):
        at.setdefault(values, []).append(one.name)
    others = [(",\n".join(names), values) for values, names in at.items()]
    subtitle = f"{len(front)} allocations of which none is better for both"
    return [Points(f"{first} against {second}", subtitle, (first, second), front.values, others, front._svg())]


def _sweep(swept: Any) -> list[Chart]:
    varied = [key for key in swept.keys_of_axes if len(_distinct(swept[key])) > 1]
    if not 1 <= len(varied) <= 2:
        raise InputError(f"a plot shows one or two axes, but this sweep has {len(varied)} with more than one value")
    by = next((name for name in ("scenario", "policy") if name in swept), None)
    kinds = _distinct(swept[by]) if by else [""]
    label, values = _judged(swept)
    title = f"How does the result depend on {' and '.join(varied)}?"
    if len(varied) == 1:
        lines = {kind: values[swept[by] == kind] if by else values for kind in kinds}
        return [Lines(title, f"a line for each {by}" if by else label, _axis(swept, varied[0]), label, lines)]
    if len(kinds) > 1:
        raise InputError(f"a heat map shows one {by}, but this sweep has {len(kinds)}: ask for one")
    x, y = (_axis(swept, key) for key in varied)
    return [Heat(title, kinds[0] or label, x, y, label, values.reshape(len(x[1]), len(y[1])))]


def _distinct(values: Iterable[Any]) -> list[Any]:
    return list(dict.fromkeys(values))


def _axis(swept: Any, key: str) -> Axis:
    """Numbers that rise or fall; everything else as words in its order."""
    values = _distinct(swept[key].tolist())
    steps: Values = [] if isinstance(values[0], str) else np.diff(values)
    is_scale = len(steps) > 0 and (all(step > 0 for step in steps) or all(step < 0 for step in steps))
    return (key, values if is_scale else [one if isinstance(one, str) else f"{one:.6g}" for one in values])


def _judged(swept: Any) -> tuple[str, np.ndarray]:
    """What a sweep is about, for each row."""
    for name, label in (("value", "value of the objective"), ("makespan_s", "makespan (s)")):
        if name in swept:
            return label, swept[name]
    rates = [swept[name] for name in swept if name.startswith("rate:")]
    if rates and not any(name.startswith("gflops:") for name in swept):
        return "rate", np.sum(rates, axis=0)
    return "GFLOPS", swept["total_gflops"]


def _makespans(title: str, runs: list[Any], name: Callable[[Any], str], bound: Callable[[Any], float | None]) -> list[Chart]:
    """The mean over the seeds of each policy or scheduler, and the lower bound."""
    names = _distinct(name(run) for run in runs)

    def mean(of: Callable[[Any], float | None], one: str) -> float:
        values = [of(run) for run in runs if name(run) == one]
        return float(np.mean([np.nan if value is None else value for value in values]))

    makespans = [mean(lambda run: run.makespan_s, one) for one in names]
    bounds = [mean(bound, one) for one in names]
    seeds = len({run.seed for run in runs})
    subtitle = f"mean of {seeds} seeds" if seeds > 1 else f"seed {runs[0].seed}"
    marks: list[float | None] = [None if np.isnan(one) else one for one in bounds]
    return [Bars(title, subtitle, "makespan (s)", names, {"makespan": makespans}, "lower bound", marks)]


def _simulation(simulation: Any) -> list[Chart]:
    return _makespans("Makespan under each policy", simulation.runs, lambda run: run.policy, lambda run: run.lower_bound_s)


def _tasks(tasks: Any) -> list[Chart]:
    title = f"Makespan of {tasks.graph['name']} under each scheduler"
    return _makespans(title, tasks.runs, lambda run: run.scenario or run.scheduler, lambda run: run.bound_s)


def _snapshot(snapshot: Any) -> list[Chart]:
    table = snapshot.columns()
    title = f"Applications on {snapshot.machine_name}"
    return [Bars(title, "cores in use", "cores", snapshot.apps, {"cores in use": table["cores_used"]})]


def _advice(advice: Any) -> list[Chart]:
    table = advice.columns()
    if not table.rows:
        raise InputError("there is nothing to draw: no move is advised")
    series = {"now": table["gbs_now"], "after the move": table["gbs_then"]}
    return [Bars("Bandwidth of what moves", "now and after the advised moves", "GB/s", table["app"].tolist(), series)]


_CHARTS: dict[str, Callable[[Any], list[Chart]]] = {
    "ScenarioResult": _scenario,
    "Evaluation": _evaluation,
    "Exploration": _exploration,
    "Machines": _machines,
    "Front": _front,
    "SweepResult": _sweep,
    "Simulation": _simulation,
    "Tasks": _tasks,
    "Snapshot": _snapshot,
    "Advice": _advice,
}
