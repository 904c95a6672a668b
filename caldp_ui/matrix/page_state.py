"""State of the page: names of values, E between them, and the channel that is audited.

Example matrices, each for a level ε.

Groups of values by their names: “North: home” and “North: work” are of the group North.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np

from caldp_core.basics.errors import CaldpError, check_choice, check_epsilon, require
from caldp_core.basics.files import parse_float
from caldp_core.basics.limits import EPSILON_MAX
from caldp_core.basics.types import Floats
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.designed.design import form_of_groups
from caldp_core.privacy.context import Context, dense
from caldp_core.privacy.matrix import DenseMatrix
from caldp_ui.session.page_state import PageState
from caldp_ui.session.record_link import FieldFormat, RecordLink

Rows: TypeAlias = tuple[tuple[float, ...], ...]
INF: Final = math.inf


@dataclass(frozen=True)
class Template:
    """A kind of protection: a `title`, one `sentence`, names of values, and E for a level ε."""

    title: str
    sentence: str
    names: tuple[str, ...]
    build: Callable[[float], Floats]

    def levels(self, epsilon: float) -> Rows:
        """E as rows, row = the value that is protected."""
        return rows_of(self.build(epsilon))


def rows_of(levels: Floats) -> Rows:
    """(k, k) levels as tuples."""
    return tuple(map(tuple, levels.tolist()))


def _line(k: int) -> Floats:
    return np.abs(np.subtract.outer(np.arange(k), np.arange(k))).astype(np.float64)


def _context(blocks: list[int], sensitive: list[int]) -> Callable[[float], Floats]:
    flags = np.isin(np.arange(len(blocks)), sensitive)
    return lambda epsilon: dense(Context.of(np.array(blocks), flags, epsilon))


def _hospital(epsilon: float) -> Floats:
    """Rows: healthy may be known; flu and a broken leg matter a little, the last three a lot."""
    levels = np.full((6, 6), INF)
    levels[1:3] = 2 * epsilon
    levels[3:] = epsilon / 2
    np.fill_diagonal(levels, 0.0)
    return levels


def _neighbours(epsilon: float) -> Floats:
    steps = _line(5)
    return np.where(steps == 0, 0.0, np.where(steps == 1, epsilon, INF))


_DRUGS: Final = ("Alcohol", "Tobacco", "None", "Cannabis", "Cocaine")
_AREAS: Final = ("North: home", "North: work", "North: clinic", "South: home", "South: clinic")
TEMPLATES: Final = {
    "hospital": Template(
        "Hospital",
        "A few diagnoses are very delicate, some a little, and “healthy” is no secret.",
        ("Healthy", "Flu", "Broken leg", "HIV", "Depression", "Cancer"),
        _hospital,
    ),
    "ldp": Template(
        "Plain LDP",
        "Every answer is hidden from every other.",
        ("Red", "Green", "Blue", "Other", "None"),
        _context([0] * 5, list(range(5))),
    ),
    "drug": Template(
        "Drug survey (Mangat)",
        "No report may prove yes; a report may prove no.",
        ("Yes", "No"),
        _context([0, 0], [0]),
    ),
    "high-low": Template(
        "High-low",
        "Some answers are sensitive and hide among all; the others need not hide.",
        _DRUGS,
        _context([0] * 5, [3, 4]),
    ),
    "blocks": Template(
        "Blocks",
        "A report may show the area, but not the place in it.",
        _AREAS,
        _context([0, 0, 0, 1, 1], list(range(5))),
    ),
    "both": Template(
        "Blocks and a sensitive set",
        "A report may show the area; only the clinic hides, among the places of its area.",
        _AREAS,
        _context([0, 0, 0, 1, 1], [2, 4]),
    ),
    "line": Template(
        "A line",
        "The nearer two ages, the better hidden: ε for each step.",
        ("20s", "30s", "40s", "50s", "60s", "70s"),
        lambda epsilon: epsilon * _line(6),
    ),
    "neighbours": Template(
        "Only neighbours",
        "Limits for neighbours alone: what do they imply for the others?",
        ("20s", "30s", "40s", "50s", "60s"),
        _neighbours,
    ),
}
"""By their names in links; the first is the page's first."""


