"""The statements that the stations of the lecture rest on; see `words/statements.py`."""

from collections.abc import Mapping
from typing import Final

from caldp_ui.words.statement import Statement

LECTURE: Final[Mapping[str, tuple[Statement, ...]]] = {
    "trust": (
        Statement(
            "Dwork, McSherry, Nissim, Smith 2006: a curator's count, on whole numbers",
            "lecture.central.CentralCount",
        ),
    ),
    "selection": (
        Statement(
            "Dwork, Roth 2014, Claim 3.9: report noisy max",
            "lecture.central.NoisyMax",
        ),
        Statement("selection bit by bit, ε/log₂ d a bit", "lecture.selection.BitwiseResponse"),
    ),
    "rappor": (
        Statement(
            "Erlingsson, Pihur, Korolova 2014, Theorems 1 and 2: two layers",
            "lecture.rappor.Rappor",
        ),
        Statement(
            "what an attacker of RAPPOR learns in so many days",
            "lecture.rappor.guess_accuracy_of_laws",
        ),
    ),
    "bits": (
        Statement("Apple 2017: count-mean sketch", "lecture.sketches.CountMeanSketch"),
        Statement("its one-bit Hadamard form", "lecture.sketches.HadamardSketch"),
    ),
    "means": (
        Statement(
            "Ding, Kulkarni, Yekhanin 2017: one bit for a mean",
            "lecture.one_bit_mean.OneBitMean",
        ),
        Statement(
            "the same every day, rounded by an offset and remembered",
            "lecture.one_bit_mean.Phones",
        ),
    ),
    "shuffling": (
        Statement(
            "Feldman, McMillan, Talwar 2021, main theorem: shuffling",
            "theory.shuffling.closed_form_epsilon",
        ),
        Statement(
            "their reduction to clones, as of 2023, summed up", "theory.shuffling.numeric_epsilon"
        ),
        Statement(
            "Wang and others 2023: less, where the mechanism is known",
            "theory.mixing.epsilon_after_mixing",
        ),
    ),
}
"""By the station of the classroom, whose expander “The formula” has the formulas themselves."""
