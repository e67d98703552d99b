"""Results as tables: data frames, and HTML for notebooks. Called by the compiled part."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

#: Rows of a long sweep that a notebook shows.
MOST_ROWS = 20


def scenario_frame(result: Any) -> pd.DataFrame:
    """One row for each application."""
    import pandas as pd

    threads = result.threads
    data: dict[str, Any] = {
        "gflops": result.gflops,
        "bandwidth_gbs": result.bandwidth_gbs,
        "threads": threads.sum(axis=1),
        "home": pd.array(result.homes, dtype="Int64"),
    }
    data |= {f"threads:{node}": threads[:, node] for node in range(threads.shape[1])}
    return pd.DataFrame(data, index=pd.Index(result.apps, name="app"), copy=False)


def evaluation_frame(evaluation: Any) -> pd.DataFrame:
    """One row for each scenario and application."""
    import pandas as pd

    scenarios = evaluation.scenarios
    names = [one.name for one in scenarios]
    frame: pd.DataFrame = pd.concat([one.to_pandas() for one in scenarios], keys=names, names=["scenario"])
    return frame


def exploration_frame(found: Any) -> pd.DataFrame:
    """One row for each allocation: best, alternatives, baselines."""
    import pandas as pd

    best, alternatives, baselines = found.best, found.alternatives, found.baselines
    everything = [best, *alternatives, *baselines]
    roles = ["best"] + ["alternative"] * len(alternatives) + ["baseline"] * len(baselines)
    data: dict[str, Any] = {
        "role": pd.Categorical(roles, categories=["best", "alternative", "baseline"]),
        "value": [one.value for one in everything],
        "total_gflops": [one.total_gflops for one in everything],
        "breaks": [None] * (1 + len(alternatives)) + found.breaks,
    }
    gflops = np.array([one.gflops for one in everything])
    data |= {f"gflops:{app}": gflops[:, number] for number, app in enumerate(best.apps)}
    return pd.DataFrame(data, index=pd.Index([one.name for one in everything], name="allocation"))


def figure(value: float) -> str:
    """A number of a table: five digits."""
    return f"{value:.5g}"


def table(caption: str, head: list[str], rows: list[list[str]]) -> str:
    """A table of HTML; nothing in the texts is HTML."""
    heads = "".join(f"<th>{escape(one)}</th>" for one in head)
    cells = ("".join(f"<td>{escape(one)}</td>" for one in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def notes(texts: list[str]) -> str:
    """What to know beside a table."""
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


def scenario_html(result: Any) -> str:
    """Applications with their threads on each node, GFLOPS and GB/s."""
    head = ["application", *(f"node {node}" for node in result.nodes), "GFLOPS", "GB/s"]
    rows = [
        [app, *(str(one) for one in threads), figure(gflops), figure(gbs)]
        for app, threads, gflops, gbs in zip(result.apps, result.threads, result.gflops, result.bandwidth_gbs)
    ]
    interval = result.total_gflops_interval
    sure = f" (95 % interval {figure(interval[0])} to {figure(interval[1])})" if interval else ""
    caption = f"{result.name}: {figure(result.total_gflops)} GFLOPS{sure}; threads on each node"
    return table(caption, head, rows) + notes(result.warnings)


def evaluation_html(evaluation: Any) -> str:
    """All scenarios, one under the other."""
    return "".join(scenario_html(one) for one in evaluation.scenarios)


def exploration_html(found: Any) -> str:
    """The best allocation, and the others by their value."""
    unit = f" {found.unit}" if found.unit else ""
    others = [*found.alternatives, *found.baselines]
    rows = [[one.name, figure(one.value), figure(one.total_gflops)] for one in [found.best, *others]]
    proof = "proven" if found.status == "optimal" else f"not proven ({found.unproven})"
    caption = f"{found.objective}: {figure(found.value)}{unit}, bound {figure(found.bound)}, {proof}"
    compared = table(caption, ["allocation", "value" + (f" ({found.unit})" if found.unit else ""), "GFLOPS"], rows)
    return scenario_html(found.best) + compared + notes(found.cautions)


def columns_html(result: Any) -> str:
    """The first rows."""
    shown = min(result.rows, MOST_ROWS)
    columns = {name: result[name][:shown] for name in result}

    def cell(value: Any) -> str:
        if isinstance(value, float):
            return figure(value)
        return " ".join(map(str, value)) if isinstance(value, np.ndarray) else str(value)

    rows = [[cell(column[row]) for column in columns.values()] for row in range(shown)]
    more = [f"{result.rows - shown} more rows"] if result.rows > shown else []
    return table(f"{result.rows} rows", list(columns), rows) + notes(more)


def simulation_html(simulation: Any) -> str:
    """A row for each simulation."""

    def cell(value: float | None) -> str:
        return "-" if value is None else figure(value)

    head = ["policy", "seed", "makespan (s)", "lower bound (s)", "orders", "events"]
    rows = [
        [
            *(one.policy, str(one.seed), cell(one.makespan_s), cell(one.lower_bound_s)),
            *(str(one.commands), str(one.events)),
        ]
        for one in simulation.runs[:MOST_ROWS]
    ]
    more = [f"{len(simulation) - MOST_ROWS} more simulations"] if len(simulation) > MOST_ROWS else []
    return table(f"{len(simulation)} simulations", head, rows) + notes(more)


def tasks_html(tasks: Any) -> str:
    """A row for each simulation of the graph."""
    head = ["scheduler", "placement", "seed", "makespan (s)", "lower bound (s)", "idle (%)", "steals"]
    rows = [
        [
            *(one.scenario or one.scheduler, one.placement, str(one.seed), figure(one.makespan_s)),
            *(figure(one.bound_s), figure(100 * one.idle), str(one.steals)),
        ]
        for one in tasks.runs[:MOST_ROWS]
    ]
    more = [f"{len(tasks) - MOST_ROWS} more simulations"] if len(tasks) > MOST_ROWS else []
    graph = tasks.graph
    caption = f"{graph['name']}: {graph['tasks']} tasks, {graph['edges']} edges, {graph['blocks']} blocks"
    return table(caption, head, rows) + notes(more)
