"""Graphs of tasks: every figure is that of ``numasim tasks``."""

from __future__ import annotations

import csv
import subprocess
import time
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
    same(found.columns(), rows_of(program, "tasks", path, *arguments))


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


class Dep(numasim.Scheduler):
    """``dep`` of paper 001 (Algorithm 2.1): a task goes where most of its data was written first, decided when it is created."""

    def start(self, program: numasim.TaskProgram) -> None:
        self.program = program
        self.sockets = program.nodes
        # Blocks with a home on a node with cores are in the table from the beginning.
        homes = ((block, program.home(block)) for block in range(len(program.blocks)))
        self.table = {block: home for block, home in homes if home in self.sockets}
        self.queues: dict[int, list[int]] = {socket: [] for socket in self.sockets}
        self.given: dict[int, int] = {}
        self.turn = 0

    def created(self, task: int) -> None:
        weights: dict[int | None, float] = dict.fromkeys(self.sockets, 0.0)
        weights[None] = 0.0
        accesses = self.program.accesses(task)
        for block, _, declared, _ in accesses:
            weights[self.table.get(block)] += declared
        most = max(weights[socket] for socket in self.sockets)
        if most <= 0.0 or weights[None] > most:
            socket = self.sockets[self.turn // 2 % len(self.sockets)]
            self.turn += 1
        else:
            socket = next(socket for socket in self.sockets if weights[socket] == most)
        for block, mode, _, _ in accesses:
            if mode != "in":
                self.table.setdefault(block, socket)
        self.given[task] = socket

    def ready(self, task: int, worker: int | None) -> None:
        self.queues[self.given[task]].append(task)

    def take(self, worker: int) -> int | None:
        queue = self.queues[self.program.workers[worker]]
        return queue.pop(0) if queue else None


def of_two(grid: int, iterations: int) -> numasim.Study:
    machine = (CONFIGS / "tasks/machines/sandy-bridge-2s.toml").read_text()
    graph = f"[graph]\ngenerator = \"gauss-seidel\"\ngrid = {grid}\ntile = 64\niterations = {iterations}\n"
    return numasim.Study.from_toml(machine + graph + '[runtime]\nties = "order"\n')


def test_dep_in_python_is_dep() -> None:
    study = of_two(8, 4)
    own, built_in = numasim.schedule(study, Dep(), trace=True), numasim.tasks(study, "dep").runs[0]
    assert own.makespan_s == built_in.makespan_s and own.bytes == built_in.bytes
    assert own.bound_s == built_in.bound_s and own.steals == 0
    assert own.trace is not None and len(own.trace["task"]) == 1 + 64 * 5


def test_a_hundred_thousand_tasks_take_less_than_a_minute() -> None:
    # 64 tiles, 1600 iterations.
    before = time.monotonic()
    assert numasim.schedule(of_two(8, 1600), Dep()).makespan_s > 0
    assert time.monotonic() - before < 60


def test_what_a_scheduler_must_not_do() -> None:
    class Greedy(Dep):
        def take(self, worker: int) -> int | None:
            return 7

    class Lazy(Dep):
        def take(self, worker: int) -> int | None:
            return None

    class Broken(Dep):
        def ready(self, task: int, worker: int | None) -> None:
            raise KeyError("mine")

    study = of_two(2, 1)
    with pytest.raises(numasim.InputError, match="gave task 7 to worker 0, but that task is not ready"):
        numasim.schedule(study, Greedy())
    with pytest.raises(numasim.InputError, match="no worker takes task 0"):
        numasim.schedule(study, Lazy())
    with pytest.raises(KeyError, match="mine"):
        numasim.schedule(study, Broken())
    with pytest.raises(numasim.InputTypeError, match="derived from numasim.Scheduler"):
        numasim.schedule(study, object())  # type: ignore[arg-type]


def test_an_idle_worker_may_steal() -> None:
    class Stealing(numasim.Scheduler):
        """All tasks are in the queue of worker 0."""

        def start(self, program: numasim.TaskProgram) -> None:
            self.tasks: list[int] = []

        def ready(self, task: int, worker: int | None) -> None:
            self.tasks.append(task)

        def take(self, worker: int) -> int | None:
            return self.tasks.pop(0) if worker == 0 and self.tasks else None

        def steal(self, worker: int) -> int | None:
            return self.tasks.pop(0) if self.tasks else None

    # 20 and 40 GFLOP on two cores of 10 GFLOPS: one of them is stolen.
    run = numasim.schedule(numasim.Study.from_toml(GRAPH), Stealing())
    assert run.steals == 1 and run.makespan_s == pytest.approx(4.0, rel=1e-3)
