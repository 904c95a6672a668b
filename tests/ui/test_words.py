"""Sentences are true of the scenario beside them, whatever it is, and read as sentences.

A sentence begins with a capital, has a verb and at most 25 words; no number is a power of ten, none
is told twice as about, and none of the words that were given up comes back.

A name that a reader knows stands in a sentence as they know it: in a command, in a log and on a
page, once Markdown has been read.

Who is not protected comes first.
"""

import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from caldp_core import Protocol
from caldp_core.basics.errors import quoted
from caldp_core.basics.limits import EPSILON_MAX, EPSILON_MIN
from caldp_core.basics.types import Bools, no_progress
from caldp_core.cli.commands import main
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.estimate import Results, Tallies
from caldp_core.datasets import Cities, OwnPlaces, YesOrNo, Zipf
from caldp_core.domain.domains import US_GRID, Area, GridDomain
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.regions import region_report
from caldp_core.experiments.run import Result, Setup, prepare, run
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.scenarios.blocks import (
    EvenRuns,
    EverythingSensitive,
    GridBlocks,
    OneBlock,
    RegionBlocks,
    SensitiveAreas,
)
from caldp_core.scenarios.policies import BinaryQuestion, CrowFlies, Line, PersonalTags, Streets
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app import navigation
from caldp_ui.app.texts import escape_markdown
from caldp_ui.compute import runs
from caldp_ui.compute.runs import PrivacySummary, context_of
from caldp_ui.maps import scene
from caldp_ui.parts import comparison, layout, pins, sharing
from caldp_ui.personal.page_state import LINK as PERSONAL_LINK
from caldp_ui.places import view as places_words
from caldp_ui.places.page_state import LINK as PLACES_LINK
from caldp_ui.plan import page_state
from caldp_ui.plan import view as plan_view
from caldp_ui.plan.page_state import Plan
from caldp_ui.results import view as result_words
from caldp_ui.values.page_state import LINK as VALUES_LINK
from caldp_ui.values.page_state import STATE
from caldp_ui.words import accuracy, formats, policies, promise
from caldp_ui.words.accuracy import DEFINITIONS
from caldp_ui.words.formats import ANSWERS, MEANING, PLACES, VALUES, Vocabulary, place_name
from tests import ROOT
from tests.contract.checks import naming
from tests.strategies import thinned
from tests.ui.agreement import PERSONAL, drawn_names
from tests.ui.agreement import PLACES as PLACES_PAGE
from tests.ui.agreement import VALUES as VALUES_PAGE
from tests.ui.driver import as_read, checked, jobs_done, open_page, open_record, page_record
from tests.ui.pages import BASE, CONTEXTS, DATASET, VARIED, channel_of, setup_of
from tests.ui.readings import read
from tests.ui.test_attacker_figures import contexts, matrices


def chance(epsilon: float) -> float:
    return math.exp(epsilon) / (1 + math.exp(epsilon))


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]


def test_examples_of_epsilon_are_the_odds_at_it() -> None:
    examples = re.findall(r"(\d+) at ε = ([\d.]+)", promise.epsilon_examples())
    assert len(examples) == 3
    for best, epsilon in examples:
        assert best == f"{100 * chance(float(epsilon)):.0f}"


@pytest.mark.parametrize("name", ["blocks of one cell", "nothing"])
def test_where_nothing_is_protected_it_is_said(name: str) -> None:
    setup = setup_of(name)
    assert (channel_of(setup).max(axis=1) == 1).all()  # every report names its place
    assert numbers(promise.odds_text(PLACES, setup)) == []
    assert promise.odds_text(PLACES, setup) != promise.odds_text(PLACES, setup_of("plain LDP"))
    assert promise.repeats_text(PLACES, setup) == ""


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 1.3])
def test_repeated_reports_add_up(epsilon: float) -> None:
    values = numbers(promise.repeats_text(PLACES, setup_of("blocks", epsilon)))
    best = chance(promise.REPEATS * epsilon)
    assert promise.REPEATS in values
    assert any(abs(number - 100 * best) <= 0.5 for number in values)


