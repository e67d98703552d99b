"""Tables as named columns, for NumPy, pandas and every tool that accepts Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _shown

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

#: An array, or codes and their words.
Column = Any

#: The unit of a column by the last word of its name, as in input files; all other columns are counts, shares or words.
UNITS = {
    "gflops": "GFLOPS",
    "gflop": "GFLOP",
    "gbs": "GB/s",
    "gib": "GiB",
    "mb": "MB",
    "bytes": "byte",
    "ns": "ns",
    "s": "s",
    "percent": "%",
}


def unit(name: str) -> str:
    """The unit of a column; empty if it has none. ``gflops:APP`` and ``machine.link_gbs`` have those of their last words."""
    words = name.split(":")[0].split(".")[-1].split("_")
    return UNITS.get(words[-1], "")


class Columns(Mapping[str, np.ndarray]):
    """Rows as named columns: arrays of one length, in which missing numbers are NaN.

    pyarrow, polars and pandas accept it directly (``pyarrow.table(columns)``, ``polars.DataFrame(columns)``): it has the
    PyCapsule interface of Arrow, and no column of numbers is copied. A change to an array is visible everywhere.
    """

    def __init__(self, columns: dict[str, Column]) -> None:
        self._columns = columns

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
        """The number of rows."""
        for column in self._columns.values():
            return len(column[0] if isinstance(column, tuple) else column)
        return 0

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column that has one."""
        return {name: unit(name) for name in self if unit(name)}

    def to_pandas(self) -> pd.DataFrame:
        """A data frame on the same memory, with ``units`` in its ``attrs``.

        Words are categories, threads a column ``threads:APP:NODE`` for each node.
        """
        import pandas as pd

        data: dict[str, Any] = {}
        for name, column in self._columns.items():
            if isinstance(column, tuple):
                data[name] = pd.Categorical.from_codes(column[0], categories=column[1])
            elif column.ndim == 2:
                data |= {f"{name}:{node}": column[:, node] for node in range(column.shape[1])}
            else:
                data[name] = column
        frame = pd.DataFrame(data, copy=False)
        frame.attrs["units"] = self.units
        return frame

    def to_arrow(self) -> pa.Table:
        """A table of pyarrow on the same memory; words are dictionaries, threads lists of one length."""
        import pyarrow as pa

        return pa.table(self)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The columns as an Arrow stream. A requested schema is ignored; cast the result instead."""
        return _core.arrow_stream(list(self._columns.items()))

    def _repr_html_(self) -> str:
        return _shown.html(self)

    def __str__(self) -> str:
        return _shown.text(self)

    def __repr__(self) -> str:
        return f"<Columns: {self.rows} rows of {', '.join(self._columns)}>"
