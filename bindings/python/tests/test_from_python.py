"""Machines, applications and scenarios from values of Python, and what is made of results."""

from __future__ import annotations

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import numasim

MACHINE = dict(nodes=2, cores_per_node=4, gflops_per_core=10.0, bandwidth_gbs=20.0, link_gbs=5.0)


def machine() -> numasim.Machine:
    return numasim.Machine("box", **MACHINE)


def study() -> numasim.Study:
    apps = [numasim.App("mem", ai=0.5), numasim.App("cpu", ai=10, weight=2)]
    scenarios = [
        numasim.Scenario("even", {"mem": 2, "cpu": np.array([2, 2])}),
        numasim.Scenario("apart", {"mem": [4, 0], "cpu": [0, 4]}),
    ]
    return numasim.Study(machine(), apps, scenarios)


def test_a_hand_calculation() -> None:
    # Apart: mem has 4 threads that want 10 / 0.5 = 20 GB/s each and get all 20 of their node: 20 x 0.5 = 10 GFLOPS.
    # cpu wants 4 x 1 GB/s, gets it, and has 4 x 10 GFLOPS.
    found = numasim.evaluate(study(), "apart")["apart"]
    assert found.gflops.tolist() == [10.0, 40.0]
    assert found.bandwidth_gbs.tolist() == [20.0, 4.0]
    assert found.total_gflops == 50.0
    assert found.threads.tolist() == [[4, 0], [0, 4]]
    assert found.threads.dtype == np.uint32


def test_a_machine_says_what_it_has() -> None:
    box = machine()
    assert (box.name, box.nodes, box.cores.tolist()) == ("box", 2, [4, 4])
    assert box.bandwidth_gbs.tolist() == [20.0, 20.0]
    assert box.link_gbs[0, 1] == 5.0 and np.isnan(box.link_gbs[0, 0])
    assert box.model == "baseline-proportional"


def test_nodes_may_differ() -> None:
    nodes = [{"cores": 4, "gflops_per_core": 1}, {"cores": 2, "gflops_per_core": 2.5}]
    box = numasim.Machine("uneven", nodes=nodes, bandwidth_matrix_gbs=np.array([[20, 5], [5, 10.5]]))
    assert box.cores.tolist() == [4, 2]
    assert box.bandwidth_gbs.tolist() == [20.0, 10.5]
    assert box.gflops_per_core.tolist() == [1.0, 2.5]


def test_text_is_read_back_as_it_was_written() -> None:
    odd = 'a "b" \\ c\n\t\x7f ä'
    tiny = 0.1 + 0.2
    app = numasim.App("x.y z", ai=tiny)
    one = numasim.Scenario("s", {"x.y z": 1})
    found = numasim.Study(machine(), [app], [one])
    assert found.apps == ["x.y z"]
    assert found._reading.arithmetic_intensity[0] == tiny
    with pytest.raises(numasim.InputError):  # line breaks are refused by the reader, not by the writer
        numasim.Machine(odd, **MACHINE)


def test_an_unknown_key_is_refused_with_what_could_be_meant() -> None:
    with pytest.raises(numasim.InputError) as caught:
        numasim.Study(machine(), [numasim.App("mem", ai=0.5, instance=3)])
    text = str(caught.value)
    assert "<App 'mem'>:4:1" in text and "instances" in text and "\x1b" not in text
    assert caught.value.problems[0]["line"] == 4


def test_what_is_no_value_of_a_file_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="no value of an input file"):
        numasim.App("a", ai=object())  # type: ignore[arg-type]


def test_a_missing_file_is_an_os_error() -> None:
    with pytest.raises(FileNotFoundError):
        numasim.Study.read("nowhere.toml")


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(numasim.InputError, match="(?s)there is no scenario 'odd'.*even.*apart"):
        numasim.evaluate(study(), "odd")
    with pytest.raises(numasim.InputError, match="there is no model 'odd'; there is: baseline-proportional"):
        numasim.evaluate(study(), model="odd")
    with pytest.raises(numasim.InputError, match="there is no objective 'odd'"):
        numasim.explore(study(), "odd")
    with pytest.raises(numasim.InputError, match="(?s)machine has no key 'link_gb'.*did you mean 'link_gbs'"):
        numasim.sweep(study(), {"machine.link_gb": [1]})
    with pytest.raises(KeyError):
        numasim.evaluate(study())["odd"]
    with pytest.raises(IndexError):
        numasim.evaluate(study())[2]


def test_an_open_home_is_shown_where_it_stands() -> None:
    apps = [numasim.App("mem", ai=0.5, data={"home": "any"})]
    open_home = numasim.Study(machine(), apps, [numasim.Scenario("s", {"mem": 1})])
    with pytest.raises(numasim.InputError, match="home of the data of `mem` is open") as caught:
        numasim.evaluate(open_home)
    assert "<App 'mem'>:4" in str(caught.value)
    assert numasim.explore(open_home).best.homes[0] in (0, 1)


