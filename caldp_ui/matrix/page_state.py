"""State of the page: names of values, E between them, and the channel that is audited.

Example matrices, each for a level ε.

Groups of values by their names: “North: home” and “North: work” are of the group North.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, TypeAlias

import numpy as np

from caldp_core.audit.pairwise import Channel
from caldp_core.basics.cache import cached
from caldp_core.basics.errors import CaldpError, check_choice, check_epsilon, require
from caldp_core.basics.files import parse_float
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import Floats
from caldp_core.mechanisms import Mechanism, mechanism
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.mechanisms.designed.design import form_of_groups
from caldp_core.privacy.context import Context
from caldp_core.privacy.distance import DistanceMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix, as_context
from caldp_ui.app.texts import read_toml
from caldp_ui.session import links
from caldp_ui.session.links import DIVIDER, FieldFormat, RecordLink
from caldp_ui.session.page_state import PageState
from caldp_ui.words import formats

Rows: TypeAlias = tuple[tuple[float, ...], ...]
INF: Final = math.inf


@dataclass(frozen=True)
class Template:
    """A kind of protection: a `title`, one `sentence`, names of values, and E at ε = 1."""

    title: str
    sentence: str
    names: tuple[str, ...]
    unit_levels: Rows

    def levels(self, epsilon: float) -> Rows:
        """E as rows, row = the value that is protected."""
        return rows_of(epsilon * np.array(self.unit_levels))


def rows_of(levels: Floats) -> Rows:
    """(k, k) levels as tuples."""
    return tuple(map(tuple, levels.tolist()))


TEMPLATES: Final = {
    name: Template(
        each["title"], each["sentence"], tuple(each["names"]), tuple(map(tuple, each["levels"]))
    )
    for name, each in read_toml(__file__, "templates.toml").items()
}
"""By their names in links; the first is the page's first."""


K_MIN: Final = 2
K_MAX: Final = 12
NAME_MAX: Final = 24
"""Characters of a value's name."""
PASTED_MAX: Final = 4_000
"""Characters of a pasted channel."""
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

    `template`, `epsilon`: the example and its base ε, "" for the user's own matrix. `names`: 2 to
    12 values; `levels`: E in [0, 20] or ∞, 0 on the diagonal. `channel`: which channel is audited
    (see `titles_for`); `pasted`: the text of a pasted one. `second`: a second release about the
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

        Raises `CaldpError` for an ε out of bounds, and for "", the user's own matrix: a slider
        may be moved in the moment in which names or limits that were typed end the example.
        """
        require(
            bool(template),
            "The matrix is your own since names or limits were changed, so it has no base ε: "
            "choose an example to set one.",
        )
        chosen = TEMPLATES[template]
        level = float(check_epsilon(epsilon))
        return replace(
            self, template=template, epsilon=level, names=chosen.names, levels=chosen.levels(level)
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
    links.check_names(names, K_MAX, NAME_MAX, "A matrix", "values", "A name")


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


TOO_BOLD: Final = 1.05
"""The planted bug: ε is this many times as large as claimed."""
OUTPUTS_MAX: Final = 400
"""Most different reports of a channel that is shown here."""
_IN_CONTEXTS: Final = ("randomized-response", "subset-selection", "hadamard", "galois")
_NUMBER: Final = re.compile(r"[0-9]{1,30}(\.[0-9]{0,30})?(/[0-9]{1,30})?")


@dataclass(frozen=True, eq=False)
class Candidate:
    """A channel to audit. `channel`: k rows of rationals; `reports`: the name of each report.

    `mechanism`: the mechanism that makes such reports, where there is one.
    """

    title: str
    channel: Channel
    reports: tuple[str, ...]
    mechanism: Mechanism | None = None


def titles_for(levels: Rows, names: tuple[str, ...] = ()) -> dict[str, str]:
    """Titles of the channels that can be made for this E, by name.

    `names`: of the values; those in groups have one more channel.
    """
    matrix, least = DenseMatrix.of(levels), least_level(levels)
    titles = {RANDOMIZED_RESPONSE: f"Randomized response at ε = {least:g}"}
    context = as_context(matrix)
    if context is not None:
        titles |= {name: f"{MECHANISMS[name].title}, made for this matrix" for name in _IN_CONTEXTS}
    elif _distance(matrix) is not None:
        titles["exponential"] = "The exponential mechanism"
    if matrix.k == 2:
        titles["binary"] = "The best for two values (Theorem 2)"
    titles[DESIGNED] = "Designed for this matrix"
    titles[EVEN] = "Designed for the largest error"
    if groups_of(names):
        titles[GROUPS] = "Designed for the groups of the values"
    if EPSILON_MIN <= least <= EPSILON_MAX / TOO_BOLD:
        titles[BUG] = f"A planted bug: randomized response at {TOO_BOLD:g} ε"
    titles[PASTED] = "Paste or upload a channel"
    return titles


def least_level(levels: Rows) -> float:
    """The least E of two different values; ∞ where nothing is limited."""
    return min(e for x, row in enumerate(levels) for z, e in enumerate(row) if x != z)


def build_candidate(record: MatrixState) -> Candidate:
    """Build the record's channel, unless it is designed; `CaldpError` where it can't be made."""
    if record.channel == PASTED:
        return _pasted(record.pasted, record.k)
    return _build_candidate(record.levels, record.names, record.channel)


def available_candidate(record: MatrixState) -> Candidate:
    """Build the record's channel, or the first one where it is designed or can't be made."""
    with suppress(CaldpError):
        if record.channel not in DESIGNS:
            return build_candidate(record)
    return baseline(record)


def baseline(record: MatrixState) -> Candidate:
    """Build randomized response at the least ε of the record's matrix, the first channel."""
    return build_candidate(replace(record, channel=RANDOMIZED_RESPONSE))


