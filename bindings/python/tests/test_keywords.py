"""One rule: the keyword of a switch `--some-name` is `some_name`. The manual pages say which switches there are."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

import numasim

from conftest import ROOT

# Switches without a keyword, each with the reason.
FORMS = dict.fromkeys(["format", "output", "save"], "to_json(), columns() and to_toml() give the answer, and Python writes files")
TERMINAL = dict.fromkeys(["color", "help", "version"], "they are about a terminal")
PICTURE = {"plot": "the method plot() of the answer"}
EMIT = dict.fromkeys(["emit", "cpus-from"], "they write scripts for a host: to_toml() takes the placement to the program")
EVERYWHERE = FORMS | TERMINAL | PICTURE | EMIT
OTHERS = {"machine": "numasim.machines asks of several machines", "pareto": "numasim.pareto asks it"}
ONE_BEST = dict.fromkeys(
    ["models", "simple", "fewest-threads", "within", "top", "sensitivity"], "they are about one best placement"
)
BATCH = dict.fromkeys(
    ["shard", "resume", "submit", "folder", "shards", "sbatch-option", "dry-run", "resubmit", "collect"],
    "the program writes large sweeps while it computes",
)
OWN = dict.fromkeys(
    ["plan", "placement", "scenario", "steal", "runs", "metg"], "the class of the caller decides, once, with first touch"
)
FILES_OF_RUNS = {"compare": "it reads a folder of a run", "trace": "a file of decisions", "replay": "it reads that file"}
PROGRAM = {"real": "it runs on this host", "gantt": "it draws while it simulates", "emit-graph": "it writes a folder"}

CASES: list[tuple[Callable[..., Any], str, dict[str, str], set[str]]] = [
    (numasim.evaluate, "evaluate", {"explain": "it is a text for people"}, {"study"}),
    (numasim.explore, "explore", OTHERS, {"study"}),
    (numasim.machines, "explore", OTHERS | ONE_BEST, {"studies"}),
    (numasim.pareto, "explore", OTHERS | ONE_BEST | {"objective": "there are two"}, {"study", "objectives"}),
    (numasim.sweep, "sweep", BATCH, {"study"}),
    (numasim.simulate, "simulate", FILES_OF_RUNS, {"study"}),
    (numasim.tasks, "tasks", PROGRAM, {"study"}),
    (numasim.schedule, "tasks", PROGRAM | OWN, {"study"}),
    (numasim.snapshot, "snapshot", {}, set()),
    (numasim.advise, "advise", {}, set()),
]


def switches(command: str) -> set[str]:
    """Those of a command, from its manual page."""
    page = (ROOT / f"man/numasim-{command}.1").read_text().replace("\\-", "-")
    return set(re.findall(r"(?m)^\\fB(?:-\w\\fR, \\fB)?--([a-z0-9-]+)\\fR", page))


@pytest.mark.parametrize(("function", "command", "without", "own"), CASES, ids=lambda one: getattr(one, "__name__", ""))
def test_keywords_are_the_switches(
    function: Callable[..., Any], command: str, without: dict[str, str], own: set[str]
) -> None:
    there = switches(command)
    assert {"help", "format"} <= there, "the manual page is read as it is written"
    missing = set(EVERYWHERE | without)
    # No exception for a switch that is gone.
    assert set(without) <= there, set(without) - there
    expected = {switch.replace("-", "_") for switch in there - missing}
    assert set(inspect.signature(function).parameters) == expected | own


def test_other_keywords_are_refused() -> None:
    with pytest.raises(TypeError, match=r"explore\(\): got an unexpected keyword argument 'app_threads'"):
        numasim.explore(ROOT / "configs/paper/numa-bad.toml", app_threads={"bad": 1})  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"pareto\(\).*'top'"):
        numasim.pareto(ROOT / "configs/paper/numa-bad.toml", top=1)  # type: ignore[call-arg]
