"""What the page shows of a record: sentences on treatments and attacks, bars, and the maps.

Each sentence must be true of the table beside it; none takes a side. Words for a decision, and
arguments for and against noise with their sources, stand in `debate.toml`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Final

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.cache import cached_by
from caldp_core.datasets import InfantDeaths
from caldp_core.domain.grid import GridDomain
from caldp_core.scenarios.blocks import GridBlocks
from caldp_ui.app.texts import read_toml
from caldp_ui.coarser.outcomes import (
    TREATMENT_NAMES,
    AttackResult,
    Outcome,
    candidate_cells,
    disclosed_counts,
)
from caldp_ui.coarser.page_state import (
    BLOCKS,
    CENTRAL,
    HIDE,
    LARGER,
    MOVED,
    NEWCOMER,
    NOTHING,
    PAIR_ATTACKS,
    PARTS,
    PLAIN,
    REGIONS,
    ROUND,
    TWO_PLACES,
    Publication,
    TreatmentData,
)
from caldp_ui.maps.ground import bare_ground
from caldp_ui.maps.scene import SQUARES, pooling_levels, scale, shared_pictures
from caldp_ui.stage import (
    Action,
    Arrangement,
    Blob,
    Fact,
    Ground,
    Label,
    Picture,
    Scene,
    encode_people,
    nobody_below,
)
from caldp_ui.stage.records import MARK_WORDS, Mark
from caldp_ui.words import formats, policies, promise
from caldp_ui.words.formats import PLACES, VALUES, Headline, Vocabulary, place_name, towns
from caldp_ui.words.promise import right_guess_text

_DEBATE: Final = read_toml(__file__, "debate.toml")
COLUMNS: Final = tuple(_DEBATE["columns"].values())
DECISION: Final = {name: tuple(row.values()) for name, row in _DEBATE["decision"].items()}
"""By treatment, an entry for each of `COLUMNS`; `{times}` is the factor of odds that ε allows."""
SIDES: Final = {side["title"]: side["claims"] for side in _DEBATE["sides"]}
OFFICES: Final = _DEBATE["offices"]

_NAMES: Final = read_toml(__file__, "names.toml")
TITLES: Final[dict[str, str]] = _NAMES["titles"]
_IN_SENTENCES: Final[dict[str, str]] = _NAMES["in_sentences"]
ATTACK_TITLES: Final[dict[str, str]] = _NAMES["attacks"]
UNIT: Final[dict[str, str]] = _NAMES["units"]


def nouns(data: TreatmentData) -> Vocabulary:
    """The nouns of the data: places on a map, else values."""
    return PLACES if isinstance(data.domain, GridDomain) else VALUES


def cell_name(data: TreatmentData, cell: int) -> str:
    """The name of a cell for readers: a town, a place, or an answer."""
    if isinstance(data.domain, GridDomain):
        name = place_name(data.domain, cell)
        return name.split(",")[0] if cell in towns(data.domain) else name
    return data.domain.name_of(cell)


def error_and_unit(data: TreatmentData, name: str) -> tuple[str, str]:
    """The error of a treatment, and its unit: a larger cell places nobody within it."""
    unit = "wrong, if spread evenly" if name == LARGER else nouns(data).wrong
    return formats.per_hundred(data.treatments[name].errors.tv), f"of 100 {unit}"


def errors_sentence(data: TreatmentData) -> str:
    """The errors of the treatments in one sentence."""
    return f"Of 100 people {nouns(data).wrong}: {list_errors(data, pictured(data))}."


def pictured(data: TreatmentData) -> list[str]:
    """The treatments in pictures of their own whose errors are stated."""
    return [n for n in (LARGER, data.record.office, PLAIN, BLOCKS) if n in data.treatments]


def list_errors(data: TreatmentData, names: Sequence[str]) -> str:
    """The errors of the named treatments, one after the other."""
    return ", ".join(f"{_IN_SENTENCES[name]} {error_and_unit(data, name)[0]}" for name in names)


def of_hundred(share: float) -> str:
    """A share as a number of 100; 1.0 is “100”, never “more than 99.9”."""
    return "100" if share == 1.0 else formats.per_hundred(share)


def odds_text(data: TreatmentData, tables: int = 1) -> str:
    """The factor by which any attack on a number of noisy tables changes the odds at most."""
    return formats.times(math.exp(tables * data.setup.scenario.policy.plain_epsilon))


def noise_sentence(data: TreatmentData) -> str:
    """The bound for any attack on noise: one line beside the bars."""
    epsilon = data.setup.scenario.policy.plain_epsilon
    if data.record.attack == MOVED:
        return (
            f"Two tables of ε = {epsilon:g} add up: together they change the odds by at most "
            f"{odds_text(data, 2)}; blocks promise it only within a block."
        )
    return (
        f"Against noise of ε = {epsilon:g} no attack changes the odds by more than "
        f"{odds_text(data)}; blocks promise it only within a block."
    )


def bound_text(data: TreatmentData) -> str:
    """The promise against every attack, in odds."""
    epsilon = data.setup.scenario.policy.plain_epsilon
    right = right_guess_text(max_guess_accuracy(epsilon)).replace("*", "")
    return (
        f"With noise of ε = {epsilon:g} no attack on one table changes the odds between two "
        f"{nouns(data).units} by more than {odds_text(data)}: an attacker to whom both were "
        f"equally likely {right}. Central "
        "noise promises it if the office is trusted, blocks only within a block. Larger cells, "
        "hiding and rounding promise no bound. Tables of several days add their ε up."
    )


def decision_row(data: TreatmentData, name: str) -> tuple[str, ...]:
    """The row of a treatment in the table of words for a decision."""
    return tuple(entry.format(times=odds_text(data)) for entry in DECISION[name])


def cell_size_text(data: TreatmentData) -> str:
    """The size or number of the larger cells."""
    blocks, domain = data.setup.scenario.context.blocks, data.domain
    if isinstance(domain, GridDomain) and isinstance(blocks, GridBlocks):
        high, wide = domain.rows / blocks.rows, domain.columns / blocks.columns
        return f"{high * domain.cell:.3g}° × {wide * domain.cell:.3g}°"
    if data.setup.scenario.dataset == InfantDeaths():
        return "both periods of a county together"
    return formats.count(data.setup.partition.m, "larger cell", "larger cells")


def picture_note(data: TreatmentData, name: str) -> str:
    """A few words on what a picture shows."""
    record = data.record
    hidden = int(data.table.hidden.sum())
    is_county = data.setup.scenario.dataset == InfantDeaths()
    within = f"within {'a county' if is_county else cell_size_text(data)}"
    notes: Mapping[str, str] = {
        NOTHING: "exact counts",
        LARGER: cell_size_text(data),
        HIDE: f"pink: {formats.count(hidden, 'hidden count', 'hidden counts')}",
        ROUND: f"to multiples of {record.base}",
        CENTRAL: f"ε = {data.setup.scenario.policy.plain_epsilon:g}, a trusted office",
        PLAIN: f"ε = {data.setup.scenario.policy.plain_epsilon:g}, one random result",
        BLOCKS: f"ε = {data.setup.scenario.policy.plain_epsilon:g}, {within}",
    }
    return notes[name]


OFFICE_MOVE: Final = "Hide a second count"
_MOVES: Final = (
    "Subtract",
    OFFICE_MOVE,
    "Solve all sums at once",
    "Use the marks, too",
    "Use all of the rule",
)
"""Labels of the button of the next move; the second move is the office's."""


