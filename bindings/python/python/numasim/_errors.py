"""What can be wrong, as exceptions."""

from __future__ import annotations

import warnings
from typing import Any


class NumasimError(Exception):
    """Anything that numasim refuses."""

    def __init__(self, message: str, problems: list[dict[str, Any]] | None = None) -> None:
        super().__init__(message)
        #: One dict for each located problem: ``message``, ``file``, ``line``, ``column`` (from 1) and ``hint``
        #: (what to write instead); what is not known is None. Empty where nothing has a place.
        self.problems: list[dict[str, Any]] = problems or []


class InputError(NumasimError, ValueError):
    """The input or the question is wrong. The text says what, where, and what to write instead, as the command
    line prints it."""


class InputTypeError(InputError, TypeError):
    """A value has the wrong type, such as a text in place of a number. It is a TypeError and an InputError."""


class InfeasibleError(NumasimError, ValueError):
    """The question makes sense and has no answer: no allocation keeps to it, or none was found in time."""


class Fault(NumasimError, RuntimeError):
    """numasim itself is wrong: please report it with the input."""


class NumasimWarning(UserWarning):
    """Something to know beside a result."""


def warn(message: str) -> None:
    """Called by the compiled part; the warning stands where the package was called."""
    warnings.warn(message, NumasimWarning, stacklevel=3)
