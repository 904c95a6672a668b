"""Text from people as a type, with one way into each place where text may mean something.

Names, titles, questions, answers, columns and file names come from visitors and from links that
anybody can send. In Markdown they could be links and pictures, in HTML elements, in a chart's
template values, in a spreadsheet formulas. `UserText` is no `str`: mypy refuses it where a text is
wanted, and it refuses to be formatted, so that it gets nowhere but by the method for that place.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Final, NoReturn

from caldp_core.experiments.table import as_cell
from caldp_ui.app.texts import escape_markdown

_BESIDE_FILE_NAMES: Final = re.compile(r"[^\w .-]+")
_FILE_NAME_MAX: Final = 80


@dataclass(frozen=True, slots=True)
class UserText:
    """A text from a person; `raw`: what they wrote, for computing and for JSON, never for a place.

    The browser's side of our components puts texts of JSON into text nodes, where nothing means
    anything (`tests/js`).
    """

    raw: str

    @property
    def markdown(self) -> str:
        """For Streamlit's Markdown: on one line, with all signs escaped that have a meaning."""
        return escape_markdown(self.raw)

    @property
    def plain(self) -> str:
        """For a sentence without markup, which is escaped as a whole by what shows it.

        Such are headlines, alternative texts, memos, and captions that are drawn into pictures.
        """
        return self.raw

    @property
    def html(self) -> str:
        """For an element's content or an attribute in quotation marks."""
        return escape(self.raw)

    @property
    def chart(self) -> str:
        """For names, labels and texts of a Plotly chart, which reads a little HTML in them.

        It knows no `&quot;`. A `%{` would be filled in where such a text comes into a template.
        """
        return escape(self.raw, quote=False).replace("%{", "%&#123;")

    @property
    def cell(self) -> str:
        """For a cell of a table that a spreadsheet opens: a formula gets an apostrophe."""
        return str(as_cell(self.raw))

    @property
    def file_name(self) -> str:
        """For a part of a file's name: letters, digits, blanks, `.`, `-`, `_`; "file" for none."""
        plain = _BESIDE_FILE_NAMES.sub("-", self.raw).strip(" .-")
        return plain[:_FILE_NAME_MAX] or "file"

    def shortened(self, most: int) -> "UserText":
        """The text with at most so many characters, the last an ellipsis if it was longer."""
        if len(self.raw) <= most:
            return self
        return UserText(f"{self.raw[: most - 1].rstrip()}…")

    def __str__(self) -> NoReturn:
        raise TypeError(
            "A text from a person gets into Markdown, HTML, charts, cells and file names by the "
            "method for that place."
        )

    def __format__(self, form: str) -> NoReturn:
        self.__str__()


def user_texts(raw: Iterable[str]) -> tuple[UserText, ...]:
    """Texts from people, in their order."""
    return tuple(UserText(text) for text in raw)