@pytest.mark.parametrize("epsilon", [1.5, 5.0, 20.0])
def test_many_reports_about_one_person_hide_practically_nothing(epsilon: float) -> None:
    assert chance(promise.REPEATS * epsilon) > 0.999
    assert numbers(promise.repeats_text(PLACES, setup_of("blocks", epsilon))) == [promise.REPEATS]


@pytest.mark.parametrize("name", CONTEXTS)
def test_what_is_not_promised_mentions_what_is_open(name: str) -> None:
    setup = setup_of(name)
    sentences = promise.not_promised(PLACES, setup)
    scenario = setup.scenario
    assert any("took part" in s for s in sentences)
    says_block = any("shows which block" in s for s in sentences)
    assert says_block == (not isinstance(scenario.context.blocks, OneBlock))
    lonely = int((setup.partition.sizes() == 1).sum())
    assert any("single place" in s for s in sentences) == (lonely > 0)
    if lonely:
        assert any(s.startswith(f"{lonely} ") for s in sentences)
    says_clear = any("openly" in s or "Every report names its" in s for s in sentences)
    assert says_clear >= (not isinstance(scenario.context.sensitive, EverythingSensitive))


@pytest.mark.parametrize("epsilon", [7.7, 10.0, 20.0])
def test_what_cannot_be_told_from_certainty_is_not_called_a_bound(epsilon: float) -> None:
    text = promise.odds_text(PLACES, setup_of("blocks", epsilon))
    assert "at most" not in text
    assert 100 * chance(epsilon) > 99.9
    assert 99.9 in numbers(text)
    assert "at most" in promise.odds_text(PLACES, setup_of("blocks", 7.5))


@pytest.mark.parametrize("tv", [0.0, 1e-9, 0.00041, 0.0007, 0.003, 0.0149, 0.118, 0.5, 0.999])
def test_a_total_variation_in_words(tv: float) -> None:
    text = accuracy.tv_in_words(PLACES, tv)
    share, of = numbers(text.replace(",", "").replace(" billion", "0" * 9))
    if text.startswith("all but"):
        share = of - share
    assert abs(share / of - tv) <= 0.5 / of + 1e-12
    assert (share == 0) == (tv == 0)


@pytest.mark.parametrize("tv", [1.001, 1.2, 19.7])
def test_what_is_no_share_is_not_told_as_one(tv: float) -> None:
    assert numbers(accuracy.tv_in_words(PLACES, tv)) == []
    assert PLACES.wrong not in accuracy.tv_in_words(PLACES, tv)


def test_need_of_plain_ldp_is_a_ratio_of_people() -> None:
    setup = setup_of("blocks")
    text, meaning = accuracy.plain_needs(setup, 12 * setup.n)
    assert text == f"{12 * setup.n:,}"
    assert numbers(meaning) == [12]
    assert numbers(accuracy.plain_needs(setup, setup.n)[1]) == []
    text, _ = accuracy.plain_needs(setup, None)
    assert text == "more than 1 trillion"


def test_plus_minus_is_a_95_percent_range_wherever_it_is_written() -> None:
    """A file that writes ± says there or in its own column what it is; `formats` only sets it."""
    for path in sorted((ROOT / "caldp_ui").rglob("*.py")):
        text = path.read_text("utf-8")
        if "±" in text and path.name not in {"formats.py", "page_state.py"}:
            with naming(str(path)):
                assert "95 %" in text or "95 of 100" in text
                assert "standard error ±" not in text
                assert "± standard error" not in text


