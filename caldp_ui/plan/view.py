"""What the page shows of a plan: its headline, its picture, and the texts for a memo.

Every sentence here must be true of the numbers that it is made of. The picture: people needed
against ε, one line a protection. The memo: in plain words, and for those who build it.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import EPSILON_MAX
from caldp_core.basics.types import Ints, Progress, no_progress
from caldp_core.domain.domains import Domain
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.capabilities import symbol_partition_of
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.theory.expected_error import Forecast
from caldp_ui.app.texts import read_texts, read_toml
from caldp_ui.app.theme import Palette
from caldp_ui.app.user_text import UserText, user_texts
from caldp_ui.charts import show as charts
from caldp_ui.charts.curves import (
    EPSILON_AXIS,
    ChartLabel,
    Words,
    dots_trace,
    gap_arrow,
    horizontal_line,
    line_trace,
    logarithmic,
    plane,
    vertical_line,
)
from caldp_ui.compute import runs
from caldp_ui.controls.choices import PLAIN
from caldp_ui.parts import layout
from caldp_ui.plan import page_state
from caldp_ui.plan.page_state import STATE, Margins, Need, Plan, Repetition
from caldp_ui.shell.page import View
from caldp_ui.words import formats, policies
from caldp_ui.words import promise as counts
from caldp_ui.words.formats import ANSWERS, Headline, Vocabulary

TEXTS: Final = read_texts(__file__)
REPETITION: Final = read_toml(__file__, "repetition.toml")
Points = Mapping[str, Sequence[Need]]
"""Needs by protection, by rising ε."""
_TOO_MANY: Final = "more than 1 trillion"
_EQUAL = 1.005
"""Ratio of errors up to which they are read as one number."""

_NO_LIMIT: Final = ", the largest that is accepted, so this goal sets no limit"


def nouns(record: Plan) -> Vocabulary:
    """Places for maps, answers for lists."""
    return formats.nouns_of(runs.dataset(record.scenario).domain, ANSWERS)


def goal_text(record: Plan, error: float | None = None) -> str:
    """The goal in words, to follow "to"; of another `error` than it asks for, if that is given."""
    most = page_state.target(record) if error is None else error
    if record.goal == "overall":
        return f"have at most {formats.out_of(most)} people {nouns(record).wrong}"
    has = "given by" if unit(record) == ANSWERS.unit else "with"
    return (
        f"know every {unit(record)} {has} at least {100 * record.floor:g} % of people to within "
        f"{100 * most:g} % of its value"
    )


def unit(record: Plan) -> str:
    """The noun of what the goal is about: an answer, a place, or a region of them."""
    return unit_of_margins(record) if record.goal in page_state.OF_REGIONS else nouns(record).unit


def unit_of_margins(record: Plan) -> str:
    """The noun of what has margins in a memo: a group, state, country or region, else a value."""
    regions = record.regions
    return nouns(record).unit if regions is None else regions.singular


def rounded_people_text(people: float | None) -> str:
    """A number of people to three digits: it is known to 0.1 %. None: more than is looked for."""
    return _TOO_MANY if people is None else formats.people(float(f"{people:.3g}"))


def people_text(people: float | None) -> str:
    """A number of people with the noun, to three digits; None as in `rounded_people_text`."""
    return formats.count(rounded_people_text(people), "person", "people")


def protection_title(record: Plan, name: str) -> str:
    """The title of a protection in the picture."""
    return record.protections[name].title


def repetition_cells(found: Repetition | None) -> dict[str, str]:
    """The row of a plan of repetition by column; None for one that the method lacks."""
    parts = ["not with this method", "", "", ""]
    if found is not None:
        off = (1.96 * found.accuracy[name] for name in ("one", "all"))
        accuracy = (f"± {formats.point_count(each)}" for each in off)
        parts = [_level_text(**found.value), _level_text(**found.change), *accuracy]
    return dict(zip(REPETITION["columns"], parts, strict=True))


def _level_text(epsilon: float | None, **how: str) -> str:
    if epsilon is None:
        return "no limit"
    return f"{'at most ' if how['is'] == 'bound' else ''}{formats.digits(epsilon, 3)}"


def default_estimate_text(
    record: Plan, setup: Setup, planned: Forecast | None, default: Forecast | None
) -> str:
    """What trials at this plan say of the default estimate; "" where there are none."""
    if planned is None or default is None:
        return ""
    return TEXTS["default_estimate"].format(
        people=formats.counted(setup.n, "person", "people"),
        level=setup.scenario.context.plain_epsilon,
        wrong=nouns(record).wrong,
        default=formats.out_of(default.error),
        planned=formats.out_of(planned.error),
        judged=TEXTS["default_is_good"] if default.error <= _EQUAL * planned.error else "",
    )


def alt(record: Plan, points: Points) -> str:
    """The picture in words: both ends of every line, and both numbers at the reader's ε."""
    lines = "; ".join(
        f"{protection_title(record, name)}: {formats.people(needs[0].people or 0)} at "
        f"ε = {needs[0].epsilon:g}, {formats.people(needs[-1].people or 0)} at "
        f"ε = {needs[-1].epsilon:g}"
        for name, needs in points.items()
        if needs
    )
    return (
        f"People needed against ε, on log scales. {lines}. {level_sentence(record, points)}".strip()
    )


