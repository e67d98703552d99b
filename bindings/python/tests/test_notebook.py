"""The notebook of docs runs, and shows what it showed."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT

NOTEBOOK = ROOT / "docs/python.ipynb"


def ours(notebook: Any) -> list[str]:
    """What numasim made of the outputs, without times: pandas and NumPy write theirs as their versions like."""
    texts: list[str] = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output["output_type"] != "error"
            html = output.get("data", {}).get("text/html", "")
            if "<caption>" in html:
                texts.append(re.sub(r"\(\d+\.\d\d\ss\)", "(time)", html))
            if output["output_type"] == "stream":
                assert output["name"] == "stdout", output["text"]
                texts.append(output["text"])
    return texts


def test_the_notebook_runs_and_shows_what_it_showed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("pandas")
    # The kernel writes its files elsewhere, and needs no name in a registry of kernels.
    for variable in ["IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR"]:
        monkeypatch.setenv(variable, str(tmp_path))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    shown = ours(notebook)
    client.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": NOTEBOOK.parent}}).execute()
    if os.environ.get("NUMASIM_UPDATE_NOTEBOOK") == "1":
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)
        notebook.metadata.language_info = {"name": "python"}
        nbformat.write(notebook, NOTEBOOK)
        return
    assert ours(notebook) == shown, "run it anew with NUMASIM_UPDATE_NOTEBOOK=1 and look at what changed"
