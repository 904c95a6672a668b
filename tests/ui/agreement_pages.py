"""Which numbers each page shows, and where in which file's run each of them is: `PAGES`."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import pandas as pd

from caldp_core.domain.answers import Domain
from caldp_core.estimation.intervals import ranges, simultaneous
from caldp_core.mechanisms.personalised import TaggedMechanism
from caldp_ui.distances import page_state as distances
from caldp_ui.distances.page_state import LINK as FAR_LINK
from caldp_ui.distances.page_state import DistanceState
from caldp_ui.maps import presets as places
from caldp_ui.personal import page_state as personal
from caldp_ui.personal.page_state import LINK as PERSONAL_LINK
from caldp_ui.personal.page_state import PersonalState
from caldp_ui.places.page_state import LINK as PLACES_LINK
from caldp_ui.places.page_state import PlacesState
from caldp_ui.values import page_state as tables
from caldp_ui.values.page_state import LINK as VALUES_LINK
from caldp_ui.values.page_state import ValuesState, initial_scenario
from caldp_ui.yesno import page_state as yesno
from caldp_ui.yesno.page_state import LINK as QUESTION_LINK
from caldp_ui.yesno.page_state import YesNoState
from tests.ui.agreement import (
    Coin,
    Sentence,
    agree,
    both_ways,
    earth_mover,
    odds,
    people,
    protected,
    read_by_one,
    total_variation,
    unprotected,
)
from tests.ui.exported import Files, Run

Query = dict[str, str]
OURS, PLAIN = "scenario.json", "plain-ldp.json"
NUMBER = r"more than 99\.9|[\d.,]+"
LENGTH: Final = r"[\d.,]+ k?m"
OF = rf"(?:all but )?(?:{NUMBER}) of [\d,]+(?: million)?"
RIGHT: Final = rf"(?:is right at most|may be right) <em>({{}}{NUMBER}) times in 100</em>"
_READ: Final = (
    rf"One report is enough to read the true \w+ of (?:each|<em>(?P<read>{OF})</em>) of them\."
    r"(?: The others report like protected people this time; no promise hides them next time\.)?"
)
ODDS: Final = Sentence(
    r'<div class="odds \w+"><div class="hundred(?: split)?" [^>]*></div><div>'
    rf'(?:<p><span class="grade none">(?P<open>{OF}): protection none</span> {_READ}</p>)?'
    rf'<p><span class="grade \w+">(?:Protection: \w+|(?P<protected>{OF}): protection \w+)'
    r"</span> (?:One report is enough to read the true \w+ of each of them\."
    rf"|An attacker who must choose between [^<\d]+ {RIGHT.format('?P<odds>')}\."
    rf"(?: Between two protected \w+ the attacker {RIGHT.format('?P<both>')}\.)?"
    r"(?: Without a report it is 50\.)?(?: Farther apart, the attacker is right more often\.)?"
    r"(?: For the best protected pair it is at most <em>[\d.]+</em> of 100\.)?)</p></div></div>",
    {
        "open": (OURS, unprotected),
        "read": (OURS, read_by_one),
        "protected": (OURS, protected),
        "odds": (OURS, odds),
        "both": (OURS, both_ways),
    },
)


@dataclass(frozen=True, eq=False)
class PageContent:
    """What a page says and hands on: its headline, tables, files, odds, and maps' large numbers."""

    headline: str
    tables: list[pd.DataFrame]
    answers: list[pd.DataFrame]
    files: Files
    csv: pd.DataFrame
    odds: list[str]
    facts: list[tuple[str, str]]


@dataclass(frozen=True)
class Page:
    """A page that hands on a scenario, the links that are checked, and where its numbers are.

    `links`: the page as it begins, then its presets; `how_many` there are of them. `numbers`: by
    title of the table of numbers' columns, the file that each is a run of. `facts`: by the id of a
    picture of the map, its large number. `more`: what is this page's alone.
    """

    name: str
    links: Callable[[], list[Query]]
    how_many: int
    headline: Sentence
    numbers: Callable[[str], str]
    facts: Mapping[str, Sentence] = field(default_factory=dict)
    more: Callable[[PageContent, Mapping[str, Run]], None] = lambda content, runs: None


