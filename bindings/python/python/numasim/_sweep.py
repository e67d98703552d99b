"""Columns of a sweep."""

from __future__ import annotations

from typing import Any

from . import _plot
from ._checked import real, text, written
from ._columns import Column, Columns


def setting(key: str, values: Any) -> str:
    """``KEY=VALUES`` as the command line accepts it; numbers read back unchanged."""
    key = text("each key of set", key)
    if isinstance(values, str):
        return f"{key}={values}"
    if hasattr(values, "tolist"):
        values = values.tolist()
    if not isinstance(values, (list, tuple, range)):
        values = [values]
    return f"{key}={','.join(_value(key, one) for one in values)}"


def _value(key: str, value: Any) -> str:
    """A value as the command line accepts it."""
    if isinstance(value, str):
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, int) and not isinstance(value, bool):
        return written(value)
    return repr(real(f"each value of {key}", value))


class SweepResult(Columns):
    """The rows of a sweep, as named columns.

    Names are those of ``numasim sweep --format csv``: the keys of the axes, ``scenario``, ``status``, ``total_gflops``,
    ``gflops:APP`` ... With ``explore`` the threads of each application (``threads:APP``) are a table, points x nodes.
    Values are NaN without a result (``status`` other than ``ok``, ``optimal`` or ``feasible``).
    """

    def __init__(self, columns: dict[str, Column], axes: int) -> None:
        super().__init__(columns)
        self._axes = axes

    @property
    def keys_of_axes(self) -> list[str]:
        """The keys of the axes, in order."""
        return list(self._columns)[: self._axes]

    def plot(self, backend: str | None = None) -> Any:
        """One axis as lines, two as a heat map; see ``plot`` of :class:`Answer`."""
        return _plot.plot(self, backend)

    def _svg(self) -> str | None:
        return None

    def __repr__(self) -> str:
        return f"<SweepResult: {self.rows} rows over {', '.join(self.keys_of_axes)}>"
