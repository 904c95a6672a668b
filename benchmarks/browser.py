"""A headless Chromium, and what is waited for in it; the browser tests use it too.

Room: benchmarks.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

MAP_PAGE: Final = "places"
_MAPS: Final = ".st-key-places-maps"
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "chrome")
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
)
_STAGE: Final = f"""(() => {{
    const hosts = document.querySelectorAll('{_MAPS}, {_MAPS} *');
    for (const host of hosts) {{
        const stage = host.shadowRoot?.querySelector('.stage');
        if (stage) return stage;
    }}
}})()"""
_SHOWN: Final = f"""(() => [{_STAGE}?.dataset.painted ?? '',
    document.querySelector('.st-key-headline')?.textContent ?? ''])()"""
"""How often the stage has painted what came from the server, and the sentence of the result."""


def missing() -> str:
    """What a browser run lacks on this machine, as a sentence; empty if nothing."""
    try:
        import playwright.sync_api  # noqa: F401 — only whether it is there
    except ImportError:
        return "Playwright is missing: pip install -r requirements-dev.txt."
    return "" if chromium_path() else "Chromium is missing: apt-get install chromium."


def chromium_path() -> str | None:
    """The Chromium of this machine."""
    return next((path for path in map(shutil.which, _NAMES) if path), None)


@contextmanager
def chromium() -> Iterator["Browser"]:
    """A headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=list(_FLAGS))
        try:
            yield browser
        finally:
            browser.close()


def settled(page: "Page") -> None:
    """Wait until the page's script has run."""
    page.wait_for_selector("[data-testid=stApp][data-test-script-state=notRunning]")


def ready(page: "Page") -> None:
    """Wait until the map page is there with all pictures."""
    page.wait_for_function(f"{_SHOWN}.every(text => text)")
    settled(page)


def press_until_redrawn(page: "Page", key: str) -> float:
    """Press a key; seconds until all pictures and the sentence of the result are new."""
    page.evaluate(
        f"""() => {{
            const before = {_SHOWN};
            window.redrawn = new Promise(done => addEventListener('keydown', () => {{
                const pressed = performance.now();
                const look = () => {_SHOWN}.every((text, i) => text !== before[i])
                    ? done(performance.now() - pressed) : requestAnimationFrame(look);
                look();
            }}, {{once: true, capture: true}}));
        }}"""
    )
    page.keyboard.press(key)
    milliseconds: float = page.evaluate("window.redrawn")
    settled(page)
    return milliseconds / 1000


def press_until_bare_is_redrawn(page: "Page", key: str) -> float:
    """The same on the bare page, whose one picture is an `img`."""
    page.evaluate(
        """() => {
            const shown = () => document.querySelector('[data-testid=stImage] img')?.src;
            const before = shown();
            window.redrawn = new Promise(done => addEventListener('keydown', () => {
                const pressed = performance.now();
                const look = () => {
                    const image = document.querySelector('[data-testid=stImage] img');
                    return image?.src !== before && image?.complete
                        ? done(performance.now() - pressed) : requestAnimationFrame(look);
                };
                look();
            }, {once: true, capture: true}));
        }"""
    )
    page.keyboard.press(key)
    milliseconds: float = page.evaluate("window.redrawn")
    settled(page)
    return milliseconds / 1000
