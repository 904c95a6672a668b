"""What the stage shows, as frozen records; its numbers and its code on their way to the browser.

`component.py` has the readers' actions that it reports. All words that people read come from here,
none from the browser's side but the names of its own buttons. Shares are parts of all people, in
[−1, 1], one a cell. The browser's side never reads a text as HTML; it is read here, and of all
attributes only those are kept that words and small pictures need.

What is written here is read by `web/codec.js`. A blob's name is the hash of its bytes, so whatever
the browser already has is not sent again.

The colour scale of maps: shares of all people in a cell, logarithmic; one for a whole stage.

The scale is the same wherever it can be, so that maps compare. Of a small map, whose every cell
holds many of its people, all would be of the brightest colour: its scale is fitted to its truth.

The files in `web/` import each other by name like any modules; as one text, without a build step
and without a request, they need no imports. Their documentation stays behind: types are checked in
the files (`tests/js`), and browsers do not read them.
"""

import base64
import hashlib
import json
import math
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from caldp_core.basics.errors import require
from caldp_core.basics.types import Bools, Floats, Ints, Levels
from caldp_core.domain.domains import Area, GridDomain
from caldp_ui.app.theme import DAY, DAY_RAMPS, NIGHT, NIGHT_RAMPS
from caldp_ui.words.formats import Headline

WEB: Final = Path(__file__).with_name("web")
_IMPORT: Final = re.compile(r"^import [^;]*;\n", re.MULTILINE)
_USED: Final = re.compile(r'^import [^;]* from "\./(\w+)\.js";$', re.MULTILINE)
_DOCS: Final = re.compile(r"^ */\*\*(?:(?!\*/).)*\*/\n", re.MULTILINE | re.DOTALL)
"""Whole lines of documentation with their types: for those who read and check the files."""
_EXPORT: Final = re.compile(r"^export (?!default)", re.MULTILINE)


def script() -> str:
    """All files of the stage; `main.js` has the only export that is left."""
    return partial_script("main")


def join_modules(folder: Path, order: Iterable[str]) -> str:
    """The modules of a folder as one, each after what it needs; only the default export stays."""
    texts = [(folder / f"{name}.js").read_text("utf-8") for name in order]
    return "\n".join(_bare(text) for text in texts)


def _bare(text: str) -> str:
    for pattern in (_DOCS, _IMPORT, _EXPORT):
        text = pattern.sub("", text)
    return text


def module_order(folder: Path, name: str) -> list[str]:
    """The names of all modules that a module needs, each after its own needs, itself last."""
    text = (folder / f"{name}.js").read_text("utf-8")
    below = [each for used in _USED.findall(text) for each in module_order(folder, used)]
    return list(dict.fromkeys([*below, name]))


@cache
def partial_script(*names: str) -> str:
    """Some modules of the stage and what they need, for other pictures than maps."""
    order = [each for name in names for each in module_order(WEB, name)]
    return join_modules(WEB, dict.fromkeys(order))


@cache
def style() -> str:
    """The style sheet of a stage."""
    return (WEB / "stage.css").read_text("utf-8")


LOADER: Final = """
const key = Symbol.for("caldp.stage");
const hub = globalThis[key] ??= {};
hub.code ??= new Promise(done => { hub.resolve = done; });
export default component => hub.code.then(code => code.%s(component));
"""
"""The script of each small component: it waits for the code, which is sent only once."""


