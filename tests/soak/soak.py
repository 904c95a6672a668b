"""Quick pairs of messages by Streamlit's protocol, beside busy visits: what is lost, and how late.

    python -m tests.soak.soak --pairs 300

A visit is on a page that counts (`counting.py`). It sends messages 0 to 150 ms apart, as a browser
would, each with the values of all widgets as the browser has them, and waits for the picture that
must come. Beside it others move ε on three pages about once a second. Counted are pairs after
which a click is missing (`lost`) or was made twice (`double`), a value is not the one that was
chosen last (`wrong`), or nothing came at all (`silent`).
"""

import argparse
import asyncio
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from time import perf_counter
from typing import Any, Final

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import ConnectionClosed

from tests import ROOT
from tests.servers import server_address
from tests.visits import Visitor

PATIENCE_S: Final = 20.0
"""A picture that has not come by then never comes."""
QUIET_S: Final = 0.4
"""A visit that had no message for so long has come to rest."""
FAULTS: Final = ("lost", "double", "wrong", "silent")
BUSY: Final = (
    ("places", "places-epsilon"),
    ("values", "values-epsilon"),
    ("yesno", "yesno-epsilon_10"),
)
_TEXT: Final = "counting-text"
_VALUE: Final = "counting-value"
_SHOWN: Final = "counting-shown"


@contextmanager
def counting_server(variables: Mapping[str, str] | None = None) -> Iterator[str]:
    """The address of a dashboard with the page that counts; `variables`: of its environment."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(ROOT / "pages", folder / "pages")
        here = Path(__file__).parent
        shutil.copy(here / "counting.py", folder / "pages")
        shutil.copy(here / "app.py", folder)
        with server_address(script=str(folder / "app.py"), variables=variables) as address:
            yield address


@dataclass
class Ledger:
    """What the page must show in the end: each act sends a message and notes what comes of it."""

    text: str
    value: int
    clicks: int


class QuickVisit(Visitor):
    """A visit that holds all widgets' values, as a browser does, until the server sets them."""

    def __init__(self, *arguments: Any) -> None:
        self.pages: dict[str, str] = {}
        self.last_message = perf_counter()
        self.runs = 0
        super().__init__(*arguments)

    def _handle(self, message: ForwardMsg) -> None:
        self.last_message = perf_counter()
        kind = message.WhichOneof("type")
        if kind == "navigation":
            for page in message.navigation.app_pages:
                self.pages[page.url_pathname] = page.page_script_hash
        if kind == "new_session" and not message.metadata.run.fragment_ids:
            self.runs += 1
        super()._handle(message)

    def _store_element(self, message: ForwardMsg) -> None:
        super()._store_element(message)
        element = message.delta.new_element
        is_slider = element.WhichOneof("type") == "slider"
        found = element.slider if is_slider else element.text_input
        key = found.id.removeprefix("$$ID-").partition("-")[2]
        if key not in (_TEXT, _VALUE):
            return
        # A browser begins with the default, and takes what the server sets.
        known = self._widgets.get(key)
        is_new = known is None or known.id != found.id
        if is_new or found.set_value:
            value = found.value if found.set_value else found.default
            self.hold(key, value[0] if is_slider else value)

    def hold(self, key: str, value: str | float) -> None:
        """Have the browser's side of a widget hold a value; the server hears of it by `ask`."""
        widget = WidgetState(id=self.elements[key].id)
        if isinstance(value, str):
            widget.string_value = value
        else:
            widget.double_array_value.data.append(value)
        self._widgets[key] = widget

    async def press_now(self, key: str) -> None:
        """Send a click, and wait for nothing."""
        state = self._state()
        state.widget_states.widgets.add(id=self.elements[key].id, trigger_value=True)
        await self._send(state)

    async def step(self, page: str, query: str = "", *, is_in_history: bool = False) -> None:
        """Go to a page by a link, or by the browser's history."""
        self.query = query
        state = self._state()
        state.ClearField("widget_states")
        state.page_script_hash = self.pages[page]
        state.page_name = ""
        state.query_string = query
        state.is_history_navigation = is_in_history
        await self._send(state)

    def shown(self) -> Ledger:
        """What the page says was done on it."""
        text, value, clicks = self.elements[_SHOWN].label.split("|")
        return Ledger(text, int(value), int(clicks))

    async def see(self, holds: Callable[[], bool]) -> float | None:
        """Wait for a picture and for rest; returns when it came, None if it is not there then."""
        began = perf_counter()
        came = 0.0
        while perf_counter() - began < PATIENCE_S:
            if not holds():
                came = 0.0
            elif not came:
                came = perf_counter()
            if came and perf_counter() - self.last_message > QUIET_S:
                return came
            await asyncio.sleep(0.005)
        return None