def _wrong(file: str) -> Sentence:
    """The error of a map in large type."""
    return Sentence(rf"(?P<tv>{OF}) people in the wrong place", {"tv": (file, total_variation)})


def _headline(wrong: str) -> Sentence:
    """Both errors and what is hidden, or who is not protected and what that gains."""
    return Sentence(
        rf"(?:(?:This protection|Plain LDP) puts (?P<ours>{OF}) people {wrong}"
        rf"(?:, plain LDP (?P<plain>{NUMBER})|, and so does plain LDP)?\. (?:[^\d]+"
        rf"(?: of [\d.]+° × [\d.]+°)?, at ε = (?P<epsilon>[\d.]+)\.[^\d]*"
        rf"|An attacker [^\d]+ (?:is right at most|may be right) (?P<odds>{NUMBER}) times in 100\.)"
        rf"|(?:Only (?P<protected>{OF}) people are protected; (?:everybody else's \w+ can be read"
        rf"|one report names the \w+ of (?P<read>{OF}) of the others)\."
        rf"|(?P<open>{OF}) people are not protected: (?:their \w+ can be read"
        rf"|one report names the \w+ of (?P<named>{OF}) of them)\."
        r"|Nobody is protected: everybody's \w+ can be read\.) This protection puts "
        rf"(?:(?P<gain>{OF}) people|nobody) {wrong}\."
        rf"(?: Plain LDP protects everybody, and puts (?:(?P<other>{NUMBER})|as many|"
        rf"(?P<beside>{OF})) there\.)?)",
        {
            "ours": (OURS, total_variation),
            "plain": (PLAIN, lambda run: 100 * total_variation(run)),
            "epsilon": (OURS, lambda run: float(run.policy["epsilon"])),
            "odds": (OURS, odds),
            "protected": (OURS, protected),
            "open": (OURS, unprotected),
            "read": (OURS, read_by_one),
            "named": (OURS, read_by_one),
            "gain": (OURS, total_variation),
            "other": (PLAIN, lambda run: 100 * total_variation(run)),
            "beside": (PLAIN, total_variation),
        },
    )


def _of_places() -> list[Query]:
    begin = PlacesState()
    return [
        PLACES_LINK.write(replace(begin, scenario=preset.apply(begin.scenario)))
        for preset in places.PRESETS
    ]


PLACES: Final = Page(
    "places",
    _of_places,
    len(places.PRESETS),
    _headline("in the wrong place"),
    {"this protection": OURS, "plain LDP": PLAIN}.__getitem__,
    {"plain": _wrong(PLAIN), "ours": _wrong(OURS)},
)


def _of_values() -> list[Query]:
    links = []
    for table in tables.TABLES:
        begin = initial_scenario(table)
        domain = begin.dataset.load().domain
        assert isinstance(domain, Domain)
        made = [preset.apply(begin) for preset in tables.presets_of(table.spec, domain)]
        links += [VALUES_LINK.write(ValuesState(scenario)) for scenario in made]
    return links


def _answers(content: PageContent, runs: Mapping[str, Run]) -> None:
    """The table of answers: shares, their ranges and simultaneous intervals."""
    (frame,) = content.answers
    assert len(frame.columns) in (13, 14)
    for who, file in (("this", OURS), ("plain", PLAIN)):
        first = runs[file].result.first
        assert frame[who].tolist() == (100 * first.estimate).tolist()
        one, every = ranges(first.evidence, first.estimate), simultaneous(first.evidence)
        for found, some in ((one, ""), (every, "all ")):
            assert frame[f"{who} {some}low"].tolist() == (100 * found.low).tolist()
            assert frame[f"{who} {some}high"].tolist() == (100 * found.high).tolist()
    setup = runs[OURS].result.setup
    assert frame["truth"].tolist() == (100 * setup.dataset.distribution).tolist()
    everything = list(range(setup.policy.k))
    finite = [np.isfinite(setup.policy.between([x] * len(everything), everything)).sum()
              for x in everything]  # fmt: skip
    assert frame["protected"].tolist() == [count > 1 for count in finite], "beside its own 0"


