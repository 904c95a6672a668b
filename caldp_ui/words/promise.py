"""Plain words for what a protection promises, to whom, and what it leaves open.

Every sentence here must be true of the scenario that it is shown with. For any policy call
`policies.describe_promise`.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from caldp_core.audit import inference
from caldp_core.audit.adversary import PairOdds, max_guess_accuracy, pair_odds
from caldp_core.basics.cache import cached
from caldp_core.datasets import Gowalla, Snap
from caldp_core.datasets.own import CountedRows
from caldp_core.domain.domains import KM_PER_DEGREE, Domain, GridDomain
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.privacy.context import Context
from caldp_core.privacy.matrix import Coverage, exposed_clause
from caldp_core.scenarios import blocks as block_specs
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.mixing import epsilons_after_mixing
from caldp_ui.app.texts import read_texts
from caldp_ui.app.user_text import user_texts
from caldp_ui.words import formats
from caldp_ui.words.formats import NONE, Vocabulary, place_name, strength

TEXTS: Final = read_texts(__file__)

_NOBODY = 1e-12
"""Smaller shares of people are rounding errors of sums."""


@dataclass(frozen=True)
class Grade:
    """How well a group of people is protected.

    `people`: its share of all by the truth, in [0, 1]. `protected`: whether E limits what its
    reports show. `chance`: largest chance that an even guess about one of the group is right, over
    all pairs that `odds` names, in [0.5, 1]; 1 without protection. `odds`: sentences, bold words
    between `**`.
    """

    people: float
    protected: bool
    chance: float
    odds: str

    @property
    def word(self) -> str:
        """Word of one of `STRENGTHS`; without protection always "none"."""
        return strength(self.chance if self.protected else 1.0).word

    @property
    def counts_as_none(self) -> bool:
        """Whether E limits what reports show, but so little that it counts as no protection."""
        return self.protected and self.word == NONE

    @property
    def title(self) -> str:
        """Title of the grade: its people, if not all, and its word."""
        if self.people >= 1.0:
            return f"Protection: {self.word}"
        return f"{formats.out_of_few(self.people)}: protection {self.word}"


@dataclass(frozen=True)
class PromiseText:
    """Sentences of Markdown that are true of one scenario, with no more of it than bold words.

    Names that people have given are escaped in them, but not in `summary` and `exposed`, which are
    plain texts (`parts/layout.py` makes HTML of both kinds).

    `grades`: of the unprotected, if there are any, then of the protected, if there are any.
    `summary`: who is not protected and what an attacker can guess of the others, in a sentence or
    two. `protected`: who is and why the rest is not; `odds`: what an attacker can guess from one
    report; `repeats`: from several, "" where nothing is hidden. `not_promised`: what the policy
    leaves open. `levels`: names and values of its numbers. `exposed`: the values that were to be
    protected and are not, by their raw names, in a sentence that comes before all others, or "".
    `person`: what one person's rows have together, where a person has several, else "".
    `readable`: share of the unprotected, in [0, 1], whose value one report names.
    """

    grades: tuple[Grade, ...]
    summary: str
    protected: str
    odds: str
    repeats: str
    not_promised: tuple[str, ...]
    levels: tuple[tuple[str, str], ...]
    exposed: str = ""
    person: str = ""
    readable: float = 1.0

    @property
    def chance(self) -> float:
        """Largest chance that an even guess about a protected person is right; 1 without any."""
        return self.grades[-1].chance

    @property
    def protects_all(self) -> bool:
        """Whether every person and every value that is to be protected is."""
        return self.protected_share >= 1.0 and not self.exposed

    @property
    def protected_share(self) -> float:
        """Share of people who are protected, in [0, 1]; 1.0 only if everybody is."""
        return sum(grade.people for grade in self.grades if grade.protected)

    def unprotected(self, nouns: Vocabulary, level: float | None = None) -> list[str]:
        """`unprotected_first` of these texts, with the ε that they are true of if it is given."""
        covered = self.protected_share
        return unprotected_first(nouns, self.exposed, covered, self.readable, level)


def grades(covered: float, chance: float, odds: str, read: str) -> tuple[Grade, ...]:
    """Grades of the unprotected and the protected, without empty groups.

    `covered`: share of the protected, in [0, 1]; `chance`, `odds`: of their grade; `read`: the
    sentences of the others' grade.
    """
    if covered > 1.0 - _NOBODY:
        return (Grade(1.0, True, chance, odds),)
    if covered < _NOBODY:
        return (Grade(1.0, False, 1.0, read),)
    return Grade(1.0 - covered, False, 1.0, read), Grade(covered, True, chance, odds)


def right_guess_text(share: float) -> str:
    """A bound on right guesses, to follow "the attacker": "is right at most **73 times in 100**".

    `share`: in [0, 1]; near 1 the text says that no bound is useful.
    """
    best = formats.hundred(share)
    if formats.is_almost_sure(share):
        return f"may be right **{best} times in 100**"
    return f"is right at most **{best} times in 100**"


def must_choose(pair: str, share: float) -> str:
    """An attacker's right guesses between the two of a pair, in one sentence; `share` as above."""
    return f"An attacker who must choose between {pair} {right_guess_text(share)}."


