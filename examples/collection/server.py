"""A collector in one file: it hands out the form and keeps what comes back, and nothing else.

python examples/collection/server.py FOLDER --port 8000 --metrics 8001, with protocol.json,
client.js and form.html in FOLDER.
"""

import json
import re
import sys
from argparse import ArgumentParser
from collections import Counter
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from os import SEEK_END
from pathlib import Path
from socket import SHUT_RD
from tempfile import TemporaryFile
from threading import Lock, Thread, Timer
from typing import Any

MOST = 1 << 16
PAGES = ("/form.html", "/client.js", "/protocol.json")
WRITING = Lock()
ANSWERS: Counter[int] = Counter()


def report_line(body: bytes) -> bytes | None:
    """A line with a posted message's `protocol` and `report` and nothing else; None if it is none.

    Whatever else a visitor writes, such as a `batch`, would have whole files refused.
    """
    try:
        message = json.loads(body)
        mark, report = message["protocol"], message["report"]
    except (ValueError, RecursionError, KeyError, TypeError):
        return None
    if not (isinstance(mark, str) and re.fullmatch("[0-9a-f]{16}", mark)):
        return None
    parts = report if isinstance(report, dict) else {"one": report}  # of several questions
    if not all(re.fullmatch("[A-Za-z][A-Za-z0-9_-]*", name) for name in parts):
        return None
    if not parts or not all(map(is_report, parts.values())):
        return None
    kept = {"protocol": mark, "report": report}
    return json.dumps(kept, separators=(",", ":")).encode() + b"\n"


def is_kept(path: Path, line: bytes) -> bool:
    """Whether all of a line is now at the end of a file, in a line of its own.

    What a full disk or a power cut has cut off before is ended first: it would spoil this one.
    """
    try:
        with WRITING, path.open("a+b", buffering=0) as file:
            file.seek(-min(1, file.tell()), SEEK_END)
            whole = line if file.read(1) in (b"", b"\n") else b"\n" + line
            return file.write(whole) == len(whole)
    except OSError as error:
        sys.stderr.write(f"{error!r}\n")
        return False


def is_report(report: object) -> bool:
    """Whether it is a number, or bytes in base64."""
    if isinstance(report, str):
        return re.fullmatch("[A-Za-z0-9+/]+={0,2}", report) is not None
    return type(report) is int and 0 <= report < 1 << 63


class Collector(SimpleHTTPRequestHandler):
    """Serves the form of a folder, and appends reports to a file of the day in there."""

    seconds = 10.0
    timeout = 2 * seconds  # of each piece that is sent

    def handle(self) -> None:
        """Answers what has come within `seconds`, however slowly it comes."""
        end = Timer(self.seconds, self.stop_reading)
        end.daemon = True
        end.start()
        super().handle()
        end.cancel()

    def stop_reading(self) -> None:
        """Lets a reader who waits for more on this line read its end instead."""
        with suppress(OSError):  # the line has gone
            self.connection.shutdown(SHUT_RD)

    def do_GET(self) -> None:
        """One of `PAGES`, or that the server is well."""
        if self.path == "/health":
            self.send_text("ok\n")
        else:
            super().do_GET()

    def send_text(self, text: str) -> None:
        """Answers with a text."""
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def send_head(self) -> Any:
        """One of `PAGES`: the folder holds reports in the order of arrival, for nobody to see."""
        if self.path not in PAGES:
            return self.send_error(404)
        return super().send_head()

    def send_response(self, code: int, message: str | None = None) -> None:
        """Begins an answer, and counts it."""
        with WRITING:
            ANSWERS[int(code)] += 1
        super().send_response(code, message)

    def do_POST(self) -> None:
        """Appends a report as a line; `caldp tally` checks later whether a device can send it."""
        length = self.headers.get("Content-Length")
        if self.path != "/reports":
            return self.send_error(404)
        if length is None:
            return self.send_error(411)
        if not (length.isascii() and length.isdigit()):
            return self.send_error(400)
        if len(length) > len(str(MOST)) or int(length) > MOST:
            return self.send_error(413)
        body = self.rfile.read(int(length))
        line = report_line(body) if len(body) == int(length) else None
        file = Path(self.directory, "reports", f"{datetime.now(UTC).date().isoformat()}.jsonl")
        if line is None or not is_kept(file, line):
            return self.send_error(400 if line is None else 507)
        self.send_response(204)
        return self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Nobody's address is written down."""


class Server(ThreadingHTTPServer):
    """Answers each visitor by a thread."""

    def handle_error(self, *_: Any) -> None:
        """Says what went wrong, and not on whose line, as the class's own does."""
        if not isinstance(error := sys.exception(), ConnectionError):
            sys.stderr.write(f"{error!r}\n")


def figures() -> str:
    """What Prometheus reads: answers by their status; a report that is kept is a 204."""
    with WRITING:
        rows = [f'caldp_answers_total{{status="{code}"}} {n}\n' for code, n in ANSWERS.items()]
    return "".join(["# TYPE caldp_answers_total counter\n", *sorted(rows)])


class Metrics(Collector):
    """Answers /metrics, on a port of its own: when reports come is not for visitors."""

    def do_GET(self) -> None:
        """The figures, and nothing else."""
        if self.path == "/metrics":
            self.send_text(figures())
        else:
            self.send_error(404)

    do_POST = do_GET  # noqa: N815 — the name is the library's


def main() -> None:
    """Serves the folder that is named, until it is stopped by Ctrl-C."""
    parser = ArgumentParser(description="Hands out a form and keeps the reports that come back.")
    parser.add_argument("folder", type=Path, help=f"it has {', '.join(p[1:] for p in PAGES)}")
    parser.add_argument("--host", default="127.0.0.1", help="address that is listened to")
    parser.add_argument("--port", type=int, default=8000, help="of visitors and of /health")
    parser.add_argument("--metrics", type=int, metavar="PORT", help="of /metrics; none by default")
    chosen = parser.parse_args()
    try:
        for page in PAGES:
            (chosen.folder / page[1:]).open("rb").close()
        (chosen.folder / "reports").mkdir(exist_ok=True)
        TemporaryFile(dir=chosen.folder / "reports").close()
    except OSError as error:
        parser.error(f"{error}; {chosen.folder} must have pages to read and reports to write in")
    servers = []
    for port, handler in ((chosen.port, Collector), (chosen.metrics, Metrics)):
        try:
            made = partial(handler, directory=str(chosen.folder))
            servers += [] if port is None else [Server((chosen.host, port), made)]
        except (OSError, OverflowError) as error:
            parser.error(f"port {port} can't be opened: {error}; take another one")
    for server in servers[1:]:
        Thread(target=server.serve_forever, daemon=True).start()
    with suppress(KeyboardInterrupt):
        servers[0].serve_forever()


if __name__ == "__main__":
    main()