@dataclass(frozen=True)
class Scale:
    """Shares of the darkest and the brightest colour; less is drawn low, more is drawn high.

    `ticks`: shares and what they are called.
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]


SCALE: Final = Scale(
    1e-6, 1e-2, ((1e-6, "1 in a million"), (1e-4, "1 in 10,000"), (1e-2, "1 in 100"))
)


_CROWDED: Final = 3e-4
"""Median share of cells with people, from which on a map is too small for the common scale."""
_RANGE: Final = 1000.0
_ROUND: Final = (1, 2, 5, 10)


def scale_of(shares: Floats) -> Scale:
    """The common scale, or one that ends at or just above the largest of (k,) true shares."""
    positive = shares[shares > 0]
    if not positive.size or float(np.median(positive)) < _CROWDED:
        return SCALE
    largest = min(float(positive.max()), 1.0)
    power = 10.0 ** math.floor(math.log10(largest))
    high = next(power * step for step in _ROUND if power * step >= largest * (1 - 1e-9))
    ends = high / _RANGE, high
    low, top = ((end, f"1 in {round(1 / end):,}") for end in ends)
    return Scale(*ends, (low, top))


def nobody_below(people: int) -> float:
    """Share that is less than half a person, and too small for the scale to show."""
    return min(0.5 / people, SCALE.low)


SMALLEST: Final = 1e-12
"""Shares nearer to 0 are nobody; shares beyond 1 are shown as 1."""
_SIGN: Final = 0x8000
_TOP: Final = 0x7FFF
_DEGREE: Final = 1000
"""Lines are rounded to a thousandth of a degree."""
_GAP: Final = -(2**31)
_EFFORT: Final = 4
"""Of zlib: a third of the time of its usual 6, for at most 3 % more bytes."""
_COLOUR: Final = 40
"""Codes to a colour; the common scale has 43 to each."""
_BY_COLOUR: Final = 30
"""People up to whom colours differ by less than a person."""
_BY_DIGITS: Final = 1000
"""People from whom on three digits are shown."""
_DIGITS: Final = 2
_ERRORS: Final = 32
"""Codes to a step of standard errors: 2.7 %."""
_BYTE: Final = 256


@dataclass(frozen=True)
class Blob:
    """Bytes for the browser; `name`: 16 hexadecimal digits of their hash, `packed`: deflated."""

    name: str
    packed: bytes


def _blob(raw: bytes) -> Blob:
    return Blob(hashlib.blake2b(raw, digest_size=8).hexdigest(), zlib.compress(raw, _EFFORT))


def codes(shares: Floats) -> NDArray[np.uint16]:
    """(k,) 16-bit codes of (k,) shares in [−1, 1]: a sign bit and 15 bits on a log scale.

    0 is nobody, 1 … 32767 are 1e-12 … 1. The relative error is below 4.3e-4.
    """
    size = np.abs(np.asarray(shares, dtype=np.float64))
    with np.errstate(divide="ignore"):
        place = 1 - np.log(size / SMALLEST) / np.log(SMALLEST) * (_TOP - 1)
    code = np.where(size >= SMALLEST, np.clip(np.rint(place), 1, _TOP), 0)
    return np.where((shares < 0) & (code > 0), code + _SIGN, code).astype(np.uint16)


def people_codes(shares: Floats, people: int) -> NDArray[np.uint16]:
    """(k,) codes of shares of `people` people, no finer than a map shows them.

    What is finer is noise, of which most of a picture's bytes would be. A map shows colours, whole
    people below a thousand, and three digits above. What it takes for nobody is 0.
    """
    number = np.abs(shares) * people
    whole = (number >= _BY_COLOUR) & (number < _BY_DIGITS)
    exact = codes(np.where(whole, np.rint(shares * people) / people, shares))
    step = np.where(number < _BY_DIGITS, np.where(whole, 1, _COLOUR), _DIGITS)
    nobody = (np.abs(shares) < nobody_below(people)) | (exact == 0)
    return np.where(nobody, 0, _to_steps(exact & _TOP, step) | exact & _SIGN).astype(np.uint16)


def _to_steps(size: NDArray[np.integer[Any]], step: Ints | int) -> Ints:
    """The nearest codes of whole steps; 0 for 0 alone."""
    nearest = (size.astype(np.int64) + np.asarray(step) // 2) // step * step
    return np.where(size > 0, np.clip(nearest, 1, _TOP), 0)


def _code_blob(code: NDArray[np.uint16]) -> Blob:
    """The codes that there are, and each cell's place among them: a sixth less than (k,) codes.

    Their number; they; the lower bytes of all places; the higher ones where there are over 256.
    """
    there = np.zeros(2**16, dtype=bool)
    there[code] = True
    listed = np.flatnonzero(there).astype("<u2")
    planes = (np.cumsum(there) - 1)[code].astype("<u2").view(np.uint8).reshape(-1, 2).T
    places = planes if listed.size > _BYTE else planes[0]
    return _blob(np.array(listed.size, "<u4").tobytes() + listed.tobytes() + places.tobytes())


def encode(shares: Floats) -> Blob:
    """Encode (k,) shares in [−1, 1], one per cell."""
    return _code_blob(codes(shares))


def encode_people(shares: Floats, people: int) -> Blob:
    """Encode (k,) shares of `people` people, as finely as maps show them."""
    return _code_blob(people_codes(shares, people))


def encode_errors(errors: Floats) -> Blob:
    """Encode (k,) standard errors of shares, to 1.4 %."""
    return _code_blob(_to_steps(codes(errors), _ERRORS).astype(np.uint16))


def encode_levels(levels: Levels) -> Blob:
    """Encode (k,) pooling levels of cells: j for squares of 2^j × 2^j cells."""
    return _blob(levels.tobytes())


def encode_labels(labels: Ints) -> Blob:
    """Encode (k,) numbers of the cells' blocks, below 2^32."""
    return _blob(np.asarray(labels).astype("<u4").tobytes())


def encode_mask(mask: Bools) -> Blob:
    """Encode (k,) True for the cells of a set."""
    return _blob(np.packbits(mask, bitorder="little").tobytes())


def encode_lines(longitudes: Floats, latitudes: Floats) -> Blob:
    """Encode lines as (points,) degrees, NaN between one and the next; rounded to 0.001°."""
    points = np.stack([longitudes, latitudes], axis=1) * _DEGREE
    return _blob(np.where(np.isnan(points), _GAP, np.rint(points)).astype("<i4").tobytes())


