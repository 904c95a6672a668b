"""Plain words for the error of an estimate, and every term in a sentence or two.

Every sentence here must be true of the scenario that it is shown with.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np
import streamlit as st

from caldp_core.domain.domains import KM_PER_DEGREE, GridDomain
from caldp_core.experiments.forecast import has_valid_errors
from caldp_core.experiments.regions import CellErrors
from caldp_core.experiments.run import Setup
from caldp_core.privacy.context import Context
from caldp_core.scenarios.blocks import GridBlocks
from caldp_core.theory.expected_error import Forecast
from caldp_ui.app.texts import read_texts, read_toml
from caldp_ui.words import formats, policies, promise
from caldp_ui.words.formats import Headline, Vocabulary

TEXTS: Final = read_texts(__file__)
Z95: Final = NormalDist().inv_cdf(0.975)
"""Standard deviations to either side of a normal that hold 95 of 100."""
_USEFUL: Final = 0.1
"""Half of a 95 % range that says something."""


def is_all_shares(low: float, high: float) -> bool:
    """Whether a range of a share, rounded to whole percent, is 0 to 100 %."""
    return low < 0.005 and high >= 0.995


def reports_needed(reports: int, standard_error: float) -> int:
    """Reports for a range of ± 10 percentage points, rounded up to two digits.

    `standard_error`: of a share by `reports`.
    """
    needed = math.ceil(reports * (Z95 * standard_error / _USEFUL) ** 2)
    unit: int = 10 ** max(len(str(needed)) - 2, 0)
    return unit * math.ceil(needed / unit)


def nothing_yet(reports: int, standard_error: float, about: str) -> str:
    """How many reports would say something where `reports` say nothing.

    `standard_error`: of the share that they estimate. `about`: what it is of, as "with this coin".
    """
    needed = reports_needed(reports, standard_error)
    return (
        f"{formats.counted(reports, 'report says', 'reports say')} nothing yet {about}: for "
        f"± {100 * _USEFUL:g} percentage points it takes about {formats.people(needed)}."
    )


def is_share(tv: float) -> bool:
    """Whether a total variation is a share of people: between shares it is at most 1."""
    return tv <= 1 + 1e-9


def tv_in_words(nouns: Vocabulary, tv: float) -> str:
    """A total variation as people, to end a sentence: "12 of 100 people in the wrong place"."""
    if not is_share(tv):
        return "an error that no number of people stands for: this estimate is not made of shares"
    return wrong_people(nouns, formats.of_hundred(tv))


def wrong_people(nouns: Vocabulary, amount: str) -> str:
    """People whom an estimate puts elsewhere: "at most 12 of 100 people in the wrong place"."""
    return f"{amount} {nouns.people} {nouns.wrong}"


def wrong_of_hundred(nouns: Vocabulary, tv: float) -> tuple[str, str]:
    """A total variation as a number for large type, and what it counts."""
    if not is_share(tv):
        return formats.share(tv), "total variation: this estimate is not made of shares"
    return formats.per_hundred(tv), f"of 100 {nouns.people} {nouns.wrong}"


def error_sentence(
    nouns: Vocabulary, ours: float | None, plain: float | None, who: str = "This protection"
) -> str:
    """Errors of an estimate and of plain LDP's, total variations; None: not computed, or left out.

    `who`: makes the estimate, to begin the sentence.
    """
    if ours is None:
        return f"The {nouns.whole} of this protection is not computed yet."
    if not is_share(ours):
        other = "" if plain is None else f", plain LDP's by {_variation_text(plain)}"
        return f"{who}'s estimate is off by a total variation of {_variation_text(ours)}{other}."
    people = "nobody" if _is_nobody(ours) else f"{formats.of_hundred(ours)} {nouns.people}"
    sentence = f"{who} puts {people} {nouns.wrong}"
    if plain is None:
        return f"{sentence}."
    if formats.of_hundred(plain) == formats.of_hundred(ours):
        return f"{sentence}, and so does plain LDP."
    if not is_share(plain):
        return f"{sentence}; plain LDP's estimate is not made of shares."
    return f"{sentence}, plain LDP {_other_people_text(ours, plain)}."


def error_sentences(nouns: Vocabulary, ours: float | None, plain: float | None) -> str:
    """As `error_sentence`, where plain LDP protects people whom this protection does not."""
    sentence = error_sentence(nouns, ours, None)
    if ours is None or plain is None or not (is_share(ours) and is_share(plain)):
        return sentence
    if formats.per_hundred(plain) == formats.per_hundred(ours):
        return f"{sentence} Plain LDP protects everybody, and puts as many there."
    number = _other_people_text(ours, plain)
    return f"{sentence} Plain LDP protects everybody, and puts {number} there."


def _variation_text(tv: float) -> str:
    return "less than 0.001" if 0 < tv < 5e-4 else formats.share(tv)


def _other_people_text(first: float, share: float) -> str:
    """A share after a first one, whose "of 100" holds for both if that is not "nobody"."""
    return formats.of_hundred(share) if _is_nobody(first) else formats.per_hundred(share)


def _is_nobody(share: float) -> bool:
    return formats.per_hundred(share) == "0"


def forecast(expected: Forecast | None) -> str:
    """An expected total variation, the 95 % range of one outcome's, and its method."""
    if expected is None:
        return "not known: it takes long trials"
    if expected.error == 0:
        return "0: nothing is hidden, and everybody takes part"
    spread = formats.plus_minus(expected.error, Z95 * expected.deviation)
    return f"{spread}, 95 % range ({expected.method})"


