"""The plan in words: the headline, and a paragraph fit for a memo.

Room: plan. Every sentence here must be true of the numbers that it is made of.
"""

from collections.abc import Mapping, Sequence

from caldp_core.domain.grid import GridDomain
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.compute import runs
from caldp_ui.controls.choices import PLAIN, protections
from caldp_ui.plan.slot import Plan
from caldp_ui.plan.work import Need, epsilon_for, levels
from caldp_ui.words import formats, promise
from caldp_ui.words.vocabulary import PLACES, VALUES, Vocabulary


def nouns(record: Plan) -> Vocabulary:
    """Places for maps, values for lists."""
    return PLACES if isinstance(runs.dataset(record.scenario).domain, GridDomain) else VALUES


def goal(record: Plan) -> str:
    """What is asked for, after "to"."""
    unit = nouns(record).unit
    if record.goal == "overall":
        return f"have at most {formats.out_of(record.wrong)} people with the wrong {unit}"
    return (
        f"know every {unit} of at least {100 * record.floor:g} % of the people to within "
        f"± {100 * record.within:g} % of itself"
    )


def about(people: float) -> str:
    """A number of people to three digits: it is known to 0.1 %."""
    return formats.people(float(f"{people:.3g}"))


def title(record: Plan, name: str) -> str:
    """A protection as the picture calls it."""
    return protections(runs.dataset(record.scenario).domain)[name].title


def alt(record: Plan, points: Mapping[str, Sequence[Need]]) -> str:
    """The picture in words: both ends of every line."""
    told = "; ".join(
        f"{title(record, name)}: {formats.people(needs[0].people or 0)} at "
        f"ε = {needs[0].epsilon:g}, {formats.people(needs[-1].people or 0)} at "
        f"ε = {needs[-1].epsilon:g}"
        for name, needs in points.items()
        if needs
    )
    return f"People needed against ε, both logarithmic. {told}."


def headline(record: Plan, points: dict[str, list[Need]]) -> str:
    """People at the reader's ε, plain LDP's beside, and the ε that the reader's people afford.

    The last only once all points are there: it is read off between them.
    """
    ours = _at(record, points[record.protection])
    plain = _at(record, points[PLAIN])
    if ours is None or plain is None:
        return f"To {goal(record)}: more people than 10¹², or more than can be reckoned here."
    told = (
        f"To {goal(record)}, at ε = {record.epsilon:g}, “{title(record, record.protection)}” takes "
        f"**{about(ours)} people**"
    )
    if record.protection != PLAIN:
        many = "" if about(plain) == about(ours) else f" ({formats.times(plain / ours)} as many)"
        told += f", plain LDP {about(plain)}{many}"
    if len(points[record.protection]) < len(levels(record)):
        return f"{told}."
    return f"{told}. {_back(record, points[record.protection])}"


def _at(record: Plan, points: list[Need]) -> int | None:
    return next((each.people for each in points if each.epsilon == record.epsilon), None)


def _back(record: Plan, points: list[Need]) -> str:
    people = runs.people(record.scenario)
    least = epsilon_for(points, people)
    if least is None:
        return f"{formats.people(people)} people are too few at each of these ε."
    if least == points[0].epsilon:
        return f"With {formats.people(people)}, even ε = {least:g} would do."
    return f"With {formats.people(people)}, ε ≈ {least:.2g} would do."


def memo(record: Plan, points: dict[str, list[Need]]) -> str:
    """A paragraph fit for a memo: what, how many, by which method, and what an onlooker can guess.

    Empty where the number of people is not known.
    """
    ours, plain = _at(record, points[record.protection]), _at(record, points[PLAIN])
    if ours is None or plain is None:
        return ""
    setup = runs.setup(record.under(record.protection, record.epsilon))
    method = MECHANISMS[setup.mechanism_name].title
    how = "in 95 of 100 repetitions each" if record.goal == "values" else "on average"
    text = (
        f"To {goal(record)}, {how}, we need about {about(ours)} people at ε = "
        f"{record.epsilon:g}, with {method} under “{title(record, record.protection)}”, one "
        "report each."
    )
    if record.protection != PLAIN:
        text += f" Under plain local differential privacy it would be {about(plain)}."
    odds = promise.odds(nouns(record), setup).replace("**", "")
    limits = " ".join(promise.not_promised(nouns(record), setup)[:1])
    return (
        f"{text} {odds} Not promised: {limits} Planned with the data “{setup.dataset.name}”; "
        "other data of as many answers need similar numbers, not the same."
    )
