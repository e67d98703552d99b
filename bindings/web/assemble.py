"""The page from its parts. Usage: assemble.py MODULE.wasm PAGE.html   (from the root of the repository)"""

import base64
import gzip
import hashlib
import json
import pathlib
import sys
import tomllib

PAGE = pathlib.Path("bindings/web/page")
PROGRAM = ["module", "state", "threads", "figures", "shown", "searching", "main"]


def part(name: str) -> str:
    return (PAGE / name).read_text()


def inside(text: str) -> str:
    """JSON in an element of the page, which no text of it can end."""
    return text.replace("<", "\\u003c")


def shipped(folder: str) -> list[dict[str, str]]:
    """The files of a folder in the order of `numasim catalog`, each with its title: the name of its machine, or those of its applications."""
    found = []
    for path in sorted(pathlib.Path("configs", folder).glob("*.toml"), key=lambda path: path.stem):
        text = path.read_text()
        tables = tomllib.loads(text)
        names = ", ".join(app["name"] for app in tables.get("app", []))
        title = tables["machine"]["name"] if "machine" in tables else f"{path.stem}: {names}"
        found.append({"id": path.stem, "title": title, "text": text})
    return found


def main(module: str, page: str) -> None:
    program = "\n" + "\n".join(part(f"{name}.js") for name in PROGRAM)
    digest = base64.b64encode(hashlib.sha256(program.encode()).digest()).decode()
    # Nothing is fetched from anywhere, and no other script runs.
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}' 'wasm-unsafe-eval' blob:; worker-src blob:; "
        "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    # Browsers unpack it themselves; the same module gives the same page.
    packed = gzip.compress(pathlib.Path(module).read_bytes(), 9, mtime=0)
    wasm = base64.b64encode(packed).decode()
    workspace = tomllib.loads(pathlib.Path("Cargo.toml").read_text())["workspace"]
    parts = {
        "VERSION": workspace["package"]["version"],
        "POLICY": policy,
        "STYLE": "\n" + part("style.css"),
        "STUDY": "null",
        "SHIPPED": inside(json.dumps({"machines": shipped("machines"), "workloads": shipped("workloads")})),
        "MODULE": part("module.js"),
        "WORKER": part("worker.js"),
        "WASM": wasm,
        "PROGRAM": program,
    }
    text = part("page.html")
    for name, value in parts.items():
        before, after = text.split(f"@{name}@")
        text = before + value + after
    pathlib.Path(page).write_text(text)


main(*sys.argv[1:])