async def write(visit: QuickVisit, wanted: Ledger, chance: random.Random) -> None:
    """Write a text."""
    wanted.text = f"t{chance.randrange(10**6)}"
    visit.hold(_TEXT, wanted.text)
    await visit.ask()


async def click(visit: QuickVisit, wanted: Ledger, chance: random.Random) -> None:
    """Click the button that counts."""
    wanted.clicks += 1
    await visit.press_now("counting-click")


async def move(visit: QuickVisit, wanted: Ledger, chance: random.Random) -> None:
    """Move the slider."""
    wanted.value = (wanted.value + 1 + chance.randrange(900)) % 1000
    visit.hold(_VALUE, float(wanted.value))
    await visit.ask()


async def zero(visit: QuickVisit, wanted: Ledger, chance: random.Random) -> None:
    """Click the button that sets the slider, whose old value the next message has."""
    if not wanted.value:
        await move(visit, wanted, chance)
        await visit.see(lambda: visit.shown() == wanted)
    wanted.value = 0
    wanted.clicks += 1
    await visit.press_now("counting-zero")


async def leave(visit: QuickVisit, wanted: Ledger, chance: random.Random) -> None:
    """Go to another page; once that is there, come back, to see what was kept."""
    for page, key in (("yesno", "yesno-people"), ("counting", _SHOWN)):
        since = perf_counter()

        def has_come(key: str = key, since: float = since) -> bool:
            return visit.arrival_times.get(key, 0.0) > since

        await visit.step(page)
        if await visit.see(has_come) is None:
            raise TimeoutError


async def back(visit: QuickVisit, wanted: Ledger, chance: random.Random) -> None:
    """Move the slider and, once that is shown, go back in the browser's history."""
    value = wanted.value
    query = visit.query
    await move(visit, wanted, chance)
    await visit.see(lambda: visit.shown() == wanted)
    wanted.value = value
    await visit.step("counting", query, is_in_history=True)


Act = Callable[[QuickVisit, Ledger, random.Random], Awaitable[None]]


@dataclass(frozen=True)
class Kind:
    """What is done one after another; `least`, `most`: seconds between two messages."""

    acts: Sequence[Act]
    least: float = 0.0
    most: float = 0.15


KINDS: Final[dict[str, Kind]] = {
    "text, click": Kind((write, click)),
    "two clicks": Kind((click, click)),
    "slider, click": Kind((move, click)),
    "button that sets, text": Kind((zero, write)),
    "slider, page": Kind((move, leave)),
    "back, click": Kind((back, click)),
    "drag": Kind((move,) * 20, 0.04, 0.04),
    "slow drag": Kind((move,) * 20, 0.2, 0.2),
}
_TEN_TIMES_AS_LONG: Final = ("drag", "slow drag")


@dataclass
class Count:
    """What became of the pairs of one kind: `seconds` until the picture, `runs` of the page."""

    pairs: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    runs: list[int] = field(default_factory=list)

    def line(self) -> str:
        """One line of the table."""
        late = sorted(self.seconds) or [float("nan")]
        faults = "".join(f"{self.faults[fault]:>8}" for fault in FAULTS)
        latest = late[int(0.95 * (len(late) - 1))]
        return f"{self.pairs:>6}{faults}{median(late):>9.2f}{latest:>7.2f}{mean(self.runs):>7.1f}"

    def note(self, wanted: Ledger, found: Ledger) -> None:
        """Count what is wrong in `found`."""
        if found.clicks < wanted.clicks:
            self.faults["lost"] += 1
        if found.clicks > wanted.clicks:
            self.faults["double"] += 1
        if (found.text, found.value) != (wanted.text, wanted.value):
            self.faults["wrong"] += 1


