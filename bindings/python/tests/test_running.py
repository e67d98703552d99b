"""What runs on a host and what to move there: the documents of the command line, and this host itself."""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest

import numasim

from conftest import ROOT, rows_of, same

RECORDED = ROOT / "tests" / "snapshot"
MACHINE = RECORDED / "machine.toml"


def test_a_snapshot_is_the_document_of_the_command_line(command_line: Any, program: str) -> None:
    found = numasim.snapshot(root=RECORDED)
    assert found.to_dict() == command_line("snapshot", "--root", RECORDED)
    same(found.columns(), rows_of(program, "snapshot", "--root", RECORDED))
    assert found.apps == ["train", "redis", "backup"] and found.seconds == 2.0
    assert found.assumed == ["bandwidth_gbs", "gflops_per_core", "link_gbs"]
    some = numasim.snapshot(MACHINE, select=["redis", "backup"], root=[RECORDED / "at-0", RECORDED / "at-1"])
    assert some.apps == ["redis", "backup"] and some.assumed == []


def test_its_text_is_a_study() -> None:
    study = numasim.Study.from_toml(numasim.snapshot(MACHINE, root=RECORDED).to_toml())
    assert study.scenarios == ["now"] and study.apps == ["train", "redis", "backup"]
    assert numasim.evaluate(study, "now").scenarios[0].threads.tolist() == [[0, 4], [3, 0], [1, 0]]


def test_advice_is_the_document_of_the_command_line(command_line: Any) -> None:
    for machine in [MACHINE, str(MACHINE)]:
        found = numasim.advise(machine, root=RECORDED)
        assert found.to_dict() == command_line(
            "advise", "--root", RECORDED, "--machine", MACHINE, "--objective", "geomean"
        )
    assert found.advised and found.moves == ["move the data of `redis` from node 1 to node 0"]
    low, high = found.gain_interval_percent or (0.0, 0.0)
    assert low < (found.gain_percent or 0.0) < high
    none = numasim.advise(root=RECORDED, objective="fair")
    assert not none.advised and "are assumed, not measured" in none.reasons[0] and none.gain_percent is None


def test_what_is_asked_for_and_not_there_is_refused(tmp_path: Any) -> None:
    with pytest.raises(numasim.InputError, match="no application matches nothing"):
        numasim.snapshot(root=RECORDED, select="nothing")
    with pytest.raises(numasim.InputError, match="is no recorded host"):
        numasim.snapshot(root=tmp_path)
    with pytest.raises(numasim.InputError, match="one folder or two, not 3"):
        numasim.snapshot(root=[tmp_path, tmp_path, tmp_path])
    with pytest.raises(numasim.InputError, match="geomean.*fair"):
        numasim.advise(root=RECORDED, objective="total-gflops")
    with pytest.raises(numasim.InputError, match="seconds is a number from 0.2 to 3600"):
        numasim.snapshot(seconds=0.1)
    for wrong in ({"root": 3}, {"machine": 3}, {"seconds": "2"}):
        with pytest.raises(numasim.InputTypeError):
            numasim.snapshot(**wrong)  # type: ignore[arg-type]


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_this_host_is_looked_at_and_this_process_is_left_out() -> None:
    found = numasim.snapshot(seconds=0.3)
    assert found.seconds is not None and found.seconds >= 0.25
    assert all(os.getpid() not in app["pids"] for app in found.to_dict()["apps"])
