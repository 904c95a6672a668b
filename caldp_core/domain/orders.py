"""The order of answers by what they say: numbers, bands of numbers, words of usual scales."""

import math
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from caldp_core.domain.domains import scale_of

Ranks: TypeAlias = dict[str, tuple[float, int]]
_WORDS: Final[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text("utf-8")
)
_BELOW, _ABOVE = (frozenset(_WORDS["bands"][end].split("; ")) for end in ("below", "above"))
_SCALES, _CYCLES = (
    [line.split("; ") for line in _WORDS["scales"][kind].strip().splitlines()]
    for kind in ("words", "cycles")
)
"""Words of scales, in their order; those of cycles begin anew, as days do."""
_SCALE_MIN: Final = 3
_NUMBERED: Final = r"([^\d]*?)(-?\d{1,3}(?:[,. ]\d{3})+|-?\d+(?:[.,]\d+)?)(?!\d)(.*)"


def natural_order(answers: Sequence[str]) -> Ranks:
    """Where each answer stands if all have a number behind one word or none; {} for no order.

    "under 10" comes before "10-20", and "50+" after "20-50". Words of a known scale are in its
    order, others such as "don't know" behind them.
    """
    return _by_words(answers, [*_SCALES, *_CYCLES]) or _by_numbers(answers, 1)


def places_on_scale(answers: Sequence[str]) -> dict[str, int]:
    """The place, from 0, of each of three answers or more that is on a scale; {} for no scale.

    As `natural_order`, but names such as "District 2", codes such as 01234 and days are none.
    """
    if len(answers) < _SCALE_MIN or any(re.match(r"0\d", answer) for answer in answers):
        return {}
    if scale_of(answers) is not None:
        return {answer: at for at, answer in enumerate(answers)}
    ranks = _by_words(answers, _SCALES) or _by_numbers(answers, 0)
    steps = sorted({rank for rank in ranks.values() if rank[0] < math.inf})
    return {answer: steps.index(rank) for answer, rank in ranks.items() if rank in steps}


def _by_words(answers: Sequence[str], scales: Sequence[list[str]]) -> Ranks:
    folded = {answer: answer.casefold().replace("’", "'") for answer in answers}
    best = max(scales, key=lambda scale: sum(text in scale for text in folded.values()))
    if sum(text in best for text in folded.values()) < max(_SCALE_MIN, len(answers) - 2):
        return {}
    rank = {word: float(at) for at, word in enumerate(best)}
    return {answer: (rank.get(text, math.inf), 0) for answer, text in folded.items()}


def _by_numbers(answers: Sequence[str], words_max: int) -> Ranks:
    """By numbers in all answers, with up to `words_max` different words before them.

    Words for an end of a band, such as "under", are not counted.
    """
    matches = {answer: re.fullmatch(_NUMBERED, answer.casefold()) for answer in answers}
    found = {answer: match.groups() for answer, match in matches.items() if match}
    words = {ahead.strip() for ahead, _, _ in found.values()} - _BELOW - _ABOVE - {""}
    if len(found) < len(answers) or len(words) > words_max:
        return {}
    return {
        answer: (
            float(re.sub(r"[,.\s](?=\d{3}(\D|$))", "", number).replace(",", ".")),
            (ahead.strip() in _ABOVE or "+" in behind) - (ahead.strip() in _BELOW),
        )
        for answer, (ahead, number, behind) in found.items()
    }
