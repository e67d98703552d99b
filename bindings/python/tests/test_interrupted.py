"""Ctrl-C ends work, and other threads of Python go on meanwhile."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator

import pytest

import numasim

from conftest import CONFIGS

# Nobody proves this: 8 nodes of 64 cores.
LONG = CONFIGS / "scale/8x64.toml"


@pytest.fixture(autouse=True)
def ctrl_c_is_heard() -> Iterator[None]:
    """A shell starts what runs in its background with Ctrl-C ignored, and Python leaves it so: then nothing here would ever end."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupt_soon() -> threading.Timer:
    timer = threading.Timer(0.3, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    return timer


def test_ctrl_c_ends_a_search() -> None:
    timer = interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        numasim.explore(LONG, time_limit=600)
    timer.join()


def test_ctrl_c_ends_all_searches_of_a_question() -> None:
    timer, begin = interrupt_soon(), time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        numasim.explore(LONG, "geomean", models="all", simple=True, time_limit=600)
    assert time.monotonic() - begin < 20
    timer.join()


def test_ctrl_c_ends_a_sweep() -> None:
    timer = interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        numasim.sweep(LONG, {"machine.link_gbs": "1..1000:1"}, explore=True)
    timer.join()


# A million iterations: minutes.
MANY = """[machine]
name = "box"
nodes = 1
cores_per_node = 8
gflops_per_core = 10.0
bandwidth_gbs = 32.0
[[app]]
name = "long"
arithmetic_intensity = 10.0
iterations = 100_000_000
work_gflop = 1e9
"""


def test_ctrl_c_ends_a_simulation_of_applications() -> None:
    study = numasim.Study.from_toml(MANY)
    timer, begin = interrupt_soon(), time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        numasim.simulate(study, ["none", "fair-share"])
    assert time.monotonic() - begin < 20
    timer.join()


def test_ctrl_c_ends_simulations_of_tasks() -> None:
    timer, begin = interrupt_soon(), time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        numasim.tasks(CONFIGS / "tasks/gauss-seidel.toml", ["fifo", "dep"], runs=50_000)
    assert time.monotonic() - begin < 20
    timer.join()


def test_a_search_keeps_to_its_time_and_says_so() -> None:
    found = numasim.explore(LONG, "fair", time_limit=0.2, top=0)
    assert found.status == "optimal" or found.unproven == "time-limit"


def test_other_threads_go_on_while_a_search_runs() -> None:
    counted = 0
    ended = threading.Event()

    def count() -> None:
        nonlocal counted
        while not ended.is_set():
            counted += 1
            time.sleep(0.001)

    counting = threading.Thread(target=count)
    counting.start()
    before = counted
    numasim.explore(LONG, time_limit=1.0, top=0, threads=1)
    during = counted - before
    ended.set()
    counting.join()
    # A search that holds the interpreter would let it count once or twice.
    assert during > 20
