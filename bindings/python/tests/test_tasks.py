"""Graphs of tasks: every figure is that of ``numasim tasks``."""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path
from typing import Any

import pytest

import numasim

from conftest import CONFIGS, rows_of, same

# Those that are simulated in a moment, also where the package is not optimised.
QUICK = ["cholesky", "three", "tree", "smi", "barrier", "loops"]
SMALL = CONFIGS / "tasks/three.toml"

GRAPH = """[machine]
name = "box"
nodes = 1
cores_per_node = 2
gflops_per_core = 10.0
bandwidth_gbs = 100.0
[[task]]
name = "first"
gflop = 20.0
[[task]]
name = "second"
gflop = 40.0
[runtime]
"""


def test_a_hand_calculation() -> None:
    # Two tasks without data on two cores of 10 GFLOPS: 2 s and 4 s at a time, and the longer one decides.
    found = numasim.tasks(numasim.Study.from_toml(GRAPH), trace=True)
    assert (found.graph["tasks"], found.graph["edges"]) == (2, 0)
    one = found.runs[0]
    assert (one.scheduler, one.placement, one.scenario, one.seed) == ("fifo", "first-touch", None, 1)
    assert one.makespan_s == pytest.approx(4.0, rel=1e-3) and one.bound_s <= one.makespan_s
    assert one.trace is not None and one.trace["task"].tolist() == [0, 1]
    assert one.nodes["tasks"].tolist() == [2]


@pytest.mark.parametrize("file", QUICK)
def test_files_with_their_own_scheduler(command_line: Any, file: str) -> None:
    path = CONFIGS / f"tasks/{file}.toml"
    assert numasim.tasks(path).to_dict() == command_line("tasks", path)


def test_several_schedulers_and_seeds(command_line: Any, program: str) -> None:
    path = CONFIGS / "tasks/cholesky.toml"
    found = numasim.tasks(path, ["fifo", "dep", "rip-dep"], steal=True, seed=3, runs=2, placement="interleave")
    arguments = ["--scheduler", "fifo,dep,rip-dep", "--steal", "--seed", "3", "--runs", "2"]
    arguments += ["--placement", "interleave"]
    assert found.to_dict() == command_line("tasks", path, *arguments)
    assert [(one.scheduler, one.seed) for one in found.runs][:3] == [("fifo", 3), ("fifo", 4), ("dep", 3)]
    assert found["dep"].seed == 3
    same(found.columns, rows_of(program, "tasks", path, *arguments))


def test_the_figures_of_a_run_are_those_of_the_document() -> None:
    found = numasim.tasks(CONFIGS / "tasks/cholesky.toml", "dep")
    one, document = found[0], found.to_dict()["runs"][0]
    for key in ["makespan_s", "bound_s", "bound_by", "idle", "idle_reasons", "bytes", "steals"]:
        assert getattr(one, key) == document[key], key
    assert one.nodes["busy_s"].tolist() == [node["busy_s"] for node in document["per_node"]]
    assert one.nodes["dram_remote_bytes"].tolist() == [node["bytes"]["dram_remote"] for node in document["per_node"]]


def test_a_scenario_stands_for_scheduler_and_placement(command_line: Any) -> None:
    path = CONFIGS / "tasks/cholesky.toml"
    found = numasim.tasks(path, scenario=["noap-ft", "noap-intl"])
    assert found.to_dict() == command_line("tasks", path, "--scenario", "noap-ft,noap-intl")
    assert found["noap-intl"].scenario == "noap-intl"
    with pytest.raises(TypeError, match="give one or the other"):
        numasim.tasks(path, "fifo", scenario="noap-ft")


def test_the_smallest_granularity(command_line: Any) -> None:
    path = CONFIGS / "tasks/task-bench.toml"
    assert numasim.tasks(path, metg=0.5).to_dict() == command_line("tasks", path, "--metg", "0.5")
    with pytest.raises(numasim.InputError, match="is of Task Bench"):
        numasim.tasks(SMALL, metg=0.5)


def test_a_trace_is_that_of_the_command_line(program: str, tmp_path: Path) -> None:
    out, path = tmp_path / "trace.csv", CONFIGS / "tasks/cholesky.toml"
    subprocess.run([program, "tasks", path, "--scheduler", "dep", "--trace", out], capture_output=True, check=True)
    rows = numasim.tasks(path, "dep", trace=True)[0].trace
    assert rows is not None
    expected = list(csv.DictReader(out.read_text().splitlines()))
    assert rows.rows == len(expected)
    for row in expected:
        del row["scheduler"], row["seed"]
    same(rows, expected)
    assert numasim.tasks(path)[0].trace is None


def test_a_graph_in_a_folder(command_line: Any, program: str, tmp_path: Path) -> None:
    source, folder = CONFIGS / "tasks/cholesky.toml", tmp_path / "graph"
    subprocess.run([program, "tasks", source, "--emit-graph", folder], capture_output=True, check=True)
    machine = tmp_path / "machine.toml"
    machine.write_text(GRAPH.split("[[task]]")[0])
    found = numasim.tasks(machine, graph=folder)
    assert found.to_dict() == command_line("tasks", machine, "--graph", folder)
    with pytest.raises(numasim.InputError, match="two graphs"):
        numasim.tasks(source, graph=folder)
    with pytest.raises(FileNotFoundError):
        numasim.tasks(machine, graph=tmp_path)
    tasks = folder / "tasks.csv"
    tasks.write_text(tasks.read_text().replace("\n0,", "\nx,", 1))
    with pytest.raises(numasim.InputError) as caught:
        numasim.tasks(machine, graph=folder)
    done = subprocess.run([program, "tasks", machine, "--graph", folder], capture_output=True)
    assert str(caught.value) == done.stderr.decode().rstrip()
    # A killed run of the command left it so.
    (folder / ".numasim-unfinished").mkdir()
    with pytest.raises(numasim.InputError) as caught:
        numasim.tasks(machine, graph=folder)
    done = subprocess.run([program, "tasks", machine, "--graph", folder], capture_output=True)
    assert str(caught.value) == done.stderr.decode().rstrip()


def test_the_text_of_what_cannot_be_simulated(program: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.toml"
    path.write_text(GRAPH)
    for scheduler in ["sa", "plan"]:
        with pytest.raises(numasim.InputError) as caught:
            numasim.tasks(path, scheduler)
        done = subprocess.run([program, "tasks", path, "--scheduler", scheduler], capture_output=True)
        assert str(caught.value) == done.stderr.decode().rstrip()


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(numasim.InputError, match="there is no scheduler 'odd'; there is: .*fifo"):
        numasim.tasks(SMALL, "odd")
    with pytest.raises(numasim.InputError, match="there is no placement 'odd'"):
        numasim.tasks(SMALL, placement="odd")
    with pytest.raises(numasim.InputError, match="metg is a share"):
        numasim.tasks(CONFIGS / "tasks/task-bench.toml", metg=1.5)