VALUES: Final = Page(
    "values",
    _of_values,
    46,
    _headline("under the wrong answer"),
    PLACES.numbers,
    more=_answers,
)

WARNER: Final = "warners-coin.json"
_PLAIN: Final = "plain LDP (Warner's coin)"


def _of_question() -> list[Query]:
    begin = YesNoState()
    made = [replace(begin.scenario, policy=preset.policy) for preset in yesno.PRESETS]
    return [QUESTION_LINK.write(YesNoState(scenario)) for scenario in (begin.scenario, *made)]


def _needs(runs: Mapping[str, Run]) -> float:
    ours, warner = (Coin.of(runs[file]).deviation for file in (OURS, WARNER))
    return (warner / ours) ** 2


def _coins(content: PageContent, runs: Mapping[str, Run]) -> None:
    """The table of coins, and how many people Warner's takes."""
    frame = content.tables[0]
    for title, file in (("this protection", OURS), (_PLAIN, WARNER)):
        column, coin = frame[title].to_dict(), Coin.of(runs[file])
        low, _, high = column.pop("95 % range").removesuffix(" %").partition(" to ")
        numbers = {
            "ε of yes": float(runs[file].policy["epsilon_10"]),
            "ε of no": float(runs[file].policy["epsilon_01"]),
            "with yes, send yes": 1 - coin.g,
            "with no, send yes": coin.f,
            "right after “yes”, from 50:50": (1 - coin.g) / (1 - coin.g + coin.f),
            "right after “no”, from 50:50": (1 - coin.f) / (1 - coin.f + coin.g),
            "estimate of yes": coin.estimate,
            "standard error (exact)": coin.deviation,
        }
        assert set(column) == set(numbers)
        agree(f"{low} %", coin.end(0.025), "low end")
        agree(f"{high} %", coin.end(0.975), "high end")
        for row, value in numbers.items():
            agree(column[row].replace(" percentage points", " %"), value, f"{title}, {row}")
    more = re.search(r"needs (.+?)(?: times)? as many people", content.headline)
    factor = _needs(runs)
    assert (more is None) == (factor < 1.005)
    if more is not None:
        agree(more[1], factor, "times as many")


def _bare(run: Run) -> float:
    """The share of people whose answer a report may prove."""
    no, yes = run.result.setup.dataset.distribution.tolist()
    shares = {"epsilon_01": no, "epsilon_10": yes}
    return sum(shares[name] for name in shares if math.isinf(float(run.policy[name])))


YES_OR_NO: Final = Page(
    "yesno",
    _of_question,
    1 + len(yesno.PRESETS),
    Sentence(
        rf"(?:(?P<bare>{OF}) people are not protected: a report can prove their answer “\w+”\. |"
        r"Nobody is protected: every report is the true answer\. )?"
        rf"From (?P<n>.+?) reports we estimate that (?P<low>{NUMBER}) to (?P<high>{NUMBER}) % "
        r"would truthfully say yes\.(?: Plain LDP \(Warner's coin\) (?:is as accurate here\.|"
        r"never gets as accurate\.|needs .+ as many people for the same accuracy\.))?",
        {
            "bare": (OURS, _bare),
            "low": (OURS, lambda run: 100 * Coin.of(run).end(0.025)),
            "high": (OURS, lambda run: 100 * Coin.of(run).end(0.975)),
            "n": (OURS, people),
        },
    ),
    {"this protection": OURS, _PLAIN: WARNER}.__getitem__,
    more=_coins,
)

BLOCKS: Final = "blocks-beside.json"


