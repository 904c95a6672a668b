"""What the stage shows, as frozen records.

`component.py` has the readers' actions that it reports. All words that people read come from here,
none from the browser's side but the names of its own buttons. Shares are parts of all people, in
[−1, 1], one a cell. The browser's side never reads a text as HTML; it is read here, and of all
attributes only those are kept that words and small pictures need.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import require
from caldp_core.domain.grid import Area, GridDomain
from caldp_ui.app.theme import DAY, DAY_RAMPS, NIGHT, NIGHT_RAMPS
from caldp_ui.stage import bundle
from caldp_ui.stage.codec import SCALE, Blob, Scale
from caldp_ui.words.formats import Headline

Tree: TypeAlias = list[Any]
"""An element: its tag, its attributes, and its children, which are texts and trees."""
_ATTRIBUTES: Final = {
    "class": "className",
    "role": "role",
    "aria-label": "aria-label",
    "style": "style",
}


def tree(html: str) -> Tree:
    """One element of plain, closed HTML; raises `CaldpError` for anything else."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    [_, _, *children], *unclosed = reader.open
    alone = len(children) == 1 and isinstance(children[0], list) and not unclosed
    require(alone, f"One closed element is needed, got {html!r}.")
    element: Tree = children[0]
    return element


_EMPTY: Final = "br"
"""The one element that is never closed."""


