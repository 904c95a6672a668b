"""Follow every link and anchor of the built documentation site.

    python -m scripts.check_site site

MkDocs checks the links that are written in Markdown. This reads the pages as a browser gets them,
so that links from docstrings, commands' help, notebooks and the theme count as well. Prints each
dead link and exits with 1 if there is one.
"""

import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

_LINKS: Final = {"a": "href", "img": "src", "script": "src", "link": "href", "source": "srcset"}
"""Elements that lead elsewhere, and the attribute that says where."""


@dataclass
class SitePage:
    """What a page of the site refers to, and the names by which others refer to its parts."""

    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)


def dead_links(site: Path) -> list[str]:
    """A sentence for each link of the site's pages to a file or an anchor that is not there.

    `site` is the folder of a built site. Links to other servers are not followed.
    """
    pages = {path.resolve(): _read(path) for path in sorted(site.rglob("*.html"))}
    sentences = []
    for path, page in pages.items():
        for link in page.links:
            missing = _missing(site, path, link, pages)
            if missing:
                sentences.append(f"{path.relative_to(site.resolve())}: {link}: {missing}")
    return sentences


def _missing(site: Path, path: Path, link: str, pages: dict[Path, SitePage]) -> str:
    """What `link` on the page at `path` leads to and the site lacks; empty if it is all there."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    # An empty path means this page.
    target = path
    if parts.path.startswith("/"):
        # The page of errors is shown below any address, so its links begin at the site's root.
        target = (site / unquote(parts.path).lstrip("/")).resolve()
    elif parts.path:
        target = (path.parent / unquote(parts.path)).resolve()
    if target.is_dir():
        target = target / "index.html"
    if not target.exists():
        return "no such file"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors:
        return "no such anchor"
    return ""


def _read(path: Path) -> SitePage:
    reader = _PageReader()
    reader.feed(path.read_text("utf-8"))
    return reader.page


class _PageReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = SitePage()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        # HTML calls a part of a page by `id`, older pages by the name of a link.
        for name in ("id", "name"):
            value = attributes.get(name)
            if value:
                self.page.anchors.add(value)
        link = attributes.get(_LINKS.get(tag, ""))
        if link:
            self.page.links.append(link)


def main(arguments: list[str]) -> int:
    """Print dead links of the site in the folder that is named; 1 if there are any."""
    site = Path(arguments[0])
    sentences = dead_links(site)
    for sentence in sentences:
        print(sentence)
    if not any(site.rglob("*.html")):
        print(f"{site} has no pages: build the site first.")
        return 1
    return int(bool(sentences))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