ALL: dict[str, Scenario] = {
    **VARIED,
    **{preset.title: preset.apply(Scenario()) for preset in scene.PRESETS},
    "least epsilon": BASE.with_context(epsilon=EPSILON_MIN),
    "most epsilon": BASE.with_context(epsilon=EPSILON_MAX),
    "most epsilon, areas": VARIED["areas"].with_context(epsilon=EPSILON_MAX),
    "one person": replace(BASE, n=1),
}
_SHARE = re.compile(r"(all but )?(\d+) of (1?[\d,]+|1 [a-z]+)(?= people)")
_UNITS = {"1 million": 1e6, "1 billion": 1e9, "1 trillion": 1e12}


@cache
def ready(name: str) -> Setup:
    return prepare(ALL[name])


def shares(text: str) -> list[tuple[float, float]]:
    """Each "x of y people" of the text: the share, and how far rounding may take it."""
    found = []
    for rest, number, of in _SHARE.findall(text):
        size = _UNITS.get(of) or float(of.replace(",", ""))
        share = float(number) / size
        found.append((1 - share if rest else share, 0.5 / size + 1e-11))
    return found


def says(text: str, share: float) -> bool:
    return any(abs(number - share) <= slip for number, slip in shares(text))


def kinds(setup: Setup) -> tuple[Bools, Bools, Bools]:
    """Places that hide, sensitive ones alone in their block, and others, by the context alone."""
    context = context_of(setup)
    alone = (np.bincount(context.blocks) == 1)[context.blocks]
    return context.sensitive & ~alone, context.sensitive & alone, ~context.sensitive


@pytest.mark.parametrize("name", thinned(ALL, one_in=4))
def test_who_is_protected_and_who_is_not_are_everybody(name: str) -> None:
    setup = ready(name)
    truth, text = setup.dataset.distribution, promise.protected_text(PLACES, setup)
    hides, single, other = kinds(setup)
    first = text.partition(".**")[0]
    covered = float(truth[hides].sum())
    amounts = shares(re.sub(r" are$", " people are", first))
    some = [covered] if covered > 1 - 1e-12 else [1 - covered, covered]
    expected = some if hides.any() else []
    for (share, slip), wanted in zip(amounts, expected, strict=True):
        assert abs(share - wanted) <= slip
    assert amounts or first == "**Nobody is protected"
    rest = text.partition(".**")[2]
    for flags, mark in ((single, "of one place"), (other, "not sensitive")):
        assert (mark in rest) == flags.any()
        assert not flags.any() or says(rest, truth[flags].sum())
    assert len(shares(rest)) == single.any() + other.any()


@pytest.mark.parametrize("name", ALL)
def test_how_many_name_their_place_openly(name: str) -> None:
    setup = ready(name)
    hides, _, other = kinds(setup)
    sentences = [
        s for s in promise.not_promised(PLACES, setup) if s.startswith("At places that are not")
    ]
    assert bool(sentences) == (other.any() and hides.any())
    for sentence in sentences:
        labels = setup.partition.labels
        with_hidden, with_other = set(labels[hides].tolist()), set(labels[other].tolist())
        bare, mixed = with_other - with_hidden, with_other & with_hidden
        if not mixed:
            assert "everybody names their place" in sentence
            continue
        assert (f"In {len(bare)} of {setup.partition.m:,} " in sentence) == bool(bare)
        least = symbol_partition_of(setup.mechanism).clear_share[sorted(mixed)].min()
        assert says(sentence, least) or ("nearly all" in sentence and least >= 0.995)


@pytest.mark.parametrize("box", ["40.2,40.4,-74.2,-74", "40,41.4,-76,-73", "25,25.4,-119,-118"])
@pytest.mark.parametrize("name", ["base", "areas", "estimator", "one block", "one person"])
def test_what_is_said_of_a_region(name: str, box: str) -> None:
    setup = ready(name)
    first = run(setup).first
    inside = US_GRID.area_mask(Area.parse(box))
    report = region_report(setup, first, inside)
    text = " ".join(places_words.region_sentences(report, setup.scenario))
    assert ("below 0" in text) == (formats.people(report.estimate)[0] == "-")
    assert f"add up to {formats.people(first.estimate[inside].sum() * setup.n)} here" in text
    assert ESTIMATORS[setup.scenario.estimator].title in text
    assert ("as a whole. No block" in text) == (report.exact_blocks > 0)


