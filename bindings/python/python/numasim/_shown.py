"""Answers as data frames, as text for terminals, and as HTML for notebooks. Called by the compiled part."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

#: Number of rows of a long table that a notebook or a terminal shows.
MOST_ROWS = 20


class Table(NamedTuple):
    """A table for people."""

    caption: str
    head: list[str]
    rows: list[list[str]]


#: A table, or a sentence about it.
Block = Union[Table, str]

# Data frames.

#: The columns of the table that become the index of the data frame.
_INDEX = {
    "ScenarioResult": ["app", "node"],
    "Evaluation": ["scenario", "app", "node"],
    "Exploration": ["allocation"],
}


def node_names(result: Any) -> list[str]:
    """The nodes, as tables for people and data frames name them."""
    return [f"node {node}" for node in result.nodes]


def frame(answer: Any) -> pd.DataFrame:
    """The table of an answer as a data frame; nodes have names."""
    kind = type(answer).__name__
    if kind == "Robust":
        return _losses(answer)
    table: pd.DataFrame = answer.columns().to_pandas()
    index = _INDEX.get(kind)
    if index is None:
        return table
    if "node" in index:
        table["node"] = [f"node {node}" for node in table["node"]]
    if kind == "ScenarioResult":
        table = table.drop(columns=[name for name in table if name.startswith("scenario")])
        table.attrs["units"] = {name: unit for name, unit in table.attrs["units"].items() if name in table}
    return table.set_index(index)


def _losses(robust: Any) -> pd.DataFrame:
    """The losses: a column for each model."""
    import pandas as pd

    rows = {"robust": robust.regrets} | robust.others
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(robust.regrets))
    table.insert(0, "worst", table.max(axis=1).clip(lower=0.0))
    return table.rename_axis(index="allocation", columns="model")


# Text and HTML of each answer.


def speeds(result: Any) -> list[float]:
    """The speed of each application, in its unit."""
    return [float(rate if unit else gflops) for gflops, rate, unit in zip(result.gflops, result.rate, result.rate_unit)]


def speed_title(result: Any) -> str:
    """The column title of these speeds: the common unit, or a note that there are several."""
    units = {unit or "GFLOPS" for unit in result.rate_unit} or {"GFLOPS"}
    return units.pop() if len(units) == 1 else "GFLOPS or rate"


def figure(value: Any) -> str:
    """A number with five digits for a table, a dash for none; everything else as it is."""
    if isinstance(value, np.ndarray):
        return " ".join(map(str, value))
    return "-" if value is None else f"{value:.5g}" if isinstance(value, float) else str(value)


def _points(share: float) -> str:
    """A share of the best in percent: three digits, and nothing is 0."""
    return f"{share * 100:.3g}" if abs(share) >= 5e-8 else "0"


def _cut(caption: str, head: list[str], rows: list[list[Any]], all_rows: int, what: str) -> list[Block]:
    """The first rows, and how many more there are."""
    blocks: list[Block] = [Table(caption, head, [[figure(cell) for cell in row] for row in rows])]
    return blocks + ([f"{all_rows - len(rows)} more {what}"] if all_rows > len(rows) else [])


def _scenario(result: Any) -> list[Block]:
    """Applications with their threads on each node, GFLOPS and GB/s."""
    title = speed_title(result)
    units = [f" {unit}" if title == "GFLOPS or rate" and unit else "" for unit in result.rate_unit]
    rows = [
        [app, *(str(one) for one in threads), figure(speed) + unit, figure(float(gbs))]
        for app, threads, speed, unit, gbs in zip(result.apps, result.threads, speeds(result), units, result.bandwidth_gbs)
    ]
    interval = result.total_gflops_interval
    sure = f" (95 % interval {figure(interval[0])} to {figure(interval[1])})" if interval else ""
    total, unit = result.total
    caption = f"{result.name}: {figure(total)} {unit}{sure}; threads on each node"
    return [Table(caption, ["application", *node_names(result), title, "GB/s"], rows), *result.warnings]


def _evaluation(evaluation: Any) -> list[Block]:
    """All scenarios, one below the other."""
    return [block for one in evaluation.scenarios for block in _scenario(one)]


def _exploration(found: Any) -> list[Block]:
    """The best allocation, its verdict, and the others by value."""
    table = found.columns()
    rows = [[name, figure(value), figure(total)] for name, value, total in zip(table["allocation"], table["value"], _totals(found))]
    value = "value" + (f" ({found.unit})" if found.unit else "")
    blocks = [*_scenario(found.best), *found.words, Table(found.objective, ["allocation", value, found.best.total[1]], rows)]
    return blocks + ([] if found.robust is None else _robust_tables(found.robust))


def _totals(found: Any) -> list[float]:
    """The total of each allocation in the unit of all: the sum of the speeds of the applications that count it."""
    table, unit = found.columns(), found.best.total[1]
    if unit == "GFLOPS":
        return [float(total) for total in table["total_gflops"]]
    return [float(total) for total in sum(table[name] for name in table if name.startswith("rate:"))]


def _robust_tables(robust: Any) -> list[Block]:
    """The robust placement, and the losses of each placement under each model."""
    rows = [
        [name, _points(max(0.0, *regrets.values())), *(_points(one) for one in regrets.values())]
        for name, regrets in ({"robust": robust.regrets} | robust.others).items()
    ]
    lost = Table("robust: losses under each model", ["loses, %", "worst", *robust.regrets], rows)
    return [*_scenario(robust.best), lost, *(f"Left out: {one['reason']}." for one in robust.left_out)]


def _robust(robust: Any) -> list[Block]:
    return [robust.words, *_robust_tables(robust)]


def _nearly(near: Any) -> list[Block]:
    """A near-optimal allocation, and its loss."""
    return [*_scenario(near.best), near.words]


def _front(front: Any) -> list[Block]:
    """The points, and their verdict."""
    first, second = front.objectives
    every = [*zip(front.points, front.values), *zip(front.baselines, front.baseline_values)]
    rows = [[one.name, *map(figure, values), figure(one.total_gflops)] for one, values in every]
    return [Table(f"{first} against {second}", ["allocation", first, second, "GFLOPS"], rows), *front.words]


def _simulation(simulation: Any) -> list[Block]:
    """A row for each simulation."""
    head = ["policy", "seed", "makespan (s)", "lower bound (s)", "orders", "events"]
    rows = [
        [one.policy, one.seed, one.makespan_s, one.lower_bound_s, one.commands, one.events] for one in simulation.runs[:MOST_ROWS]
    ]
    return _cut(f"{len(simulation)} simulations", head, rows, len(simulation), "simulations")


def _tasks(tasks: Any) -> list[Block]:
    """A row for each simulation of the graph."""
    head = ["scheduler", "placement", "seed", "makespan (s)", "lower bound (s)", "idle (%)", "steals"]
    rows = [
        [one.scenario or one.scheduler, one.placement, one.seed, one.makespan_s, one.bound_s, 100 * one.idle, one.steals]
        for one in tasks.runs[:MOST_ROWS]
    ]
    graph = tasks.graph
    caption = f"{graph['name']}: {graph['tasks']} tasks, {graph['edges']} edges, {graph['blocks']} blocks"
    return _cut(caption, head, rows, len(tasks), "simulations")


def _columns(table: Any) -> list[Block]:
    """The first rows of a table."""
    columns = {name: table[name][:MOST_ROWS] for name in table}
    shown = min(table.rows, MOST_ROWS)
    rows = [[column[row] for column in columns.values()] for row in range(shown)]
    return _cut(f"{table.rows} rows", list(columns), rows, table.rows, "rows")


#: The presentation of each class; all others show their table.
_SHOWN: dict[str, Callable[[Any], list[Block]]] = {
    "ScenarioResult": _scenario,
    "Evaluation": _evaluation,
    "Exploration": _exploration,
    "Robust": _robust,
    "Simplest": _nearly,
    "Fewest": _nearly,
    "Front": _front,
    "Simulation": _simulation,
    "Tasks": _tasks,
    "Columns": _columns,
    "SweepResult": _columns,
}


def _blocks(answer: Any) -> list[Block]:
    shown = _SHOWN.get(type(answer).__name__)
    return shown(answer) if shown else _columns(answer.columns())


def html(answer: Any) -> str:
    """An answer for notebooks; its texts are escaped."""

    def block(one: Block) -> str:
        if isinstance(one, str):
            return f"<p>{escape(one)}</p>"
        heads = "".join(f"<th>{escape(cell)}</th>" for cell in one.head)
        cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in one.rows)
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<table><caption>{escape(one.caption)}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"

    return "".join(map(block, _blocks(answer)))


def text(answer: Any) -> str:
    """An answer for terminals: names at the left, numbers at the right."""

    def block(one: Block) -> str:
        if isinstance(one, str):
            return one.strip()
        lines = [one.head, *one.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(one.head))]

        def row(line: list[str]) -> str:
            return "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()

        return "\n".join([one.caption, *map(row, lines)])

    return "\n\n".join(map(block, _blocks(answer)))