def add_up(reports: str, share: float) -> str:
    """Right guesses after `REPEATS` of such reports, in one sentence; `share` as above."""
    return f"Reports add up: after {REPEATS} {reports}, the attacker {right_guess_text(share)}."


def bound_text(share: float) -> str:
    """A bound on right guesses as a number: "at most **73** of 100"."""
    best = formats.hundred(share)
    return f"**{best}** of 100" if formats.is_almost_sure(share) else f"at most **{best}** of 100"


READ: Final = 0.995
"""From this share of reports on, sentences say that all of them name their value."""


def exposed_text(domain: Domain | GridDomain, found: Coverage) -> str:
    """Which values were to be protected and are not, in one sentence; "" if all are.

    It comes before how many people are protected: nobody may have such a value today.
    """
    values = np.flatnonzero(found.exposed).tolist()
    text = ""  # by name, but for places, which are many and far from the eye
    if values and isinstance(domain, GridDomain):
        first = place_name(domain, values[0])
        text = first if len(values) == 1 else f"{len(values):,} places, such as {first},"
    clause = exposed_clause(list(map(domain.name_of, values)), text)
    return clause and f"{clause}."


def unprotected_first(
    nouns: Vocabulary, exposed: str, covered: float, readable: float, level: float | None = None
) -> list[str]:
    """The sentences on who is not protected, `exposed` values first; none where everybody is."""
    return [text for text in (exposed, unprotected_text(nouns, covered, readable, level)) if text]


def unprotected_text(
    nouns: Vocabulary, covered: float, readable: float, level: float | None = None
) -> str:
    """How many people are not protected, in one sentence; "" where everybody is.

    `covered`: share of the protected, in [0, 1]; `readable`: share of the others, in [0, 1], whose
    value one report names, as some report like protected people (`inference.readable_share`).
    `level`: the ε at which it does, where a reader sees another ε beside it.
    """
    if covered >= 1.0:
        return ""
    if covered <= 0.0:
        read = _read_clause(nouns, readable, 1.0, "everybody's", level)
        return f"Nobody is protected: {read}."
    if covered < 0.5:
        read = _read_clause(nouns, readable, 1.0 - covered, "everybody else's", level)
        return f"Only {formats.out_of(covered)} {nouns.people} are protected; {read}."
    read = _read_clause(nouns, readable, 1.0 - covered, "their", level)
    return f"{formats.out_of(1.0 - covered)} {nouns.people} are not protected: {read}."


