"""A collector in 117 lines: it hands out the form and keeps what comes back, and nothing else.

python examples/collection/server.py FOLDER, with protocol.json, client.js and form.html in it.
"""

import json
import re
import sys
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import SHUT_RD
from threading import Lock, Timer
from typing import Any

MOST = 1 << 16
PAGES = ("/form.html", "/client.js", "/protocol.json")
WRITING = Lock()


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
    is_number = type(report) is int and 0 <= report < 1 << 63
    is_base64 = isinstance(report, str) and re.fullmatch("[A-Za-z0-9+/]+={0,2}", report)
    if not (is_number or is_base64):
        return None
    kept = {"protocol": mark, "report": report}
    return json.dumps(kept, separators=(",", ":")).encode() + b"\n"


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

    def send_head(self) -> Any:
        """One of `PAGES`: the folder holds reports in the order of arrival, for nobody to see."""
        if self.path not in PAGES:
            return self.send_error(404)
        return super().send_head()

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
        if line is None:
            return self.send_error(400)
        day = datetime.now(UTC).date().isoformat()
        with WRITING, (Path(self.directory) / "reports" / f"{day}.jsonl").open("ab") as file:
            file.write(line)
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


def main(words: list[str]) -> None:
    """Serves the folder that is named, until it is stopped by Ctrl-C."""
    if len(words) != 1 or not all(Path(words[0] + page).is_file() for page in PAGES):
        needed = ", ".join(page[1:] for page in PAGES)
        sys.exit(f"Usage: python examples/collection/server.py FOLDER, with {needed} in it.")
    (Path(words[0]) / "reports").mkdir(exist_ok=True)
    try:
        server = Server(("127.0.0.1", 8000), partial(Collector, directory=words[0]))
    except OSError as error:
        sys.exit(f"Port 8000 can't be opened: {error.strerror}; stop what listens there.")
    with suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