@cached
def _build_candidate(levels: Rows, names: tuple[str, ...], channel: str) -> Candidate:
    title = titles_for(levels).get(channel)
    if title is None:
        raise CaldpError("This channel can't be made for this matrix any more; choose another.")
    if channel in (RANDOMIZED_RESPONSE, BUG):
        return _randomized_response(
            title, names, least_level(levels) * (TOO_BOLD if channel == BUG else 1)
        )
    build = _MAKERS.get(channel, _context_mechanism)
    built = build(DenseMatrix.of(levels), channel)
    require(
        built.outputs <= OUTPUTS_MAX,
        f"This mechanism has {built.outputs:,} different reports here, more than {OUTPUTS_MAX} are "
        "not shown; choose another.",
    )
    return Candidate(title, built.exact_channel(), _numbered(built.outputs), built)


def _randomized_response(title: str, names: tuple[str, ...], epsilon: float) -> Candidate:
    """k-RR at one ε; below the least one reports are even, at ∞ they are true."""
    k = len(names)
    reports = tuple(f"“{name}”" for name in names)
    if EPSILON_MIN <= epsilon < math.inf:
        response = mechanism(Context.plain(k, epsilon), "randomized-response")
        return Candidate(title, response.exact_channel(), reports, response)
    truth, lie = (Fraction(1), Fraction(0)) if epsilon == math.inf else (Fraction(1, k),) * 2
    rows = [[truth if x == y else lie for y in range(k)] for x in range(k)]
    return Candidate(title, rows, reports)


def _context_mechanism(matrix: DenseMatrix, channel: str) -> Mechanism:
    context = as_context(matrix)
    assert context is not None  # by `titles_for`
    return MECHANISMS[channel].make(context)


def _distance(matrix: DenseMatrix) -> DistanceMetric | None:
    try:
        return DistanceMetric.of(matrix.entries, 1.0) if matrix.entries.any() else None
    except CaldpError:
        return None


_MAKERS: Final[dict[str, Callable[[DenseMatrix, str], Mechanism]]] = {
    "exponential": lambda matrix, _: MECHANISMS["exponential"].make(_distance(matrix)),
    "binary": lambda matrix, _: MECHANISMS["binary"].make(
        BinaryPolicy(float(matrix.entries[0, 1]), float(matrix.entries[1, 0]))
    ),
}


def above(gap: float) -> str:
    """How much better another channel could be, in words. `gap`: as a share, at least 0."""
    most = "less than 0.01" if gap < 1e-4 else f"at most {100 * gap:.2g}"
    return f"{most} % above what any channel can do"


def designed(found: Mechanism, gap: float, named: str = "Designed") -> Candidate:
    """The candidate of a designed mechanism. `gap`: see `above`; `named`: begins its title."""
    return Candidate(
        f"{named}: {above(gap)}", found.exact_channel(), _numbered(found.outputs), found
    )


def _numbered(outputs: int) -> tuple[str, ...]:
    return tuple(f"report {y + 1}" for y in range(outputs))


def _pasted(text: str, k: int) -> Candidate:
    """Rows of numbers or fractions; read exactly, as 0.1 is a tenth."""
    check_pasted(text)
    lines = [line for line in text.replace(";", "\n").splitlines() if line.strip()]
    rows = [[_entry(part) for part in re.split(r"[,\s]+", line.strip()) if part] for line in lines]
    require(
        len(rows) == k and len({len(row) for row in rows}) == 1,
        f"A channel for this matrix needs {k} lines, all with as many numbers, got "
        f"{formats.count(len(rows), 'line', 'lines')}; write one line a value.",
    )
    require(
        len(rows[0]) <= OUTPUTS_MAX,
        f"A channel may have at most {OUTPUTS_MAX} reports, got {len(rows[0]):,}; leave some out.",
    )
    return Candidate("The pasted channel", rows, _numbered(len(rows[0])))


def _entry(text: str) -> Fraction:
    require(
        _NUMBER.fullmatch(text) is not None and not re.search(r"/0*$", text),
        f"A channel's entry must be a number such as 0.25 or 1/4, got {text[:20]!r}.",
    )
    above, _, below = text.partition("/")
    return Fraction(above) / Fraction(below or 1)


def as_text(channel: Sequence[Sequence[Fraction]]) -> str:
    """A channel as it can be pasted again, exactly."""
    return "\n".join(" ".join(str(entry) for entry in row) for row in channel)


def even_variance(found: Mechanism) -> float:
    """Σ n·Var(p̂_x) where all values are equally common: what the designer minimises."""
    k = found.k
    return float(np.sum(found.variance(np.full(k, 1.0 / k), 1)))
