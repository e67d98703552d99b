"""Every figure is that of the command line, to the last bit: JSON writes numbers so that they read back as the same."""

from __future__ import annotations

import csv
import io
import math
import re
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numasim

from conftest import CONFIGS, rows_of, same

PAPER = sorted(CONFIGS.glob("paper/*.toml")) + sorted(CONFIGS.glob("kernels/*.toml"))
DISCRIMINATE = sorted(CONFIGS.glob("discriminate/*.toml"))
OBJECTIVES = ["total-gflops", "fair", "geomean"]
name = lambda path: path.stem if isinstance(path, Path) else str(path)


def without_time(document: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != "elapsed_s"}


@pytest.mark.filterwarnings("ignore::numasim.NumasimWarning")
@pytest.mark.parametrize("path", PAPER, ids=name)
def test_every_scenario_of_the_files(command_line: Any, path: Path) -> None:
    found = numasim.evaluate(path)
    expected = command_line("evaluate", path)
    assert found.to_dict() == expected
    # The arrays are the same figures.
    for result, scenario in zip(found.scenarios, expected["scenarios"], strict=True):
        apps = scenario["apps"]
        assert result.total_gflops == scenario["total_gflops"]
        assert result.gflops.tolist() == [app["gflops"] for app in apps]
        assert result.bandwidth_gbs.tolist() == [app["bandwidth_gbs"] for app in apps]
        assert result.threads.tolist() == [app["threads"] for app in apps]
        assert result.gflops_per_node.tolist() == [app["gflops_per_node"] for app in apps]
        assert result.bottlenecks == [app["bottleneck_per_node"] for app in apps]
        assert result.homes == [app["home"] for app in apps]
        nodes = scenario["nodes"]
        assert result.node_bandwidth_gbs.tolist() == [node["bandwidth_gbs"] for node in nodes]
        assert result.node_remote_gbs.tolist() == [node["remote_gbs"] for node in nodes]
        latencies = [None if math.isnan(ns) else ns for ns in result.loaded_latency_ns.tolist()]
        assert latencies == [node.get("loaded_latency_ns") for node in nodes]
        assert result.links["bandwidth_gbs"].tolist() == [link["bandwidth_gbs"] for link in scenario["links"]]


@pytest.mark.parametrize("model", ["remote-first", "max-min"])
def test_another_model_and_static_work(command_line: Any, model: str) -> None:
    path = CONFIGS / "paper/table-iii-all.toml"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = numasim.evaluate(path, model=model, static_work=True)
    assert found.to_dict() == command_line("evaluate", path, "--model", model, "--static-work")


@pytest.mark.parametrize("path", DISCRIMINATE, ids=name)
def test_machines_with_scenarios_of_another_file(command_line: Any, path: Path) -> None:
    files = [CONFIGS / "machines" / path.name, path]
    assert numasim.evaluate(files).to_dict() == command_line("evaluate", *files)


UNCERTAIN = """[machine]
name = "m"
nodes = 2
cores_per_node = 4
gflops_per_core = 10.0
bandwidth_gbs = 20.0
link_gbs = 5.0
[machine.provenance]
bandwidth_gbs = { kind = "measured", source = "a test", interval95_percent = 6.5 }
[[app]]
name = "mem"
arithmetic_intensity = 0.5
[[app]]
name = "far"
arithmetic_intensity = 0.3
data = { home = 1 }
[[scenario]]
name = "even"
threads = { mem = 2, far = 2 }
"""


def test_intervals_of_uncertain_figures(command_line: Any, tmp_path: Path) -> None:
    path = tmp_path / "uncertain.toml"
    path.write_text(UNCERTAIN)
    found = numasim.evaluate(path)
    expected = command_line("evaluate", path)
    assert found.to_dict() == expected
    even = expected["scenarios"][0]
    assert list(found["even"].total_gflops_interval or ()) == even["total_gflops_interval"]
    assert found["even"].gflops_interval is not None
    assert found["even"].gflops_interval.tolist() == [app["gflops_interval"] for app in even["apps"]]
    best, expected = numasim.explore(path, "fair"), command_line("explore", path, "--objective", "fair")
    assert without_time(best.to_dict()) == without_time(expected)
    assert list(best.value_interval or ()) == expected["best"]["value_interval"]


RATED = """[machine]
name = "m"
nodes = 1
cores_per_node = 8
gflops_per_core = 10.0
bandwidth_gbs = 32.0
[[app]]
name = "db"
thread_gbs = 3.0
rate = { unit = "queries/s", per_gb = 100.0 }
[[scenario]]
name = "half"
threads = { db = 4 }
"""


