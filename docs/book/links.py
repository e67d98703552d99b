"""Looks for links, pictures and scripts of a site that lead nowhere, and for anchors that do not exist. Usage: links.py FOLDER"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page has (ids) and names (links)."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes ids, and everything that a browser would fetch or follow."""
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.ids.add(value)
            elif name in ("href", "src", "srcset") and value:
                self.links.append(value)


def main() -> None:
    site = Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    wrong, seen = [], 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            seen += 1
            named = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            where = path.relative_to(site)
            if not named.is_file():
                wrong.append(f"{where}: {link}: no such file")
            elif parts.fragment and named in pages and unquote(parts.fragment) not in pages[named].ids:
                wrong.append(f"{where}: {link}: no such heading")
    if wrong or not seen:
        sys.exit("\n".join(["error: links of the site lead nowhere", *wrong]))
    print(f"{len(pages)} pages, {seen} links: all lead somewhere")


main()