class _Reader(HTMLParser):
    """Gathers elements as they open and close; the first of `open` holds what has no parent."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[Tree] = [["", {}]]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {
            _ATTRIBUTES[name]: value or "" for name, value in attrs if name in _ATTRIBUTES
        }
        element: Tree = [tag, attributes]
        self.open[-1].append(element)
        if tag != _EMPTY:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        require(self.open[-1][0] == tag, f"</{tag}> closes what is not open.")
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].append(data)


Tool: TypeAlias = Literal["look", "box", "brush", "blocks"]
Look: TypeAlias = Literal["side", "swipe", "error"]
Mark: TypeAlias = Literal["blocks", "sensitive", "open"]
ALL_MARKS: Final[tuple[Mark, ...]] = ("blocks", "sensitive")
MARK_WORDS: Final = {
    "blocks": "borders of blocks",
    "sensitive": "sensitive places",
    "open": "can be read",
    "safe": "protected (brighter: more people)",
    "box": "your box",
}


@dataclass(frozen=True)
class Fact:
    """One number in large type and what it counts: "56", "of 100 people in the wrong place"."""

    number: str
    text: str


@dataclass(frozen=True)
class Label:
    """Two lines in a box on a picture: who is protected there, or who is not.

    `kind`: "safe" or "open". `at`: latitude and longitude that it points to; None for a corner.
    """

    title: str
    text: str
    kind: Literal["safe", "open"]
    at: tuple[float, float] | None = None


@dataclass(frozen=True)
class Picture:
    """One map of shares.

    `code`: from `codec.encode`, (k,). `error`: from `codec.encode_errors`, standard errors of these
    shares, for likely ranges. `nobody`: shares below it stay dark. `marks`: the lines drawn on it;
    coasts, states and the marked box are on every picture. `alt`: the picture in a sentence.
    `notes`: a few words in its lower left and lower right corner; "" for none. `colours`: by
    amounts alone, or by who can be read and who cannot. `pooled`: from `codec.encode_levels`, (k,)
    0 for cells that have a number of their own, j for those that are averages over squares of
    2^j × 2^j cells, counted from the map's first; they end where blocks do, if `marks` has these.
    `certain`: from `codec.encode_mask`, (k,) cells where somebody surely is; the rest may be noise.
    """

    id: str
    title: str
    subtitle: str
    alt: str
    code: Blob
    nobody: float = 0.0
    marks: tuple[Mark, ...] = ALL_MARKS
    fact: Fact | None = None
    error: Blob | None = None
    notes: tuple[str, str] = ("", "")
    labels: tuple[Label, ...] = ()
    colours: Literal["amounts", "open"] = "amounts"
    pooled: Blob | None = None
    certain: Blob | None = None


@dataclass(frozen=True)
class Difference:
    """A map of how far two pictures are apart, cell by cell; shown as "error".

    The browser computes it, so it follows a film. `first`, `second`: ids of the pictures.
    """

    id: str
    title: str
    subtitle: str
    alt: str
    first: str
    second: str
    nobody: float = 0.0
    marks: tuple[Mark, ...] = ALL_MARKS
    fact: Fact | None = None
    notes: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Arrangement:
    """Which pictures are large and which small while they stand side by side, by their ids.

    Two large ones stand beside each other and small ones below them; one large one has the small
    ones at its right; more than two are of one size, three in a row, without tools or other looks;
    without any there is the scene's own look alone, and no tools. The corner at the lower right is
    left free for the page's own controls. The drawing tools are in the title of the last large one.
    `turns`: pictures of which the reader chooses one to be small, the first at first.
    """

    large: tuple[str, ...]
    small: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()


LAND: Final = ("outline", "land", "cities")
OVER: Final = ("labels", "names", "sensitive", "open")
"""Fields of a `Ground` that depend on the map alone, and those that come with a protection."""


@dataclass(frozen=True)
class Ground:
    """What lies under and over all pictures.

    `home`: what the button "fit" shows. `outline`, `land`: from `codec.encode_lines`, lines and
    closed rings; without `land` all of the map is land. `cities`: from
    `codec.encode_rows`, rows of name, region, latitude, longitude, inhabitants, the largest first.
    `labels`: from `codec.encode_labels`, (k,) blocks; `names`: from `codec.encode_rows`, one row
    with a name a block. `sensitive`, `open`: from `codec.encode_mask`, (k,), places that are
    sensitive, and those whose people can be read. `box`: the marked box.
    """

    domain: GridDomain
    home: Area
    outline: Blob | None = None
    cities: Blob | None = None
    labels: Blob | None = None
    names: Blob | None = None
    sensitive: Blob | None = None
    box: Area | None = None
    land: Blob | None = None
    open: Blob | None = None

    def blobs(self, names: Sequence[str]) -> list[Blob | None]:
        """Those of its fields, of `LAND` or `OVER`."""
        return [getattr(self, name) for name in names]


@dataclass(frozen=True)
class Action:
    """A use for a drawn box, brushed cells or a clicked block.

    `effects`: by tool, one sentence on what will happen; the action is offered for these tools
    only. By "look" it is what a click on a cell does with no tool in hand, as if that cell were
    brushed.
    """

    id: str
    label: str
    effects: Mapping[Tool, str]


@dataclass(frozen=True)
class Focus:
    """A box that the view moves to, once for each new `serial`."""

    area: Area
    serial: int


@dataclass(frozen=True)
class Scene:
    """All that a stage shows at once.

    `people`: how many people the shares are shares of. `swipe`: ids of the two pictures on both
    sides of a divider. `arrangement`: None for all pictures alike in rows. `film_values`: by
    film, the value of the step that this scene is. `look_hint`: the sentence while no tool draws;
    `prompt`: while no place is pointed at. `look`: what a link without one opens with.
    `mark_words`: what lines and tints mean.
    `image_name` and `image_lines`: file name and the lines under the picture that people save.
    `estimates`: ids of pictures that are made of randomised reports alone, so that saved pictures
    say so. `held_back`: what a saved picture says that shows others, too, of data that must not be
    passed on; "" where all may be. A picture for others then shows `estimates` alone, over
    `shared_lines`.
    Raises `CaldpError` if two pictures share an id or a name of one is unknown.
    """

    ground: Ground
    pictures: tuple[Picture, ...]
    people: int
    swipe: tuple[str, str]
    differences: tuple[Difference, ...] = ()
    actions: tuple[Action, ...] = ()
    can_undo: bool = False
    can_redo: bool = False
    focus: Focus | None = None
    scale_title: str = "share of people in a cell:"
    error_title: str = "a cell is wrong by:"
    film_values: Mapping[str, float] = field(default_factory=dict)
    look_hint: str = "Wheel or two fingers zoom all maps, dragging moves them."
    prompt: str = "Point at a place to read its numbers on all maps."
    mark_words: Mapping[str, str] = field(default_factory=lambda: MARK_WORDS)
    label: str = "Maps"
    look: Look = "side"
    image_name: str = "maps"
    image_lines: tuple[str, ...] = ()
    estimates: tuple[str, ...] = ()
    held_back: str = ""
    shared_lines: tuple[str, ...] = ()
    arrangement: Arrangement | None = None
    scale: Scale = SCALE

    def __post_init__(self) -> None:
        known = [picture.id for picture in self.pictures]
        ids = known + [difference.id for difference in self.differences]
        require(
            len(known) > 0 and len(set(ids)) == len(ids),
            f"A scene needs pictures with ids of their own, got {ids}.",
        )
        placed = self.arrangement or Arrangement(())
        ends = (end for each in self.differences for end in (each.first, each.second))
        named = {*self.swipe, *ends}
        named |= {*placed.large, *placed.small, *placed.turns}
        unknown = sorted(named - set(known))
        require(
            not unknown,
            f"swipe, differences and arrangement must name pictures of the scene, got {unknown}.",
        )


def style_data() -> dict[str, Any]:
    """The style sheet and the colours by style, which never change, for JSON."""
    return {
        "css": bundle.style(),
        "styles": {
            name: {**vars(style), "ramps": {of: _text(ramp) for of, ramp in ramps.items()}}
            for name, style, ramps in (("dark", NIGHT, NIGHT_RAMPS), ("light", DAY, DAY_RAMPS))
        },
    }


def _text(ramp: NDArray[np.uint8]) -> str:
    return base64.b64encode(ramp.tobytes()).decode()


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
