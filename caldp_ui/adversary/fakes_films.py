"""Fake phones as films over ε and over how many there are: the same people and coins at each step.

Made in the background, for all visits; the browser plays them alone.
"""

from dataclasses import replace
from typing import Final

from caldp_ui.adversary import fakes, fakes_scene, fakes_words
from caldp_ui.adversary.slot import SLOT, TENTHS, Suspect
from caldp_ui.compute import runs
from caldp_ui.controls.common import along_epsilon
from caldp_ui.controls.slider import Slider
from caldp_ui.parts import films, headline
from caldp_ui.parts.films import Along
from caldp_ui.stage import Step


def along(record: Suspect) -> list[Along[Suspect]]:
    """The films of the record."""
    many = isinstance(record.scenario.context.epsilon, tuple)
    return [OVER_TENTHS] if many else [OVER_EPSILON, OVER_TENTHS]


def look(record: Suspect) -> Step:
    """What the page shows of a record, its sentence and one phone's power, too."""
    what, domain = fakes.poisoned(record), runs.map_of(runs.dataset(record.scenario))
    said = fakes_words.headline(what, domain, record)
    power = {fakes_words.POWER: headline.as_html(fakes_words.one_phone(record, domain))}
    scene = fakes_scene.scene(what, domain, record)
    return films.look_of(scene, fakes_scene.TRUTH, said, power)


def _rests_on(record: Suspect) -> str:
    shown = f"{record.place} {record.tenths} {record.attack} {record.repair}"
    return f"{runs.key(record.scenario)} {shown}"


MANY: Final = Slider[Suspect](
    "tenths",
    lambda record: record.tenths,
    lambda record, tenths: replace(record, tenths=int(tenths)),
    TENTHS,
    lambda tenths: fakes_words.share(int(tenths)),
)
OVER_EPSILON: Final = Along[Suspect](
    SLOT, fakes_scene.EPSILON, "Privacy level ε", along_epsilon(), look, _rests_on
)
OVER_TENTHS: Final = Along[Suspect](
    SLOT, fakes_scene.TENTHS, "Fake phones", MANY, look, _rests_on, "{} fake".format, place=1
)
