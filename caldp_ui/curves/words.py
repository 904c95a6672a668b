"""The curves in words: the sentence at the reader's place, and what the chart says.

Room: curves.
"""

from collections.abc import Sequence

from caldp_core.domain.grid import GridDomain
from caldp_ui.compute import runs
from caldp_ui.curves.axes import AXES, power_at, value_at
from caldp_ui.curves.drawn import Drawn, present
from caldp_ui.curves.slot import Curves
from caldp_ui.words import formats
from caldp_ui.words.vocabulary import PLACES, VALUES


def alt(record: Curves, curves: Sequence[Drawn]) -> str:
    """The chart in words: both ends of every curve."""
    told = "; ".join(
        f"{each.line.title} from {formats.share(each.there()[0][1].tv)} to "
        f"{formats.share(each.there()[-1][1].tv)}"
        for each in curves
        if each.there()
    )
    return f"Expected error against {AXES[record.against].label}, both logarithmic: {told}."


def said(record: Curves, curves: Sequence[Drawn]) -> str:
    """The sentence of the page, of its own curves without pinned ones."""
    own = [each for each in curves if not each.line.is_pinned]
    return in_words(record, own, present(record, own[0].line))


def in_words(record: Curves, drawn: Sequence[Drawn], place: float) -> str:
    """The least error and plain LDP's at the reader's place, and the slope there."""
    whole = [each for each in drawn if len(each.there()) > 1]
    if not whole:
        return "The curves are being computed: their ends first, then what lies between."
    axis = AXES[record.against]

    def at(each: Drawn) -> float:
        return value_at(*_points(each), place)

    least = min(whole, key=at)
    plain = next((each for each in whole if each.line.is_plain and each is not least), None)
    beside = "" if plain is None else f" ({plain.line.title}: {_short(plain, at(plain))})"
    told = f"**{least.line.title}: {_off(least, at(least))}**{beside}"
    if None in least.expected:
        return f"At {_called(record.against, place)}, {told}, by the points that are there so far."
    x, tv = _points(least)
    slope = axis.power(power_at(x, tv, place))
    if record.against == "people":
        slope += f"; in the end, {_fourfold(power_at(x, tv, x[-1]))}"
    return f"At {_called(record.against, place)}, {told}; {slope}."


def _fourfold(power: float) -> str:
    return f"{2 ** (-1 / power):.2g} times" if power < 0 else "it falls no more"


def _off(each: Drawn, tv: float) -> str:
    """An error as people where the estimate is made of shares."""
    if each.line.scenarios[0].estimator == "none":
        return f"error {_short(each, tv)}"
    is_map = isinstance(runs.dataset(each.line.scenarios[0]).domain, GridDomain)
    unit = PLACES.unit if is_map else VALUES.unit
    return f"{_short(each, tv)} people with the wrong {unit}"


def _short(each: Drawn, tv: float) -> str:
    """The number alone."""
    is_share = each.line.scenarios[0].estimator != "none"
    return formats.of_hundred(min(tv, 1.0)) if is_share else formats.share(tv)


def _points(each: Drawn) -> tuple[list[float], list[float]]:
    there = each.there()
    return [x for x, _ in there], [error.tv for _, error in there]


def _called(against: str, place: float) -> str:
    number = formats.people(place) if against != "epsilon" else f"{place:g}"
    return {
        "people": f"{number} people",
        "epsilon": f"ε = {number}",
        "blocks": formats.count(round(place), "block", "blocks"),
        "sensitive": formats.count(round(place), "sensitive value", "sensitive values"),
    }[against]
