"""Answers as tables with units and node names, with and without pandas, and as pictures, with and without matplotlib."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import numasim

from conftest import CONFIGS, ROOT, rows_of, same

BAD = CONFIGS / "paper/numa-bad.toml"
HALF = "even 2,2,2,2"


def text_of(picture: Any) -> str:
    """The words in an SVG, which is well-formed."""
    assert isinstance(picture, numasim.Picture) and picture._repr_svg_() == picture.svg
    return " ".join(ElementTree.fromstring(picture.svg).itertext())


def answers() -> list[Any]:
    """One of each class that has a picture."""
    recorded = ROOT / "tests/snapshot"
    machine = recorded / "machine.toml"
    two = [[CONFIGS / f"machines/{name}.toml", CONFIGS / "workloads/genomics.toml"] for name in ("opteron-8n", "epyc-7501-2s")]
    evaluation = numasim.evaluate(BAD)
    return [
        evaluation,
        evaluation[HALF],
        numasim.explore(BAD, "total-gflops"),
        numasim.pareto(BAD, ("total-gflops", "geomean"), seed=3, same_on_every_node=True),
        numasim.machines(two, "total-gflops", same_on_every_node=True),
        numasim.sweep(BAD, {"machine.link_gbs": [5, 10]}),
        numasim.sweep(BAD, {"machine.link_gbs": [5, 10], "app.bad.data": ["home:0", "interleave"]}, scenario=HALF),
        numasim.simulate(CONFIGS / "dynamic/producer-consumer.toml", ["none", "lead:2"], runs=2),
        numasim.tasks(CONFIGS / "tasks/cholesky.toml", ["fifo", "dep"]),
        numasim.snapshot(machine, root=recorded),
        numasim.advise(machine, root=recorded),
    ]


def test_a_scenario_has_a_row_for_each_application_and_node(program: str) -> None:
    evaluation = numasim.evaluate(BAD)
    same(evaluation.columns(), rows_of(program, "evaluate", BAD))
    one = evaluation[HALF].columns()
    same(one, rows_of(program, "evaluate", BAD, "--scenario", HALF))
    # 4 applications x 4 nodes; a name says its unit.
    assert one.rows == 16
    assert one.units == {"gflops": "GFLOPS", "bandwidth_gbs": "GB/s", "scenario_total_gflops": "GFLOPS"}


def test_data_frames_name_the_nodes() -> None:
    pytest.importorskip("pandas")
    best = numasim.explore(BAD, "total-gflops").best
    frame = best.to_pandas()
    assert frame.index.names == ["app", "node"]
    assert frame.index.get_level_values("node").unique().tolist() == ["node 0", "node 1", "node 2", "node 3"]
    assert frame["threads"].unstack().loc["bad"].tolist() == best.threads[3].tolist()
    assert frame.loc["bad", "gflops"].sum() == best.gflops[3]
    assert frame.attrs["units"] == {"gflops": "GFLOPS", "bandwidth_gbs": "GB/s"}


def test_a_terminal_shows_the_threads_on_each_node() -> None:
    lines = str(numasim.evaluate(BAD)[HALF]).splitlines()
    assert lines[0] == "even 2,2,2,2: 138.75 GFLOPS; threads on each node"
    assert lines[1].split("  ") == ["application", "node 0", "node 1", "node 2", "node 3", "GFLOPS", "GB/s"]
    # 2 threads on each node; 3 x 33.75 + 37.5 = 138.75 GFLOPS.
    assert lines[2].split() == ["mem-1", "2", "2", "2", "2", "33.75", "67.5"]


def test_all_answers_are_tables_and_texts() -> None:
    for one in answers():
        columns = one if isinstance(one, numasim.Columns) else one.columns()
        assert columns.rows and str(one) and "<table>" in one._repr_html_()
        assert isinstance(one, (numasim.Answer, numasim.SweepResult))


def test_a_search_says_what_each_resource_is_worth(program: str) -> None:
    found = numasim.explore(BAD, "total-gflops", sensitivity=True)
    assert found.sensitivity is not None
    same(found.sensitivity, rows_of(program, "explore", BAD, "--objective", "total-gflops", "--sensitivity"))
    assert numasim.explore(BAD, "total-gflops").sensitivity is None


def test_a_sweep_of_simulations(program: str) -> None:
    path = CONFIGS / "dynamic/producer-consumer.toml"
    found = numasim.sweep(path, {"machine.bandwidth_gbs": [5, 10]}, simulate=True, policy=["none", "lead:2"], threads=1)
    arguments = ["--simulate", "--policy", "none", "--policy", "lead:2", "--set", "machine.bandwidth_gbs=5,10"]
    same(found, rows_of(program, "sweep", path, *arguments))
    with pytest.raises(numasim.InputError, match="one of the two"):
        numasim.sweep(path, {"machine.bandwidth_gbs": [5]}, simulate=True, explore=True)
    with pytest.raises(numasim.InputTypeError, match="worker threads"):
        numasim.sweep(path, {"machine.bandwidth_gbs": [5]}, threads={"producer": 1})


def test_fronts_and_machines_keep_to_constraints_of_applications() -> None:
    front = numasim.pareto(BAD, ("total-gflops", "geomean"), threads={"bad": 4}, same_on_every_node=True)
    assert all(point.threads[3].sum() == 4 for point in front.points)
    # A number is that of the worker threads; a list has both.
    found = numasim.explore(BAD, "total-gflops", threads=[1, {"bad": 4}])
    assert found.best.threads[3].sum() == 4


def test_figures_are_those_of_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "Agg")
    figures, pyplot = pytest.importorskip("matplotlib.figure"), pytest.importorskip("matplotlib.pyplot")
    for one in answers():
        figure = one.plot()
        assert isinstance(figure, figures.Figure) and figure.axes
        figure.canvas.draw()
        pyplot.close(figure)


def test_without_matplotlib_pictures_are_svg(tmp_path: Path) -> None:
    for one in answers():
        picture = one.plot("svg")
        assert text_of(picture)
        picture.save(tmp_path / "one.svg")
        assert (tmp_path / "one.svg").read_text() == picture.svg
    with pytest.raises(numasim.InputError, match="matplotlib or svg"):
        answers()[0].plot("gif")


def test_pictures_are_those_of_the_command_line(program: str, tmp_path: Path) -> None:
    def drawn(*arguments: str | Path) -> str:
        path = tmp_path / "plot.svg"
        subprocess.run([program, *map(str, arguments), "--plot", str(path)], capture_output=True, check=True)
        return path.read_text()

    assert numasim.explore(BAD, "total-gflops").plot("svg").svg == drawn("explore", BAD, "--objective", "total-gflops")
    front = numasim.pareto(BAD, ("total-gflops", "geomean"), seed=3, same_on_every_node=True)
    asked = ["--pareto", "total-gflops,geomean", "--seed", "3", "--same-on-every-node"]
    assert front.plot("svg").svg == drawn("explore", BAD, *asked)


def test_what_has_no_picture_says_why() -> None:
    axes = {"machine.link_gbs": [5, 10], "machine.bandwidth_gbs": [50, 60]}
    with pytest.raises(numasim.InputError, match="one or two axes, but this sweep has 0"):
        numasim.sweep(BAD, {"machine.link_gbs": [5]}).plot("svg")
    with pytest.raises(numasim.InputError, match="a heat map shows one scenario, but this sweep has 2"):
        numasim.sweep(BAD, axes).plot("svg")
    with pytest.raises(numasim.InputError, match="no move is advised"):
        numasim.advise(root=ROOT / "tests/snapshot").plot("svg")


def test_ten_lines_of_the_readme_print_a_first_answer(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pandas")
    readme = (ROOT / "bindings/python/README.md").read_text()
    lines = readme.split("```python\n", 1)[1].split("```", 1)[0]
    assert len(lines.splitlines()) <= 10
    exec(lines, {})
    printed = readme.split("```text\n", 1)[1].split("```", 1)[0]
    assert capsys.readouterr().out == printed


def test_all_but_data_frames_works_without_pandas_and_matplotlib() -> None:
    script = f"""
import sys
sys.modules.update(dict.fromkeys(["pandas", "pyarrow", "polars"]))
import importlib.util
importlib.util.find_spec = lambda name: None
import numasim
found = numasim.explore({str(BAD)!r}, "total-gflops")
assert found.best.columns()["node"].tolist()[:4] == [0, 1, 2, 3]
assert "node 3" in str(found.best) and found.plot().svg.startswith("<svg")
try:
    found.best.to_pandas()
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "pandas" in done.stdout