def headline(record: Plan, points: Points) -> Headline:
    """The ε that the reader's people afford, and what an attacker can guess then.

    Where not everybody is protected, that comes first.
    """
    need, level = state_need(record, points), plan_level(record, points)
    setup = setup_at(record, level)
    texts = policies.describe_promise(nouns(record), setup)
    shares = {"protected": texts.protected_share, "right_guess": texts.chance}
    figures = {**need.figures, **shares}
    if texts.protects_all:
        guess = lowercase_start(policies.promise_summary(nouns(record), setup))
        second = f"At ε = {level:g}, {guess} {group_text(record, setup)}".strip()
        return Headline(need.sentence, second, figures=figures)
    stated = [need.sentence, group_text(record, setup)]
    return Headline.of(texts.unprotected(nouns(record), level), stated, figures)


def group_text(record: Plan, setup: Setup) -> str:
    """How well the shares of the plan's smallest group can be known at best; "" without one."""
    if not record.group:
        return ""
    people = formats.count(record.group, "person", "people")
    if not symbol_partition_of(setup.mechanism).hidden.size:
        return TEXTS["group_open"].format(people=people)
    margin = page_state.least_margin(record, setup)
    if margin >= 1:
        return TEXTS["group_unknown"].format(people=people)
    is_all = symbol_partition_of(setup.mechanism).hidden.size == setup.mechanism.k
    return TEXTS["group_margin"].format(
        people=people,
        share="share" if is_all else "protected share",
        points=_points_rounded_down(margin),
        level=setup.scenario.context.plain_epsilon,
    )


def _points_rounded_down(margin: float) -> str:
    """A margin in percentage points with two digits, rounded down: none is closer than is said."""
    points = 100 * margin
    unit = 10.0 ** (math.floor(math.log10(points)) - 1)
    return f"{math.floor(points / unit) * unit:.2g}"


_BLOCKS_NAMED: Final = 6
_ANSWERS_NAMED: Final = 40
"""Most blocks, and most answers of a list, whose names are all said."""


def open_parts_text(setup: Setup) -> str:
    """What every report shows openly of an answer, by the answers' names; "" for maps and nothing.

    Blocks first, then the answers that are not sensitive.
    """
    domain = setup.dataset.domain
    if not isinstance(domain, Domain):
        return ""
    labels, sentences = setup.partition.labels, []
    if setup.partition.m > 1:
        sentences.append(_blocks_text(domain, labels, setup.partition.m))
    sensitive = user_texts(domain.name_of(x) for x in np.flatnonzero(setup.sensitive).tolist())
    if 0 < len(sensitive) < domain.k and domain.k <= _ANSWERS_NAMED:
        names = _enumerate_texts([f"“{name.plain}”" for name in sensitive])
        sentences.append(TEXTS["sensitive_named"].format(names=names))
    return " ".join(sentences)


def _blocks_text(domain: Domain, labels: Ints, m: int) -> str:
    """Which blocks a report shows openly: all by their answers, or of a long list the first."""
    members = [np.flatnonzero(labels == block).tolist() for block in range(m)]
    if m <= _BLOCKS_NAMED and domain.k <= _ANSWERS_NAMED:
        named = []
        for block in members:
            answers_of_block = user_texts(domain.name_of(x) for x in block)
            named.append(f"“{', '.join(name.plain for name in answers_of_block)}”")
        return TEXTS["blocks_named"].format(blocks=_enumerate_texts(named))
    first, last = (UserText(domain.name_of(members[0][place])) for place in (0, -1))
    return TEXTS["blocks_counted"].format(
        m=m, first=first.plain, last=last.plain, size=len(members[0])
    )


