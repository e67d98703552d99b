"""What tests share: the files of the repository, and the program that they are compared with."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numasim

ROOT = Path(__file__).resolve().parents[3]
CONFIGS = ROOT / "configs"


@pytest.fixture(scope="session")
def program() -> str:
    """The program ``numasim`` that ``NUMASIM`` names. Without it there is nothing to compare with."""
    named = os.environ.get("NUMASIM")
    if not named:
        if os.environ.get("NUMASIM_REQUIRE_TOOLS") == "1":
            pytest.fail("NUMASIM names no program")
        pytest.skip("set NUMASIM to the program numasim to compare with it")
    return named


@pytest.fixture(scope="session")
def command_line(program: str) -> Any:
    """What the program writes with ``--format json``."""

    def ask(*args: str | Path) -> Any:
        done = subprocess.run([program, *map(str, args), "--format", "json"], capture_output=True, check=True)
        return json.loads(done.stdout)

    return ask


def rows_of(program: str, command: str, *args: str | Path) -> str:
    """What the program writes with ``--format csv``."""
    done = subprocess.run([program, command, *map(str, args), "--format", "csv"], capture_output=True, check=True)
    return done.stdout.decode()


def same(found: numasim.Columns, expected: str | list[dict[str, str]]) -> None:
    """Every cell that the command line writes."""
    rows = list(csv.DictReader(io.StringIO(expected))) if isinstance(expected, str) else expected
    assert found.rows == len(rows)
    assert set(found) == set(rows[0])
    for column in rows[0]:
        cells = [row[column] for row in rows]
        own = found[column]
        if own.ndim == 2:
            assert [" ".join(map(str, row)) for row in own] == cells, column
        elif own.dtype == object:
            assert own.tolist() == cells, column
        else:
            assert np.array_equal(own, [float(cell) if cell else np.nan for cell in cells], equal_nan=True), column
