"""Exceptions and warnings."""

from __future__ import annotations

import inspect
import warnings
from typing import Any


class NumasimError(Exception):
    """Any error that numasim reports."""

    def __init__(self, message: str, problems: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        #: One dict for each located problem: ``message``, ``file``, ``line``, ``column`` (from 1) and ``hint``
        #: (the correction); unknown values are None. Empty if no problem has a place.
        self.problems: list[dict[str, Any]] = problems or []


class InputError(NumasimError, ValueError):
    """The input or the question is wrong. The text names the error, its place and a correction, as the command
    line prints it."""


class InputTypeError(InputError, TypeError):
    """A value has the wrong type, such as a text instead of a number. It is a TypeError and an InputError."""


class InfeasibleError(NumasimError, ValueError):
    """The question is valid but has no answer: no allocation meets the constraints, or none was found in time."""


class Fault(NumasimError, RuntimeError):
    """An internal error of numasim: please report it with the input."""


class NumasimWarning(UserWarning):
    """A warning about a result."""


def warn(message: str) -> None:
    """Called by the compiled part; the warning points to the caller of the package."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, NumasimWarning, stacklevel=level)
