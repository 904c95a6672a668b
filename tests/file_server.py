"""A server on this machine that has SNAP's file, and does wrong what a test tells it to."""

import gzip
import hashlib
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from caldp_core.basics.errors import Cancelled
from caldp_core.datasets import download, fetch_gowalla

ROWS = 10_000
NAME = "loc-gowalla_totalCheckins.txt.gz"


def checkins(seed):
    """A gzip file in SNAP's format, packed without compression: all seeds give one size."""
    rows = (
        f"{i}\t2010-10-19T23:55:27Z\t30.2359091167\t-97.7951395833\t"
        f"{hashlib.sha256(b'%d %d' % (seed, i)).hexdigest()}\n"
        for i in range(ROWS)
    )
    return gzip.compress("".join(rows).encode(), compresslevel=0, mtime=0)


WHOLE, OTHER = checkins(1), checkins(2)
assert len(WHOLE) == len(OTHER) > 3 * download._BLOCK_BYTES


class Server(ThreadingHTTPServer):
    """Serves `content`; what it does wrong is set by the tests."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = WHOLE
        self.etag = '"one"'
        self.modified = None
        self.cuts = []
        """After how many bytes each next answer is cut."""
        self.ranges = True
        self.if_range = True
        self.shift = 0
        """How far a partial answer starts from where it was asked to."""
        self.length = True
        self.status = None
        self.asked = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/{NAME}"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server, total = self.server, len(self.server.content)
        server.asked.append(dict(self.headers))
        if server.status:
            self.send_error(server.status)
            return
        start = self._start()
        if start is not None and start >= total:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{total}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        first = (start or 0) + (server.shift if start else 0)
        self.send_response(200 if start is None else 206)
        if start is not None:
            self.send_header("Content-Range", f"bytes {first}-{total - 1}/{total}")
        if server.length:
            self.send_header("Content-Length", str(total - first))
        for header, value in (("ETag", server.etag), ("Last-Modified", server.modified)):
            if value:
                self.send_header(header, value)
        self.end_headers()
        body = server.content[first:]
        self.wfile.write(body[: server.cuts.pop(0)] if server.cuts else body)

    def _start(self):
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        condition = self.headers.get("If-Range")
        same = condition in (None, self.server.etag, self.server.modified)
        if not asked or not self.server.ranges or (self.server.if_range and not same):
            return None
        return int(asked[1])

    def log_message(self, *args):
        pass


@contextmanager
def serving(monkeypatch):
    """The server, with no pauses between attempts."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(download, "PAUSES", (0.0, 0.0, 0.0))
    with Server() as it:
        thread = threading.Thread(target=it.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield it
        it.shutdown()
        thread.join()


def interrupt(server, folder, at=0.3):
    """Fetch a part and stop, as a person would."""

    def stop(share):
        if share >= at:
            raise Cancelled

    with pytest.raises(Cancelled):
        fetch_gowalla(server.url, folder, stop)
    part = folder / f"{NAME}.part"
    assert 0 < part.stat().st_size < len(WHOLE)
    return part.stat().st_size