def test_open_fractions_are_chosen() -> None:
    apps = [numasim.App("mem", ai=0.5, data={"fractions": "any"})]
    open_fractions = numasim.Study(machine(), apps, [numasim.Scenario("s", {"mem": 1})])
    with pytest.raises(numasim.InputError, match="fractions of the data of `mem` are open"):
        numasim.evaluate(open_fractions)
    fractions = numasim.explore(open_fractions, "total-gflops").best.fractions[0]
    assert fractions is not None and sum(fractions) == 1
    assert all(16 * part == int(16 * part) for part in fractions)


def test_a_question_without_an_answer() -> None:
    many = numasim.Study(machine(), [numasim.App("a", ai=1, instances=9)])
    with pytest.raises(numasim.InfeasibleError, match="no placement is possible"):
        numasim.explore(many)


def test_the_best_is_proven_and_at_least_as_good_as_the_scenarios() -> None:
    found = numasim.explore(study())
    assert (found.objective, found.status, found.unproven, found.unit) == ("geomean", "optimal", None, "")
    assert found.value >= max(one.value for one in found.baselines if one.value is not None)
    assert found.bound >= found.value
    again = numasim.explore(study(), threads=2)
    assert again.best.threads.tolist() == found.best.threads.tolist()


def test_a_result_becomes_a_scenario_again() -> None:
    best = numasim.explore(study(), "fair").best
    again = numasim.Study.from_toml(
        machine().to_toml(),
        '[[app]]\nname = "mem"\narithmetic_intensity = 0.5\n',
        '[[app]]\nname = "cpu"\narithmetic_intensity = 10\nweight = 2\n',
        best.to_toml("again"),
    )
    assert numasim.evaluate(again)["again"].gflops.tolist() == best.gflops.tolist()


def test_frames_have_the_figures() -> None:
    pandas = pytest.importorskip("pandas")
    found = numasim.evaluate(study())
    frame = found.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.loc[("apart", "cpu", "node 1"), "gflops"] == 40.0
    assert frame.loc[("apart", "cpu", "node 1"), "threads"] == 4
    best = numasim.explore(study()).to_pandas()
    assert best["role"].tolist()[0] == "best" and best["value"].iloc[0] == best["value"].max()


def test_a_sweep_shares_its_memory_with_frames_and_tables() -> None:
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    found = numasim.sweep(study(), {"machine.bandwidth_gbs": np.linspace(10, 40, 31)})
    assert found.rows == 62
    column = found["gflops:mem"]
    table = found.to_arrow()
    assert isinstance(table, arrow.Table)
    held = table["gflops:mem"].chunk(0).buffers()[1]
    assert held.address == column.__array_interface__["data"][0]
    frame = found.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert np.shares_memory(frame["gflops:mem"].to_numpy(), column)
    assert frame["scenario"].tolist()[:2] == ["even", "apart"]
    assert table["scenario"].to_pylist() == frame["scenario"].tolist()
    assert frame["machine.bandwidth_gbs"].tolist() == np.repeat(np.linspace(10, 40, 31), 2).tolist()


def test_searches_of_a_sweep_have_threads_as_a_table() -> None:
    found = numasim.sweep(study(), {"app.cpu.weight": [1, 5]}, explore=True)
    assert found["threads:mem"].shape == (2, 2)
    assert found["status"].tolist() == ["optimal", "optimal"]
    arrow = pytest.importorskip("pyarrow")
    assert found.to_arrow()["threads:mem"].type == arrow.list_(arrow.uint32(), 2)
    assert found.to_pandas()["threads:mem:1"].tolist() == found["threads:mem"][:, 1].tolist()


def test_a_grid_that_memory_has_no_room_for_is_refused() -> None:
    with pytest.raises(numasim.InputError, match="numasim sweep"):
        numasim.sweep(study(), {"machine.link_gbs": "1..100:0.0001", "machine.bandwidth_gbs": "1..1000:1"})


def test_notebooks_see_tables_without_foreign_html() -> None:
    apps = [numasim.App("<b>", ai=0.5)]
    odd = numasim.Study(machine(), apps, [numasim.Scenario("s", {"<b>": 1})])
    found = numasim.explore(odd, models="all", simple=True)
    assert found.robust is not None and found.simple is not None
    swept = numasim.sweep(odd, {"machine.link_gbs": [1, 2]})
    for result in (numasim.evaluate(odd), numasim.explore(odd), found, found.robust, found.simple, swept):
        page = result._repr_html_()
        assert "<table>" in page and "<b>" not in page
    assert "models is right" in found._repr_html_() and "Simple: the best itself" in found._repr_html_()