@pytest.mark.parametrize("name", ALL)
def test_check_ins_are_not_passed_off_as_people(name: str) -> None:
    scenario = ALL[name]
    are_check_ins = "check-ins" in ready(name).dataset.note
    assert are_check_ins == (not isinstance(scenario.dataset, Cities))
    assert ("check-in" in promise.counted_as_people(scenario)) == are_check_ins
    many = promise.population(ready(name))
    assert ("check-in" in many) == (are_check_ins and scenario.n is None)
    assert any("check-ins" in s for s in promise.not_promised(PLACES, ready(name))) == are_check_ins


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


@pytest.mark.parametrize(("cell", "size"), [(0.2, "22-km"), (0.02, "2.2-km"), (0.001, "110-m")])
def test_the_headline_of_a_map_says_how_large_a_place_is(cell: float, size: str) -> None:
    places = OwnPlaces("3:40 9:60", str(Area(0.0, 4 * cell, 0.0, 4 * cell)), cell)
    scenario = Scenario(dataset=places).with_context(blocks=OneBlock())
    headline = accuracy.headline(PLACES, prepare(scenario), 0.08, 0.37)
    assert f"puts 8 of 100 {places.nouns[1]} in the wrong {size} cell" in headline.whole


def test_a_sentence_of_the_old_kind_is_found() -> None:
    for wrong in (
        f"**54 of 100 people {PLACES.wrong}**; with plain LDP 54.",
        "An onlooker guesses right at most 73 of 100 (fair).",
        "this protection hides everything.",
        "The chance is 1.9e-05 %.",
        "There are 1024 items.",
        "People are about less than 0.01 km off.",
        "That someone took part at all.",
    ):
        with pytest.raises(AssertionError):
            well_formed(wrong)


NAME = "a_b*c[d]-1 'of' \"us\".csv"
WINDOWS = "C:\\data\\a_b.csv"
FILES = {
    "no text": b"\xff\xfe\x00a,b\xff",
    "without a latitude": b"x_y*z[q],n\na,3\nb,4\n",
    "a damaged workbook": b"PK\x03\x04",
}
READ_AS_MARKDOWN = ("error", "warning", "info", "success", "markdown", "caption", "toast")
LABELLED = ("selectbox", "text_input", "multiselect", "expander")
"""Their labels are Markdown; what is in them is read as it stands."""


def quoted_sentences(at: AppTest) -> Iterator[str]:
    """What a reader sees of all that may name a file or a column."""
    for kind in READ_AS_MARKDOWN:
        yield from (as_read(item.value) for item in getattr(at, kind))
    for kind in LABELLED:
        for item in getattr(at, kind):
            yield as_read(item.label)
            value = getattr(item, "value", "")
            yield from (str(text) for text in (value, *getattr(item, "options", ())))


def test_a_name_is_quoted_as_it_stands() -> None:
    assert quoted(WINDOWS) == f"'{WINDOWS}'"
    assert quoted(NAME) == f"'{NAME}'"
    assert quoted("a\x1b[31mb\n") == "'a\N{REPLACEMENT CHARACTER}[31mb\N{REPLACEMENT CHARACTER}'"


def test_markdown_shows_a_quoted_name_and_a_twice_escaped_one_is_found() -> None:
    assert as_read(escape_markdown(f"{NAME} {WINDOWS}")) == f"{NAME} {WINDOWS}"
    assert "\\" in as_read(escape_markdown(escape_markdown("UTF-8 a_b")))


