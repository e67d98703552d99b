"""Puts the pages of the guide, and what they name, into a folder for mdBook, where every link of the repository works.

Usage: pages.py FOLDER   (from the root of the repository)

docs/book/landing.md is the front page. The list of pages is docs/guide/README.md: its bold lines are parts, its tables have the chapters. What pages
link to and the guide does not list follows as a last part (documents), or is copied next to them (pictures, input files, tables). A README becomes
the index of its folder, as browsers expect it; that of the repository is a page, because the folder's index is the front page.
"""

import os
import re
import shutil
import sys
from pathlib import Path

LANDING = Path("docs/book/landing.md")
README = Path("README.md")
INDEX = Path("docs/guide/README.md")
# A link of Markdown, and pictures with a light and a dark variant. Links to elsewhere have a scheme, those within a page begin with #.
LINK = re.compile(r'(?P<before>\]\(|(?:src|srcset)=")(?P<path>[^)"#:\s]+)(?P<after>#[^)"\s]*)?(?=[)"])')


def parts() -> list[tuple[str, list[tuple[str, Path]]]]:
    """The parts of the guide with the title and the file of each page, as its index has them."""
    found = []
    for line in INDEX.read_text().splitlines():
        if part := re.fullmatch(r"\*\*(.+)\*\*", line):
            found.append((part[1], []))
        elif row := re.match(r"\| \[(.+?)\]\((.+?\.md)\) \|", line):
            found[-1][1].append((row[1], INDEX.parent / row[2]))
    return found


def target(page: Path, link: str) -> Path:
    """The file of the repository that a link on a page names."""
    root = Path.cwd()
    named = (root / page.parent / link).resolve()
    if named.is_dir():
        named = named / "README.md"
    if not named.is_file() or not named.is_relative_to(root):
        sys.exit(f"error: {page}: {link}: no such file, or a folder without README.md")
    return named.relative_to(root)


def staged(page: Path) -> Path:
    """The path of a page for mdBook."""
    if page == LANDING:
        return Path("index.md")
    if page == README:
        return Path("first-answer.md")
    return page.with_name("index.md") if page.name == "README.md" else page


def title(page: Path) -> str:
    """The first heading without marks."""
    first = re.search(r"^# (.+)$", page.read_text(), re.MULTILINE)
    return re.sub(r"[`*\[\]]", "", first[1]) if first else page.as_posix()


def main() -> None:
    folder = Path(sys.argv[1])
    listed = parts()
    guide = [LANDING, README, INDEX] + [page for _, pages in listed for _, page in pages]
    documents, others = list(guide), set()
    for page in documents:  # grows on the way
        def placed(link: re.Match[str], page: Path = page) -> str:
            named = target(page, link["path"])
            if named.suffix != ".md":
                others.add(named)
            elif named not in documents:
                documents.append(named)
            path = os.path.relpath(staged(named), staged(page).parent)
            return f"{link['before']}{path}{link['after'] or ''}"

        text = LINK.sub(placed, page.read_text())
        place = folder / staged(page)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    for file in others:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, folder / file)
    summary = ["[numasim](index.md)", f"[A first answer]({staged(README)})", f"[Guide]({staged(INDEX)})"]
    for part, pages in listed:
        summary += [f"\n# {part}\n"] + [f"- [{name}]({page})" for name, page in pages]
    beside = [(title(page), page) for page in documents if page not in guide]
    summary += ["\n# Beside the guide\n"] + [f"- [{name}]({staged(page)})" for name, page in sorted(beside, key=lambda p: p[1])]
    (folder / "SUMMARY.md").write_text("\n".join(summary) + "\n")
    print(f"{len(guide)} pages of the guide, {len(beside)} documents and {len(others)} files that they name")


main()
