"""Plain Python values as TOML text for the checked reader of files, so that no rule exists twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._checked import shown, written
from ._errors import InputTypeError


def quoted(text: str) -> str:
    """A basic string of TOML."""
    out = ['"']
    for c in text:
        if c in '"\\':
            out.append("\\" + c)
        elif ord(c) < 0x20 or ord(c) == 0x7F:
            out.append(f"\\u{ord(c):04X}")
        else:
            out.append(c)
    return "".join(out) + '"'


def key(name: str) -> str:
    """A TOML key, in quotes if it needs them."""
    plain = bool(name) and all(c.isascii() and (c.isalnum() or c in "_-") for c in name)
    return name if plain else quoted(name)


def value(thing: Any) -> str:
    """A value of TOML in one line.

    Raises:
        InputTypeError: TOML has no such value.
    """
    if hasattr(thing, "tolist"):  # arrays and numbers of NumPy
        thing = thing.tolist()
    if isinstance(thing, bool):
        return "true" if thing else "false"
    if isinstance(thing, int):
        return written(thing)
    if isinstance(thing, float):
        # repr reads back as the same number.
        return repr(thing)
    if isinstance(thing, str):
        return quoted(thing)
    if isinstance(thing, Mapping):
        pairs = (f"{key(str(k))} = {value(v)}" for k, v in thing.items() if v is not None)
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(thing, Sequence):
        return "[" + ", ".join(value(v) for v in thing) + "]"
    raise InputTypeError(f"{shown(thing)} is no value of an input file: give a number, a text, a list, or a dict")


def table(header: str, keys: Mapping[str, Any]) -> str:
    """A table with its keys, one per line; keys with the value None are left out."""
    lines = [header]
    lines += [f"{key(k)} = {value(v)}" for k, v in keys.items() if v is not None]
    return "\n".join(lines) + "\n"
