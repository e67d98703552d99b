"""Tables go to Arrow, NumPy and pandas on the same memory."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import numasim

from conftest import CONFIGS

pyarrow = pytest.importorskip("pyarrow")


def address(array: Any) -> int:
    """Where the figures of an array of NumPy, or of the one chunk of a column of Arrow, begin."""
    if isinstance(array, np.ndarray):
        at: int = array.__array_interface__["data"][0]
        return at
    chunk = array.chunk(0)
    chunk = chunk.indices if pyarrow.types.is_dictionary(chunk.type) else chunk
    chunk = chunk.values if pyarrow.types.is_fixed_size_list(chunk.type) else chunk
    held: int = chunk.buffers()[1].address
    return held


def swept() -> numasim.SweepResult:
    path = CONFIGS / "paper/numa-bad.toml"
    axes = {"machine.link_gbs": [5, 10], "app.bad.data": ["home:0", "interleave"]}
    return numasim.sweep(path, axes, explore=True, objective="total-gflops")


def test_no_column_is_copied_on_its_way_to_arrow() -> None:
    found = swept()
    table = pyarrow.table(found)
    assert table.column_names == list(found)
    for name, column in found._columns.items():
        assert address(table[name]) == address(column[0] if isinstance(column, tuple) else column), name


def test_arrow_has_the_same_figures_and_words() -> None:
    found = swept()
    table = found.to_arrow()
    assert table["total_gflops"].to_pylist() == found["total_gflops"].tolist()
    assert table["app.bad.data"].to_pylist() == found["app.bad.data"].tolist()
    assert table["threads:bad"].to_pylist() == found["threads:bad"].tolist()
    assert table["threads:bad"].type == pyarrow.list_(pyarrow.uint32(), 4)
    assert pyarrow.types.is_dictionary(table["status"].type)


def test_memory_stays_as_long_as_arrow_needs_it() -> None:
    table = pyarrow.table(swept())
    gc.collect()
    fresh = pyarrow.table(swept())
    assert table.equals(fresh)
    # A stream that nobody reads goes away without a trace.
    capsule = swept().__arrow_c_stream__()
    del capsule
    gc.collect()


def test_tables_of_simulations_and_tasks_go_the_same_way() -> None:
    run = numasim.simulate(CONFIGS / "dynamic/producer-consumer.toml", "lead:2", timeline=True)[0]
    trace = numasim.tasks(CONFIGS / "tasks/cholesky.toml", "dep", trace=True)[0].trace
    for rows in (run.apps, run.channels, run.timeline, trace):
        assert rows is not None
        table = pyarrow.RecordBatchReader.from_stream(rows).read_all()
        assert table.num_rows == rows.rows and table.column_names == list(rows)
        for name, column in rows._columns.items():
            assert address(table[name]) == address(column[0] if isinstance(column, tuple) else column), name
        assert list(rows.to_pandas().columns) == list(rows)


def test_polars_takes_a_table_as_it_is() -> None:
    polars = pytest.importorskip("polars")
    found = swept()
    frame = polars.DataFrame(found)
    assert frame["total_gflops"].to_list() == found["total_gflops"].tolist()
    assert frame["status"].to_list() == found["status"].tolist()


def test_what_is_no_column_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="none of numasim"):
        numasim._core.arrow_stream([("odd", object())])
