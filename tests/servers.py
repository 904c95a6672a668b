"""The dashboard's server on a free port, alone or behind nginx, and a headless Chromium.

Browser tests and benchmarks use it. The server gets the repository's own settings and a home folder
of its own, so that nothing of the machine's user decides what is shown. Waits are for all that is
then asserted, and as long as a busy machine may take.
"""

import asyncio
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.error import URLError
from urllib.request import urlopen

from deploy.nginx import Site, Worker
from tests import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

_NGINX: Final = Path(__file__).with_name("nginx.conf")
_PATIENCE_S: Final = 240.0


@dataclass(frozen=True)
class Server:
    """A running server: its `address`, with the path below which it serves, and its process."""

    address: str
    process: "subprocess.Popen[bytes]"

    def cpu_seconds(self) -> float:
        """Processor time that it has used so far; NaN where the system has no /proc."""
        try:
            stat = Path(f"/proc/{self.process.pid}/stat").read_text("utf-8")
        except OSError:
            return float("nan")
        user, system = stat.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def megabytes(self) -> float:
        """Memory that it holds now; NaN where the system has no /proc."""
        try:
            pages = Path(f"/proc/{self.process.pid}/statm").read_text("utf-8").split()[1]
        except OSError:
            return float("nan")
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def running_server(
    folder: Path | None = None,
    script: str = "app.py",
    base: str = "",
    variables: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """A server of `script`, from the repository's root; its log goes to `folder`, or is not kept.

    `base`: the path below which it serves. `variables`: of its environment.
    """
    if folder is None:
        with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
            yield stack.enter_context(running_server(Path(name), script, base, variables))
        return
    arguments = ["--server.headless", "true", *(["--server.baseUrlPath", base] if base else [])]
    homes = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder)}
    environment = {**os.environ, **homes, "PYTHONPATH": str(ROOT), **(variables or {})}
    command = [sys.executable, "-m", "streamlit", "run", script, *arguments, "--server.port"]
    with (
        free_port() as port,
        running_program(
            [*command, str(port)], log := folder / f"server-{port}.log", environment
        ) as process,
    ):
        server = Server(f"http://127.0.0.1:{port}/{base}".rstrip("/"), process)
        await_health(server, log)
        yield server


@contextmanager
def running_program(
    command: Sequence[str], log: Path, environment: Mapping[str, str]
) -> Iterator["subprocess.Popen[bytes]"]:
    """A program, started from the repository's root and ended at the end."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def server_address(
    folder: Path | None = None, script: str = "app.py", variables: Mapping[str, str] | None = None
) -> Iterator[str]:
    """The address of a running server; arguments as of `running_server`."""
    with running_server(folder, script, variables=variables) as server:
        yield server.address


@contextmanager
def free_port() -> Iterator[int]:
    """A port of this machine that nobody uses, and that nobody else finds until the end.

    Linux lets a server listen beside what keeps it, if both set SO_REUSEADDR.
    """
    with socket.socket() as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind(("127.0.0.1", 0))
        port: int = keeper.getsockname()[1]
        if sys.platform != "linux":
            keeper.close()
        yield port


def await_health(server: Server, log: Path, trust: ssl.SSLContext | None = None) -> None:
    """Wait until it answers; raises `RuntimeError` with its log if it never does."""
    until = time.monotonic() + _PATIENCE_S
    while server.process.poll() is None and time.monotonic() < until:
        try:
            with urlopen(f"{server.address}/_stcore/health", timeout=2, context=trust):
                return
        except (URLError, OSError):
            time.sleep(0.02)
    raise RuntimeError(f"The dashboard's server did not start:\n{log.read_text('utf-8')}")


@dataclass(frozen=True)
class Fleet:
    """`address`: where visitors come; `workers`: w1, w2, …; `proxy`: nginx's process."""

    address: str
    workers: tuple[Server, ...]
    proxy: "subprocess.Popen[bytes]"

    def cpu_seconds(self) -> float:
        """Processor time of all workers so far."""
        return sum(worker.cpu_seconds() for worker in self.workers)

    def megabytes(self) -> float:
        """Memory that all workers hold now."""
        return sum(worker.megabytes() for worker in self.workers)


def missing_nginx() -> str:
    """What a fleet lacks on this machine, as a sentence; empty if nothing."""
    return "" if nginx_path() else "nginx is missing: apt-get install nginx-light."


def nginx_path() -> str | None:
    """This machine's nginx; not every user has it on the path."""
    places = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"))
    return shutil.which("nginx", path=places)


