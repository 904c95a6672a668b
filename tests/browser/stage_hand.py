"""What hands do on the stage, on a page that has nothing else."""

import json
import math
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from benchmarks.browser import wait_until_settled
from caldp_core.domain.grid import Area

APP = "tests/browser/stage_app.py"
HOME = Area(25.0, 49.6, -125.2, -66.6)
PIXELS = "canvas => canvas.toDataURL()"


class Point(NamedTuple):
    latitude: float
    longitude: float


class Hand:
    """A page with a stage, and what one does there."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.sent: list[int] = []
        page.on("websocket", lambda socket: socket.on("framesent", lambda _: self.sent.append(1)))

    def open(self, address: str) -> None:
        self.page.goto(address)
        self.page.wait_for_selector(".stage[data-painted] .film:not([hidden])")
        wait_until_settled(self.page)

    def frames(self) -> Any:
        return self.page.locator(".pane:visible .frame")

    def pictures(self) -> list[str]:
        """Every picture on screen, as drawn by now."""
        self.still()
        canvases = self.page.locator(".pane:visible canvas").all()
        return [canvas.evaluate(PIXELS) for canvas in canvases]

    def still(self) -> None:
        self.page.evaluate("() => new Promise(d => requestAnimationFrame(() => setTimeout(d, 0)))")

    def at(self, place: Point, pane: int = 0) -> tuple[float, float]:
        """Where a place is on screen while the whole map is shown."""
        box = self.frames().nth(pane).bounding_box()
        narrow = math.cos(math.radians(37.5))
        high, wide = HOME.north - HOME.south, (HOME.east - HOME.west) * narrow
        scale = min(box["width"] / wide, box["height"] / high)
        right = (place.longitude - (HOME.west + HOME.east) / 2) * narrow * scale
        up = (place.latitude - (HOME.south + HOME.north) / 2) * scale
        return box["x"] + box["width"] / 2 + right, box["y"] + box["height"] / 2 - up

    def press(self, name: str) -> None:
        self.page.locator(".stage").get_by_role("button", name=name, exact=True).click()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        mouse.move(*end, steps=5)
        mouse.up()

    def await_event(self, before: int) -> dict[str, Any]:
        """The one event that Python was told since there were `before`."""
        events = self.page.locator("[data-testid=stCode] code")
        self.page.wait_for_function(
            "n => document.querySelector('[data-testid=stApp]')?.textContent.includes(`#${n}`)",
            arg=before + 1,
        )
        wait_until_settled(self.page)
        event: dict[str, Any] = json.loads(events.inner_text().splitlines()[-1])
        return event

    def count(self) -> int:
        return int(self.page.locator("[data-testid=stApp] .st-key-count").inner_text().strip("#"))

    def view(self) -> list[float]:
        query = parse_qs(urlsplit(self.page.url).query)
        return [float(part) for part in query.get("view", [""])[0].split(",") if part]

    def home(self) -> None:
        """Everything as it was at first."""
        for name in ("Side by side", "Look", "Show the whole map"):
            self.press(name)
        self.page.mouse.move(5, 5)
        self.page.wait_for_function("!location.search.includes('view=')")
        self.still()
