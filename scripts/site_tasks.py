"""Look whether readers find what they came for in the built documentation site.

    python -m scripts.site_tasks site

For each task of `scripts/site_tasks.toml`: is its page found within two clicks from the first
page, and does it say what it should? Prints what is not so, the words of each page and their sum,
and exits with 1 if a task fails. A click is a tab, a page in the menu of the tab that is open, or
a link in the page's text: what a reader sees on a wide screen without opening anything.
"""

import sys
import tomllib
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

TASKS: Final = Path(__file__).with_name("site_tasks.toml")
FIRST_PAGE: Final = "index.html"
CLICKS_MAX: Final = 2
_VOID: Final = {"img", "br", "input", "meta", "link", "hr", "source", "col", "wbr"}
"""Elements without an end."""
_OPEN: Final = {"md-nav__item--active", "md-nav__item--section"}
"""Classes of the part of the menu that belongs to the tab that is open."""


@dataclass(frozen=True)
class Task:
    """What a reader comes for: `page` below the site's folder has it, and says `says`."""

    reader: str
    task: str
    page: str
    says: str


@dataclass
class SeenPage:
    """What a reader sees of a page: its text, and where its links lead."""

    text: str = ""
    links: set[str] = field(default_factory=set)


def read_tasks() -> list[Task]:
    """The tasks of `scripts/site_tasks.toml`."""
    return [Task(**entry) for entry in tomllib.loads(TASKS.read_text("utf-8"))["tasks"]]


def read_site(site: Path) -> dict[str, SeenPage]:
    """Each page of a built site by its path below `site`, with paths in place of links."""
    pages = {}
    for path in sorted(site.rglob("*.html")):
        reader = _PageReader()
        reader.feed(path.read_text("utf-8"))
        page = SeenPage(" ".join(reader.words))
        for link in reader.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or not parts.path:
                continue
            target = (path.parent / parts.path).resolve()
            if target.is_relative_to(site.resolve()):
                page.links.add(target.relative_to(site.resolve()).as_posix())
        pages[path.relative_to(site).as_posix()] = page
    return pages


def clicks(pages: dict[str, SeenPage]) -> dict[str, int]:
    """How many clicks from the first page each page takes; those never reached are left out."""
    found = {FIRST_PAGE: 0}
    waiting = [FIRST_PAGE]
    while waiting:
        here = waiting.pop(0)
        for link in sorted(pages[here].links):
            if link in pages and link not in found:
                found[link] = found[here] + 1
                waiting.append(link)
    return found


def unanswered(pages: dict[str, SeenPage], tasks: list[Task]) -> list[str]:
    """A sentence for each task whose page is too far away, or does not say what it should."""
    distance = clicks(pages)
    sentences = []
    for task in tasks:
        if task.page not in distance:
            sentences.append(f"{task.reader}: {task.task}: no link leads to {task.page}.")
        elif distance[task.page] > CLICKS_MAX:
            sentences.append(
                f"{task.reader}: {task.task}: {task.page} takes {distance[task.page]} clicks."
            )
        elif task.says not in pages[task.page].text:
            sentences.append(f"{task.reader}: {task.task}: {task.page} does not say “{task.says}”.")
    return sentences


class _PageReader(HTMLParser):
    """Reads text and links of the article, links of the tabs and of the open tab's menu."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.links: list[str] = []
        self._open: list[tuple[str, str]] = []
        """Elements that are open, each with the part of the page that begins with it, or ""."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        classes = set((attributes.get("class") or "").split())
        part = ""
        if "md-content__inner" in classes:
            part = "article"
        elif "md-tabs" in classes or classes >= _OPEN:
            part = "menu"
        elif tag in ("script", "style") or "headerlink" in classes:
            part = "unseen"
        if tag not in _VOID:
            self._open.append((tag, part))
        link = attributes.get("href")
        parts = self._parts()
        if tag == "a" and link and parts & {"article", "menu"} and "unseen" not in parts:
            self.links.append(link)

    def handle_endtag(self, tag: str) -> None:
        # Elements that HTML lets stay open, such as paragraphs, end with what is around them.
        names = [name for name, _ in self._open]
        if tag in names:
            last = len(names) - 1 - names[::-1].index(tag)
            del self._open[last:]

    def handle_data(self, data: str) -> None:
        parts = self._parts()
        if "article" in parts and "unseen" not in parts:
            self.words += data.split()

    def _parts(self) -> set[str]:
        return {part for _, part in self._open}


def main(arguments: list[str]) -> int:
    """Print words per page, and tasks without an answer of the site that is named; 1 if any."""
    pages = read_site(Path(arguments[0]))
    if FIRST_PAGE not in pages:
        print(f"{arguments[0]} has no {FIRST_PAGE}: build the site first.")
        return 1
    words = {name: len(page.text.split()) for name, page in pages.items()}
    for name in sorted(words, key=lambda name: words[name], reverse=True):
        print(f"{words[name]:7,}  {name}")
    tasks = read_tasks()
    sentences = unanswered(pages, tasks)
    print(
        f"{sum(words.values()):7,}  words in all; {len(tasks) - len(sentences)} of {len(tasks)}"
        f" tasks are found within {CLICKS_MAX} clicks."
    )
    for sentence in sentences:
        print(sentence)
    return int(bool(sentences))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
