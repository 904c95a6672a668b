"""Sentences on the recomputed numbers beside the printed ones.

Every sentence here must be true of the runs that it is shown with.
"""

from collections.abc import Sequence
from typing import Final

from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.interleaved_runs import Mean
from caldp_core.experiments.reproduce import PAPER, Column
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.controls.common import METHODS
from caldp_ui.words import formats
from caldp_ui.words.headline import Headline

_UNIT: Final = "\N{NO-BREAK SPACE}%"
Rows = Sequence[tuple[Column, Mean]]


def column_title(column: Column) -> str:
    """A column of Table 1 as readers know it: "Plain LDP", "25 × 35 blocks"."""
    if column.title == "LDP":
        return "Plain LDP"
    return f"{column.title.strip('()').replace(', ', ' × ')} blocks"


def headline(scenario: Scenario, rows: Rows) -> Headline:
    """How far the recomputed columns are from the printed ones, and with what."""
    if not rows:
        return Headline(
            "The paper's Table 1 is still being computed.", "Each column draws new noise."
        )
    gaps = [relative_difference(column, mean) for column, mean in rows]
    most = _percent(max(abs(gap) for gap in gaps))
    return Headline(
        f"Our Table 1 differs from the printed one by at most {most}.",
        f"The range is {_range(min(gaps), max(gaps))} the printed numbers, "
        f"{_settings_clause(scenario)}",
    )


def _settings_clause(scenario: Scenario) -> str:
    """The end of a sentence on what was computed."""
    if scenario.context == PAPER.context and (scenario.mechanism, scenario.estimator) == (
        PAPER.mechanism,
        PAPER.estimator,
    ):
        return "at ε = 1 with one projection."
    return f"with {settings_text(scenario)}."


def settings_text(scenario: Scenario) -> str:
    """ε, method and estimator in a line."""
    method = METHODS.get(scenario.kind("mechanism"), (scenario.kind("mechanism"),))[0]
    estimate = ESTIMATORS[scenario.estimator].title
    return f"ε = {scenario.context.epsilon:g}, “{method}” and “{estimate}”"


def relative_difference(column: Column, mean: Mean) -> float:
    """The difference from the printed number, as a share of it."""
    return mean.error / column.paper - 1


def difference_text(column: Column, mean: Mean) -> str:
    """The difference in words, and whether it is beyond three standard errors."""
    gap = relative_difference(column, mean)
    text = f"{_percent(abs(gap))} {'above' if gap >= 0 else 'below'}"
    if mean.standard_error is None:
        return text
    far = abs(mean.error - column.paper) > 3 * mean.standard_error
    return f"{text}, {'beyond chance' if far else 'within chance'}"


def standard_error_text(mean: Mean) -> str:
    """The standard error of the mean, where there are several runs."""
    return "" if mean.standard_error is None else formats.share(mean.standard_error)


def _range(low: float, high: float) -> str:
    if high < 0:
        return f"{_span_text(-high, -low)} below"
    if low > 0:
        return f"{_span_text(low, high)} above"
    return f"{_percent(-low)} below to {_percent(high)} above"


def _span_text(low: float, high: float) -> str:
    first, second = _percent(low), _percent(high)
    return first if first == second else f"{first.removesuffix(_UNIT)} to {second}"


def _percent(share: float) -> str:
    return f"{100 * share:,.0f}{_UNIT}" if share >= 0.0995 else f"{100 * share:.1f}{_UNIT}"


UNCHECKED: Final = (
    (
        "Table 1 prints neither ε nor how negative estimates were made shares.",
        (
            "ε = 1 and one Euclidean projection give its numbers; clipping at 0 and dividing by "
            "the sum does not. That is our reading, not the paper's word."
        ),
    ),
    (
        "The check-ins are a reconstruction.",
        (
            "The original file may not be shipped. `python -m caldp_core fetch gowalla` fetches "
            "SNAP's; once it is there, it can be chosen here under “Data”."
        ),
    ),
    (
        "Figure 2's numbers and λ are not in our copy.",
        (
            "Our copy of the paper is text, and the figures are pictures: Geo(0.8) and Zipf(1) "
            "are our choice of λ, and points can be compared in order and slope, not digit by "
            "digit. The shuffle of Geo* is ours, too."
        ),
    ),
    (
        "Figure 3 is a picture, too.",
        "Its map can be seen beside ours, but it cannot be compared cell by cell.",
    ),
    (
        "There are slips in print: (13), (17), (23), and one sentence.",
        (
            "(13) counts rows of the Hadamard matrix from 0, where the appendix rightly starts at "
            "1; (23) prints one coordinate twice; (17) has √c·k/n where its proof has √(c·k/n); a "
            "smaller ε(x, x′) raises false alarms by (7) and (8), not misses as is said there. "
            "We build what the proofs say; docs/mathematics.md lists each."
        ),
    ),
    (
        "ULDP (Murakami, Kawamoto 2019): its formulas and experiments were not compared.",
        (
            "Our copy lost its formulas and ends after section 4. Its mechanisms and Propositions "
            "4 to 8 were worked out anew and are tested against exact channels, but not compared "
            "with the printed formulas, nor with its plots over the size of the sensitive set."
        ),
    ),
)
"""Title and text: the printed numbers that could not be checked, and why."""