@contextmanager
def fleet(
    folder: Path | None,
    number: int,
    base: str = "",
    certificate: tuple[str, str] = ("", ""),
    variables: Mapping[str, str] | None = None,
) -> Iterator[Fleet]:
    """`number` workers behind nginx, with these `variables` of their environment.

    `folder`: of their files and logs, which are not kept without it.
    `base`: the path below which they serve. `certificate`: its file and its key's, for https.
    """
    with ExitStack() as started:
        kept = folder or Path(started.enter_context(tempfile.TemporaryDirectory()))
        names = [f"w{at}" for at in range(1, number + 1)]

        def start(name: str) -> Server:
            home = kept / name
            home.mkdir()
            own = {"CALDP_WORKER": name, "FORWARDED_ALLOW_IPS": "127.0.0.1", **(variables or {})}
            return started.enter_context(running_server(home, base=base, variables=own))

        with ThreadPoolExecutor(number) as pool:
            workers = list(pool.map(start, names))
        port = started.enter_context(free_port())
        named = (Worker(n, w.address.split("/")[2]) for n, w in zip(names, workers, strict=True))
        site = Site(tuple(named), f"127.0.0.1:{port}", "_", base, *certificate)
        proxy = started.enter_context(site_of_nginx(kept, site.configuration()))
        secure = bool(site.certificate)
        address = f"http{'s' * secure}://127.0.0.1:{port}/{base}".rstrip("/")
        trust = ssl.create_default_context(cafile=site.certificate) if secure else None
        await_health(Server(address, proxy), kept / "nginx.log", trust)
        yield Fleet(address, tuple(workers), proxy)


@contextmanager
def site_of_nginx(folder: Path, site: str) -> "Iterator[subprocess.Popen[bytes]]":
    """nginx with the text of one site, and all of its files in the folder."""
    whole = folder / "nginx.conf"
    whole.write_text(_NGINX.read_text("utf-8").replace("FOLDER", str(folder)), "utf-8")
    (folder / "caldp.conf").write_text(site, "utf-8")
    command = [nginx_path() or "nginx", "-p", str(folder), "-e", "stderr", "-c", str(whole)]
    with running_program(command, folder / "nginx.log", os.environ) as process:
        yield process


PATIENCE_MS: Final = 120_000
"""Longest wait for anything: a busy machine is slow, not wrong."""
_LOOK_MS: Final = 15
_RUNS: Final = Path(__file__).with_name("js") / "runs.js"
_SETTLED: Final = """async () => await (window.isAnswered?.() ?? true)
    && document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
"""
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
def chromium(*flags: str) -> Iterator["Browser"]:
    """A headless Chromium, with these flags beside those that every one gets."""
    from playwright.sync_api import Page, sync_playwright

    # Playwright's own waits by `eval` within the page, which the page's policy forbids.
    Page.wait_for_function = _wait_for_function  # type: ignore[method-assign, assignment]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path(), args=[*_FLAGS, *flags]
        )
        browser.new_context = partial(_patient, browser.new_context)  # type: ignore[method-assign]
        try:
            yield browser
        finally:
            browser.close()


def _patient(new_context: "Callable[..., BrowserContext]", **settings: Any) -> "BrowserContext":
    """A browser profile whose pages wait as long for everything, and note what they ask for.

    Playwright's own wait 30 s.
    """
    context = new_context(**settings)
    context.set_default_timeout(PATIENCE_MS)
    context.add_init_script(_note_runs())
    return context


@cache
def _note_runs() -> str:
    """What notes in a page which runs it has asked for, by the numbers of Streamlit's messages."""
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ClientState_pb2 import ClientState
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    def number(message: Any, field: str) -> int:
        return int(message.DESCRIPTOR.fields_by_name[field].number)

    about = ForwardMsg().metadata
    numbers = {
        "asks": number(BackMsg, "rerun_script"),
        "part": number(ClientState, "fragment_id"),
        "isTimer": number(ClientState, "is_auto_rerun"),
        "begins": number(ForwardMsg, "new_session"),
        "metadata": number(ForwardMsg, "metadata"),
        "run": number(about, "run"),
        "parts": number(about.run, "fragment_ids"),
        "ends": number(ForwardMsg, "script_finished"),
        "early": ForwardMsg.FINISHED_EARLY_FOR_RERUN,
    }
    return f"({_RUNS.read_text('utf-8')})({json.dumps(numbers)});"


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
    """Wait until the server has run the page's script for all that was asked of it so far.

    Not for what the page is yet to ask: a slider asks once its keys have rested, and a file once it
    has been sent. After those wait for what they change.
    """
    page.wait_for_function(_SETTLED)


PATIENCE: Final = 120.0
"""Seconds until a hanging test gives up; nothing is timed."""
_LOOK_S: Final = 0.01


def until(holds: Callable[[], bool]) -> None:
    """Wait for a state that no event announces; fails if it never comes."""
    for _ in range(int(PATIENCE / _LOOK_S)):
        if holds():
            return
        Event().wait(_LOOK_S)
    raise AssertionError("it never came")


def are_done(futures: Iterable[Future[Any]]) -> bool:
    """Whether all are done, in the end."""
    return not wait(list(futures), PATIENCE).not_done


def join(threads: Iterable[Thread]) -> None:
    """Wait for the end of all threads; fails if one never ends."""
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()


T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """What it returns; in a thread of its own, as a browser's tests may hold this thread's loop."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, work).result()
