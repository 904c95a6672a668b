"""Numbers as people read them: never a power of ten, thousands separated by a comma.

Beside them the nouns of a page's sentences (`Vocabulary`), a headline's two lines, the four words
for the strength of a protection, and names of places: their town, or degrees.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from caldp_core.basics.cache import cached
from caldp_core.basics.errors import count_text
from caldp_core.datasets import base_map
from caldp_core.domain.domains import US_GRID, Domain, GridDomain

count: Final = count_text
"""A number of things: "1 block", "875 blocks"."""

_BIG = ((1e15, "quadrillion"), (1e12, "trillion"), (1e9, "billion"), (1e6, "million"))

_RARE = 1e-6
"""Smaller shares do not raise the number of people that `out_of_one` counts by."""
_NOBODY = 1e-12
"""Smaller shares are rounding errors of sums: nobody."""


def people(number: float) -> str:
    """A number of people in full up to a million, then in words: "3.67 million"."""
    whole = round(number)
    for size, word in _BIG:
        # From half a unit of the third digit below, rounding already leads to the next word.
        if abs(whole) >= size * (1.0 if size == _BIG[-1][0] else 0.9995):
            scaled = whole / size
            return f"{scaled:.3g} {word}" if abs(scaled) < 999.5 else f"{scaled:,.0f} {word}"
    return f"{whole:,}"


def integer(number: int) -> str:
    """A whole number with thousands separated."""
    return f"{number:,}"


def counted(number: float, one: str, many: str) -> str:
    """A number of things as `people` writes it: "1 person", "3.67 million people"."""
    return count(people(number), one, many)


def share(value: float) -> str:
    """A total variation or a share: three decimals, more where it is small."""
    if value == float("inf"):
        return "∞"
    if abs(value) < _NOBODY:
        return "0.000"
    if value >= 0.01:
        return f"{value:.3f}" if value < 10 else f"{value:,.1f}"
    return digits(value)


def digits(value: float, significant: int = 2) -> str:
    """A number to `significant` digits, never as a power of ten: "0.000012", "3.4", "12,000"."""
    rounded = float(f"{value:.{significant}g}")
    if rounded == 0:
        return "0"
    decimals = max(0, significant - 1 - math.floor(math.log10(abs(rounded))))
    text = f"{rounded:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if decimals else text


@dataclass(frozen=True)
class Amount:
    """A number as text, and the words around it: "29" m, "less than" "0.01" %, "8" of 1,000."""

    number: str
    unit: str
    bound: str = ""

    def __str__(self) -> str:
        return f"{self.bound} {self.number} {self.unit}".lstrip()


def measure(km: float) -> Amount:
    """A length ≥ 0 in km, in metres below one: "1,234 km", "3.1 km", "29 m"."""
    if km < 0.995:
        return Amount(digits(1000 * km), "m")
    km = max(km, 1.0)  # what is nearer than two digits of metres: 0.995 km was "0.99 km"
    return Amount(f"{km:.2g}" if km < 9.95 else f"{km:,.0f}", "km")


def length(km: float) -> str:
    """A length ≥ 0 in km as `measure` writes it."""
    return str(measure(km))


def sized(km: float) -> str:
    """A length ≥ 0 in km before the noun that has it: "22-km", "500-m"."""
    side = measure(km)
    return f"{side.number}-{side.unit}"


def plus_minus(value: float, spread: float) -> str:
    """A value and its spread, both at least 0, to the same decimals; neither is rounded to 0."""
    decimals = 3 if max(value, spread) < 10 else 1
    parts = [part for part in (value, spread) if part > _NOBODY]
    if decimals == 3 and parts and min(parts) < 0.00075:
        decimals = min(12, -math.floor(math.log10(min(parts))))
    return f"{value:.{decimals}f} ± {spread:.{decimals}f}"


def times(factor: float) -> str:
    """A factor: three digits, whole numbers from 10 on, words from a million on: "1.62 times"."""
    if factor < 9.995:
        return f"{factor:.3g} times"
    return f"{people(float(f'{factor:.3g}'))} times"


def times_between(low: float, high: float) -> str:
    """A factor between two ends, to two digits: "3.3 to 3.6 times"; "3.5 times" if both are."""
    if math.isinf(high):
        return f"more than {times(two_digits(low))}"
    first, last = two_digits(low), two_digits(high)
    if first == last:
        return times(first)
    return f"{times(first).removesuffix(' times')} to {times(last)}"


def two_digits(number: float) -> float:
    """A number > 0 rounded to two digits."""
    return float(f"{number:.2g}")


def about(number: float, part: float) -> str:
    """A number > 0 with the digits that its error leaves it; `part`: its error, as a part of it.

    Two below a part of 5 %, else "about" and one.
    """
    if part < 0.05:
        return digits(number)
    return f"about {digits(float(f'{number:.1g}'))}"


def is_almost_sure(probability: float) -> bool:
    """Whether `hundred` writes no number of a probability but "more than 99.9"."""
    return probability >= 0.9995


def hundred(probability: float) -> str:
    """A probability as times of 100: a whole number, one decimal near 100, "more than 99.9"."""
    if is_almost_sure(probability):
        return "more than 99.9"
    return f"{100 * probability:.{0 if probability < 0.995 else 1}f}"


def some_of_hundred(probability: float) -> str:
    """As `hundred`, of a probability above 0: never "0", but "fewer than 1"."""
    return hundred(probability) if probability > 0.005 else "fewer than 1"


def per_hundred(share: float) -> str:
    """A share in [0, 1] as a number of 100, small ones as fractions: "54", "less than 0.01"."""
    if share >= 0.015:
        return hundred(share)
    if share < _NOBODY:  # what rounding leaves of nobody
        return "0"
    if share < 1e-4:
        return "less than 0.01"
    return f"{100 * share:.2g}" if share >= 0.01 else f"{100 * share:.1g}"


def upper_bound(probability: float) -> str:
    """A bound on a probability, of 100: "at most 73", or "more than 99.9" without a bound."""
    best = hundred(probability)
    return best if is_almost_sure(probability) else f"at most {best}"


def percentage(share: float) -> Amount:
    """A share in [0, 1] in percent: 0.3, less than 0.01; 100 for 1 alone."""
    if 0.0 < share < 0.5e-4:
        return Amount("0.01", "%", "less than")
    if 1.0 - 0.5e-4 < share < 1.0:
        return Amount("99.99", "%", "more than")
    return Amount(digits(100 * share, 2 if share < 0.995 else 4), "%")


def percent(share: float) -> str:
    """A share in [0, 1] as `percentage` writes it: "0.3 %", "less than 0.01 %"."""
    return str(percentage(share))


def point_count(share: float, significant: int = 2) -> str:
    """How many percentage points a difference of shares is; "more than 100" above 1."""
    return digits(100 * share, significant) if share <= 1 else "more than 100"


def points(share: float, significant: int = 2) -> str:
    """A difference of shares: "1 percentage point", "1.9 percentage points"."""
    return count(point_count(share, significant), "percentage point", "percentage points")


def percent_range(low: float, high: float, decimals: int = 1) -> str:
    """Shares as "12.3 to 14.5 %", with as many decimals as it takes to tell the ends apart."""
    if low == high:
        return percent(low)
    while decimals < 6 and 100 * (high - low) < 3 * 10.0**-decimals:
        decimals += 1
    return f"{100 * low:.{decimals}f} to {100 * high:.{decimals}f} %"


def of_hundred(share: float) -> str:
    """A share in [0, 1] of 100, for comparing with others: "0.9 of 100"."""
    return f"{per_hundred(share)} of 100"


def ratio(share: float) -> Amount:
    """A share in [0, 1] as people: "42 of 100", "8 of 1,000", "all but 8 of 1,000"."""
    if share < _NOBODY:
        return Amount("0", "of 100")
    if share > 1 - _NOBODY:
        return Amount("100", "of 100")
    if share >= 0.995:
        rest = ratio(1 - share)
        return Amount(f"all but {rest.number}", rest.unit)
    power = next((power for power in range(2, 12) if share * 10**power >= 1.5), 12)
    return Amount(f"{round(share * 10**power)}", f"of {people(10**power)}")


def out_of(share: float) -> str:
    """A share in [0, 1] as people, as `ratio` writes it."""
    return str(ratio(share))


def out_of_few(share: float) -> str:
    """A share and the rest out of the same number: "12 of 1,000" beside "988 of 1,000"."""
    few = min(share, 1.0 - share)
    power = next((power for power in range(2, 12) if few * 10**power >= 1.5), 12)
    if few < _NOBODY or power > 6:
        return out_of(share)
    return f"{people(share * 10**power)} of {people(10**power)}"


def out_of_one(*values: float) -> tuple[list[str], str]:
    """Shares in [0, 1] as people out of one number: (["27", "3"], "1,000")."""
    least = min((value for value in values if value >= _RARE), default=1.0)
    power = next(power for power in range(2, 9) if least * 10**power >= 1.5)
    return [people(value * 10**power) for value in values], people(10**power)


def degrees(latitude: float, longitude: float, cell: float = 0.2) -> str:
    """A place: "40.7° N, 74.0° W", with decimals for cells of `cell` degrees."""
    decimals = 1 if cell >= 0.2 else 2 if cell >= 0.02 else 3
    north = "N" if latitude >= 0 else "S"
    longitude -= 360.0 if longitude > 180.0 else 0.0  # maps go on across 180°
    east = "E" if longitude >= 0 else "W"
    return f"{abs(latitude):.{decimals}f}° {north}, {abs(longitude):.{decimals}f}° {east}"


@dataclass(frozen=True)
class Strength:
    """A word for a protection. `most`: largest chance that an even guess is right, in (0.5, 1].

    `light`, `dark`: its colour as text on a page of each theme (WCAG AA).
    """

    word: str
    most: float
    light: str
    dark: str


NONE: Final = "none"
"""The word for a protection that leaves an attacker almost sure."""
STRENGTHS: Final = (
    Strength("strong", 0.675, "#006B4F", "#3CC79B"),
    Strength("fair", 0.805, "#005F9E", "#7CC4F2"),
    Strength("weak", 0.955, "#8A5A00", "#F0B73E"),
    Strength(NONE, 1.0, "#A63A00", "#FF9B6A"),
)
"""Odds of about 2 : 1, 4 : 1 and 20 : 1 at most (ε up to 0.73, 1.41 and 3.05 between two protected
values), and beyond: 67, 80 and 95 right guesses of 100 as pages show them, rounded."""
MEANING: Final = (
    "Under “strong” protection an attacker's even guess is right up to 67 times in 100, “fair” up "
    "to 80, “weak” up to 95, “none” more. Without a report it is right 50 times in 100."
)


def strength(chance: float) -> Strength:
    """Strength where an even guess is right with at most this chance, in [0.5, 1]."""
    return next(each for each in STRENGTHS if chance <= each.most)


@dataclass(frozen=True)
class Headline:
    """One sentence, and a second, smaller line for the rest; both plain text.

    `unprotected`: whether the sentence is about people who are not protected; it is marked so.
    `figures`: the numbers that both lines state beside the reader's own settings, unrounded.
    """

    sentence: str
    second: str = ""
    unprotected: bool = False
    figures: Mapping[str, float] = field(default_factory=dict, compare=False)

    @classmethod
    def of(
        cls, first: Sequence[str], rest: Sequence[str], figures: Mapping[str, float]
    ) -> "Headline":
        """Of sentences: `first` those on who is not protected, if any; "" are left out."""
        sentence, *second = filter(None, (*first, *rest))
        return cls(sentence, " ".join(second), any(first), figures)

    @property
    def whole(self) -> str:
        """Both lines as one text."""
        return f"{self.sentence} {self.second}".strip()


@dataclass(frozen=True)
class Vocabulary:
    """Nouns of a page. `unit`, `units`: a symbol of the domain; `whole`: all of them together.

    `at`: preposition of a person and a symbol, as in "people *at* places that are not sensitive".
    `wrong`: where an estimate puts people by mistake. `which`: what is hidden within a block, as
    in "both hide *where someone is* in a block". `person`, `people`: what the data count.
    """

    unit: str
    units: str
    whole: str
    at: str
    wrong: str
    which: str
    person: str = "person"
    people: str = "people"

    @property
    def belong(self) -> str:
        """The verb of people and their symbols: they "are at" places and "have" values."""
        return "have" if self.at == "with" else f"are {self.at}"


PLACES: Final = Vocabulary("place", "places", "map", "at", "in the wrong place", "where someone is")
VALUES: Final = Vocabulary(
    "value", "values", "list", "with", "under the wrong value", "which value someone has"
)
ANSWERS: Final = Vocabulary(
    "answer", "answers", "list", "with", "under the wrong answer", "which answer someone gave"
)


def nouns_of(domain: Domain | GridDomain, others: Vocabulary = VALUES) -> Vocabulary:
    """Nouns of data on a domain: places on a map, else `others`."""
    return PLACES if isinstance(domain, GridDomain) else others


@cached
def towns(domain: GridDomain = US_GRID) -> dict[int, str]:
    """Name of the largest city of each cell that has one, the largest city first."""
    names: dict[int, str] = {}
    for city in base_map(domain).cities:
        (cell,) = domain.locate([city.latitude], [city.longitude]).tolist()
        if cell >= 0:
            names.setdefault(cell, f"{city.name}, {city.region}")
    return names


def place_name(domain: GridDomain, symbol: int) -> str:
    """Name of a cell of the map: its largest city, else degrees."""
    if symbol in towns(domain):
        return towns(domain)[symbol]
    (row,), (column,) = domain.row_column([symbol])
    where = float(domain.latitudes()[row]), float(domain.longitudes()[column])
    return degrees(*where, domain.cell)