def headline(data: TreatmentData, attack_result: AttackResult | None) -> Headline:
    """What the attack finds; then the errors. Figures: of all treatments, by their names."""
    errors = {f"{name}_tv": data.treatments[name].errors.tv for name in pictured(data)}
    found = {} if attack_result is None else attack_result.outcomes
    shares = {f"{n}_share": each.share for n, each in found.items() if each.share is not None}
    return Headline(
        _attack(data, attack_result),
        errors_sentence(data),
        _has_certain_disclosure(attack_result),
        errors | shares,
    )


def _has_certain_disclosure(attack_result: AttackResult | None) -> bool:
    """Whether a treatment other than `NOTHING` lets the attack find anything for sure."""
    if attack_result is None:
        return False
    return any(o.sure and o.share for name, o in attack_result.outcomes.items() if name != NOTHING)


def _attack(data: TreatmentData, attack_result: AttackResult | None) -> str:
    if attack_result is None:
        return "The attack is being computed."
    if data.record.moves == 0:
        return OPENING_SENTENCES[data.record.attack]
    return _SENTENCES[data.record.attack](data, attack_result)


OPENING_SENTENCES: Final[dict[str, str]] = _NAMES["openings"]


def _describe_places(data: TreatmentData, attack_result: AttackResult) -> str:
    here, there = (cell_name(data, cell) for cell in candidate_cells(data).tolist())
    shares = {name: _hundred(attack_result.outcomes[name]) for name in (HIDE, BLOCKS)}
    pair = f"{here} or {there}" if len(here) + len(there) < 28 else f"the two {nouns(data).units}"
    return (
        f"With small counts hidden, the attacker is right about {pair} {shares[HIDE]} times in "
        f"100, with noise in blocks {shares[BLOCKS]}."
    )


