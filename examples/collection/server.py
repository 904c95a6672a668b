"""A collector in 47 lines: it hands out the form and keeps what comes back, and nothing else.

python examples/collection/server.py FOLDER, with protocol.json, client.js and form.html in it.
"""

import sys
from datetime import UTC, datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any

MOST = 1 << 16
PAGES = ("/form.html", "/client.js", "/protocol.json")
WRITING = Lock()


class Collector(SimpleHTTPRequestHandler):
    """Serves the form of a folder, and appends reports to a file of the day in there."""

    def send_head(self) -> Any:
        """One of `PAGES`: the folder holds reports in the order of arrival, for nobody to see."""
        if self.path not in PAGES:
            return self.send_error(404)
        return super().send_head()

    def do_POST(self) -> None:
        """Appends a client's message as a line; `caldp tally` checks later whether it is one."""
        length = int(self.headers.get("Content-Length") or MOST + 1)
        if self.path != "/reports" or not 0 < length <= MOST:
            return self.send_error(400)
        day = datetime.now(UTC).date().isoformat()
        message = b" ".join(self.rfile.read(length).splitlines())
        with WRITING, (Path(self.directory) / "reports" / f"{day}.jsonl").open("ab") as file:
            file.write(message + b"\n")
        self.send_response(204)
        return self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Nobody's address is written down."""


if __name__ == "__main__":
    (Path(sys.argv[1]) / "reports").mkdir(exist_ok=True)
    handler = partial(Collector, directory=sys.argv[1])
    ThreadingHTTPServer(("127.0.0.1", 8000), handler).serve_forever()
