"""What tests share: the files of the repository, and the program that they are compared with."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

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