def test_doubts_of_a_machine_are_warnings() -> None:
    odd = numasim.Machine("odd", nodes=2, cores_per_node=4, gflops_per_core=1e9, bandwidth_gbs=20, link_gbs=5)
    here = numasim.Study(odd, [numasim.App("a", ai=1)], [numasim.Scenario("s", {"a": 1})])
    with pytest.warns(numasim.NumasimWarning, match="odd"):
        numasim.evaluate(here)


def test_a_wrong_type_is_a_type_error_and_an_input_error() -> None:
    wrong = numasim.InputTypeError
    assert issubclass(wrong, TypeError) and issubclass(wrong, numasim.InputError)
    one = study()
    asked = [
        lambda: numasim.App("a", ai="0.5"),  # type: ignore[arg-type]
        lambda: numasim.App(5, ai=1),  # type: ignore[arg-type]
        lambda: numasim.Machine("m", nodes="4"),  # type: ignore[arg-type]
        lambda: numasim.Scenario("s", [1, 2]),  # type: ignore[arg-type]
        lambda: numasim.Study("machine.toml"),  # type: ignore[arg-type]
        lambda: numasim.Study(machine(), numasim.App("a", ai=1)),  # type: ignore[arg-type]
        lambda: numasim.Study(machine(), [numasim.App("a", ai=1, weight="2")]),
        lambda: numasim.evaluate(5),  # type: ignore[arg-type]
        lambda: numasim.evaluate(one, 5),  # type: ignore[arg-type]
        lambda: numasim.evaluate(one, model=3),  # type: ignore[arg-type]
        lambda: numasim.explore(one, top="3"),  # type: ignore[arg-type]
        lambda: numasim.explore(one, top=2.5),  # type: ignore[arg-type]
        lambda: numasim.explore(one, time_limit="1"),  # type: ignore[arg-type]
        lambda: numasim.explore(one, whole_nodes=1),  # type: ignore[arg-type]
        lambda: numasim.explore(one, threads=[1.5]),  # type: ignore[arg-type]
        lambda: numasim.sweep(one, ["machine.link_gbs"]),  # type: ignore[arg-type]
        lambda: numasim.sweep(one, {"machine.link_gbs": [None]}),
        lambda: numasim.simulate(one, seed=1.5),  # type: ignore[arg-type]
    ]
    for ask in asked:
        with pytest.raises(wrong):
            ask()
    # In a file it is a mistake of the file.
    with pytest.raises(numasim.InputError) as caught:
        numasim.Machine.from_toml("[machine]\nname = 5\n")
    assert not isinstance(caught.value, TypeError)


def test_numbers_that_nobody_can_mean_are_refused_at_once() -> None:
    one = study()
    for arguments in (
        {"top": 2**31},
        {"top": -1},
        {"top": 10**5000},
        {"threads": 10**6},
        {"threads": 0},
        {"seed": -1},
        {"seed": 2**64},
        {"min_threads_per_node": 2**32},
        {"time_limit": float("nan")},
        {"time_limit": 10**400},
        {"within": 2.0, "simple": True},
        {"threads": {"mem": 2**70}},
    ):
        with pytest.raises(numasim.InputError):
            numasim.explore(one, **arguments)  # type: ignore[arg-type]
    for runs in (0, -1, 2**40):
        with pytest.raises(numasim.InputError):
            numasim.simulate(one, runs=runs)


def test_bounds_of_figures_are_those_of_files() -> None:
    one = study()
    keys = {"link_gbs": 5.0, "bandwidth_gbs": 20.0, "gflops_per_core": 10.0}
    for value in (0, -0.0, -1, 1e-320, 1e-300, 1e-30, 1e30, 1e31, 1e308, float("inf"), float("nan"), 10**30, 10**400):
        for key in keys:
            def made(key: str = key, value: float = value) -> object:
                return numasim.Machine("box", **{**MACHINE, key: value})

            def swept(key: str = key, value: float = value) -> object:
                return numasim.sweep(one, {f"machine.{key}": [value]})

            answers = []
            for ask in (made, swept):
                try:
                    ask()
                    answers.append(True)
                except numasim.InputError:
                    answers.append(False)
            assert answers[0] == answers[1] == (1e-30 <= value <= 1e30), (key, value)


def total(one: numasim.Study) -> float:
    return numasim.evaluate(one)["even"].total_gflops


def test_what_a_study_is_made_of_is_copied_and_pickled() -> None:
    one = study()
    box, app = machine(), numasim.App("mem", ai=0.5)
    for again in (copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))):
        assert (again(one).apps, again(one).scenarios) == (one.apps, one.scenarios)
        assert total(again(one)) == total(one)
        assert again(box).to_toml() == box.to_toml() and again(app).to_toml() == app.to_toml()
        assert type(again(box)) is numasim.Machine
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(total, [one, one]) == [total(one)] * 2


def test_the_home_that_is_chosen_late_has_its_column() -> None:
    swept = numasim.sweep(study(), {"app.mem.data": ["local"] * 1000 + ["home:any"]}, explore=True, time_limit=0.001)
    assert "home:mem" in swept
