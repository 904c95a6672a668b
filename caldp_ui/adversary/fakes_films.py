"""Fake phones as films over ε and over how many there are: the same people and coins at each step.

Made in the background, for all visits; the browser plays them alone.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from caldp_core.basics.types import Progress
from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary import fakes, fakes_scene, fakes_words
from caldp_ui.adversary.slot import SLOT, TENTHS, Suspect
from caldp_ui.compute import runs
from caldp_ui.controls.common import EPSILONS
from caldp_ui.parts import films, headline
from caldp_ui.parts.films import Asked
from caldp_ui.stage import Film, Stage, Step, project
from caldp_ui.words import promise


def show(record: Suspect, domain: GridDomain, on: Stage) -> None:
    """Bring the films to the stage one after another, now or as soon as they are made."""
    project(films.several(asked(record, domain)), on)


def asked(record: Suspect, domain: GridDomain) -> list[Asked[Film]]:
    """The films of the record; their names say all that their pictures and words rest on."""
    makers: list[tuple[str, Suspect, Callable[[Suspect, GridDomain, Progress], Film]]] = [
        (fakes_scene.TENTHS, replace(record, tenths=0), over_tenths)
    ]
    if not isinstance(record.scenario.context.epsilon, tuple):
        makers.insert(0, (fakes_scene.EPSILON, _at(record, EPSILONS[0]), over_epsilon))
    return [
        Asked(SLOT.key(f"film-{kind}"), f"{_name(like)} {kind}", partial(make, record, domain))
        for kind, like, make in makers
    ]


def over_epsilon(record: Suspect, domain: GridDomain, progress: Progress) -> Film:
    """Every ε of the page's slider."""

    def step(epsilon: float) -> Step:
        made = _step(f"ε = {epsilon:g}", epsilon, _at(record, epsilon), domain)
        return replace(made, reading=f"{epsilon:g}")

    made = films.steps(EPSILONS, promise.strongest(record.scenario), step, progress)
    return Film(fakes_scene.EPSILON, "Privacy level ε", made, dial=SLOT.key("epsilon"))


def over_tenths(record: Suspect, domain: GridDomain, progress: Progress) -> Film:
    """Every share of fake phones that the page offers."""

    def step(tenths: float) -> Step:
        share = fakes_words.share(int(tenths))
        made = _step(f"{share} fake", tenths, replace(record, tenths=int(tenths)), domain)
        return replace(made, reading=share)

    made = films.steps(TENTHS, record.tenths, step, progress)
    return Film(fakes_scene.TENTHS, "Fake phones", made, dial=SLOT.key("tenths"), place=1)


def _at(record: Suspect, epsilon: float) -> Suspect:
    return replace(record, scenario=record.scenario.with_context(epsilon=epsilon))


def _name(record: Suspect) -> str:
    shown = f"{record.place} {record.tenths} {record.attack} {record.repair}"
    return f"{runs.key(record.scenario)} {shown}"


def _step(label: str, value: float, record: Suspect, domain: GridDomain) -> Step:
    """What the page shows of this record, its sentence and one phone's power, too."""
    what = fakes.poisoned(record)
    scene = fakes_scene.scene(what, domain, record)
    said = fakes_words.headline(what, domain, record)
    beside = {
        headline.SENTENCE: headline.html(said),
        fakes_words.POWER: headline.as_html(fakes_words.one_phone(record, domain)),
    }
    return replace(films.step_of(scene, label, value, fakes_scene.TRUTH), elsewhere=beside)