def _read_clause(
    nouns: Vocabulary, readable: float, unprotected: float, whose: str, level: float | None
) -> str:
    """How often one report names the value of people without protection.

    Said of all people: a share of the `unprotected` is read as one of all, and taken for more.
    """
    if readable >= READ:
        return f"{whose} {nouns.unit} can be read"
    readable_of_all = readable * unprotected
    if formats.out_of(readable_of_all) == "0 of 100":
        return f"no promise hides {whose} {nouns.unit}"
    at = "" if level is None else f"at ε = {level:g} "
    amount = formats.out_of(readable_of_all)
    return f"{at}one report reveals the {nouns.unit} of {amount} {nouns.people}"


def covered_text(nouns: Vocabulary, covered: float) -> str:
    """How many people are not protected and how many are; `covered`: share of the protected."""
    if formats.out_of(covered) == "100 of 100":
        return f"**100 of 100 {nouns.people} are protected.**"
    if formats.out_of(covered) == "0 of 100":
        return "**Nobody is protected.**"
    left, has = (formats.out_of_few(each) for each in (1.0 - covered, covered))
    return f"**{left} {nouns.people} are not protected, {has} are.**"


REPEATS: Final = 5
"""Reports of one person in sentences on reports that add up."""
_CHECK_INS: Final = Gowalla | Snap
"""Data in which one person may be counted many times."""
_EXAMPLES: Final = (0.5, 1.0, 3.0)
"""Levels of ε in `epsilon_examples`."""


def describe_context(nouns: Vocabulary, setup: Setup, policy: ContextPolicy) -> PromiseText:
    """The promise of a context, in sentences; a writer of `policies.WRITERS`."""
    del policy
    levels = _context(setup).hidden_epsilon.tolist()
    ends = sorted({min(levels), max(levels)}) if levels else []
    graded = grades(
        protected_share(setup),
        chance(setup),
        odds_text(nouns, setup),
        _read_sentences(nouns, setup),
    )
    return PromiseText(
        graded,
        summary(nouns, graded, readable_share(setup), _guess_sentence(nouns, setup)),
        protected_text(nouns, setup),
        odds_text(nouns, setup),
        repeats_text(nouns, setup),
        tuple(not_promised(nouns, setup)),
        (
            ("ε", " to ".join(f"{e:g}" for e in ends) or "none: nobody is protected"),
            ("blocks", formats.integer(setup.partition.m)),
        ),
    )


def summary(nouns: Vocabulary, graded: tuple[Grade, ...], readable: float, guess: str) -> str:
    """Who is not protected, and an attacker's `guess` about the others, if there are any."""
    if not graded[-1].protected:
        return unprotected_text(nouns, 0.0, readable)
    return f"{unprotected_text(nouns, graded[-1].people, readable)} {guess}".strip()


def _context(setup: Setup) -> Context:
    assert isinstance(setup.policy, Context)
    return setup.policy


@cached
def _pairs(context: Context, reports: int = 1) -> PairOdds:
    # A page's sentences need it several times in a run.
    return pair_odds(context, reports)


def largest_epsilon(scenario: Scenario) -> float:
    """The weakest promise: the largest ε of a context, the `plain_epsilon` of other policies."""
    policy = scenario.policy
    if isinstance(policy, ContextPolicy) and isinstance(policy.epsilon, tuple):
        return max(policy.epsilon)
    return policy.plain_epsilon


def chance(setup: Setup) -> float:
    """Largest chance that an attacker's even guess about a protected person is right, in [0.5, 1].

    Over all pairs of a protected symbol and another of its block; 1 where nobody is protected.
    """
    return _pairs(_context(setup)).largest


def epsilon_examples() -> str:
    """Right guesses of 100 at some levels of ε, as a sentence."""
    examples = [f"{formats.hundred(max_guess_accuracy(e))} at ε = {e:g}" for e in _EXAMPLES]
    return f"Of 100 guesses between two protected answers these are right: {', '.join(examples)}."