def sufficient_epsilon(record: Plan, points: Points) -> float | None:
    """The least ε at which the reader's people are enough; None if no ε is, or not known yet."""
    return _level(record, points) if _is_whole(record, points) else None


def _level(record: Plan, points: Points) -> float | None:
    return page_state.epsilon_for(points[record.chosen], runs.people(record.scenario))


def _is_whole(record: Plan, points: Points) -> bool:
    """Whether all points are known: the last of the grid, and the one read off between them."""
    needed = {page_state.epsilon_levels(record)[-1], _level(record, points) or record.epsilon}
    return needed <= {each.epsilon for each in points[record.chosen]}


def plan_level(record: Plan, points: Points) -> float:
    """The ε that the headline and the memo speak of: the sufficient one, else the reader's."""
    return sufficient_epsilon(record, points) or record.epsilon


def state_need(record: Plan, points: Points) -> Headline:
    """What the reader's people need: the least ε, or more people at the reader's ε."""
    needs, goal = points[record.chosen], goal_text(record)
    people = formats.counted(runs.people(record.scenario), "person", "people")
    enough = sufficient_epsilon(record, points)
    if enough is not None:
        is_first = enough <= needs[0].epsilon
        text = f"even ε = {enough:g} is enough" if is_first else f"you need ε ≈ {enough:g}"
        return Headline(f"With {people} {text} to {goal}.", figures={"epsilon": enough})
    if _is_whole(record, points):
        return Headline(f"With {people} no ε up to {needs[-1].epsilon:g} is enough to {goal}.")
    ours = _people_at(record, needs)
    text = f"At ε = {record.epsilon:g} you need {people_text(ours)} to {goal}."
    return Headline(text, figures={} if ours is None else {"people": ours})


def level_sentence(record: Plan, points: Points) -> str:
    """People at the reader's ε and plain LDP's beside them; empty where they are not known."""
    ours, plain = _people_at(record, points[record.chosen]), _people_at(record, points[PLAIN])
    if ours is None or plain is None:
        return ""
    text = (
        f"At ε = {record.epsilon:g}, “{protection_title(record, record.chosen)}” needs "
        f"{people_text(ours)}"
    )
    if record.chosen == PLAIN:
        return f"{text}."
    if rounded_people_text(plain) == rounded_people_text(ours):
        return f"{text}, and so does plain LDP."
    return (
        f"{text}, plain LDP {rounded_people_text(plain)} ({formats.times(plain / ours)} as many)."
    )


def _people_at(record: Plan, points: Sequence[Need]) -> int | None:
    return next((each.people for each in points if each.epsilon == record.epsilon), None)


def setup_at(record: Plan, level: float) -> Setup:
    """The reader's protection at this ε."""
    return runs.setup(record.protected_scenario(record.chosen, level))


ATTACK: Final = STATE.key("attack")
"""The key of the place of what the page says of the attacker's goal."""


def guessed_text(share: float) -> str:
    """The largest share that an attacker may guess right, as odds; 1 means no limit."""
    return "no limit" if share >= 1 else f"1 in {formats.digits(1 / share, 3)}"


def attack(record: Plan, progress: Progress = no_progress) -> Headline:
    """Which ε keeps the attacker's goal, what people reach then, and who the attacker is.

    Where not everybody is protected, that comes first.
    """
    terms = nouns(record)
    try:
        level, knowing = page_state.attack_limit(record, progress)
    except CaldpError as failure:
        return Headline(str(failure))
    setup = setup_at(record, level or record.epsilon)
    error, most = page_state.error_at(record, setup, progress), page_state.target(record)
    promise = policies.describe_promise(terms, setup)
    block = counts.block_name(terms, setup.scenario)
    judged = TEXTS["attack_kept"] if error <= most else TEXTS["attack_not_kept"]
    is_relative = record.goal in page_state.RELATIVE
    asked = f"to the {100 * most:g} %" if is_relative else f"the {formats.out_of(most)}"
    text = (TEXTS["attack_never"] if level is None else TEXTS["attack_limit"]).format(
        odds=guessed_text(record.guessed),
        up_to=f"{level or 0:g}{_NO_LIMIT * (level == EPSILON_MAX)}",
        where="" if block == terms.whole else f" in one {block}",
        easiest="" if block == terms.whole else f"; counted is the {block} that is easiest",
        unit=terms.unit,
        units=terms.units,
        few=min(filter(None, symbol_partition_of(setup.mechanism).sizes.tolist())),
        people=formats.counted(setup.n, "person", "people"),
        reached=goal_text(record, float(f"{error:.2g}")),
        judged=judged.format(asked=asked),
        knowing="perhaps more" if math.isnan(knowing) else formats.out_of(knowing),
    )
    figures = {"epsilon": level, "error": error, "knowing": knowing} if level else {}
    return Headline.of(promise.unprotected(terms, level or record.epsilon), [text], figures)


