"""The robust and the simplest placement, restrictions of single applications, and what of them makes no sense."""

from __future__ import annotations

import time

import pytest

import numasim

from conftest import CONFIGS
from test_from_python import machine, study


def two_odd_nodes() -> numasim.Study:
    """14 cores in two nodes for three applications."""
    box = numasim.Machine("two", nodes=2, cores_per_node=7, gflops_per_core=10, bandwidth_gbs=41, link_gbs=10)
    return numasim.Study(box, [numasim.App("a", ai=0.9), numasim.App("b", ai=2.5), numasim.App("c", ai=40)])


def test_models_and_shares_that_make_no_sense() -> None:
    for models in ["fast", ["max-min", "fast"], "all,ecm"]:
        with pytest.raises(numasim.InputError, match="is no model; write all, or some of baseline-proportional"):
            numasim.explore(study(), models=models)
    with pytest.raises(numasim.InputError, match="ecm is there twice"):
        numasim.explore(study(), models=["ecm", "ecm"])
    for within in [1.0, -0.1, float("nan")]:
        with pytest.raises(numasim.InputError, match="write a share from 0 to below 1"):
            numasim.explore(study(), simple=True, within=within)
    with pytest.raises(numasim.InputError, match="give it with simple=True"):
        numasim.explore(study(), within=0.2)


def test_figures_of_applications_that_make_no_sense() -> None:
    with pytest.raises(numasim.InputError, match="max_nodes of 'mem' is a number from 1 to 65535, not 0"):
        numasim.explore(study(), max_nodes={"mem": 0})
    with pytest.raises(numasim.InputError, match="threads_multiple is a number from 1 to 4294967295, not -4"):
        numasim.explore(study(), threads_multiple=-4)
    with pytest.raises(numasim.InputError, match="there is no application 'men'.*\n.*did you mean 'mem'"):
        numasim.explore(study(), exclusive="men")
    limited = numasim.Study(machine(), [numasim.App("mem", ai=0.5, max_threads=2)])
    with pytest.raises(numasim.InputError, match="contradicts `max_threads` 2 of mem"):
        numasim.explore(limited, threads={"mem": 3})
    with pytest.raises(numasim.InfeasibleError, match="no placement is possible"):
        numasim.explore(study(), threads_multiple=3, threads={"mem": 4})


def test_who_did_not_ask_has_no_robust_and_no_simplest_placement() -> None:
    found = numasim.explore(study())
    assert found.robust is None and found.simple is None
    assert not {"robust", "simple"} & set(found.to_dict())


def test_the_robust_placement_loses_least() -> None:
    found = numasim.explore(study(), "fair", models="all", simple=True, within=0.0)
    robust, simple = found.robust, found.simple
    assert robust is not None and simple is not None
    assert robust.worst_regret == max(robust.regrets.values()) and robust.bound <= robust.worst_regret <= robust.at_most
    assert list(robust.regrets) == list(robust.models) and "best of max-min" in robust.others
    assert all(max(lost.values()) >= robust.worst_regret - 1e-9 for lost in robust.others.values())
    assert simple.loss <= 1e-9 and simple.best.value == pytest.approx(found.value, rel=1e-9)
    assert "Robust: loses at most" in repr(robust) and "the best" in repr(simple)


def test_the_simplest_loses_what_it_may() -> None:
    box = numasim.Machine("box", nodes=2, cores_per_node=8, gflops_per_core=10, bandwidth_gbs=60, link_gbs=20)
    apps = [numasim.App("mem", ai=0.5, instances=2), numasim.App("graph", ai=0.125, data={"home": "any"})]
    found = numasim.explore(numasim.Study(box, apps), "fair", simple=True, within=0.05)
    simple = found.simple
    assert simple is not None and simple.proven and 0 < simple.loss <= 0.05
    # A share of the best value.
    assert simple.best.value == pytest.approx(found.value * (1 - simple.loss), rel=1e-12)
    # Different numbers of each application, and whether a node has threads of several.
    threads = simple.best.threads
    assert simple.different_numbers == sum(len({int(one) for one in row if one > 0}) for row in threads)
    assert simple.shared_nodes == bool(((threads > 0).sum(axis=0) > 1).any())


def test_searches_within_a_time_limit_share_it() -> None:
    begin = time.monotonic()
    found = numasim.explore(CONFIGS / "scale/8x64.toml", "geomean", models="all", simple=True, time_limit=4, top=0)
    # Evaluations come after the searches.
    assert time.monotonic() - begin < 15
    assert found.unproven == "time-limit" and found.robust is not None and found.simple is not None
    assert found.elapsed_s < 1.5  # the first of six models has a twelfth of the 3.2 s before the search for the simplest


def test_frames_have_a_row_for_each_answer() -> None:
    pytest.importorskip("pandas")
    found = numasim.explore(two_odd_nodes(), "fair", models=["max-min", "ecm"], simple=True, within=0.1, top=1)
    robust, simple = found.robust, found.simple
    assert robust is not None and simple is not None
    frame = found.to_pandas()
    assert frame["role"].tolist() == ["best", "alternative", "robust", "baseline", "simple"]
    assert frame.loc["simple", "value"] == simple.best.value
    lost = robust.to_pandas()
    assert lost.columns.tolist() == ["worst", "max-min", "ecm"] and lost.index[0] == "robust"
    assert lost.loc["robust", "worst"] == robust.worst_regret
    assert lost.loc["best of ecm", "max-min"] == robust.others["best of ecm"]["max-min"]


def test_a_warning_points_to_the_line_that_asked() -> None:
    # A link that is wider than the memory at both ends.
    box = numasim.Machine("odd", nodes=2, cores_per_node=4, gflops_per_core=10, bandwidth_gbs=20, link_gbs=40)
    odd = numasim.Study(box, [numasim.App("mem", ai=0.5)], [numasim.Scenario("even", {"mem": 1})])
    for ask in (lambda: numasim.evaluate(odd), lambda: numasim.explore(odd)):
        with pytest.warns(numasim.NumasimWarning) as caught:
            ask()
        assert {one.filename for one in caught} == {__file__}
