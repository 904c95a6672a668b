"""The dashboard and a headless Chromium, started and waited for; the browser tests use it too.

Room: benchmarks. The server gets the repository's own settings and a home folder of its own, so
that nothing of the machine's user decides what is shown.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.error import URLError
from urllib.request import urlopen

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT: Final = Path(__file__).parents[1]
MAP_PAGE: Final = "places"
_MAPS: Final = ".st-key-places-maps"
PATIENCE_S: Final = 60.0
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


@contextmanager
def serving(folder: Path, script: str = "app.py") -> Iterator[str]:
    """A server on a free port of this machine, as its address; its log goes to `folder`.

    `script`: the app to serve, from the repository's root, which it may import from.
    """
    port = _free_port()
    arguments = ["--server.port", str(port), "--server.headless", "true"]
    homes = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    environment = {**os.environ, **homes, "PYTHONPATH": str(ROOT)}
    log = folder / f"server-{port}.log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", script, *arguments],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        try:
            _await_health(server, f"http://127.0.0.1:{port}", log)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _await_health(server: "subprocess.Popen[bytes]", address: str, log: Path) -> None:
    until = time.monotonic() + PATIENCE_S
    while server.poll() is None and time.monotonic() < until:
        try:
            with urlopen(f"{address}/_stcore/health", timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.02)
    raise RuntimeError(f"The dashboard's server did not start:\n{log.read_text('utf-8')}")


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
