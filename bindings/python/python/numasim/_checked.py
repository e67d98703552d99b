"""Checks of argument types before anything is computed: the message names the wrong type and the right one."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

import numpy as np

from ._errors import InputError, InputTypeError

#: The compiled part counts so far.
MOST = 2**64 - 1


def shown(thing: Any) -> str:
    """A value as messages show it: short, even if Python cannot print it."""
    try:
        text = repr(thing)
    except ValueError:  # a whole number of more than 4300 digits
        return "a number of thousands of digits"
    return text if len(text) <= 80 else text[:77] + "..."


def written(number: int) -> str:
    """A whole number in decimal digits.

    Raises:
        InputError: the number has too many digits for Python.
    """
    try:
        return str(number)
    except ValueError:
        raise InputError("a number of thousands of digits is too large") from None


def whole(name: str, value: Any, least: int = 0, most: int = MOST) -> int:
    """A whole number."""
    if isinstance(value, (bool, np.bool_)) or not hasattr(value, "__index__"):
        raise InputTypeError(f"{name} is a whole number, not {shown(value)}")
    number: int = operator.index(value)
    if not least <= number <= most:
        raise InputError(f"{name} is a whole number from {least} to {most}, not {shown(number)}")
    return number


def real(name: str, value: Any) -> float:
    """A number."""
    if isinstance(value, (bool, np.bool_, str, bytes)) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise InputTypeError(f"{name} is a number, not {shown(value)}")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputTypeError(f"{name} is a number, not {shown(value)}") from None
    except OverflowError:
        raise InputError(f"{name} is too large: {shown(value)}") from None


def flag(name: str, value: Any) -> bool:
    """True or false."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputTypeError(f"{name} is True or False, not {shown(value)}")
    return bool(value)


def text(name: str, value: Any) -> str:
    """A text."""
    if not isinstance(value, str):
        raise InputTypeError(f"{name} is a text, not {shown(value)}")
    return value


def names(name: str, value: Any) -> list[str]:
    """One text, or several; None means no text."""
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, (bytes, Mapping)) or not isinstance(value, Iterable):
        raise InputTypeError(f"{name} is a text or a list of texts, not {shown(value)}")
    return [text(f"each of {name}", one) for one in value]


def mapping(name: str, value: Any) -> Mapping[str, Any]:
    """A dict whose keys are texts."""
    if not isinstance(value, Mapping):
        raise InputTypeError(f"{name} is a dict, not {shown(value)}")
    for key in value:
        text(f"each key of {name}", key)
    return value


def is_list(value: Any) -> TypeGuard[Iterable[Any]]:
    """Whether it is a sequence other than a text."""
    return isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, (str, bytes))