K_MIN: Final = 2
K_MAX: Final = 12
NAME_MAX: Final = 24
"""Characters of a value's name."""
PASTED_MAX: Final = 4_000
"""Characters of a pasted channel."""
DIVIDER: Final = "|"
RANDOMIZED_RESPONSE: Final = "plain"
BUG: Final = "bug"
DESIGNED: Final = "designed"
EVEN: Final = "designed-even"
GROUPS: Final = "designed-groups"
DESIGNS: Final = (DESIGNED, EVEN, GROUPS)
"""Channels that are designed: for all errors together, the largest one, those of groups."""
PASTED: Final = "pasted"
SAME: Final = "same"
SECONDS: Final = {
    SAME: "The same channel again",
    RANDOMIZED_RESPONSE: "Randomized response at the least ε",
}
_BEGIN: Final = "hospital"
_POINTS: Final = str.maketrans(",٫，．", "....")
"""Before decimals, on the keyboards of several scripts."""


@dataclass(frozen=True)
class MatrixState:
    """The page's record.

    `template`, `epsilon`: the example and its base ε, "" for a matrix of one's own. `names`: 2 to
    12 values; `levels`: E in [0, 20] or ∞, 0 on the diagonal. `channel`: which channel is audited
    (see `candidates.py`); `pasted`: the text of a pasted one. `second`: a second release about the
    same value, one of `SECONDS`.
    """

    template: str = _BEGIN
    epsilon: float = 1.0
    names: tuple[str, ...] = TEMPLATES[_BEGIN].names
    levels: Rows = TEMPLATES[_BEGIN].levels(1.0)
    channel: str = RANDOMIZED_RESPONSE
    pasted: str = ""
    second: str = SAME

    @property
    def k(self) -> int:
        """Number of values."""
        return len(self.names)

    @property
    def matrix(self) -> DenseMatrix:
        """E as a policy."""
        return DenseMatrix.of(self.levels)

    def with_template(self, template: str, epsilon: float) -> "MatrixState":
        """The record with an example's matrix at base ε; channels stay as chosen.

        Raises `CaldpError` for an ε out of bounds.
        """
        chosen = TEMPLATES[template]
        level = float(check_epsilon(epsilon))
        return replace(
            self,
            template=template,
            epsilon=level,
            names=chosen.names,
            levels=chosen.levels(level),
        )

    def with_levels(self, levels: Rows) -> "MatrixState":
        """The record with other levels."""
        return replace(self, template="", levels=levels)

    def with_names(self, names: tuple[str, ...]) -> "MatrixState":
        """The record with other names: kept ones keep their levels, new ones have no limit.

        Raises `CaldpError` for names that are too many or none, before k × k levels are made.
        """
        check_names(names)
        old = {name: x for x, name in enumerate(self.names)}

        def level(a: str, b: str) -> float:
            if a == b:
                return 0.0
            return self.levels[old[a]][old[b]] if a in old and b in old else INF

        rows = tuple(tuple(level(a, b) for b in names) for a in names)
        return replace(self, template="", names=names, levels=rows)

    def with_limit(self, x: int, other: int, level: float, both: bool) -> "MatrixState":
        """The record with one entry changed; `both`: its mirror image, too."""
        rows = [list(row) for row in self.levels]
        rows[x][other] = level
        if both:
            rows[other][x] = level
        return self.with_levels(tuple(map(tuple, rows)))


def read_level(text: str) -> float:
    """A level as people type it: a number in [0, 20], or ∞; `CaldpError` otherwise."""
    typed = _in_ascii(text.strip()).lower()
    if typed in ("", "∞", "inf", "-"):
        return INF
    number = parse_float(typed)
    if number is None or not 0 <= number <= EPSILON_MAX:
        raise CaldpError(
            f"A level must be a number from 0 to {EPSILON_MAX:g}, or ∞ for no limit, got "
            f"{text[:12]!r}."
        )
    return number


def _in_ascii(text: str) -> str:
    """The text with decimal digits of all scripts, and what stands before decimals, as in 0.5."""
    # No NFKC, which makes 12 of 1².
    plain = "".join(str(int(sign)) if sign.isdecimal() else sign for sign in text)
    return plain.translate(_POINTS)


def level_text(level: float) -> str:
    """A level as a cell shows it."""
    return "∞" if math.isinf(level) else f"{level:.6g}"