def attack_html(stated: Headline) -> str:
    """What is said of the attacker's goal as HTML, for films."""
    bold = "**" * stated.unprotected
    return layout.as_html(f"{bold}{stated.sentence}{bold} {stated.second}".strip())


def lowercase_start(sentence: str) -> str:
    """A sentence as it goes on after a comma."""
    return sentence[:1].lower() + sentence[1:]


HEIGHT: Final = 520
CHART: Final = STATE.key("chart")
_DASHES: Final = ("dash", "solid", "dashdot", "longdash", "dot", "longdashdot")
_SYMBOLS: Final = ("diamond", "circle", "square", "triangle-up", "star", "x")
_APART: Final = "\N{NO-BREAK SPACE}" * 2
_MIN_DISTANCE: Final = 0.15
"""Two levels of ε that are nearer (as logarithms) have no room for a text each."""
_RANGE: Final = (0.1, 10.0)
"""ε's of the picture, two whole powers of ten."""
_GAP: Final = 1.05
"""Ratio of people from which on the gap between two lines is drawn."""


def figure(record: Plan, points: Points, pinned: Need | None, colours: Palette) -> charts.Figure:
    """The picture of a record: its own protection bold, its ε and people dotted.

    `pinned`: another plan's need, as a point.
    """
    people = runs.people(record.scenario)
    traces = [
        _line(protection_title(record, name), needs, number, name == record.chosen, colours)
        for number, (name, needs) in enumerate(points.items())
    ]
    if pinned is not None and pinned.people is not None:
        traces.append(_point(pinned, colours))
    yours = f"you: {formats.people(people)}"
    notes = [ChartLabel(_RANGE[1], people, yours, colours.text, "bottom left", lift=-3)]
    notes += _sufficient_labels(record, points, people, colours)
    ours, plain = (_people_at(record, points.get(name, ())) for name in (record.chosen, PLAIN))
    if ours and plain and plain > _GAP * ours:
        at = record.epsilon
        traces.append(gap_arrow(((at, float(ours)), (at, float(plain))), colours))
        # Until more points are known, the lines' names stand at the left of this one.
        names_here = points[record.chosen][0].epsilon == at
        side = "bottom right" if names_here else "bottom left"
        notes += _gap_labels(at, ours, plain, side, colours)
    y = _ordinate([each.people for needs in points.values() for each in needs], people)
    top = 10.0 ** y["range"][1]
    notes.append(
        ChartLabel(record.epsilon, top, f"you: ε = {record.epsilon:g}", colours.text, "top center")
    )
    low, high = min(_RANGE[0], record.epsilon), max(_RANGE[1], record.epsilon)
    x = {**EPSILON_AXIS, "range": [math.log10(0.94 * low), math.log10(1.06 * high)]}
    labels = Words(at_starts=_names(record, points, colours), notes=notes)
    shapes = [vertical_line(record.epsilon, colours), horizontal_line(people, colours)]
    return plane(traces, x, y, shapes, colours, words=labels, height=HEIGHT, left=104)


def _ordinate(needed: Sequence[int | None], people: int) -> dict[str, Any]:
    """The axis of people: whole powers of ten around all needs and the reader's people."""
    known = [float(each) for each in (*needed, people) if each]
    first, last = math.floor(math.log10(min(known))), math.ceil(math.log10(max(known)))
    last = max(last, first + 1)
    ticks = [10**power for power in range(first, last + 1)]
    room = 0.02 * (last - first)
    ends = [first - room, last + room]
    return logarithmic("people needed (log scale)", ticks, formats.people, range=ends)