def plain_needs(setup: Setup, needed: int | None) -> tuple[str, str]:
    """People that plain LDP needs for the same accuracy, and how many times as many that is.

    `needed`: their number; None for more than 10¹².
    """
    if needed is None:
        return "more than 1 trillion", "people for the same accuracy, and we look for no more"
    times = needed / setup.n
    if times < 1.005:
        return formats.people(needed), "people: no more than this protection needs"
    return formats.people(needed), f"people for the same accuracy: {formats.times(times)} as many"


def cell_size_text(degrees: float) -> str:
    """The side of a cell in degrees, and its height on the ground."""
    return f"{degrees:g}° ({formats.length(degrees * KM_PER_DEGREE)})"


def cell_area_text(grid: GridDomain) -> str:
    """Height and width of a map's cells, where they are widest and where they are narrowest."""
    high = grid.cell * KM_PER_DEGREE
    latitudes = grid.latitudes()
    least, most = (high * float(f(np.cos(np.radians(latitudes)))) for f in (np.min, np.max))
    if formats.length(least) == formats.length(most):
        return f"A cell is {formats.length(high)} high and {formats.length(most)} wide."
    toward = "north" if abs(latitudes[-1]) > abs(latitudes[0]) else "south"
    return (
        f"Cells are equal in degrees, not in area: all are {formats.length(high)} high, but "
        f"{formats.length(most)} wide where they are widest and {formats.length(least)} in the far "
        f"{toward}; the same colour there means {formats.times(most / least)} as many people a "
        "square kilometre."
    )


def cell_error_text(found: CellErrors, finest: float) -> str:
    """Blur and noise of one estimate, in a sentence each; `finest`: smallest cells, in degrees."""
    if found.blur == 0:
        return TEXTS["only_noise"].format(noise=formats.of_hundred(found.noise), finest=finest)
    return (
        f"Larger cells blur: within them people are taken to be anywhere, which puts "
        f"**{formats.of_hundred(found.blur)}** in the wrong cell of {finest:g}°. Noise puts "
        f"**{formats.of_hundred(found.noise)}** in the wrong cell of {found.cell:g}°. Both "
        f"together put {formats.of_hundred(found.both)} in the wrong cell of {finest:g}°."
    )