def test_rates_have_their_unit(command_line: Any, tmp_path: Path) -> None:
    path = tmp_path / "rated.toml"
    path.write_text(RATED)
    found = numasim.evaluate(path)
    assert found.to_dict() == command_line("evaluate", path)
    half = found["half"]
    assert (half.total, half.rate.tolist(), half.rate_unit) == ((1200.0, "queries/s"), [1200.0], ["queries/s"])
    assert half.bottlenecks == [["thread-bandwidth"]]
    assert repr(half).endswith("1200 queries/s>")
    assert "1200 queries/s" in half._repr_html_() and "GFLOPS" not in half._repr_html_()
    best = numasim.explore(path, "fair")
    assert best.to_pandas()["rate:db"].iloc[0] == 2400.0


# Those that are proven in a moment, also where the package is not optimised.
QUICK = [("numa-bad", one) for one in OBJECTIVES] + [("uneven-even-nodes", one) for one in OBJECTIVES]
QUICK += [(one, "total-gflops") for one in ["table-iii", "table-iii-all", "table-iii-numa-bad"]]


@pytest.mark.parametrize(("study", "objective"), QUICK)
def test_the_best_allocation(command_line: Any, study: str, objective: str) -> None:
    path = CONFIGS / f"paper/{study}.toml"
    found = numasim.explore(path, objective, seed=7)
    expected = command_line("explore", path, "--objective", objective, "--seed", "7")
    assert without_time(found.to_dict()) == without_time(expected)
    assert found.best.threads.tolist() == [app["threads"] for app in expected["best"]["apps"]]
    assert (found.value, found.bound, found.status) == (expected["value"], expected["bound"], expected["status"])


@pytest.mark.filterwarnings("ignore::numasim.NumasimWarning")
def test_what_one_objective_costs_in_another(command_line: Any, program: str) -> None:
    path = CONFIGS / "paper/numa-bad.toml"
    found = numasim.pareto(path, ("total-gflops", "geomean"), seed=3)
    asked = ("explore", path, "--pareto", "total-gflops,geomean", "--seed", "3")
    expected = command_line(*asked)
    assert without_time(found.to_dict()) == without_time(expected)
    points = expected["pareto"]["points"]
    assert [list(values) for values in found.values] == [list(point["values"].values()) for point in points]
    assert [one.name for one in found.points] == [point["name"] for point in points]
    same(found.columns(), rows_of(program, *map(str, asked)))
    assert len(found.to_pandas()) == len(found.points) + len(found.baselines)
    assert "geomean" in found._repr_html_()
    with pytest.raises(numasim.InputError):
        numasim.pareto(path, ["fair"])


@pytest.mark.filterwarnings("ignore::numasim.NumasimWarning")
def test_machines_are_compared(command_line: Any, program: str) -> None:
    machines = [CONFIGS / f"machines/{name}.toml" for name in ("xeon-8480-2s", "xeon-8480-2s-snc4")]
    genomics = CONFIGS / "workloads/genomics.toml"
    found = numasim.machines([[machine, genomics] for machine in machines], same_on_every_node=True)
    named = [part for machine in machines for part in ("--machine", machine)]
    asked = ("explore", *named, genomics, "--objective", "geomean", "--same-on-every-node")
    expected = command_line(*asked)
    document = found.to_dict()
    for one, other in zip(document["machines"], expected["machines"], strict=True):
        assert without_time(one) == without_time(other)
    assert {**document, "machines": ()} == {**expected, "machines": ()}
    assert found.speeds == [of["speed"] for of in expected["machines"]]
    assert expected["machines"][found.fastest]["machine"] == expected["fastest"]
    assert [one.value for one in found.found] == [of["value"] for of in expected["machines"]]
    rows = csv.DictReader(io.StringIO(rows_of(program, *map(str, asked))))
    # Machines have different numbers of nodes: their threads are in their own answers.
    same(found.columns(), [{key: row[key] for key in row if not key.startswith("threads:")} for row in rows])
    assert [one.best.threads.shape[1] for one in found.found] == [2, 8]
    assert len(found.to_pandas()) == len(found) == 2
    assert "SNC4" in found._repr_html_()
    with pytest.raises(numasim.InputError, match="same applications"):
        numasim.machines([[machines[0], genomics], [CONFIGS / "paper/numa-bad.toml"]])
    with pytest.raises(numasim.InputTypeError):
        numasim.machines("genomics.toml")  # type: ignore[arg-type]


def test_the_best_allocation_under_restrictions(command_line: Any) -> None:
    path = CONFIGS / "paper/numa-bad.toml"
    found = numasim.explore(path, same_on_every_node=True, no_idle_cores=True, top=1, threads=1)
    expected = command_line("explore", path, "--same-on-every-node", "--no-idle-cores", "--top", "1")
    assert without_time(found.to_dict()) == without_time(expected)


