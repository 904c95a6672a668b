"""HTML of the page's own words as trees, from which the browser's side makes elements.

The browser's side never reads a text as HTML; it is read here, and of all attributes only those are
kept that words and small pictures need.
"""

from html.parser import HTMLParser
from typing import Any, Final, TypeAlias

from caldp_core.basics.errors import require

Tree: TypeAlias = list[Any]
"""An element: its tag, its attributes, and its children, which are texts and trees."""
_ATTRIBUTES: Final = {
    "class": "className",
    "role": "role",
    "aria-label": "aria-label",
    "style": "style",
}


def tree(html: str) -> Tree:
    """One element of plain, closed HTML; raises `CaldpError` for anything else."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    [_, _, *children], *unclosed = reader.open
    alone = len(children) == 1 and isinstance(children[0], list) and not unclosed
    require(alone, f"One closed element is needed, got {html!r}.")
    element: Tree = children[0]
    return element


_EMPTY: Final = "br"
"""The one element that is never closed."""


class _Reader(HTMLParser):
    """Gathers elements as they open and close; the first of `open` holds what has no parent."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[Tree] = [["", {}]]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {
            _ATTRIBUTES[name]: value or "" for name, value in attrs if name in _ATTRIBUTES
        }
        element: Tree = [tag, attributes]
        self.open[-1].append(element)
        if tag != _EMPTY:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        require(self.open[-1][0] == tag, f"</{tag}> closes what is not open.")
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].append(data)
