"""Columns of a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _shown

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Column = Any


def setting(key: str, values: Any) -> str:
    """``KEY=VALUES`` as the command line takes it; numbers are written so that they read back as the same."""
    if isinstance(values, str):
        return f"{key}={values}"
    if hasattr(values, "tolist"):
        values = values.tolist()
    if not isinstance(values, (list, tuple, range)):
        values = [values]
    return f"{key}={','.join(one if isinstance(one, str) else repr(one) for one in values)}"


class SweepResult(Mapping[str, np.ndarray]):
    """The rows of a sweep, as columns by their names.

    Names are those of ``numasim sweep --format csv``: the keys of the axes, ``scenario``, ``status``, ``total_gflops``,
    ``gflops:APP`` ... With ``explore`` the threads of each application (``threads:APP``) are a table, points x nodes.
    Figures are NaN where there is no result (``status`` other than ``ok``, ``optimal`` or ``feasible``).
    """

    def __init__(self, columns: dict[str, Column], axes: int) -> None:
        self._columns = columns
        self._axes = axes

    def __getitem__(self, name: str) -> np.ndarray:
        column = self._columns[name]
        if isinstance(column, tuple):
            codes, words = column
            column = np.array(words, dtype=object)[codes]
        array: np.ndarray[Any, Any] = column
        return array

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def rows(self) -> int:
        """How many rows."""
        return len(self._columns["total_gflops"])

    @property
    def keys_of_axes(self) -> list[str]:
        """The keys of the axes, in order."""
        return list(self._columns)[: self._axes]

    def to_pandas(self) -> pd.DataFrame:
        """A data frame on the same memory; words are categories, threads a column ``threads:APP:NODE`` for each node."""
        import pandas as pd

        data: dict[str, Any] = {}
        for name, column in self._columns.items():
            if isinstance(column, tuple):
                data[name] = pd.Categorical.from_codes(column[0], categories=column[1])
            elif column.ndim == 2:
                data |= {f"{name}:{node}": column[:, node] for node in range(column.shape[1])}
            else:
                data[name] = column
        return pd.DataFrame(data, copy=False)

    def to_arrow(self) -> pa.Table:
        """An Arrow table on the same memory; words are dictionaries, threads lists of one length."""
        import pyarrow as pa

        data: dict[str, pa.Array] = {}
        for name, column in self._columns.items():
            if isinstance(column, tuple):
                data[name] = pa.DictionaryArray.from_arrays(pa.array(column[0]), pa.array(column[1], pa.string()))
            elif column.ndim == 2:
                data[name] = pa.FixedSizeListArray.from_arrays(pa.array(column.reshape(-1)), column.shape[1])
            else:
                data[name] = pa.array(column)
        return pa.table(data)

    def _repr_html_(self) -> str:
        return _shown.sweep_html(self)

    def __repr__(self) -> str:
        return f"<SweepResult: {self.rows} rows over {', '.join(self.keys_of_axes)}>"
