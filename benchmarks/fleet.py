"""Workers behind nginx, as docs/deploy.md sets them up, on free ports of this machine."""

import os
import shutil
import ssl
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.server import Server, await_health, free_port, running_program, running_server
from deploy.nginx import Site, Worker, lines

if TYPE_CHECKING:
    import subprocess

# What a distribution's nginx.conf has around its sites, with all files in one folder.
_WHOLE: Final = """\
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx-errors.log;
worker_processes 1;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/caldp.conf;
}}
"""


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


def missing_software() -> str:
    """What a fleet lacks on this machine, as a sentence; empty if nothing."""
    return "" if nginx_path() else "nginx is missing: apt-get install nginx-light."


def nginx_path() -> str | None:
    """This machine's nginx; not every user has it on the path."""
    places = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"))
    return shutil.which("nginx", path=places)


@contextmanager
def fleet(
    folder: Path,
    number: int,
    base: str = "",
    certificate: tuple[str, str] = ("", ""),
    variables: Mapping[str, str] | None = None,
) -> Iterator[Fleet]:
    """So many workers behind nginx, with these `variables` of their environment.

    `base`: the path below which they serve. `certificate`: its file and its key's, for https.
    """
    with ExitStack() as started:
        names = [f"w{at}" for at in range(1, number + 1)]

        def start(name: str) -> Server:
            home = folder / name
            home.mkdir()
            own = {"CALDP_WORKER": name, "FORWARDED_ALLOW_IPS": "127.0.0.1", **(variables or {})}
            return started.enter_context(running_server(home, base=base, variables=own))

        with ThreadPoolExecutor(number) as pool:
            workers = list(pool.map(start, names))
        port = started.enter_context(free_port())
        named = (Worker(n, w.address.split("/")[2]) for n, w in zip(names, workers, strict=True))
        site = Site(tuple(named), f"127.0.0.1:{port}", "_", base, *certificate)
        proxy = started.enter_context(_proxy(folder, site))
        secure = bool(site.certificate)
        address = f"http{'s' * secure}://127.0.0.1:{port}/{base}".rstrip("/")
        trust = ssl.create_default_context(cafile=site.certificate) if secure else None
        await_health(Server(address, proxy), folder / "nginx.log", trust)
        yield Fleet(address, tuple(workers), proxy)


@contextmanager
def _proxy(folder: Path, site: Site) -> "Iterator[subprocess.Popen[bytes]]":
    whole = folder / "nginx.conf"
    whole.write_text(_WHOLE.format(folder=folder), "utf-8")
    (folder / "caldp.conf").write_text("\n".join(lines(site)) + "\n", "utf-8")
    command = [nginx_path() or "nginx", "-p", str(folder), "-e", "stderr", "-c", str(whole)]
    with running_program(command, folder / "nginx.log", os.environ) as process:
        yield process
