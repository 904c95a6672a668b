"""The dashboard's server, started on a free port, with what it has used of the machine.

The browser tests use it, too. The server gets the repository's own settings and a home folder of
its own, so that nothing of the machine's user decides what is shown.
"""

import os
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.error import URLError
from urllib.request import urlopen

ROOT: Final = Path(__file__).parents[1]
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
    folder: Path,
    script: str = "app.py",
    base: str = "",
    variables: Mapping[str, str] | None = None,
) -> Iterator[Server]:
    """A server of `script`, from the repository's root; its log goes to `folder`.

    `base`: the path below which it serves. `variables`: of its environment.
    """
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
    folder: Path, script: str = "app.py", variables: Mapping[str, str] | None = None
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