def encode_rows(rows: Iterable[Sequence[object]]) -> Blob:
    """Encode rows of texts and numbers, such as the names of blocks or cities."""
    return _blob(_text([list(row) for row in rows]))


def pack_message(meta: Mapping[str, Any], blobs: Iterable[Blob]) -> bytes:
    """Pack one message: the length of a JSON head, the head, then the blobs, each once."""
    unique = {blob.name: blob.packed for blob in blobs}
    sizes = [[name, len(packed)] for name, packed in unique.items()]
    head = _text({**meta, "blobs": sizes})
    return len(head).to_bytes(4, "little") + head + b"".join(unique.values())


def _text(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def parse_runs(text: str, k: int) -> Bools:
    """(k,) True for the cells of "first+count,first+count"; what does not fit is left out."""
    mask = np.zeros(k, np.bool_)
    for run in filter(None, text.split(",")):
        first, _, count = run.partition("+")
        if first.isdecimal() and count.isdecimal():
            mask[int(first) : int(first) + int(count)] = True
    return mask


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
    "pooled": "dotted: no finer detail",
    "squares": "dashed: no finer detail",
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
    `invitation`: what a click does, behind the note in the lower right corner; "" for nothing.
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
    invitation: str = ""

    @property
    def blobs(self) -> tuple[Blob | None, ...]:
        """Its blobs; None for those that it has not."""
        return self.code, self.error, self.pooled, self.certain


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
OVER: Final = ("labels", "names", "sensitive", "open", "far")
"""Fields of a `Ground` that depend on the map alone, and those that come with a protection."""


@dataclass(frozen=True)
class Ground:
    """What lies under and over all pictures.

    `home`: what the button "fit" shows. `outline`, `land`: from `codec.encode_lines`, lines and
    closed rings; without `land` all of the map is land. `cities`: from
    `codec.encode_rows`, rows of name, region, latitude, longitude, inhabitants, the largest first.
    `labels`: from `codec.encode_labels`, (k,) blocks; `names`: from `codec.encode_rows`, one row
    with a name a block. `sensitive`, `open`: from `codec.encode_mask`, (k,), places that are
    sensitive, and those whose people can be read. `far`: so encoded, what a second line in
    another colour goes around, wherever that around `sensitive` is drawn. `box`: the marked box.
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
    far: Blob | None = None

    def blobs(self, names: Sequence[str]) -> list[Blob | None]:
        """Those of its fields, of `LAND` or `OVER`."""
        return [getattr(self, name) for name in names]


@dataclass(frozen=True)
class Action:
    """A use for a drawn box, brushed cells or a clicked block.

    `effects`: by tool, one sentence on what will happen; the action is offered for these tools
    only. By "look" it is what a click on a cell does with no tool chosen, as if that cell were
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
    sides of a divider. `arrangement`: None for all pictures in equal rows. `film_values`: by
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
    scale_title: str = "share of people in a cell, log scale:"
    error_title: str = "a cell is wrong by, log scale:"
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
        "css": style(),
        "styles": {
            name: {**vars(style), "ramps": {of: _ramp_text(ramp) for of, ramp in ramps.items()}}
            for name, style, ramps in (("dark", NIGHT, NIGHT_RAMPS), ("light", DAY, DAY_RAMPS))
        },
    }


def _ramp_text(ramp: NDArray[np.uint8]) -> str:
    return base64.b64encode(ramp.tobytes()).decode()


@dataclass(frozen=True)
class Step:
    """One step of a film: new codes, subtitles and facts by the picture's id.

    `label`: what the slider says, such as "ε = 1.5". `value`: reported when it is chosen.
    `reading`: what the page's own slider says there, such as "1.5", if the film has a `dial`.
    `replacements`: by CSS selector, HTML of one element, which stands in for an element of the page
    beside the stage as long as the step is shown (see `layout.py`). `nobody`, `notes`, `labels`: by
    picture, where they differ from the picture's own; `pooled`: of those that have it (see
    `Picture`). `pictures`: charts and drawings by their keys, as they are sent to the browser.
    `headline`: the page's, with its figures; the browser gets it as one of the `replacements`.
    `image_lines`, `shared_lines`: as of a `Scene`, () where they are the scene's own. `people`: how
    many the shares are shares of, 0 for as many as the picture's.
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
    image_lines: tuple[str, ...] = ()
    shared_lines: tuple[str, ...] = ()
    people: int = 0


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
    its `dial`. It lasts ten seconds, unless it `loops`, and leads back to where it began, unless it
    `stays` at its last step, which the page follows.
    `settings`: names all that the steps depend on but the slider.
    """

    id: str
    label: str
    steps: tuple[Step, ...]
    follows: bool = True
    per_second: float = 4.0
    loops: bool = False
    stays: bool = False
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