def _describe_moved(data: TreatmentData, attack_result: AttackResult) -> str:
    del data
    shares = {name: _hundred(attack_result.outcomes[name]) for name in (HIDE, BLOCKS)}
    return (
        f"With small counts hidden, the attacker is right about the person's way {shares[HIDE]} "
        f"times in 100, with noise in blocks {shares[BLOCKS]}."
    )


def _describe_parts(data: TreatmentData, attack_result: AttackResult) -> str:
    assert attack_result.disclosed_cells is not None
    hidden, disclosed = int(data.table.primary.sum()), int(attack_result.disclosed_cells.sum())
    if not hidden:
        return _none_hidden(data)
    how = (
        "by subtraction",
        "by subtraction once a second one is hidden, too",
        "from all sums together",
        "from all sums and the marks of small counts",
        "from all sums and all of the rule",
    )[data.record.moves - 1]
    if not disclosed:
        return f"The attacker works out none of {hidden:,} hidden small counts {how}."
    nouns_of_data = promise.counted(data.setup.scenario)
    people = formats.count(attack_result.disclosed_people, *nouns_of_data)
    return (
        f"The attacker works out {disclosed:,} of {hidden:,} hidden small counts, of {people}, "
        f"{how}."
    )


def _none_hidden(data: TreatmentData) -> str:
    return f"With a threshold of {data.record.threshold:,} no count is hidden."


def _describe_newcomer(data: TreatmentData, attack_result: AttackResult) -> str:
    del data
    return (
        f"Of 100 newcomers {_hundred(attack_result.outcomes[HIDE])} are found if small counts are "
        "hidden, none "
        "for sure if there is noise."
    )


def _describe_regions(data: TreatmentData, attack_result: AttackResult) -> str:
    if not data.table.primary.any():
        return _none_hidden(data)
    pairs = formats.count(data.record.pairs, "pair", "pairs")
    return (
        f"{pairs} of regions reveal {_hundred(attack_result.outcomes[HIDE])} of 100 hidden counts, "
        f"and {_hundred(attack_result.outcomes[ROUND])} of 100 rounded ones."
    )


_SENTENCES: Final = {
    TWO_PLACES: _describe_places,
    PARTS: _describe_parts,
    NEWCOMER: _describe_newcomer,
    MOVED: _describe_moved,
    REGIONS: _describe_regions,
}


def _hundred(outcome: Outcome) -> str:
    return "an unknown number of" if outcome.share is None else of_hundred(outcome.share)