def _names(record: Plan, points: Points, colours: Palette) -> list[ChartLabel]:
    """Each line's name at its left end: at the right, all come together."""
    return [
        ChartLabel(
            first.epsilon,
            first.people or 1,
            protection_title(record, name),
            colours.plain if name == PLAIN else colours.ours,
        )
        for name, needs in points.items()
        for first in needs[:1]
    ]


def _sufficient_labels(
    record: Plan, points: Points, people: int, colours: Palette
) -> list[ChartLabel]:
    """The ε at which the reader's people are enough, where their level meets the line.

    On a narrow chart it would stand on other numbers; the headline says it.
    """
    enough = sufficient_epsilon(record, points)
    if enough is None or enough == points[record.chosen][0].epsilon:  # their level meets none
        return []
    if abs(math.log(enough / record.epsilon)) < _MIN_DISTANCE:
        return []
    text = f"ε ≈ {formats.digits(enough)} is enough"
    side = "bottom left" if enough < record.epsilon else "top right"
    lift = -4 if "bottom" in side else 2
    return [ChartLabel(enough, people, text, colours.ours, side, lift, wide_only=True)]


def _gap_labels(at: float, ours: int, plain: int, side: str, colours: Palette) -> list[ChartLabel]:
    """The numbers of people at both ends of the gap, and how many times as many that is.

    `side`: where the lower number stands.
    """
    text = f"{_APART}{formats.times(plain / ours)} as many"
    return [
        ChartLabel(at, ours, f"{_APART}{rounded_people_text(ours)}{_APART}", colours.ours, side),
        ChartLabel(at, plain, f"{_APART}{rounded_people_text(plain)}", colours.plain, "top right"),
        ChartLabel(at, math.sqrt(ours * plain), text, colours.text, "middle right"),
    ]


def _point(need: Need, colours: Palette) -> dict[str, Any]:
    looks = {"size": 15, "symbol": "square-open", "color": colours.pinned, "line": {"width": 3}}
    words: dict[str, Any] = {
        "text": ["pinned"],
        "textposition": "bottom center",
        "mode": "markers+text",
    }
    words |= {"textfont": {"color": colours.pinned}, "hovertemplate": "%{y:,.3s} people"}
    return dots_trace("pinned", [need.epsilon], [need.people], looks, **words)


def _line(
    title: str, needs: Sequence[Need], number: int, chosen: bool, colours: Palette
) -> dict[str, Any]:
    ink = colours.plain if number == 0 else colours.ours
    return line_trace(
        title,
        [each.epsilon for each in needs],
        [each.people for each in needs],
        (ink, _DASHES[number]),
        width=4 if chosen else 2,
        mode="lines+markers",
        opacity=1.0 if chosen or number == 0 else 0.7,
        marker={"symbol": _SYMBOLS[number], "size": 9 if chosen else 7, "color": ink},
        text=[people_text(each.people or 0) for each in needs],
        hovertemplate="%{text}",
    )


_NAMES_MAX: Final = 8
"""The most margins that a memo names one by one."""
_OTHER_EPSILONS: Final = (0.5, 1.0, 2.0, 4.0)
"""ε's at which a memo says how many people the same accuracy takes."""
_SAME_LEVEL: Final = 0.05


def plain_memo(record: Plan, points: Points, margins: Margins | None, attack: str = "") -> str:
    """Paragraphs in plain words, in both directions.

    For the reader's people: ε, who is protected, what an attacker can guess, and the margin of
    every group. For the accuracy: how many people at other ε. For the goal of an `attack`: what is
    said of it. Where not everybody is protected, that comes first.
    """
    need, level = state_need(record, points), plan_level(record, points)
    terms, setup = nouns(record), setup_at(record, level)
    promise = policies.describe_promise(terms, setup)
    all_covered, graded = promise.protects_all, promise.grades[-1]
    guess = policies.promise_summary(terms, setup) if all_covered else graded.odds.replace("*", "")
    plan = f"{need.sentence} At ε = {level:g}, {lowercase_start(guess)}"
    open_to_all = promise.unprotected(terms, level)
    first = " ".join((*open_to_all, plan if graded.protected else need.sentence))
    margins_sentence = "" if margins is None else f" {margins_text(record, margins, level)}"
    last = TEXTS["memo_end"].format(
        hidden=lowercase_start(promise.not_promised[0]),
        data=UserText(setup.dataset.name).plain,
        units=terms.units,
    )
    alternatives = alternatives_text(record, points, level, all_covered)
    shown, group = open_parts_text(setup), group_text(record, setup)
    parts = (f"{first}{margins_sentence}", shown, group, alternatives, attack, last)
    return "\n\n".join(filter(None, parts))


