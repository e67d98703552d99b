"""Prints names, versions, licences and notices of the crates that are linked into the program. Usage: licences.py [FEATURE]...

From the sources that cargo has unpacked; a crate without a licence text is named as such. Equal texts are printed once.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

NOTICE = re.compile(r"(LICEN[SC]E|COPYING|NOTICE|UNLICENSE|COPYRIGHT)", re.IGNORECASE)


def metadata(features: list[str]) -> dict:
    """What cargo knows of the packages for this system."""
    host = re.search(r"^host: (.+)$", subprocess.check_output(["rustc", "-vV"], text=True), re.MULTILINE)[1]
    command = ["cargo", "metadata", "--locked", "--format-version=1", f"--filter-platform={host}"]
    command += [f"--features={','.join(features)}", "--manifest-path=crates/cli/Cargo.toml"]
    return json.loads(subprocess.check_output(command))


def linked(known: dict) -> list[dict]:
    """The packages by others that the program is made of: normal dependencies, and theirs."""
    nodes = {node["id"]: node for node in known["resolve"]["nodes"]}
    packages = {package["id"]: package for package in known["packages"]}
    waiting = [known["resolve"]["root"]]
    found = set()
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += [
                edge["pkg"] for edge in nodes[one]["deps"] if any(kind["kind"] is None for kind in edge["dep_kinds"])
            ]
    others = [packages[one] for one in found if packages[one]["source"]]
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def main() -> None:
    packages = linked(metadata(sys.argv[1:]))
    texts: dict[str, list[str]] = {}
    print("numasim is linked with these libraries:\n")
    for package in packages:
        name = f"{package['name']} {package['version']}"
        folder = Path(package["manifest_path"]).parent
        notices = sorted(file for file in folder.iterdir() if file.is_file() and NOTICE.match(file.name))
        missing = "" if notices else " (its package has no licence text)"
        print(f"{name}: {package['license']}{missing}")
        for file in notices:
            texts.setdefault(file.read_text(errors="replace").strip(), []).append(name)
    for text, names in texts.items():
        print(f"\n{'=' * 80}\n{', '.join(sorted(set(names)))}\n{'=' * 80}\n\n{text}")
    if not packages:
        sys.exit("error: the program is linked with nothing, which cannot be")


main()
