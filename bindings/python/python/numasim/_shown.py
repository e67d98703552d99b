"""Results as tables: data frames, and HTML for notebooks. Called by the compiled part."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

#: Number of rows of a long sweep that a notebook shows.
MOST_ROWS = 20


def speeds(result: Any) -> list[float]:
    """The speed of each application, in its unit."""
    return [float(rate if unit else gflops) for gflops, rate, unit in zip(result.gflops, result.rate, result.rate_unit)]


def speed_title(result: Any) -> str:
    """The column title of these speeds: the common unit, or a note that there are several."""
    units = {unit or "GFLOPS" for unit in result.rate_unit} or {"GFLOPS"}
    return units.pop() if len(units) == 1 else "GFLOPS or rate"


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
    if any(result.rate_unit):
        data |= {"rate": result.rate, "rate_unit": result.rate_unit}
    data |= {f"threads:{node}": threads[:, node] for node in range(threads.shape[1])}
    return pd.DataFrame(data, index=pd.Index(result.apps, name="app"), copy=False)


def evaluation_frame(evaluation: Any) -> pd.DataFrame:
    """One row for each scenario and application."""
    import pandas as pd

    scenarios = evaluation.scenarios
    names = [one.name for one in scenarios]
    frame: pd.DataFrame = pd.concat([one.to_pandas() for one in scenarios], keys=names, names=["scenario"])
    return frame


def _is_another(near: Any, found: Any) -> bool:
    """Whether there is a near-optimal allocation other than the best."""
    return near is not None and not np.array_equal(near.best.threads, found.best.threads)


def _everything(found: Any) -> list[tuple[str, Any, str | None]]:
    """Every allocation of an exploration, with its role and the constraint that it breaks, in the order of the command line."""
    everything: list[tuple[str, Any, str | None]] = [("best", found.best, None)]
    everything += [("alternative", one, None) for one in found.alternatives]
    if found.robust is not None:
        everything.append(("robust", found.robust.best, None))
    everything += [("baseline", one, breaks) for one, breaks in zip(found.baselines, found.breaks)]
    for role, near in (("simple", found.simple), ("fewest", found.fewest)):
        if _is_another(near, found):
            everything.append((role, near.best, None))
    return everything


def exploration_frame(found: Any) -> pd.DataFrame:
    """One row for each allocation: best, alternatives, the robust one, baselines, the simplest, that with the fewest threads."""
    import pandas as pd

    roles, everything, breaks = zip(*_everything(found))
    data: dict[str, Any] = {
        "role": pd.Categorical(roles, categories=["best", "alternative", "robust", "baseline", "simple", "fewest"]),
        "value": [one.value for one in everything],
        "total_gflops": [one.total_gflops for one in everything],
        "breaks": list(breaks),
    }
    achieved = np.array([speeds(one) for one in everything])
    for number, (app, unit) in enumerate(zip(found.best.apps, found.best.rate_unit)):
        data[f"{'rate' if unit else 'gflops'}:{app}"] = achieved[:, number]
    return pd.DataFrame(data, index=pd.Index([one.name for one in everything], name="allocation"))


def robust_frame(robust: Any) -> pd.DataFrame:
    """The losses: a column for each model."""
    import pandas as pd

    rows = {"robust": robust.regrets} | robust.others
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=list(robust.regrets))
    frame.insert(0, "worst", frame.max(axis=1).clip(lower=0.0))
    return frame.rename_axis(index="allocation", columns="model")


def figure(value: float) -> str:
    """A number with five digits for a table."""
    return f"{value:.5g}"


def table(caption: str, head: list[str], rows: list[list[str]]) -> str:
    """An HTML table; its texts are escaped."""
    heads = "".join(f"<th>{escape(one)}</th>" for one in head)
    cells = ("".join(f"<td>{escape(one)}</td>" for one in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<table><caption>{escape(caption)}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"


def notes(texts: list[str]) -> str:
    """Cautions about a table."""
    return "".join(f"<p>{escape(text)}</p>" for text in texts)


def scenario_html(result: Any) -> str:
    """Applications with their threads on each node, GFLOPS and GB/s."""
    head = ["application", *(f"node {node}" for node in result.nodes), speed_title(result), "GB/s"]
    mixed = speed_title(result) == "GFLOPS or rate"
    units = [f" {unit}" if mixed and unit else "" for unit in result.rate_unit]
    rows = [
        [app, *(str(one) for one in threads), figure(speed) + unit, figure(gbs)]
        for app, threads, speed, unit, gbs in zip(result.apps, result.threads, speeds(result), units, result.bandwidth_gbs)
    ]
    interval = result.total_gflops_interval
    sure = f" (95 % interval {figure(interval[0])} to {figure(interval[1])})" if interval else ""
    total, unit = result.total
    caption = f"{result.name}: {figure(total)} {unit}{sure}; threads on each node"
    return table(caption, head, rows) + notes(result.warnings)


def evaluation_html(evaluation: Any) -> str:
    """All scenarios, one below the other."""
    return "".join(scenario_html(one) for one in evaluation.scenarios)


def exploration_html(found: Any) -> str:
    """The best allocation, its verdict, and the others by value."""
    rows = [[one.name, figure(one.value), figure(one.total[0])] for _, one, _ in _everything(found)]
    value = "value" + (f" ({found.unit})" if found.unit else "")
    page = scenario_html(found.best) + notes(found.words) + table(found.objective, ["allocation", value, found.best.total[1]], rows)
    if found.robust is not None:
        page += _lost(found.robust)
    return page


def points(share: float) -> str:
    """A share of the best in percent: three digits, and nothing is 0."""
    return f"{share * 100:.3g}" if abs(share) >= 5e-8 else "0"


def _lost(robust: Any) -> str:
    """The losses of each placement under each model."""
    rows = [
        [name, points(max(0.0, *regrets.values())), *(points(one) for one in regrets.values())]
        for name, regrets in ({"robust": robust.regrets} | robust.others).items()
    ]
    lost = table("robust: losses under each model", ["loses, %", "worst", *robust.regrets], rows)
    return scenario_html(robust.best) + lost + notes([f"Left out: {one['reason']}." for one in robust.left_out])


def robust_html(robust: Any) -> str:
    """The robust placement, and the losses of each placement under each model."""
    return notes([robust.words]) + _lost(robust)


def nearly_html(near: Any) -> str:
    """A near-optimal allocation, and its loss."""
    return scenario_html(near.best) + notes([near.words])


def front_html(front: Any) -> str:
    """The points, and their verdict."""
    first, second = front.objectives
    every = [*zip(front.points, front.values), *zip(front.baselines, front.baseline_values)]
    rows = [[one.name, *map(figure, values), figure(one.total_gflops)] for one, values in every]
    return table(f"{first} against {second}", ["allocation", first, second, "GFLOPS"], rows) + notes(front.words)


def machines_html(machines: Any) -> str:
    """A row for each machine."""
    return columns_html(machines.columns())


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