def headline(nouns: Vocabulary, setup: Setup, ours: float | None, plain: float | None) -> Headline:
    """Errors of the scenario's estimate and of plain LDP's, and who is protected.

    `ours`, `plain`: total variations of both estimates; None: not computed yet. Where not everybody
    is protected, the sentence says so and the errors are the second line. Figures: `tv` and
    `plain_tv`, and of all people the shares `protected` and `readable` from one report.
    """
    nouns = promise.of_data(nouns, setup)
    texts = policies.describe_promise(nouns, setup)
    first = texts.unprotected(nouns)
    known = has_valid_errors(setup)
    errors = {"tv": ours, "plain_tv": plain} if known else {}
    figures = {name: tv for name, tv in errors.items() if tv is not None}
    readable_of_all = texts.readable * (1.0 - texts.protected_share)
    figures |= {"protected": texts.protected_share, "readable": readable_of_all}
    unknown = f"How good this {nouns.whole} is cannot be known: its data were made with the prior."
    if not first:
        own = (ours, None, "Plain LDP") if is_plain(setup) else (ours, plain)
        sentence = error_sentence(nouns, *own) if known else unknown
        return Headline(sentence, _hidden_sentence(nouns, setup), figures=figures)
    plain = plain if setup.policy.k > 1 else None  # it protects nobody where there is one value
    parts = [_weakness_sentence(nouns, setup), error_sentences(nouns, ours, plain)]
    return Headline.of(first, parts if known else [unknown], figures)


def is_plain(setup: Setup) -> bool:
    """Whether this protection is plain LDP itself: every symbol in one block, and sensitive."""
    one_block = isinstance(setup.policy, Context) and setup.partition.m == 1
    return one_block and bool(setup.sensitive.all())


def _weakness_sentence(nouns: Vocabulary, setup: Setup) -> str:
    """A sentence that a large ε hardly protects those who are sensitive; "" for a smaller one."""
    if not policies.describe_promise(nouns, setup).grades[-1].counts_as_none:
        return ""
    level = promise.largest_epsilon(setup.scenario)
    if isinstance(setup.policy, Context):
        level = float(setup.policy.hidden_epsilon.max())
    return f"At ε = {level:g} all protection counts as none."


def _hidden_sentence(nouns: Vocabulary, setup: Setup) -> str:
    """What this protection and plain LDP both hide, and what only plain LDP hides."""
    if not isinstance(setup.policy, Context):
        return policies.promise_summary(nouns, setup)
    levels = setup.policy.hidden_epsilon
    low, high = float(levels.min()), float(levels.max())
    texts = policies.describe_promise(nouns, setup)
    if texts.grades[-1].counts_as_none:
        guess = texts.summary.replace("*", "")
        return f"At ε = {high:g} the protection counts as none. {guess}"
    if is_plain(setup):
        return f"It hides every {nouns.unit} from every other, at ε = {low:g}."
    block, sized = promise.block_name(nouns, setup.scenario), _sized_block(nouns, setup)
    if low == high:
        return TEXTS["one_level"].format(nouns=nouns, sized=sized, low=low, block=block)
    return TEXTS["levels"].format(nouns=nouns, sized=sized, low=low, high=high, block=block)


def _sized_block(nouns: Vocabulary, setup: Setup) -> str:
    """The noun for a block, with its sides in degrees where all blocks are of one size."""
    blocks, domain = setup.scenario.context.blocks, setup.dataset.domain
    name = promise.block_name(nouns, setup.scenario)
    if not isinstance(blocks, GridBlocks) or not isinstance(domain, GridDomain):
        return name
    if domain.rows % blocks.rows or domain.columns % blocks.columns:
        return name
    north, east = (
        domain.cell * cells
        for cells in (domain.rows // blocks.rows, domain.columns // blocks.columns)
    )
    return f"{name} of {north:g}° × {east:g}°"


DEFINITIONS: Final[Mapping[str, str]] = read_toml(__file__, "glossary.toml")


def terms(*names: str) -> None:
    """A popover that explains these terms."""
    with st.popover("Terms used here", type="tertiary", icon=":material/help:"):
        st.markdown("\n\n".join(f"**{name}**: {DEFINITIONS[name]}" for name in names))


@dataclass(frozen=True)
class Statement:
    """A statement with its source; its full name in the code and its formula in LaTeX, or ""."""

    says: str
    code: str = ""
    formula: str = ""


_ALL: Final = {
    kind: {name: tuple(Statement(**each) for each in rows) for name, rows in table.items()}
    for kind, table in read_toml(__file__, "statements.toml").items()
}
"""By kind (page, station) and name, the statements of the file."""
OF_PAGES: Final = _ALL["page"]
"""By the page that shows them."""
OF_STATIONS: Final = _ALL["station"]
"""By the station of the classroom, whose expander “The formula” has the formulas themselves."""
