"""The plan in words: its goal, and the headline.

Every sentence here must be true of the numbers that it is made of.
"""

from collections.abc import Mapping, Sequence

from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.forecast import Forecast
from caldp_core.experiments.run import Setup
from caldp_ui.compute import runs
from caldp_ui.controls.choices import PLAIN, protections
from caldp_ui.plan.page_state import OF_REGIONS, Plan
from caldp_ui.plan.people_needed import Need, epsilon_for, epsilon_levels
from caldp_ui.plan.regions import regions_of
from caldp_ui.words import coverage as counts
from caldp_ui.words import formats, policies
from caldp_ui.words.headline import Headline
from caldp_ui.words.vocabulary import ANSWERS, PLACES, Vocabulary

Points = Mapping[str, Sequence[Need]]
"""Needs by protection, by rising ε."""
TOO_MANY = "more than 1 trillion"
_EQUAL = 1.005
"""Ratio of errors up to which they are read as one number."""


def nouns(record: Plan) -> Vocabulary:
    """Places for maps, answers for lists."""
    return PLACES if isinstance(runs.dataset(record.scenario).domain, GridDomain) else ANSWERS


def goal_text(record: Plan) -> str:
    """The goal in words, to follow "to"."""
    words = nouns(record)
    if record.goal in OF_REGIONS:
        return (
            f"know every {unit(record)} with at least {100 * record.floor:g} % of people to within "
            f"{100 * record.within:g} % of its value"
        )
    if record.goal == "overall":
        return f"have at most {formats.out_of(record.wrong)} people {words.wrong}"
    common = "given by" if words is ANSWERS else "with"
    return (
        f"know every {words.unit} {common} at least {100 * record.floor:g} % of people to within "
        f"{100 * record.within:g} % of its value"
    )


def unit(record: Plan) -> str:
    """The noun of what the goal is about: an answer, a place, or a region of them."""
    return unit_of_margins(record) if record.goal in OF_REGIONS else nouns(record).unit


def unit_of_margins(record: Plan) -> str:
    """The noun of what has margins in a memo: a group, state, country or region, else a value."""
    regions = regions_of(record.scenario, record.goal)
    return nouns(record).unit if regions is None else regions.singular


def units(record: Plan) -> str:
    """The plural of `unit_of_margins`."""
    regions = regions_of(record.scenario, record.goal)
    return nouns(record).units if regions is None else regions.plural


def rounded_people_text(people: float) -> str:
    """A number of people to three digits: it is known to 0.1 %."""
    return formats.people(float(f"{people:.3g}"))


def people_text(people: float) -> str:
    """A number of people with the noun, to three digits."""
    return formats.count(rounded_people_text(people), "person", "people")


def protection_title(record: Plan, name: str) -> str:
    """The title of a protection in the picture."""
    return protections(runs.dataset(record.scenario).domain)[name].title


def default_estimate_text(
    record: Plan, setup: Setup, planned: Forecast | None, default: Forecast | None
) -> str:
    """What trials at this plan say of the default estimate; "" where there are none."""
    if planned is None or default is None:
        return ""
    people = formats.counted(setup.n, "person", "people")
    level = setup.scenario.context.plain_epsilon
    clause = ": it is at least as good" if default.error <= _EQUAL * planned.error else ""
    return (
        f"Measured with {people} at ε = {level:g}, the default estimate of other pages puts "
        f"{formats.out_of(default.error)} people {nouns(record).wrong}, and the one of this plan "
        f"{formats.out_of(planned.error)}{clause}."
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
    need, level = need_and_level(record, points)
    setup = setup_at(record, level)
    texts = policies.describe_promise(nouns(record), setup)
    if texts.protects_all:
        guess = lowercase_start(policies.promise_summary(nouns(record), setup))
        return Headline(need, f"At ε = {level:g}, {guess}")
    first, *rest = counts.unprotected_first(
        nouns(record), texts.exposed, texts.protected_share, texts.readable
    )
    return Headline(first, " ".join([*rest, need]), True)


def sufficient_epsilon(record: Plan, points: Points) -> float | None:
    """The least ε at which the reader's people are enough; None if no ε is, or not known yet."""
    if not _is_whole(record, points):
        return None
    epsilon = epsilon_for(points[record.protection], runs.people(record.scenario))
    return None if epsilon is None else float(f"{epsilon:.2g}")


def _is_whole(record: Plan, points: Points) -> bool:
    """Whether all points are known, by the one computed last: ε is read off between them."""
    last = epsilon_levels(record)[-1]
    return any(each.epsilon == last for each in points[record.protection])


def need_and_level(record: Plan, points: Points) -> tuple[str, float]:
    """The sentence on what the reader's people need, and the ε that it speaks of."""
    needs = points[record.protection]
    people = formats.counted(runs.people(record.scenario), "person", "people")
    level = sufficient_epsilon(record, points)
    if level is not None and level > needs[0].epsilon:
        return f"With {people} you need ε ≈ {level:g} to {goal_text(record)}.", level
    if level is not None:
        return f"With {people} even ε = {level:g} is enough to {goal_text(record)}.", level
    if _is_whole(record, points):
        text = f"With {people} no ε up to {needs[-1].epsilon:g} is enough to {goal_text(record)}."
        return text, record.epsilon
    ours = _people_at(record, needs)
    text = f"{TOO_MANY} people" if ours is None else people_text(ours)
    return (
        f"At ε = {record.epsilon:g} you need {text} to {goal_text(record)}.",
        record.epsilon,
    )


def level_sentence(record: Plan, points: Points) -> str:
    """People at the reader's ε and plain LDP's beside them; empty where they are not known."""
    ours, plain = _people_at(record, points[record.protection]), _people_at(record, points[PLAIN])
    if ours is None or plain is None:
        return ""
    text = (
        f"At ε = {record.epsilon:g}, “{protection_title(record, record.protection)}” needs "
        f"{people_text(ours)}"
    )
    if record.protection == PLAIN:
        return f"{text}."
    if rounded_people_text(plain) == rounded_people_text(ours):
        return f"{text}, and so does plain LDP."
    return (
        f"{text}, plain LDP {rounded_people_text(plain)} ({formats.times(plain / ours)} as many)."
    )


def _people_at(record: Plan, points: Sequence[Need]) -> int | None:
    return next((each.people for each in points if each.epsilon == record.epsilon), None)


def memo_setup(record: Plan, points: Points) -> Setup:
    """The protection at the ε that the memo speaks of, with the reader's people."""
    return setup_at(record, need_and_level(record, points)[1])


def setup_at(record: Plan, level: float) -> Setup:
    """The reader's protection at this ε."""
    return runs.setup(record.protected_scenario(record.protection, level))


def lowercase_start(sentence: str) -> str:
    """A sentence as it goes on after a comma."""
    return sentence[:1].lower() + sentence[1:]
