"""Sentences as a reader meets them, assembled over scenarios that are drawn.

A sentence begins with a capital, has a verb and at most 25 words; no number is a power of ten, none
is told twice as about, and none of the words that were given up comes back.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.datasets import YesOrNo, Zipf
from caldp_core.experiments.run import Setup, prepare
from caldp_core.scenarios.blocks import SensitiveAreas
from caldp_core.scenarios.policies import BinaryQuestion, CrowFlies, Line, PersonalTags, Streets
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.words import accuracy, formats, policies, promise
from caldp_ui.words.formats import ANSWERS, MEANING, PLACES, VALUES, Vocabulary
from caldp_ui.words.glossary import DEFINITIONS
from tests.contract.checks import naming
from tests.ui.small import CONTEXTS, DATASET, setup_of
from tests.ui.test_odds_hold import contexts, matrices

MOST: Final = 25
VERBS: Final = re.compile(
    r"\b(is|are|was|has|have|can|may|must|be|becomes|puts|hides?|holds?|shows?|adds?|leaves?|names?|"
    r"sends?|knows|limits|says|states|turns|covers|makes|does?|protects|takes|counts|tell|would|live)\b"
)
BANNED: Final = re.compile(
    r"onlooker|\bsp(?:y|ies)\b|intruder|adversary|whoever|\btorn\b|is told|are told|hangs? on|"
    r"lies? off|gives? away|kept secret|how secret|another outcome|other coins|hand it on|"
    r"for that\b|counted at|with yes\b|of itself\b|seen here only|own places known",
    re.IGNORECASE,
)
POWER: Final = re.compile(r"\de[+-]?\d|10[⁰¹²³⁴-⁹⁻]|10\^|(?<![\d.,])\d{4,}|\.\d{7,}")
_END: Final = re.compile(r"(?<=[.!?])[*”]* (?=\S)")
SHARES = st.sampled_from([0.0, 1e-9, 3e-5, 0.0004, 0.018, 0.12, 0.54, 0.999, 1.0, 1.7])
ERRORS: Final = ((0.0, 0.5), (3e-5, 2e-5), (0.1, 3e-5), (0.02, 0.54), (1.0, 1.7), (1.7, 1e-9))
LEVEL = st.sampled_from([EPSILON_MIN, 0.1, 1.0, 3.0, EPSILON_MAX])
MANY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def sentences(text: str) -> Iterator[str]:
    yield from (part.strip() for part in _END.split(text.replace("*", "")) if part.strip())


def well_formed(text: str) -> None:
    for sentence in sentences(text):
        with naming(sentence):
            words = re.findall(r"[^\W\d_]+(?:['’]\w+)?|\d[\d,.]*", sentence)
            assert len(words) <= MOST
            assert VERBS.search(sentence)
            assert sentence[0].isupper() or not sentence[0].isalpha()
            assert sentence[-1] in ".!?”"
            assert not BANNED.search(sentence)
            assert not POWER.search(sentence)
            assert not re.search(r"about (?:less|more|under|over|about|at most)", sentence)
            assert sentence.count("less than 0.01") <= 1


def texts_of(nouns: Vocabulary, setup: Setup, ours: float, plain: float) -> Iterator[str]:
    """All that is assembled of a scenario and its errors."""
    head = accuracy.headline(nouns, setup, ours, plain)
    text = policies.describe_promise(nouns, setup)
    yield from (head.sentence, head.second)
    yield from (text.summary, text.protected, text.odds, text.repeats, *text.not_promised)
    yield from (grade.odds for grade in text.grades)
    yield accuracy.error_sentence(nouns, ours, plain)
    yield promise.counted_as_people(setup.scenario)
    yield f"Plain LDP would need {' '.join(accuracy.plain_needs(setup, 12 * setup.n))}."
    yield f"Plain LDP would need {' '.join(accuracy.plain_needs(setup, None))}."


@MANY
@given(contexts(), SHARES, SHARES)
def test_contexts(scenario: Scenario, ours: float, plain: float) -> None:
    for text in texts_of(ANSWERS, prepare(scenario), ours, plain):
        well_formed(text)


MAPS: Final[dict[str, Any]] = {
    "streets": Streets(1.0, 150.0),
    "as the crow flies": CrowFlies(0.5, 150.0),
    "own places": PersonalTags(SensitiveAreas(("+10,11,-20,-18",)), (0.3, 0.2), "truth", 1.0),
    "own places alone": PersonalTags(SensitiveAreas(), (0.4,), "uniform", 4.0),
}


def on_a_map(name: str, epsilon: float) -> Setup:
    if name in MAPS:
        return prepare(Scenario(policy=MAPS[name]), load=lambda s, p: DATASET)
    return setup_of(name, epsilon)


@pytest.mark.parametrize("name", [*CONTEXTS, *MAPS])
def test_maps(name: str) -> None:
    for epsilon in (EPSILON_MIN, 1.0, 3.0, EPSILON_MAX):
        setup = on_a_map(name, epsilon)
        for ours, plain in ERRORS:
            for text in texts_of(PLACES, setup, ours, plain):
                well_formed(text)


@MANY
@given(matrices() | st.builds(BinaryQuestion, LEVEL, LEVEL) | st.builds(Line, LEVEL), SHARES)
def test_other_policies(policy: Any, ours: float) -> None:
    few = isinstance(policy, BinaryQuestion)
    data = YesOrNo(0.3) if few else Zipf(len(getattr(policy, "rows", range(6))))
    for text in texts_of(VALUES, prepare(Scenario(data, policy, n=1000)), ours, 0.5):
        well_formed(text)


def test_what_stands_by_itself() -> None:
    for text in (MEANING, promise.epsilon_examples(), *DEFINITIONS.values()):
        for sentence in sentences(text):
            assert not BANNED.search(sentence), sentence
            assert not POWER.search(sentence), sentence
            assert len(sentence.split()) <= MOST, sentence


@given(st.floats(0, 1) | st.floats(0, 1e-4) | st.floats(0.999, 1))
def test_a_percentage_is_read_back_and_is_no_power_of_ten(share: float) -> None:
    text = formats.percent(share)
    assert "e" not in text.removeprefix("less than").removeprefix("more than")
    number = float(re.findall(r"[\d.]+", text)[0]) / 100
    if text.startswith("less"):
        assert 0 < share < number
    elif text.startswith("more"):
        assert number < share < 1
    else:
        assert number == pytest.approx(share, rel=0.06, abs=1e-12)
        assert (number in (0.0, 1.0)) == (share in (0.0, 1.0)) or share < 1e-12


def test_a_sentence_of_the_old_kind_is_found() -> None:
    for wrong in (
        "**54 of 100 people in the wrong place**; with plain LDP 54.",
        "An onlooker guesses right at most 73 of 100 (fair).",
        "this protection hides everything.",
        "The chance is 1.9e-05 %.",
        "There are 1024 items.",
        "People are about less than 0.01 km off.",
        "That someone took part at all.",
    ):
        with pytest.raises(AssertionError):
            well_formed(wrong)