def block_name(nouns: Vocabulary, scenario: Scenario) -> str:
    """The noun for a block of the scenario, such as "state"."""
    blocks = scenario.context.blocks
    if isinstance(blocks, block_specs.OneBlock):
        return nouns.whole
    block_nouns = {
        block_specs.StateBlocks: "state",
        block_specs.CountryBlocks: "country",
        block_specs.RegionBlocks: "region",
        block_specs.HexagonBlocks: "hexagon",
        block_specs.GroupBlocks: "group",
        block_specs.PolygonBlocks: "region",
    }
    return block_nouns.get(type(blocks), "block")


def odds_text(nouns: Vocabulary, setup: Setup) -> str:
    """An attacker's right guesses about protected people from one report, as times in 100."""
    odds = _pairs(_context(setup))
    if not odds.protected:
        return f"An attacker can read everybody's {nouns.unit} from one report."
    text = _guess_sentence(nouns, setup)
    if odds.one_way is None or odds.both_ways is None:
        return f"{text} Without a report it is 50."
    right = right_guess_text(odds.both_ways)
    return TEXTS["both_protected"].format(text=text, units=nouns.units, right=right)


def _guess_sentence(nouns: Vocabulary, setup: Setup) -> str:
    """An attacker's right guesses about protected people, in one sentence."""
    odds, scenario = _pairs(_context(setup)), setup.scenario
    one_block, block = setup.partition.m == 1, block_name(nouns, scenario)
    if odds.one_way is not None:
        pair = f"a protected {nouns.unit} and another{'' if one_block else f' of its {block}'}"
        return must_choose(f"{pair}, equally likely,", odds.largest)
    some = "" if bool(_context(setup).hidden().all()) else "protected "
    where = "" if one_block else f" in one {block}"
    return must_choose(f"two equally likely {some}{nouns.units}{where}", odds.largest)


def _read_sentences(nouns: Vocabulary, setup: Setup) -> str:
    """How many of the unprotected one report reveals, and what hides the others."""
    share = readable_share(setup)
    if share >= READ:
        return f"One report is enough to read the true {nouns.unit} of each of them."
    return TEXTS["some_readable"].format(share=formats.out_of(share), unit=nouns.unit)


def readable_share(setup: Setup) -> float:
    """Share of the unprotected, by the truth, whose report names their symbol; 0 without any."""
    return inference.readable_share(setup.mechanism, setup.policy, setup.dataset.distribution)


@cached
def protected_share(setup: Setup) -> float:
    """Share of all people, by the truth, whose symbol the promise hides among others; in [0, 1]."""
    return float(setup.dataset.distribution[_context(setup).hidden()].sum())


def protected_text(nouns: Vocabulary, setup: Setup) -> str:
    """How many people the promise protects, by the truth, and why the rest are not protected.

    A symbol is protected if it is sensitive and not alone in its block.
    """
    shares = setup.dataset.distribution
    alone = (setup.partition.sizes() == 1)[setup.partition.labels]
    text = covered_text(nouns, protected_share(setup))
    single, open_to_all = setup.sensitive & alone, ~setup.sensitive
    if single.any():
        count = formats.out_of(float(shares[single].sum())).capitalize()
        block = block_name(nouns, setup.scenario)
        text += TEXTS["alone_in_block"].format(count=count, nouns=nouns, block=block)
    if open_to_all.any():
        count = formats.out_of(float(shares[open_to_all].sum())).capitalize()
        text += f" {count} {nouns.people} {nouns.belong} {nouns.units} that are not sensitive."
    near = setup.scenario.context.sensitive
    if isinstance(near, block_specs.SensitiveNear) and near.points:
        number = len(near.points)
        names = user_texts(point.name for point in near.named)
        points = formats.count(number, "point", "points")
        if len(names) == number:
            points = block_specs.some_names([name.markdown for name in names])
        text += f" Every place within {formats.length(near.km)} of {points} is sensitive."
    return text


def repeats_text(nouns: Vocabulary, setup: Setup) -> str:
    """Right guesses after `REPEATS` reports about one person; "" where nothing is hidden."""
    odds = _pairs(_context(setup), REPEATS)
    if not odds.protected:
        return ""
    if odds.largest > 0.999:
        return f"Reports add up: {REPEATS} about one person leave practically nothing hidden."
    return add_up(f"reports about the same {nouns.unit} of one person", odds.largest)