def attacker_knowledge_text(data: TreatmentData) -> str:
    """What the attacker knows and does, in a sentence or two beside the numbers."""
    record = data.record
    if record.attack == TWO_PLACES:
        here, there = (cell_name(data, cell) for cell in candidate_cells(data).tolist())
        return (
            f"The attacker knows everybody else's {nouns(data).unit}, and that this person "
            f"is in **{here}** or in **{there}**."
        )
    if record.attack == MOVED:
        here, there = (cell_name(data, cell) for cell in candidate_cells(data).tolist())
        return (
            f"One day this person is in **{here}**, the other in **{there}**. Two tables: which "
            "way did they go?"
        )
    if record.attack == PARTS:
        return _parts_move_text(data)
    if record.attack == NEWCOMER:
        return (
            "**One person arrives** between two tables, a day apart. The attacker knows these "
            "tables and the office's rule, nobody's place."
        )
    return (
        f"**{formats.count(record.pairs, 'pair', 'pairs')}** of large regions, with a small place "
        "and without it, each rounded anew."
    )


def _parts_move_text(data: TreatmentData) -> str:
    record = data.record
    if record.threshold == 1:
        return _none_hidden(data)
    rule = f"from 1 to {record.threshold - 1:,}" if record.threshold > 2 else "1"
    if record.moves == record.last_move:
        marks = replace(data, record=replace(record, moves=record.moves - 1))
        return (
            "The attacker **uses all of the rule**: a second hidden count has no mark, so it is 0 "
            f"or at least {record.threshold:,}. With the marks alone "
            f"{int(disclosed_counts(marks).sum()):,} came out."
        )
    return (
        f"Hidden: each count that is {rule}. The totals of all larger cells are published.",
        "The attacker **subtracts** the published counts from each total.",
        "The office **hides a second count** wherever one alone was hidden.",
        "The attacker **solves all sums at once** (a linear program): no count is below 0.",
        f"The attacker also **uses the marks** of small counts: each is {rule}.",
    )[record.moves]


def next_move_label(record: Publication) -> str | None:
    """The label of the button of the next move; None after the last."""
    if record.moves >= record.last_move:
        return None
    return _MOVES[record.moves] if record.attack == PARTS else "Attack"


def bars_html(data: TreatmentData, attack_result: AttackResult) -> str:
    """A bar a treatment, as HTML: how much comes out, hatched where the attacker knows it."""
    attack = data.record.attack
    guess = attack in PAIR_ATTACKS
    head = f"<b>{escape(UNIT[attack])}</b>"
    mark = '<i class="guess">50: a mere guess</i>' if guess else ""
    rows = "".join(_bar(TITLES[name], attack_result.outcomes[name]) for name in TREATMENT_NAMES)
    kind = "bars guessed" if guess else "bars"
    odds = f"<small>{escape(noise_sentence(data))}</small>"
    return f'<div class="{kind}"><p>{head}{mark}</p><ul>{rows}</ul>{odds}</div>'


def _bar(title: str, outcome: Outcome) -> str:
    is_known = outcome.share is not None
    number = of_hundred(outcome.share) if outcome.share is not None else "?"
    width = 100 * (outcome.share or 0.0)
    kind = "open" if outcome.sure and width > 0 else "safe"
    label = f"{title}: {number} of 100" if is_known else f"{title}: not known yet"
    return (
        f'<li aria-label="{escape(label)}"><span>{escape(title)}</span>'
        f'<em><i class="{kind}" style="width:{width:.2f}%"></i></em><strong>{number}</strong></li>'
    )


