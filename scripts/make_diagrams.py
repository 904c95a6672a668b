"""Draws the documentation's diagrams: docs/diagrams/*.svg, each for light and for dark pages.

    python -m scripts.make_diagrams

Boxes and arrows are data, so that both colours and a changed word need one edit.
"""

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
FOLDER: Final = ROOT / "docs" / "diagrams"
THEMES: Final = {
    "light": {"text": "#1a1a1a", "line": "#555555", "open": "#ffffff", "secret": "#ffe3c2"},
    "dark": {"text": "#f2f2f2", "line": "#bbbbbb", "open": "#2b2f3a", "secret": "#6b4410"},
}
"""Colours by theme. `secret` fills boxes that hold true answers, `open` all others."""
_LINE: Final = 20
"""Height of a line of text, in pixels."""


@dataclass(frozen=True)
class Box:
    """A box at (x, y) in pixels, `width` wide: a title and lines below it."""

    x: int
    y: int
    width: int
    title: str
    lines: tuple[str, ...]
    holds_true_answers: bool = False

    @property
    def height(self) -> int:
        """In pixels: the title, the lines and some room."""
        return _LINE * (len(self.lines) + 1) + 22


@dataclass(frozen=True)
class Diagram:
    """Boxes, arrows between them by their places in the list, and headings of rows."""

    name: str
    width: int
    height: int
    alt: str
    boxes: tuple[Box, ...]
    arrows: tuple[tuple[int, int], ...]
    headings: tuple[tuple[int, int, str], ...] = ()


ACTS: Final = Diagram(
    name="acts",
    width=760,
    height=478,
    alt=(
        "Three acts. Rehearse: shipped or brought data stay with you; the dashboard simulates;"
        " what comes out is for you alone. Release: an office holds a list of true answers, adds"
        " noise once, and publishes one frozen pack. Collect: each phone adds noise to its own"
        " answer, the server sees reports alone, and publishes estimates with ranges."
    ),
    headings=(
        (20, 30, "1  Rehearse: what would it cost?"),
        (20, 188, "2  Release: publish once from a list that you hold"),
        (20, 346, "3  Collect: ask people, who need not trust anybody"),
    ),
    boxes=(
        Box(20, 44, 210, "Data", ("that ship, or your file", "stays in your visit"), True),
        Box(275, 44, 210, "Simulation", ("draws reports, estimates,", "attacks"), True),
        Box(530, 44, 210, "For you alone", ("error, odds, a plan", "never published")),
        Box(20, 202, 210, "Office", ("holds true answers,", "is trusted with them"), True),
        Box(275, 202, 210, "Treatment", ("noise drawn once,", "ε entered in a ledger"), True),
        Box(530, 202, 210, "Public", ("one frozen pack:", "table, record, memo")),
        Box(20, 360, 210, "Phones", ("each knows its answer", "and adds the noise"), True),
        Box(275, 360, 210, "Server", ("sees reports alone,", "keeps a tally")),
        Box(530, 360, 210, "Public", ("estimate with ranges,", "record")),
    ),
    arrows=((0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8)),
)
DATA: Final = Diagram(
    name="data",
    width=760,
    height=250,
    alt=(
        "How data walk. A scenario names data, policy, mechanism and people. prepare makes a setup,"
        " with the mechanism. The mechanism turns each true answer into a report. Reports add up to"
        " a tally. An estimator turns the tally into shares. A result holds shares, ranges and"
        " errors. An audit compares the mechanism with the policy."
    ),
    boxes=(
        Box(15, 20, 170, "Scenario", ("data, policy, ε,", "mechanism, people"), True),
        Box(205, 20, 165, "Mechanism", ("turns an answer", "into a noisy report"), True),
        Box(390, 20, 165, "Tally", ("reports, counted;", "all a server keeps")),
        Box(575, 20, 170, "Estimate", ("shares, the noise", "taken out")),
        Box(205, 150, 165, "Audit", ("is the promise of", "the policy kept?")),
        Box(575, 150, 170, "Result", ("shares and ranges;", "errors, if rehearsed"), True),
    ),
    arrows=((0, 1), (1, 2), (2, 3), (3, 5), (1, 4)),
)
DIAGRAMS: Final = (ACTS, DATA)


def drawn(diagram: Diagram, theme: str) -> str:
    """The diagram as SVG, in the colours of `theme`."""
    colours = THEMES[theme]
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" role="img"',
        f' viewBox="0 0 {diagram.width} {diagram.height}"',
        ' font-family="system-ui, sans-serif" font-size="14">',
        f"<title>{escape(diagram.alt)}</title>",
        '<defs><marker id="head" markerWidth="9" markerHeight="9" refX="8" refY="4.5"',
        f' orient="auto"><path d="M0 0L9 4.5L0 9z" fill="{colours["line"]}"/></marker></defs>',
    ]
    for x, y, text in diagram.headings:
        bold = f'font-weight="700" fill="{colours["text"]}"'
        parts.append(f'<text x="{x}" y="{y}" {bold}>{escape(text)}</text>')
    for start, end in diagram.arrows:
        parts.append(_arrow(diagram.boxes[start], diagram.boxes[end], colours["line"]))
    for box in diagram.boxes:
        parts.append(_box(box, colours))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _arrow(start: Box, end: Box, colour: str) -> str:
    """To the right between boxes of one row, else downwards."""
    if start.y == end.y:
        x1, y1 = start.x + start.width, start.y + start.height // 2
        x2, y2 = end.x, y1
    else:
        x1, y1 = start.x + start.width // 2, start.y + start.height
        x2, y2 = x1, end.y
    return (
        f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" stroke-width="2"'
        ' marker-end="url(#head)"/>'
    )


def _box(box: Box, colours: dict[str, str]) -> str:
    fill = colours["secret"] if box.holds_true_answers else colours["open"]
    parts = [
        f'<rect x="{box.x}" y="{box.y}" width="{box.width}" height="{box.height}" rx="8"',
        f' fill="{fill}" stroke="{colours["line"]}" stroke-width="1.5"/>',
    ]
    y = box.y + 24
    for index, line in enumerate((box.title, *box.lines)):
        weight = "700" if index == 0 else "400"
        parts.append(
            f'<text x="{box.x + 12}" y="{y + _LINE * index}" font-weight="{weight}"'
            f' fill="{colours["text"]}">{escape(line)}</text>'
        )
    return "\n".join(parts)


def write_diagrams() -> None:
    """Write every diagram in every theme into docs/diagrams."""
    FOLDER.mkdir(exist_ok=True)
    for diagram in DIAGRAMS:
        for theme in THEMES:
            path = FOLDER / f"{diagram.name}-{theme}.svg"
            path.write_text(drawn(diagram, theme), "utf-8")


if __name__ == "__main__":
    write_diagrams()