# Under restrictions of single applications, each with its words of the command line.
OF_APPS: list[tuple[dict[str, Any], list[str]]] = [
    ({"threads": {"bad": 3}, "max_nodes": {"bad": 1}}, ["--threads", "bad=3", "--max-nodes", "bad=1"]),
    ({"threads_multiple": 2}, ["--threads-multiple", "2"]),
    ({"threads_multiple": {"bad": 4, "mem": 2}}, ["--threads-multiple", "bad=4", "--threads-multiple", "mem=2"]),
    ({"max_nodes": np.int64(2)}, ["--max-nodes", "2"]),
    ({"whole_l3": True, "max_l3": {"bad": 1}}, ["--whole-l3", "--max-l3", "bad=1"]),
    ({"threads_per_l3": 4}, ["--threads-per-l3", "4"]),
    ({"exclusive": ["bad", "mem-1"]}, ["--exclusive", "bad", "--exclusive", "mem-1"]),
]


@pytest.mark.parametrize(("asked", "words"), OF_APPS, ids=lambda one: " ".join(one) if isinstance(one, list) else "")
def test_the_best_allocation_under_restrictions_of_applications(
    command_line: Any, asked: dict[str, Any], words: list[str]
) -> None:
    path = CONFIGS / "paper/numa-bad.toml"
    found = numasim.explore(path, **asked)
    expected = command_line("explore", path, *words)
    assert without_time(found.to_dict()) == without_time(expected)
    assert found.to_dict()["restrictions"] or "threads" in asked


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The applications of the paper on two nodes of four cores: what is proven under every model in a moment."""
    text = (CONFIGS / "paper/numa-bad.toml").read_text()
    machine, apps = text.split("[[app]]", 1)
    machine = re.sub(r"(?m)^nodes = .*$", "nodes = 2", machine)
    machine = re.sub(r"(?m)^cores_per_node = .*$", "cores_per_node = 4", machine)
    apps = ("[[app]]" + apps).split("[[scenario]]", 1)[0]
    path = tmp_path / "small.toml"
    path.write_text(machine + apps)
    return path


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_robust_and_the_simplest_placement(command_line: Any, small: Path, objective: str) -> None:
    found = numasim.explore(small, objective, models="all", simple=True, within=0.05, seed=3)
    words = ["--objective", objective, "--models", "all", "--simple", "--within", "0.05", "--seed", "3"]
    expected = command_line("explore", small, *words)
    assert without_time(found.to_dict()) == without_time(expected)
    robust, simple = expected["robust"], expected["simple"]
    assert found.robust is not None and found.simple is not None
    for key in ["worst_regret", "bound", "status", "at_most", "regrets", "others", "models", "left_out"]:
        assert getattr(found.robust, key) == robust[key], key
    assert list(found.robust.regrets) == list(robust["regrets"])
    for key in ["loss", "within", "proven", "different_numbers", "shared_nodes"]:
        assert getattr(found.simple, key) == simple[key], key
    for own, best in [(found.robust.best, robust["best"]), (found.simple.best, simple["best"])]:
        assert (own.name, own.value) == (best["name"], best["value"])
        assert own.threads.tolist() == [app["threads"] for app in best["apps"]]


@pytest.mark.parametrize(("model", "models"), [(None, "max-min,ecm"), ("max-min", "baseline-proportional,ecm")])
def test_the_robust_placement_of_some_models(command_line: Any, small: Path, model: str | None, models: str) -> None:
    found = numasim.explore(small, "geomean", model=model, models=models.split(","), top=0)
    words = [] if model is None else ["--model", model]
    expected = command_line("explore", small, "--objective", "geomean", "--models", models, "--top", "0", *words)
    assert without_time(found.to_dict()) == without_time(expected)
    assert found.to_dict()["model"] == "max-min"


def test_the_simplest_of_baselines_with_static_work_and_broken_restrictions(command_line: Any, small: Path) -> None:
    text = small.read_text()
    groups = dict.fromkeys(re.sub(r"-\d+$", "", app) for app in numasim.Study.read(small).apps)
    threads = ", ".join(f"{group} = 1" for group in groups)
    small.write_text(text + f'[[scenario]]\nname = "static"\nstatic = true\nthreads = {{ {threads} }}\n')
    found = numasim.explore(small, "fair", no_idle_cores=True, models="all", simple=True)
    words = ["--objective", "fair", "--no-idle-cores", "--models", "all", "--simple"]
    expected = command_line("explore", small, *words)
    assert without_time(found.to_dict()) == without_time(expected)
    assert "static" not in expected["robust"]["others"] and "static" in [one["name"] for one in expected["baselines"]]


def test_a_model_that_cannot_read_the_machine(command_line: Any, program: str, small: Path) -> None:
    small.write_text(small.read_text().replace("link_gbs", "read_gbs = 30.0\nlink_gbs", 1))
    with pytest.warns(numasim.NumasimWarning, match="left out: the model .* has no reading of `read_gbs`"):
        found = numasim.explore(small, models="all")
    expected = command_line("explore", small, "--models", "all")
    assert without_time(found.to_dict()) == without_time(expected)
    assert found.robust is not None and found.robust.left_out == expected["robust"]["left_out"] != []
    with pytest.raises(numasim.InputError, match="the model request-fraction has no reading of `read_gbs`") as caught:
        numasim.explore(small, models=["max-min", "request-fraction"])
    printed = subprocess.run([program, "explore", str(small), "--models", "max-min,request-fraction"], capture_output=True)
    assert printed.returncode == 1 and str(caught.value).split(" (")[0] in printed.stderr.decode()


def test_an_answer_that_is_not_proven_says_what_its_effort_has_brought(command_line: Any) -> None:
    path = CONFIGS / "scale/8x64.toml"
    found = numasim.explore(path, min_threads_per_node=1, top=0)
    expected = command_line("explore", path, "--min-threads-per-node", "1", "--top", "0")
    assert expected["status"] == "feasible" and "spent" in expected["effort"]
    own = found.to_dict()
    for mark in [*own["effort"]["history"], *expected["effort"]["history"]]:
        assert mark.pop("elapsed_s") > 0
    assert without_time(own) == without_time(expected)


def test_a_sweep_of_scenarios(program: str) -> None:
    path = CONFIGS / "paper/numa-bad.toml"
    found = numasim.sweep(path, {"machine.link_gbs": "1/4..64*2", "app.bad.data": ["home:0", "interleave"]})
    arguments = ["--set", "machine.link_gbs=1/4..64*2", "--set", "app.bad.data=home:0,interleave"]
    same(found, rows_of(program, "sweep", path, *arguments))


def test_a_sweep_with_points_that_cannot_be(program: str) -> None:
    path = CONFIGS / "paper/numa-bad.toml"
    found = numasim.sweep(path, {"machine.cores_per_node": np.array([2, 8, 9])})
    assert set(found["status"]) == {"ok", "infeasible"}
    same(found, rows_of(program, "sweep", path, "--set", "machine.cores_per_node=2,8,9"))


def test_a_sweep_of_searches(program: str) -> None:
    path = CONFIGS / "paper/numa-bad.toml"
    found = numasim.sweep(path, {"machine.link_gbs": [5, 10.5]}, explore=True, objective="fair", seed=3)
    arguments = ["--explore", "--objective", "fair", "--seed", "3", "--set", "machine.link_gbs=5,10.5"]
    same(found, rows_of(program, "sweep", path, *arguments))


def test_the_text_of_a_mistake(program: str, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('[machine]\nname = "m"\nnodes = 2\ncores_per_nod = 4\ngflops_per_core = "1"\n')
    with pytest.raises(numasim.InputError) as caught:
        numasim.Study.read(wrong)
    printed = subprocess.run([program, "check", str(wrong)], capture_output=True).stderr.decode()
    assert str(caught.value) == printed.rstrip()
    unknown = [problem for problem in caught.value.problems if problem["line"] == 4]
    assert [(problem["file"], problem["column"]) for problem in unknown] == [(str(wrong), 1)]
    assert "cores_per_node" in unknown[0]["hint"]


def test_data_without_room_and_open_homes_are_shown_where_they_stand(program: str, tmp_path: Path) -> None:
    machine = '[machine]\nname = "m"\nnodes = 1\ncores_per_node = 2\ngflops_per_core = 1\nbandwidth_gbs = 9\n'
    app = '[[app]]\nname = "a"\narithmetic_intensity = 1\n'
    scenario = '[[scenario]]\nname = "s"\nthreads = { a = 1 }\n'
    full = machine + "memory_gib_per_node = 1\n" + app + "memory_gib = 2\n" + scenario
    for text in [full, machine + app + 'data = { home = "any" }\n' + scenario]:
        wrong = tmp_path / "wrong.toml"
        wrong.write_text(text)
        with pytest.raises(numasim.InputError) as caught:
            numasim.evaluate(wrong)
        printed = subprocess.run([program, "evaluate", str(wrong)], capture_output=True).stderr.decode()
        assert str(caught.value) == printed.rstrip()