def counted(scenario: Scenario) -> tuple[str, str]:
    """What the data count, one and many: check-ins, unless people are drawn from them."""
    if isinstance(scenario.dataset, CountedRows):
        return scenario.dataset.nouns
    check_ins = isinstance(scenario.dataset, _CHECK_INS) and scenario.n is None
    return ("check-in", "check-ins") if check_ins else ("person", "people")


def of_data(nouns: Vocabulary, setup: Setup) -> Vocabulary:
    """The nouns of these data: what a user's own count instead of people, and the size of a cell.

    "In the wrong place" says nothing where no reader knows how large a place is.
    """
    domain, rows = setup.dataset.domain, setup.scenario.dataset
    if isinstance(domain, GridDomain):
        nouns = replace(
            nouns, wrong=f"in the wrong {formats.sized(domain.cell * KM_PER_DEGREE)} cell"
        )
    if isinstance(rows, CountedRows):
        person, people = rows.nouns
        nouns = replace(nouns, person=person, people=people)
    return nouns


def one_person_text(nouns: Vocabulary, setup: Setup) -> str:
    """What all rows of one person have together, by composition; "" where each has one row.

    m rows have m·ε in the worst pair: where all of them differ, and in a pair that has E = ε.
    """
    rows = setup.scenario.dataset
    if not isinstance(rows, CountedRows) or not rows.person_rows or rows.person_rows[2] == 1:
        return ""
    _, median, most = rows.person_rows
    protected = f"This protects one {nouns.person}."
    odds = pair_odds(setup.policy, most)
    if not odds.protected:
        return ""
    level = ""
    if isinstance(setup.policy, Context):
        level = f" (ε = {formats.digits(most * float(setup.policy.hidden_epsilon.max()), 4)})"
    kept = "At most" if rows.cap else "Up to"
    middle = "" if rows.cap else f" (median: {median:,})"
    return (
        f"{protected} {kept} {most:,} {nouns.people} are of one person{middle}: together they have "
        f"{most:,} times the ε of one {nouns.person}{level}, exactly so in the worst pair, and the "
        f"attacker {right_guess_text(odds.largest)}."
    )


def population(setup: Setup) -> str:
    """How many of what the data count: "3.67 million check-ins", "1,000 people"."""
    return formats.counted(setup.n, *counted(setup.scenario))


def counted_as_people(scenario: Scenario) -> str:
    """Note that one person is one check-in in these data; "" for other data."""
    return TEXTS["check_ins"] if isinstance(scenario.dataset, _CHECK_INS) else ""


def not_promised(nouns: Vocabulary, setup: Setup) -> list[str]:
    """What the policy leaves open, a sentence or a few each."""
    scenario = setup.scenario
    open_ends = []
    if setup.partition.m > 1:
        block = block_name(nouns, scenario)
        open_ends.append(f"Every report shows which {block} someone is in.")
    if not isinstance(scenario.context.sensitive, block_specs.EverythingSensitive):
        open_ends.append(_clear_sentences(nouns, setup))
    singles = int((setup.partition.sizes() == 1).sum())
    if singles:
        blocks = formats.count(singles, "block holds", "blocks hold")
        open_ends.append(TEXTS["single"].format(blocks=blocks, unit=nouns.unit))
    return open_ends + left_open(nouns, scenario)


def left_open(nouns: Vocabulary, scenario: Scenario) -> list[str]:
    """What every policy leaves open, a sentence each."""
    together = ["One user's check-ins are not protected together: the ε of their reports add up."]
    return [
        *(together if isinstance(scenario.dataset, _CHECK_INS) else []),
        "A report shows that someone took part.",
        f"The estimate shows which {nouns.units} are common, as it is meant to.",
    ]


