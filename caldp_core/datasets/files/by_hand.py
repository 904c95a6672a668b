"""How a file is read where a user chooses it; what is not chosen is detected."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from caldp_core.datasets.files.numbers import DecimalMark

if TYPE_CHECKING:
    from caldp_core.datasets.files.layout_detection import DetectedFile, Layout

COLUMN_TYPES: Final[Mapping[str, str]] = {
    "answer": "answer",
    "question": "others",
    "people": "count",
    "weight": "count",
    "group": "group",
    "latitude": "latitude",
    "longitude": "longitude",
    "id": "",
    "leave-out": "",
}
"""Each type of a column with its field in `Layout`; "" for columns that are not read."""
_PLACE: Final = frozenset({"exchanged", "metres", "ten-millionths", "one-column"})
_ANSWER: Final = frozenset({"metres", "ten-millionths", "one-column", "areas", "own-answers"})
_PEOPLE: Final = frozenset({"people", "crosstab"})
_ANSWERED: Final = {
    "answer": _ANSWER,
    "question": _ANSWER,
    "people": _PEOPLE,
    "weight": _PEOPLE,
    "latitude": _PLACE,
    "longitude": _PLACE,
}
"""Checks that the type of a column answers."""


@dataclass(frozen=True)
class Chosen:
    """A user's choices of how to read a file; "" and None: detected.

    `encoding`: one of `ENCODINGS`; `columns`: types (`COLUMN_TYPES`) by column number, in the
    order in which they were chosen.
    """

    sheet: str = ""
    encoding: str = ""
    delimiter: str = ""
    header: bool | None = None
    mark: DecimalMark | None = None
    columns: tuple[tuple[int, str], ...] = ()

    def with_answers(self, answers: Mapping[str, str]) -> "Chosen":
        """The choices, with the answers to checks of how the file is opened; "keep": as it was."""
        sheet, encoding = (
            kept if answers.get(name) == "keep" else answers.get(name, "")
            for name, kept in {"sheet": "", "encoding": "cp1252"}.items()
        )
        return replace(self, sheet=self.sheet or sheet, encoding=self.encoding or encoding)

    def with_column(self, column: int, kind: str) -> "Chosen":
        """The choices, with this type of a column; only "question" has several columns."""
        role = COLUMN_TYPES[kind]
        others = tuple(
            (at, other)
            for at, other in self.columns
            if at != column and (role in ("", "others") or COLUMN_TYPES[other] != role)
        )
        return replace(self, columns=(*others, (column, kind)))

    def layout(self, file: "DetectedFile", guess: "Layout") -> "Layout":
        """The layout that was guessed, with the types and the decimal mark that were chosen."""
        chosen = dict(self.columns)
        roles: dict[str, Any] = {
            role: None
            for role in filter(None, COLUMN_TYPES.values())
            if role != "others" and getattr(guess, role) in chosen
        }
        roles |= {role: at for at, kind in self.columns if (role := COLUMN_TYPES[kind])}
        roles["others"] = tuple(at for at, kind in self.columns if kind == "question")
        layout = replace(guess, mark=self.mark or guess.mark, **roles)
        if layout.others:
            layout = replace(layout, group=None)
        if layout.others and layout.answer is None:
            layout = replace(layout, answer=layout.others[0], others=layout.others[1:])
        asked = layout.answer in chosen or layout.others
        if asked and "count" not in roles and (layout.others or file.repeats(layout.answer)):
            weights = file.named_weights
            layout = replace(layout, count=None if weights in chosen else weights)
        return layout

    def type_of(self, column: int, layout: "Layout", is_identifier: bool) -> str:
        """The type that a column has in a layout."""
        chosen = dict(self.columns).get(column, "")
        role = next((r for r in COLUMN_TYPES.values() if r and _holds(layout, r, column)), "")
        if chosen and COLUMN_TYPES[chosen] == role:
            return chosen
        if not role:
            return "id" if is_identifier else "leave-out"
        return next(kind for kind, each in COLUMN_TYPES.items() if each == role)

    def answered(self) -> frozenset[str]:
        """Names of the checks that these choices answer."""
        opened = {"sheet": self.sheet, "encoding": self.encoding, "thousands": self.mark}
        by_type = (_ANSWERED.get(kind, frozenset()) for _, kind in self.columns)
        return frozenset(name for name, value in opened.items() if value).union(*by_type)

    def describe(self, names: tuple[str, ...]) -> str:
        """The choices in words, for the record; "" if there are no choices."""
        parts = [f"{name} {value}" for name, value in self._opening().items() if value]
        if self.header is not None:
            parts.append(f"{'a' if self.header else 'no'} row of column names")
        if self.mark:
            parts.append(f"decimals after “{self.mark}”")
        parts += [f"“{names[at]}” as {kind.replace('-', ' ')}" for at, kind in self.columns]
        return f"chosen by hand: {', '.join(parts)}" if parts else ""

    def _opening(self) -> dict[str, str]:
        delimiter = {"\t": "tab", "\x1f": "none"}.get(self.delimiter, self.delimiter)
        return {
            "sheet": self.sheet and f"“{self.sheet}”",
            "encoding": self.encoding,
            "delimiter": delimiter and f"“{delimiter}”",
        }


def _holds(layout: "Layout", role: str, column: int) -> bool:
    value = getattr(layout, role)
    return column in value if isinstance(value, tuple) else value == column
