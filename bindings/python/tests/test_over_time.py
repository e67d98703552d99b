"""Applications over time: every figure is that of ``numasim simulate``."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numasim

from conftest import CONFIGS, rows_of, same

FILES = sorted(CONFIGS.glob("dynamic/*.toml"))
PAIR = CONFIGS / "dynamic/producer-consumer.toml"
name = lambda path: path.stem

# Two cores of 10 GFLOPS; nothing is bound by memory.
BOX = '[machine]\nname = "box"\nnodes = 1\ncores_per_node = 2\ngflops_per_core = 10.0\nbandwidth_gbs = 100.0\n'


def app(text: str, more: str = "") -> str:
    return f'[[app]]\nname = "{text}"\narithmetic_intensity = 10.0\n{more}'


def test_a_hand_calculation() -> None:
    # 60 GFLOP on two cores of 10 GFLOPS: 3 s. No policy can do better: the only application takes that long on all cores.
    found = numasim.simulate(numasim.Study.from_toml(BOX, app("a", "work_gflop = 60.0\n")))
    one = found.runs[0]
    assert (one.policy, one.seed, one.makespan_s, one.lower_bound_s) == ("none", 1, 3.0, 3.0)
    assert one.bound_by == "a, with what it waits for, takes that long"
    assert one.apps["finished_s"].tolist() == [3.0] and one.apps["mean_threads"].tolist() == [2.0]
    assert one.apps["app"].tolist() == ["a"] and one.timeline is None


@pytest.mark.filterwarnings("ignore::numasim.NumasimWarning")
@pytest.mark.parametrize("path", FILES, ids=name)
def test_every_file_with_its_own_policy(command_line: Any, path: Path) -> None:
    assert numasim.simulate(path).to_dict() == command_line("simulate", path)


def test_several_policies_and_seeds(command_line: Any, program: str) -> None:
    path = CONFIGS / "dynamic/producer-consumer-tasks.toml"
    found = numasim.simulate(path, ["none", "lead:3"], seed=5, runs=3)
    arguments = ["--policy", "none", "--policy", "lead:3", "--seed", "5", "--runs", "3"]
    assert found.to_dict() == command_line("simulate", path, *arguments)
    assert [(one.policy, one.seed) for one in found.runs] == [(p, s) for p in ("none", "lead:3") for s in (5, 6, 7)]
    assert found["lead:3"].seed == 5 and found[-1].seed == 7
    same(found.columns(), rows_of(program, "simulate", path, *arguments))


def test_arrays_are_the_figures_of_the_document() -> None:
    found = numasim.simulate(PAIR, "lead:2")
    one, document = found[0], found.to_dict()["runs"][0]
    for key in ["makespan_s", "lower_bound_s", "time_s", "events", "commands", "core_moves"]:
        assert getattr(one, key) == document[key]
    assert one.reaction_s == (document["reaction_s"]["mean"], document["reaction_s"]["max"])
    for rows, objects in [(one.apps, document["apps"]), (one.channels, document["channels"])]:
        for column in rows:
            key = "name" if column == "app" else column
            assert rows[column].tolist() == [item[key] for item in objects], column


def test_what_nobody_finishes_has_no_makespan_and_a_warning(command_line: Any) -> None:
    with pytest.warns(numasim.NumasimWarning, match="2 applications are not finished"):
        found = numasim.simulate(PAIR, until=10, model="max-min")
    assert found.to_dict() == command_line("simulate", PAIR, "--until", "10", "--model", "max-min")
    assert found[0].makespan_s is None and np.isnan(found[0].apps["finished_s"]).all()


def test_a_timeline_is_that_of_the_command_line(program: str, tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    subprocess.run([program, "simulate", PAIR, "--policy", "lead:2", "--timeline", out], capture_output=True, check=True)
    rows = numasim.simulate(PAIR, "lead:2", timeline=True)[0].timeline
    assert rows is not None
    same(rows, out.read_text())


def test_a_cluster(command_line: Any) -> None:
    path = CONFIGS / "dynamic/mpi.toml"
    found, expected = numasim.simulate(path, "fair-share"), command_line("simulate", path, "--policy", "fair-share")
    cluster = expected["runs"][0]["cluster"]
    assert found[0].cluster == (cluster["makespan_s"], cluster["speedup"])
    assert numasim.simulate(PAIR)[0].cluster is None


@pytest.mark.parametrize(
    "text",
    [
        BOX + app("lazy"),  # no work
        BOX + app("a", 'work_gflop = 1.0\ndata = { home = "any" }\n'),
        BOX + app("a", "work_gflop = 1.0\n") + '[policy]\nname = "lede"\n',
        BOX + app("a", "work_gflop = 1.0\n") + '[policy]\nname = "static:odd"\n',
        BOX,  # no application
        # Nobody gives its thread back: a deadlock, with the place of what each waits for.
        BOX + app("a", "work_gflop = 9.0\n") + '[[command]]\nat_s = 0.0\napp = "a"\nallow = 0\n[policy]\nname = "script"\n',
    ],
    ids=["no work", "open home", "no such policy", "no such scenario", "no app", "nobody may run"],
)
def test_the_text_of_what_cannot_be_simulated(program: str, tmp_path: Path, text: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(numasim.InputError) as caught:
        numasim.simulate(path)
    done = subprocess.run([program, "simulate", str(path)], capture_output=True)
    assert done.returncode == 1
    assert str(caught.value) == done.stderr.decode().rstrip()


def test_a_policy_that_there_is_not() -> None:
    with pytest.raises(numasim.InputError, match="did you mean 'fair-share'"):
        numasim.simulate(PAIR, "fair-shares")
    with pytest.raises(numasim.InputError, match="until is a number of simulated seconds"):
        numasim.simulate(PAIR, until=-1)
    with pytest.raises(numasim.InputError, match="runs is a number from 1"):
        numasim.simulate(PAIR, runs=0)
    with pytest.raises(KeyError):
        numasim.simulate(PAIR)["lend"]
    with pytest.raises(IndexError):
        numasim.simulate(PAIR)[1]
