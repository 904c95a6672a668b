"""A headless Chromium, and what is waited for in it; the browser tests use it too."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

MAP_PAGE: Final = "places"
PATIENCE_MS: Final = 120_000
"""Longest wait for anything: a busy machine is slow, not wrong."""
_LOOK_MS: Final = 15
_NAMES: Final = (
    "chromium-headless-shell",  # Chromium without its windows: half the processor time
    "chromium",
    "chromium-browser",
    "google-chrome",
    "chrome",
)
_FLAGS: Final = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-dev-shm-usage",
    "--ignore-certificate-errors",  # asked at each file, Chromium gives up on some of a page's
)
_READY: Final = """[...document.querySelectorAll('.st-key-places-maps, .st-key-places-maps *')]
    .some(host => host.shadowRoot?.querySelector('.stage')?.dataset.painted)
    && document.querySelector('.st-key-headline')?.innerText"""
"""That the map page's stage has painted what came from the server, and its sentence is there."""


def missing_software() -> str:
    """What a browser run lacks on this machine, as a sentence; empty if nothing."""
    try:
        import playwright.sync_api  # noqa: F401 — only whether it is there
    except ImportError:
        return "Playwright is missing: pip install -r requirements-dev.txt."
    return (
        "" if chromium_path() else "Chromium is missing: apt-get install chromium-headless-shell."
    )


def chromium_path() -> str | None:
    """The Chromium of this machine."""
    return next((path for path in map(shutil.which, _NAMES) if path), None)


@contextmanager
def chromium() -> Iterator["Browser"]:
    """A headless Chromium."""
    from playwright.sync_api import Page, sync_playwright

    # Playwright's own waits by `eval` within the page, which the page's policy forbids.
    Page.wait_for_function = _wait_for_function  # type: ignore[method-assign, assignment]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=list(_FLAGS))
        browser.new_context = partial(_patient, browser.new_context)  # type: ignore[method-assign]
        try:
            yield browser
        finally:
            browser.close()


def _patient(new_context: "Callable[..., BrowserContext]", **settings: Any) -> "BrowserContext":
    """A browser profile whose pages wait as long for everything; Playwright's own wait 30 s."""
    context = new_context(**settings)
    context.set_default_timeout(PATIENCE_MS)
    return context


def _wait_for_function(
    page: "Page", expression: str, *, arg: object = None, timeout: float = PATIENCE_MS
) -> None:
    """Wait until the expression, or function of `arg`, is true in the page."""
    from playwright.sync_api import Error
    from playwright.sync_api import TimeoutError as TooLate

    until = time.monotonic() + timeout / 1000
    while time.monotonic() < until:
        try:
            found: Any = page.evaluate(expression, arg)
        except Error as error:
            if "context was destroyed" not in str(error):  # as the page goes to another address
                raise
            found = None
        if found:
            return
        page.wait_for_timeout(_LOOK_MS)
    raise TooLate(f"Still not true: {expression}")


def wait_until_settled(page: "Page") -> None:
    """Wait until the page's script has run."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")


def wait_until_ready(page: "Page") -> None:
    """Wait until the map page is there with all pictures."""
    page.wait_for_function(_READY)
    wait_until_settled(page)


def press_until_new(page: "Page", key: str, shown: str, patience_ms: int = PATIENCE_MS) -> float:
    """Press a key; seconds until each text of the list that JavaScript `shown` gives is new."""
    page.evaluate(
        f"""() => {{
            const before = {shown};
            window.redrawn = null;
            addEventListener('keydown', () => {{
                const pressed = performance.now();
                const look = () => {{
                    if ({shown}.every((text, i) => text && text !== before[i]))
                        window.redrawn = performance.now() - pressed;
                    else requestAnimationFrame(look);
                }};
                look();
            }}, {{once: true, capture: true}});
        }}"""
    )
    page.keyboard.press(key)
    page.wait_for_function("window.redrawn !== null", timeout=patience_ms)
    milliseconds: float = page.evaluate("window.redrawn")
    return milliseconds / 1000