def _clear_sentences(nouns: Vocabulary, setup: Setup) -> str:
    cover, context = symbol_partition_of(setup.mechanism), _context(setup)
    has_hidden = cover.sizes > 0
    if not has_hidden.any():
        return f"Every report names its {nouns.unit}."
    with_others = np.flatnonzero(np.bincount(setup.partition.labels[~setup.sensitive]))
    mixed = with_others[has_hidden[with_others]]
    others = f"{nouns.at.capitalize()} {nouns.units} that are not sensitive"
    if not mixed.size:
        return f"{others}, everybody names their {nouns.unit} openly."
    least = float(cover.clear_share[mixed].min())
    clear = "nearly all" if least >= READ else f"at least {formats.out_of(least)}"
    text = TEXTS["named_openly"].format(others=others, clear=clear, nouns=nouns)
    unmixed = with_others.size - mixed.size
    if unmixed:
        count = f"{formats.integer(unmixed)} of {formats.integer(setup.partition.m)}"
        block = block_name(nouns, setup.scenario)
        blocks = "countries" if block == "country" else f"{block}s"
        text += f" In {count} {blocks}, where nothing has to hide, everybody does."
    bound = formats.upper_bound(max_guess_accuracy(float(context.epsilon[mixed].max())))
    return TEXTS["ruled_out"].format(text=text, unit=nouns.unit, bound=bound)


DELTA_TEXT: Final = TEXTS["delta"]


def is_known(setup: Setup) -> bool:
    """Whether there is a bound for the scenario's mechanism, and anybody whom it protects."""
    mechanism = setup.mechanism
    return isinstance(mechanism, ContextMechanism) and bool(mechanism.hidden_symbols.size)


def scenario_text(nouns: Vocabulary, setup: Setup) -> str:
    """ε after mixing in the block with the most people, of those that hide any; "" without a bound.

    People are counted by the truth, which a page knows.
    """
    if not is_known(setup):
        return ""
    assert isinstance(setup.mechanism, ContextMechanism)
    labels, policy = setup.partition.labels, setup.mechanism.policy
    shares = np.bincount(labels, setup.dataset.distribution, minlength=policy.m)
    has_hidden = policy.hidden_sizes > 0
    block = int(np.argmax(np.where(has_hidden, shares, -1.0)))
    people = np.zeros(policy.m, np.int64)
    people[block] = max(1, round(setup.n * float(shares[block])))
    epsilons = epsilons_after_mixing(setup.mechanism, people)
    assert epsilons is not None  # of contexts there is always one
    levels = float(epsilons.hidden[block]), float(epsilons.open[block])
    block_text = "" if policy.m == 1 else " of the block with the most people"
    before = float(policy.epsilon[block])
    return describe_mixing(
        nouns,
        before,
        levels,
        f"the {formats.counted(int(people[block]), 'report', 'reports')}{block_text}",
    )


def describe_mixing(
    nouns: Vocabulary, before: float, after: tuple[float, float], reports: str
) -> str:
    """ε `before` and `after` mixing, in a sentence; "" where `after` has no pair.

    `after`: ε between two protected values, and between a protected and an open one; NaN where
    there is no such pair. `reports`: which reports are mixed, in words.
    """
    hidden, beside_open = after
    pairs = {
        f"two protected {nouns.units}": hidden,
        f"a protected and an open {nouns.unit}": beside_open,
    }
    changes = [
        f"between {pair} {shuffled_epsilon_text(before, level)}"
        for pair, level in pairs.items()
        if not math.isnan(level)
    ]
    if not changes:
        return ""
    text = TEXTS["shuffler"].format(reports=reports, changes=", and ".join(changes))
    return f"{text} {DELTA_TEXT}"


def shuffled_epsilon_text(before: float, after: float) -> str:
    """How ε changes: “falls from 1 to 0.06”, or “stays at 1” where both texts are the same."""
    if formats.digits(after) == formats.digits(before):
        return f"stays at {before:g}"
    return f"falls from {before:g} to {formats.digits(after)}"