@pytest.mark.parametrize(("page", "kind"), [*zip(("values", "places") * 3, FILES, strict=False)])
def test_a_page_names_files_and_columns_as_they_are(page: str, kind: str) -> None:
    at = open_page(f"pages/{page}.py", state={f"{page}-own": True})
    at.file_uploader(key=f"{page}-own-file").set_value((NAME, FILES[kind], "text/plain"))
    jobs_done(checked(at.button(key=f"{page}-own-file-show").click().run()))
    found = list(quoted_sentences(at))
    assert not [each for each in found if "\\" in each]
    assert any(NAME in each for each in found)


def test_results_name_files_as_they_are() -> None:
    at, named = open_page(navigation.RESULTS, state={"results-own": True}), 0
    for data in FILES.values():
        at.file_uploader(key="results-files").set_value([(NAME, data, "application/json")])
        jobs_done(checked(at.button(key="results-show").click().run()))
        (error,) = (as_read(item.value) for item in at.error)
        assert "\\" not in error
        named += NAME in error
    assert named  # of files that are nothing of a collection none is named


@pytest.mark.parametrize(
    "command",
    [
        ("count", "{}", "-o", "out.csv"),
        ("run", "{}"),
        ("tally", "{}", "{}", "-o", "out.json"),
        ("estimate", "{}", "{}"),
        ("audit", "{}"),
    ],
)
def test_commands_name_files_as_they_are(command: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / NAME
    for kind in ("no text", "a damaged workbook"):
        path.write_bytes(FILES[kind])
        done = CliRunner().invoke(main, [part.format(path) for part in command])
        with naming(kind):
            assert done.exit_code == 2, done.output
            assert NAME in done.output
            assert not re.search(r"\\", done.output)


_USED = re.compile(r"""(?<![\w.])TEXTS\[["'](\w+)["']\]""")


def test_each_text_of_a_folder_is_used_by_a_module_of_it() -> None:
    files = sorted((ROOT / "caldp_ui").glob("*/texts.toml"))
    assert files
    for path in files:
        sources = [module.read_text("utf-8") for module in path.parent.glob("*.py")]
        used = {
            key for text in sources if "read_texts(__file__)" in text for key in _USED.findall(text)
        }
        assert used == set(tomllib.loads(path.read_text("utf-8"))), path.parent.name


def test_no_text_of_a_folder_loses_the_space_that_it_starts_with() -> None:
    """A backslash that ends TOML's first line takes the next one's spaces, too."""
    files = sorted((ROOT / "caldp_ui").glob("*/texts.toml"))
    assert files
    for path in files:
        assert not re.findall(r'(\w+) = """\\\n[ \t]', path.read_text("utf-8")), path.parent.name


NAMES: Final = ["hiv*", "flu", "cold", "cough", "none"]
FIRST: Final = "“hiv*” is protected by nothing and sent in clear."
POLICY: Final = {
    "kind": "context",
    "blocks": {"kind": "groups"},
    "sensitive": {"kind": "everything"},
    "epsilon": [7.5, 1.0],
}


def scenario(hiv: int = 0, **policy: Any) -> Scenario:
    """Everything is sensitive, "hiv*" is alone in its block of ε = 7.5, and `hiv` people have it.

    Where nobody has it, 100 of 100 people are protected.
    """
    data = {"kind": "table", "names": NAMES, "counts": [hiv, 60, 60, 60, 60], "groups": [*"ABBBB"]}
    parts = {"caldp_scenario": 2, "dataset": data, "policy": POLICY | policy}
    return Scenario.from_dict(parts)


@pytest.fixture(scope="module")
def result() -> Result:
    return run(prepare(scenario()))


def collected(protocol: Protocol) -> Results:
    tally = protocol.mechanism.sample_tally(np.array([0, 60, 60, 60, 60]), 1)
    return Tallies.of(protocol, (("day", CollectedTally(protocol.fingerprint, tally)),)).results(
        0.95
    )


def test_the_headline_the_odds_and_the_promise_begin_with_them(result: Result) -> None:
    setup = result.setup
    texts = policies.describe_promise(ANSWERS, setup)
    assert texts.protected_share == 1.0, "nobody has it, and shares of people hide it"
    assert not texts.protects_all
    shown = layout.headline_html(accuracy.headline(ANSWERS, setup, *[result.first.errors.tv] * 2))
    assert f"<h1>{FIRST}" in unescape(shown)
    assert "unprotected" in shown
    assert unescape(layout.odds_html(ANSWERS, setup)).index(FIRST) < layout.odds_html(
        ANSWERS, setup
    ).index("Protection")
    assert "orange, not" in layout.picture(texts)
    assert policies.promise_summary(ANSWERS, setup).startswith(FIRST)
    assert pins.odds_numbers(ANSWERS, setup)["protected by nothing"].startswith(FIRST)
    assert dict(texts.levels)["ε"] == "1"
    assert policies.setting_text(setup).startswith("ε = 1 ·")
    content = sharing.ReportContent(result, "All is well.", {})
    report = sharing.audit_scenario(setup.scenario, no_progress)
    page = unescape(sharing.html(ANSWERS, content, report, ""))
    assert page.index(FIRST) < page.index("All is well.")
    assert "7.5" not in page.partition('"caldp_scenario"')[0]


def test_a_place_alone_in_its_block_is_named_though_nobody_is_there() -> None:
    """The coarse map cuts single cells off from islands: the largest town, or degrees."""
    setup = prepare(Scenario().with_context(blocks=RegionBlocks()))
    alone = np.flatnonzero((setup.partition.sizes() == 1)[setup.partition.labels])
    exposed = policies.describe_promise(PLACES, setup).exposed
    domain = setup.dataset.domain
    assert isinstance(domain, GridDomain)
    first = place_name(domain, int(alone[0]))
    assert exposed.startswith(
        f"{alone.size} places, such as {first}, are protected by nothing and "
    )


def test_where_nobody_is_protected_no_level_is_said() -> None:
    marks = {"kind": "symbols", "runs": ["0"]}
    setup = prepare(scenario(30, sensitive=marks))
    texts = policies.describe_promise(ANSWERS, setup)
    said = policies.promise_summary(ANSWERS, setup)
    assert said.startswith(FIRST)
    assert "Nobody is protected" in said
    assert dict(texts.levels)["ε"] == "none: nobody is protected"
    assert policies.setting_text(setup).startswith("nobody is protected ·")
    report = sharing.audit_scenario(setup.scenario, no_progress)
    page = sharing.html(ANSWERS, sharing.ReportContent(run(setup), "", {}), report, "")
    assert "It holds" not in page
    assert "Nothing is promised" in page
    assert "Nothing is promised" in comparison._audit_text(report.summary)


def test_a_loss_that_reads_like_its_level_is_said_to_be_above_it() -> None:
    found = PrivacySummary(False, "all", 1.00000000000001, 1.0, excess=1e-14)
    assert "where ε = 1 is promised: less than 0.0001 above it." in sharing._audit(found)
    assert ": 0.0500 above it." in sharing._audit(replace(found, loss=1.05, excess=0.05))
    assert "above" not in sharing._audit(PrivacySummary(True, "all", 1.0, 1.0))


def test_a_plan_and_its_memo_begin_with_them(
    monkeypatch: pytest.MonkeyPatch, result: Result
) -> None:
    plan = Plan(scenario())
    # Of the plan's own protections, places alone in their state or country are such.
    monkeypatch.setattr(plan_view, "setup_at", lambda record, level: result.setup)
    points = page_state.needs_by_protection(plan, list(page_state.compute_needs(plan, no_progress)))
    assert plan_view.headline(plan, points).sentence.startswith(FIRST)
    assert plan_view.plain_memo(plan, points, None).startswith(FIRST)


def test_what_counts_as_none_is_not_their_protection() -> None:
    """After “the others can be read” it was “even their protection”."""
    shown = accuracy.headline(PLACES, prepare(scenario().with_epsilon(20.0)), None, None)
    assert shown.unprotected
    assert "At ε = 20 all protection counts as none." in shown.second


def test_a_grid_of_one_block_is_plain_ldp() -> None:
    """It was said to show a block of 25° × 70°, which only plain LDP hides."""
    setup = prepare(Scenario().with_context(blocks=GridBlocks(1, 1)))
    shown = accuracy.headline(PLACES, setup, 0.36, 0.36).whole
    assert "It hides every place from every other" in shown
    assert not any("which block" in each for each in promise.not_promised(PLACES, setup))
    single = replace(setup.scenario, dataset=OwnPlaces("0:50", "40,40.2,10,10.2"))
    assert "Plain LDP protects" not in accuracy.headline(PLACES, prepare(single), 0.0, 0.0).whole


def test_results_of_a_collection_begin_with_them() -> None:
    results = collected(Protocol.of(prepare(scenario()), allow_unprotected=True))
    shown = result_words.headline(results, is_example=False)
    assert shown.sentence.startswith(FIRST)
    assert shown.unprotected
    promised = result_words.promise_sentences(results)
    assert promised[0].startswith(FIRST)
    assert not any("7.5" in each for each in promised)


def test_answers_without_protection_come_first_if_the_estimate_gives_them_to_nobody() -> None:
    """A first report of a sensitive answer was headed “Each report hides its answer”."""
    blocks, sensitive = {"kind": "one"}, {"kind": "symbols", "runs": ["0-1"]}
    open_to_all = scenario(epsilon=1.0, blocks=blocks, sensitive=sensitive)
    results = collected(Protocol.of(prepare(open_to_all)))
    shares = [0.5, 0.5, 0.0, 0.0, 0.0]
    none = replace(results, table=dict(results.table) | {"estimated share": shares})
    shown = result_words.headline(none, is_example=False)
    assert shown.sentence.startswith("3 of 5 answers are not protected (")
    assert "hides its" not in shown.whole


def test_the_protocol_is_offered_once_it_is_asked_for() -> None:
    first = page_record(open_record(STATE), STATE)
    every_answer_alone = EvenRuns(runs.setup(first.scenario).mechanism.k)
    alone = first.scenario.with_context(blocks=every_answer_alone, sensitive=EverythingSensitive())
    at = open_record(STATE, replace(first, scenario=alone))
    at.session_state["values-tabs"] = "Share and export"
    checked(at.run())
    offered = _files(at)
    assert "scenario.json" in offered
    assert "protocol.json" not in offered
    (warning,) = at.warning
    assert "are protected by nothing" in warning.value
    checked(at.checkbox(key="values-allow-unprotected").check().run())
    assert "protocol.json" in _files(at)


def _files(at: AppTest) -> list[str]:
    """Names of the files that the page offers."""
    found: Any = at.get("download_button")
    return [each.label for each in found]


_PAGES: Final[list[Any]] = [
    (PLACES_PAGE, PLACES_LINK),
    (VALUES_PAGE, VALUES_LINK),
    (PERSONAL, PERSONAL_LINK),
]


def test_presets_say_of_how_many_unprotected_people_one_report_names_the_value() -> None:
    """By reports of ten million of them: who sends a cover report can't be read from it."""
    said = set()
    for page, link in _PAGES:
        for query in page.links():
            setup = runs.setup(link.read(query).scenario)
            texts = policies.describe_promise(ANSWERS, setup)
            if texts.protected_share >= 1.0:
                continue
            share = drawn_names(setup)
            with naming(f"{page.name} {query}"):
                sentence = promise.unprotected_text(ANSWERS, texts.protected_share, texts.readable)
                numbers = re.findall(r"reveals the \w+ of (.+?) people", sentence)
                of_all = share * (1 - texts.protected_share)
                assert all(read(number).holds(of_all) for number in numbers)
                assert len(numbers) == (share < 0.995)
                assert ("can be read" in sentence) == (share >= 0.995)
                said.add(len(numbers))
    assert said == {0, 1}
