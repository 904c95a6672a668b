"""State of the page: a scenario of one yes-or-no question, with its link, undo and ready questions.

Its data: a scenario's mechanism beside Warner's coin at the stricter ε, all from the channel.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import numpy as np

from caldp_core.audit.adversary import ErrorVertex, error_rates, error_vertex, posterior
from caldp_core.basics.errors import require
from caldp_core.basics.limits import EPSILON_MAX
from caldp_core.basics.types import Floats
from caldp_core.datasets import YesOrNo
from caldp_core.estimation.intervals import share_quantiles
from caldp_core.experiments.run import Result
from caldp_core.mechanisms.capabilities import channel_products
from caldp_core.privacy.matrix import BinaryPolicy
from caldp_core.scenarios.policies import BinaryQuestion
from caldp_core.scenarios.scenario import Best, Scenario
from caldp_ui.compute import runs
from caldp_ui.controls.choices import PolicyPreset, matching_preset, read_presets
from caldp_ui.session.page_state import PinPageState, ScenarioLink, ScenarioRecord
from caldp_ui.words import policies

BEGIN: Final = Scenario(YesOrNo(), BinaryQuestion(epsilon_01=3.0, epsilon_10=1.0), n=1_000)


@dataclass(frozen=True)
class YesNoState(ScenarioRecord):
    """The page's record."""

    scenario: Scenario = BEGIN


def _check(record: YesNoState) -> None:
    """Raise `CaldpError` for other policies, data and levels, and where the setup fails."""
    policy = yes_no_policy(record.scenario)
    for name, level in (("yes", policy.epsilon_10), ("no", policy.epsilon_01)):
        require(
            level <= EPSILON_MAX or math.isinf(level),
            f"ε of {name} must be at most {EPSILON_MAX:g}, or ∞ for no protection, got {level:g}.",
        )
    runs.setup(record.scenario)


def yes_no_policy(scenario: Scenario) -> BinaryQuestion:
    """The scenario's policy; raises `CaldpError` if it is not a yes-or-no question."""
    policy = scenario.policy
    require(
        isinstance(policy, BinaryQuestion) and isinstance(scenario.dataset, YesOrNo),
        "This page shows one yes-or-no question; open other scenarios on their own page.",
    )
    assert isinstance(policy, BinaryQuestion)
    return policy


def with_levels(scenario: Scenario, **levels: float) -> Scenario:
    """The scenario with another `epsilon_01` (of no) or `epsilon_10` (of yes)."""
    return replace(scenario, policy=replace(yes_no_policy(scenario), **levels))


LINK: Final = ScenarioLink(YesNoState(), _check)
STATE: Final = PinPageState("yesno", LINK)


DOT_COUNT: Final = 50
_EVEN: Final = (Fraction(1, 2), Fraction(1, 2))


@dataclass(frozen=True, eq=False)
class Coin:
    """A mechanism for one yes-or-no question, and one outcome of it.

    `yes_probabilities`: (2,) chance that a person whose answer is no, or yes, sends yes.
    `correct_probabilities`: (2,) chance that the report, no or yes, is the true answer if both were
    equally likely before; None where nobody sends that report. `vertex`: the corner of the errors
    that its promise allows (CALDP, eq. (23)). `errors`: those of taking each report at its word.
    `estimate`: share of yes, the unbiased one cut to [0, 1]. `low`, `high`: 95 % range of the
    share, which includes it. `dots`: (50,) ends of such ranges: between two of them is the truth in
    1 of 50 surveys. `standard_error`: of the unbiased estimate, at the true share.
    """

    result: Result
    yes_probabilities: tuple[float, float]
    correct_probabilities: tuple[float | None, float | None]
    vertex: ErrorVertex
    errors: ErrorVertex
    estimate: float
    low: float
    high: float
    dots: Floats
    standard_error: float


@dataclass(frozen=True, eq=False)
class YesNoData:
    """This protection, Warner's coin at the stricter ε, and the true share of yes."""

    ours: Coin
    warner: Coin
    truth: float


def warner_scenario(scenario: Scenario) -> Scenario:
    """Plain LDP on the same people: both answers at the smaller of the two ε's."""
    least = min(yes_no_policy(scenario).epsilon_01, yes_no_policy(scenario).epsilon_10)
    return replace(scenario, policy=BinaryQuestion(least, least), mechanism=Best())


def load_data(scenario: Scenario) -> YesNoData:
    """Data of the page for a scenario; raises `CaldpError` where nothing can be learned."""
    truth = float(runs.setup(scenario).dataset.distribution[1])
    return YesNoData(load_coin(scenario), load_coin(warner_scenario(scenario)), truth)


def load_coin(scenario: Scenario) -> Coin:
    """The scenario's mechanism with its outcome; raises `CaldpError` as `load_data`."""
    result = runs.result(scenario)
    setup = result.setup
    products = channel_products(setup.mechanism)
    assert products is not None  # reports of a yes-or-no mechanism are symbols
    unbiased, n = result.first.unbiased, setup.n
    ends = share_quantiles(products, unbiased, n, np.array([0.025, 0.975]))
    estimate = min(max(float(unbiased[1]), 0.0), 1.0)
    channel = setup.mechanism.exact_channel()
    alarm, missed = error_rates(channel, 0, 1, lambda y: y == 0)
    levels = yes_no_policy(scenario)
    return Coin(
        result,
        (float(channel[0][1]), float(channel[1][1])),
        (_correct_probability(result, 0), _correct_probability(result, 1)),
        error_vertex(BinaryPolicy(levels.epsilon_01, levels.epsilon_10)),
        ErrorVertex(float(alarm), float(missed)),
        estimate,
        min(float(ends[0]), estimate),
        max(float(ends[1]), estimate),
        share_quantiles(products, unbiased, n, (np.arange(DOT_COUNT) + 0.5) / DOT_COUNT),
        float(np.sqrt(setup.mechanism.variance(setup.dataset.distribution, n)[1])),
    )


def _correct_probability(result: Result, report: int) -> float | None:
    mechanism = result.setup.mechanism
    channel = mechanism.exact_channel()
    if not any(row[report] for row in channel):
        return None
    return float(posterior(channel, mechanism.policy, _EVEN, report)[report])


def warner_people_factor(data: YesNoData) -> float:
    """Factor by which Warner's coin needs more people for the same standard error, in [0, ∞]."""
    if data.ours.standard_error == 0:
        return 1.0 if data.warner.standard_error == 0 else float("inf")
    return (data.warner.standard_error / data.ours.standard_error) ** 2


PRESETS: Final = read_presets(__file__, "questions", PolicyPreset)
"""Each is one click; people and the true share stay as they are."""


def title(record: YesNoState) -> str:
    """The ready question, if it is one, and both ε's."""
    preset = matching_preset(PRESETS, record.scenario)
    policy = yes_no_policy(record.scenario)
    levels = (policies.level(each) for each in (policy.epsilon_10, policy.epsilon_01))
    levels_text = "ε of yes {}, of no {}".format(*levels)
    return f"{preset.title}: {levels_text}" if preset else levels_text
