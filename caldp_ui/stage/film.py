"""Films: what a page shows at the steps of a slider, in the browser alone, as frozen records.

On maps they play as well; charts and drawings only follow the page's own slider.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from caldp_ui.stage.codec import Blob
from caldp_ui.stage.markup import tree
from caldp_ui.stage.records import Fact, Label, Mark
from caldp_ui.words.headline import Headline


@dataclass(frozen=True)
class Step:
    """One step of a film: new codes, subtitles and facts by the picture's id.

    `label`: what the slider says, such as "ε = 1.5". `value`: reported when it is chosen.
    `reading`: what the page's own slider says there, such as "1.5", if the film has a `dial`.
    `replacements`: by CSS selector, HTML of one element, which stands in for an element of the page
    beside the stage as long as the step is shown (see `markup.py`). `nobody`, `notes`, `labels`: by
    picture, where they differ from the picture's own; `pooled`: of those that have it (see
    `Picture`). `pictures`: charts and drawings by their keys, as they are sent to the browser.
    `headline`: the page's, with its figures; the browser gets it as one of the `replacements`.
    """

    label: str = ""
    value: float = 0.0
    codes: Mapping[str, Blob] = field(default_factory=dict)
    subtitles: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    reading: str = ""
    replacements: Mapping[str, str] = field(default_factory=dict)
    nobody: Mapping[str, float] = field(default_factory=dict)
    notes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    labels: Mapping[str, tuple[Label, ...]] = field(default_factory=dict)
    pooled: Mapping[str, Blob] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)
    headline: Headline = Headline("")


@dataclass(frozen=True, eq=False)
class Film:
    """Pictures that follow a slider in the browser alone; a film is equal to itself only.

    `follows`: the chosen step is reported, so that the page follows. `per_second`: pace of "play".
    `loops`: play goes on from the start, as outcomes drawn at random should. Which step the page is
    at is in the scene, so that a film that does not change is not sent again.
    `dial`: key of the page's own slider for what changes in the film, which then has none in the
    stage: the pictures follow that slider before the server has answered. Steps are found by their
    `reading`; a film is followed only if it has the scene's own pictures at the scene's own step.
    `hides`: lines that differ from step to step, and so are left out while it plays.
    `place`: where it stands among the films of its stage, from 0, whichever comes first. `beside`:
    key of the page's element that has the button "play" where controls are the page's own; "" for
    its `dial`. It lasts ten seconds, unless it `loops`, and leads back to where it began.
    `settings`: names all that the steps depend on but the slider.
    """

    id: str
    label: str
    steps: tuple[Step, ...]
    follows: bool = True
    per_second: float = 4.0
    loops: bool = False
    dial: str = ""
    hides: tuple[Mark, ...] = ()
    place: int = 0
    beside: str = ""
    settings: str = ""

    @cached_property
    def chart_message(self) -> bytes:
        """A film of charts and drawings as it is sent, the same in every run."""
        steps = [
            {
                "reading": step.reading,
                "pictures": dict(step.pictures),
                "replacements": {place: tree(html) for place, html in step.replacements.items()},
            }
            for step in self.steps
        ]
        head = {"id": self.dial, "dial": f".st-key-{self.dial}", "settings": self.settings}
        return json.dumps({**head, "steps": steps}).encode()