def margins_text(record: Plan, margins: Margins, level: float) -> str:
    """The margin of every group, or the least and the largest where there are many."""
    people = formats.counted(runs.people(record.scenario), "person", "people")
    if margins.margins.min() >= 1:
        unit = unit_of_margins(record)
        return TEXTS["no_margins"].format(people=people, level=level, unit=unit)
    start = TEXTS["margins"].format(people=people, level=level)
    ends = [f"± {formats.point_count(margin)}" for margin in margins.margins.tolist()]
    names = [name.plain for name in user_texts(margins.names)]
    rows = list(zip(names, ends, strict=True))
    if len(rows) > _NAMES_MAX:
        order, regions = np.argsort(margins.margins, kind="stable"), record.regions
        (best, least), (worst, most) = rows[order[0]], rows[order[-1]]
        units = nouns(record).units if regions is None else regions.plural
        return start + TEXTS["many_margins"].format(
            least=least, best=best, most=most, worst=worst, number=len(rows), units=units
        )
    (first, margin), *others = rows
    named = [f"to {margin} percentage points for “{first}”"]
    named += [f"to {other} for “{name}”" for name, other in others]
    return f"{start} {_enumerate_texts(named)}, each of these alone."


def _enumerate_texts(parts: Sequence[str]) -> str:
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def alternatives_text(record: Plan, points: Points, level: float, all_covered: bool) -> str:
    """The same accuracy at other ε: people, and the odds where everybody is protected."""
    near = [
        need
        for need in points[record.chosen]
        if need.people
        and need.epsilon in _OTHER_EPSILONS
        and abs(need.epsilon - level) > _SAME_LEVEL
    ]
    if not near:
        return ""
    needs = _enumerate_texts([f"{people_text(n.people)} at ε = {n.epsilon:g}" for n in near])
    right = _enumerate_texts([formats.hundred(max_guess_accuracy(n.epsilon)) for n in near])
    text = TEXTS["others"] if all_covered else TEXTS["others_alone"]
    return text.format(needs=needs, right=right)


def technical_memo(record: Plan, points: Points) -> str:
    """The plan for those who build it: protection, method, estimate and how often it holds.

    Empty where the number of people is not known.
    """
    level = level_sentence(record, points)
    if not level:
        return ""
    method = MECHANISMS[setup_at(record, record.epsilon).mechanism_name].title
    how = "in 95 of 100 repetitions each" if record.goal in page_state.RELATIVE else "on average"
    goal, estimate = goal_text(record), page_state.estimate_title(record)
    text = TEXTS["technical"].format(
        level=level, goal=goal, how=how, method=method, estimate=estimate
    )
    return f"{text} {open_parts_text(setup_at(record, record.epsilon))}".strip()


def own_need(record: Plan, progress: Progress = no_progress) -> Need:
    """The need of the record's own protection at its ε."""
    scenario = record.protected_scenario(record.chosen, record.epsilon)
    return page_state.compute_need(record, record.chosen, scenario, progress)


def view(record: Plan, pinned: Plan | None, colours: Palette) -> View:
    """The headline, the odds, and the picture with what is pinned."""
    points = page_state.needs_by_protection(
        record, list(page_state.compute_needs(record, no_progress))
    )
    texts = {layout.PLACE: layout.odds_html(nouns(record), setup_at(record, record.epsilon))}
    if record.guessed < 1:
        texts[f".st-key-{ATTACK} p"] = attack_html(attack(record))
    return View(
        headline(record, points), {CHART: chart_json(record, points, pinned, colours)}, texts
    )


def chart_json(record: Plan, points: Points, pinned: Plan | None, colours: Palette) -> str:
    """The picture of the points that are known, as JSON for the browser."""
    beside = None if pinned is None else own_need(pinned)
    return charts.figure_json(figure(record, points, beside, colours), alt(record, points))