def _open(run: Run) -> float:
    """The share of people who are at no place of their own, nor at one that all hide."""
    setup = run.result.setup
    common = float(setup.dataset.distribution[setup.sensitive].sum())
    return (1 - common) * (1 - sum(run.policy["shares"]))


def _of_distances() -> list[Query]:
    begin = DistanceState()
    made = [replace(begin.scenario, policy=preset.policy) for preset in distances.PRESETS]
    return [FAR_LINK.write(replace(begin, scenario=scenario)) for scenario in made]


def _off(file: str) -> Sentence:
    return Sentence(rf"(?P<km>{LENGTH}) on average", {"km": (file, earth_mover)})


DISTANCES: Final = Page(
    "distances",
    _of_distances,
    len(distances.PRESETS),
    Sentence(
        rf"The map misplaces people by (?P<ours>{LENGTH}) on average, plain LDP by "
        rf"(?P<plain>{LENGTH})\. Blocks with similar privacy misplace them by "
        rf"(?P<blocks>{LENGTH})\.",
        {
            "ours": (OURS, earth_mover),
            "blocks": (BLOCKS, earth_mover),
            "plain": (PLAIN, earth_mover),
        },
    ),
    lambda title: {"this protection": OURS, "plain LDP": PLAIN}.get(title, BLOCKS),
    {"noise": _off(OURS), "blocks": _off(BLOCKS)},
)

KNOWN, NOTHING = "places-known.json", "nothing-own.json"


def _of_personal() -> list[Query]:
    begin = PersonalState()
    made = [preset.apply(begin.scenario) for preset in personal.PRESETS]
    return [PERSONAL_LINK.write(PersonalState(scenario)) for scenario in made]


def _tags(content: PageContent, runs: Mapping[str, Run]) -> None:
    """Shares of people at own places: true, and from the reports."""
    run = runs[OURS]
    setup, mechanism = run.result.setup, run.result.setup.mechanism
    assert isinstance(mechanism, TaggedMechanism)
    elsewhere = 1 - float(setup.dataset.distribution[setup.sensitive].sum())
    found = mechanism.common.estimate(run.result.first.evidence.tally)[mechanism.k :]
    frame = content.tables[1]
    assert len(frame) == len(run.policy["shares"])
    for row, share, estimate in zip(frame.index, run.policy["shares"], found, strict=True):
        agree(frame.loc[row, "truth"], share * elsewhere, f"{row}, truth")
        agree(frame.loc[row, "from the reports"], float(estimate), f"{row}, reports")


PERSONAL: Final = Page(
    "personal",
    _of_personal,
    len(personal.PRESETS),
    Sentence(
        rf"(?:Only (?P<some>{OF}) people are protected; one report names the place of "
        rf"(?P<read>{OF}) of the others\. |(?P<left>{OF}) people are not protected: one report "
        rf"names the place of (?P<named>{OF}) of them\. )?The map puts "
        rf"(?P<ours>(?:{NUMBER}) of 100) people in the wrong place\. It would be "
        rf"(?:(?P<known>{NUMBER}) if homes were known, and )?(?P<plain>{NUMBER}) if everything "
        r"were hidden\.",
        {
            "left": (OURS, _open),
            "some": (OURS, lambda run: 1 - _open(run)),
            "read": (OURS, read_by_one),
            "named": (OURS, read_by_one),
            "ours": (OURS, total_variation),
            "known": (KNOWN, lambda run: 100 * total_variation(run)),
            "plain": (PLAIN, lambda run: 100 * total_variation(run)),
        },
    ),
    lambda title: {
        "nothing hidden": NOTHING,
        "everything hidden": PLAIN,
        "homes known": KNOWN,
    }.get(title, OURS),
    {
        "everything": _wrong(PLAIN),
        "known": _wrong(KNOWN),
        "assumed": _wrong(OURS),
    },
    _tags,
)

PAGES: Final = {page.name: page for page in (PLACES, VALUES, YES_OR_NO, DISTANCES, PERSONAL)}
"""By name, what each page shows and where it is in the run."""