async def send_pairs(address: str, kind: Kind, count: Count, pairs: int, seed: int) -> None:
    """One visit: pair after pair, until all visits together have sent enough."""
    chance = random.Random(seed)
    visit: QuickVisit | None = None
    while count.pairs < pairs:
        count.pairs += 1
        try:
            if visit is None:
                opened = await QuickVisit.open(address, "counting", _SHOWN)
                assert isinstance(opened, QuickVisit)
                visit = opened
            visit.runs = 0
            await _send_pair(visit, kind, count, chance)
        except (TimeoutError, ConnectionClosed, KeyError):
            count.faults["silent"] += 1
            if visit is not None:
                await visit.close()
            visit = None
    if visit is not None:
        await visit.close()


async def _send_pair(visit: QuickVisit, kind: Kind, count: Count, chance: random.Random) -> None:
    wanted = visit.shown()
    for number, act in enumerate(kind.acts):
        if number:
            await asyncio.sleep(chance.uniform(kind.least, kind.most))
        await act(visit, wanted, chance)
    sent = perf_counter()
    came = await visit.see(lambda: visit.shown() == wanted)
    count.runs.append(visit.runs)
    if came is None:
        count.note(wanted, visit.shown())
    else:
        count.seconds.append(came - sent)


async def keep_busy(address: str, page: str, key: str, seed: int) -> None:
    """One of the visits beside: it moves its slider about once a second."""
    chance = random.Random(seed)
    visit = await Visitor.open(address, page, key)
    try:
        while True:
            await asyncio.sleep(chance.uniform(0.5, 1.5))
            widget = WidgetState(id=visit.elements[key].id)
            widget.string_array_value.data.append(chance.choice(visit.elements[key].options))
            with suppress(TimeoutError):
                await visit.use(key, widget)
    finally:
        await visit.close()


async def soak(
    address: str, kinds: Sequence[str], pairs: int, visits: int, busy: int
) -> dict[str, Count]:
    """What became of the pairs of each kind, one kind after another; of drags a tenth as many."""
    # A server's very first run looks its pages up by itself, without the one that counts.
    first = await Visitor.open(address, "yesno", "yesno-people")
    await first.close()
    beside = []
    for number in range(busy):
        page, key = BUSY[number % len(BUSY)]
        beside.append(asyncio.create_task(keep_busy(address, page, key, number)))
    counts = {}
    for name in kinds:
        count = Count()
        most = pairs
        if name in _TEN_TIMES_AS_LONG:
            most = max(pairs // 10, 1)
        await asyncio.gather(
            *(send_pairs(address, KINDS[name], count, most, seed) for seed in range(visits))
        )
        counts[name] = count
    for task in beside:
        task.cancel()
    await asyncio.gather(*beside, return_exceptions=True)
    return counts


def main() -> None:
    """Print a line for each kind."""
    parser = argparse.ArgumentParser(description="Quick pairs of messages, and what is lost.")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    for option, default in (("--pairs", 300), ("--visits", 8), ("--busy", 5)):
        parser.add_argument(option, type=int, default=default)
    chosen = parser.parse_args()
    faults = "".join(f"{fault:>8}" for fault in FAULTS)
    print(f"{'':24}{'pairs':>6}{faults}{'median s':>9}{'95 %':>7}{'runs':>7}")
    with counting_server() as address:
        for name in chosen.kinds:
            arguments = ([name], chosen.pairs, chosen.visits, chosen.busy)
            count = asyncio.run(soak(address, *arguments))[name]
            print(f"{name:24}{count.line()}", flush=True)


if __name__ == "__main__":
    main()