def memo(data: TreatmentData, attack_result: AttackResult) -> str:
    """Paragraphs in plain words, every number of them computed here."""
    record, setup = data.record, data.setup
    errors = list_errors(data, [name for name in data.treatments if name != NOTHING])
    lines = [
        (
            f"Data: {setup.dataset.name}, {promise.population(setup)}, larger cells: "
            f"{cell_size_text(data)}. Counts under {record.threshold:,} are hidden, numbers "
            "are "
            f"rounded to multiples of {record.base}."
        ),
        f"Of 100 people {nouns(data).wrong}: {errors}.",
    ]
    if record.moves:
        shares = "; ".join(
            f"{TITLES[name]} {of_hundred(each.share)}"
            for name in TREATMENT_NAMES
            if (each := attack_result.outcomes[name]).share is not None
        )
        unit = UNIT[record.attack]
        lines.append(f"Attack “{ATTACK_TITLES[record.attack]}”, {unit}: {shares}.")
        lines.append(headline(data, attack_result).sentence)
    return "\n\n".join([*lines, bound_text(data)])


PERSON: Final = "person"
EPSILON: Final = "epsilon"
_ACTIONS: Final = (
    Action(PERSON, "The person is here", {"look": "A click puts the person there."}),
)
_MARKS: Final[dict[str, tuple[Mark, ...]]] = {BLOCKS: ("blocks",), HIDE: ("sensitive",)}
_MARK_WORDS: Final = {**MARK_WORDS, "sensitive": "hidden counts", "safe": "protected"}


def scene(data: TreatmentData, attack_result: AttackResult | None) -> Scene:
    """The maps: nothing, larger cells, the office's treatment, plain LDP, blocks."""
    assert isinstance(data.domain, GridDomain)  # tables have no maps
    names = [NOTHING, *pictured(data)]
    pictures = tuple(_picture(data, name, attack_result) for name in names)
    return Scene(
        _ground(data, data.domain),
        pictures,
        data.setup.n,
        (LARGER, names[-1]),
        actions=_ACTIONS if data.record.attack in PAIR_ATTACKS else (),
        arrangement=Arrangement(tuple(names)) if len(names) > 2 else None,
        label="The same people, treated in five ways",
        mark_words=_MARK_WORDS,
        film_values={EPSILON: data.setup.scenario.policy.plain_epsilon},
        scale=scale(data.setup, data.ours),
        image_name="caldp-noise-coarser-or-nothing",
        image_lines=(errors_sentence(data), policies.setting_text(data.setup)),
        **shared_pictures(data.setup, PLAIN, BLOCKS),
    )


def _picture(data: TreatmentData, name: str, attack_result: AttackResult | None) -> Picture:
    number, of = error_and_unit(data, name)
    title, result = TITLES[name], {PLAIN: data.plain, BLOCKS: data.ours}.get(name)
    squares = None if result is None else pooling_levels(result)
    return Picture(
        name,
        title,
        "",
        f"Map of where people seem to be, {title}: {number} {of}; {picture_note(data, name)}.",
        _encode_treatment(data, name),
        nobody_below(data.setup.n),
        _MARKS.get(name, ()),
        Fact(number, of),
        notes=("", " · ".join([SQUARES] * bool(squares) + [picture_note(data, name)])),
        labels=_label(attack_result.outcomes[name]) if attack_result else (),
        pooled=squares,
    )


def _label(outcome: Outcome) -> tuple[Label, ...]:
    if outcome.share is None:
        return ()
    text = f"attacker: {of_hundred(outcome.share)} of 100"
    return (Label(text, "", "open" if outcome.sure and outcome.share > 0 else "safe"),)


@cached_by(lambda data, treatment: (data.cache_key, treatment))
def _encode_treatment(data: TreatmentData, treatment: str) -> Blob:
    return encode_people(data.treatments[treatment].release.shares, data.setup.n)


@cached_by(lambda data, _: data.cache_key)
def _ground(data: TreatmentData, domain: GridDomain) -> Ground:
    return bare_ground(domain, data.labels, marked=data.table.hidden)


BARS: Final = ".st-key-coarser-attacker .bars"
"""Where the bars are on the page, as a CSS selector."""


def pin_title(record: Publication) -> str:
    """The title of a pinned record."""
    epsilon = record.scenario.policy.plain_epsilon
    setting = f"under {record.threshold:,} hidden, ε = {epsilon:g}"
    return f"{ATTACK_TITLES[record.attack]}, {setting}"