def _rows(key: str, text: str) -> Rows:
    del key
    lines = text[: K_MAX * K_MAX * 20].split(";")
    return tuple(tuple(read_level(each) for each in line.split(",")) for line in lines)


_FORMATS: Final = {
    "names": FieldFormat(DIVIDER.join, lambda _, text: tuple(text.split(DIVIDER))),
    "levels": FieldFormat(
        lambda rows: ";".join(",".join(map(level_link, row)) for row in rows), _rows
    ),
}


@dataclass(frozen=True)
class MatrixLink(RecordLink[MatrixState]):
    """How the record is written into a link: its example with ε, or its names and levels."""

    def write(self, record: MatrixState) -> dict[str, str]:
        """See `RecordLink.write`."""
        other = ("names", "levels") if record.template else ("template", "epsilon")
        return {key: text for key, text in super().write(record).items() if key not in other}

    def read(self, query: Mapping[str, str]) -> MatrixState:
        """See `RecordLink.read`; raises `CaldpError` for an unknown template, too."""
        record = super().read(query)
        if "levels" in query or "names" in query:
            return replace(record, template="")
        check_choice("template", record.template, TEMPLATES)
        return record.with_template(record.template, record.epsilon)


def _check(record: MatrixState) -> None:
    """Raise `CaldpError` for names, levels or channels that no matrix can have."""
    check_names(record.names)
    k = record.k
    require(
        len(record.levels) == k and all(len(row) == k for row in record.levels),
        f"levels must be {k} rows of {k} numbers, one for each value.",
    )
    require(
        all(math.isinf(e) or 0 <= e <= EPSILON_MAX for row in record.levels for e in row),
        f"levels must be from 0 to {EPSILON_MAX:g}, or ∞.",
    )
    DenseMatrix.of(record.levels)
    check_pasted(record.pasted)
    require(
        len(record.channel) <= NAME_MAX and record.second in SECONDS,
        "channel and second must name channels of this page.",
    )


def level_link(level: float) -> str:
    """A level as a link has it: "inf" for ∞."""
    return "inf" if math.isinf(level) else f"{level:.12g}"


def check_pasted(text: str) -> None:
    """Raise `CaldpError` for a pasted channel of more than `PASTED_MAX` characters."""
    require(
        len(text) <= PASTED_MAX,
        f"A pasted channel may have at most {PASTED_MAX:,} characters, got {len(text):,}; "
        "shorten it.",
    )


def check_names(names: tuple[str, ...]) -> None:
    """Raise `CaldpError` for names that no matrix can have."""
    require(
        K_MIN <= len(names) <= K_MAX,
        f"A matrix needs {K_MIN} to {K_MAX} values, got {len(names):,}; write one a line.",
    )
    for name in names:
        fits = bool(name.strip()) and len(name) <= NAME_MAX
        require(
            fits and name.isprintable() and DIVIDER not in name,
            f"A name needs 1 to {NAME_MAX} characters other than “{DIVIDER}”, got "
            f"“{name[: NAME_MAX + 1]}”; shorten or rename it.",
        )
    duplicate = next((a for i, a in enumerate(names) if a in names[:i]), None)
    require(duplicate is None, f"All names must differ, “{duplicate}” is there twice; rename one.")


LINK: Final = MatrixLink(
    MatrixState(), _check, field_formats=_FORMATS, left_out=MatrixState(names=(), levels=())
)
STATE: Final = PageState("matrix", LINK)


_MARK = ":"


def groups_of(names: Sequence[str]) -> dict[str, Floats]:
    """(k,) flags, 0 or 1, by group; empty without two groups, or without two values in one."""
    labels = [name.partition(_MARK)[0].strip() if _MARK in name else name for name in names]
    kinds = list(dict.fromkeys(labels))
    if not 1 < len(kinds) < len(names):
        return {}
    return {kind: np.array([label == kind for label in labels], np.float64) for kind in kinds}


def form(names: Sequence[str]) -> Floats:
    """(k, k) Ω of the errors of the groups' sums."""
    return form_of_groups(list(groups_of(names).values()))


def error(found: Mechanism, names: Sequence[str]) -> float:
    """Σ n·Var of the groups' sums where all values are equally common."""
    even = np.full(found.k, 1.0 / found.k)
    return sum(found.sum_variance(even, flags, 1) for flags in groups_of(names).values())
