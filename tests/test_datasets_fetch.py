"""Fetching SNAP's file: whole, cut, resumed, changed, damaged; all from this very machine."""

import gzip
import hashlib
import json
import pathlib
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from click.testing import CliRunner

from caldp_core.datasets import Snap, cache_folder, download, fetch, fetch_gowalla
from caldp_core.datasets.command import fetch_command
from caldp_core.errors import CaldpError, Cancelled

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


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(download, "PAUSES", (0.0, 0.0, 0.0))
    with Server() as it:
        thread = threading.Thread(target=it.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield it
        it.shutdown()
        thread.join()


def left(folder):
    return sorted(path.name for path in folder.iterdir())


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


def test_a_file_is_fetched_and_can_be_read(server, tmp_path):
    shares = []
    path = fetch_gowalla(server.url, tmp_path / "new" / "folder", shares.append)
    assert path.read_bytes() == WHOLE
    assert left(path.parent) == [NAME]
    assert Snap(str(path)).load().n == ROWS
    assert shares == sorted(shares)
    assert len(shares) > 3
    assert shares[-1] == 1.0
    assert "Range" not in server.asked[0]


def test_a_file_that_is_there_is_not_fetched_again(server, tmp_path):
    first = fetch_gowalla(server.url, tmp_path)
    shares = []
    assert fetch_gowalla(server.url, str(tmp_path), shares.append) == first
    assert len(server.asked) == 1
    assert shares == [1.0]


def test_cut_connections_are_taken_up_where_they_ended(server, tmp_path):
    server.cuts = [300_000, 0, 200_000]
    assert fetch_gowalla(server.url, tmp_path).read_bytes() == WHOLE
    ranges = [asked.get("Range") for asked in server.asked]
    # The second answer brought nothing, so the third asks for the same.
    assert ranges == [None, "bytes=300000-", "bytes=300000-", "bytes=500000-"]
    assert [asked.get("If-Range") for asked in server.asked[1:]] == ['"one"'] * 3


def test_a_connection_that_is_always_cut_is_given_up_but_nothing_is_lost(server, tmp_path):
    server.cuts = [100_000] * 4
    with pytest.raises(CaldpError, match=r"was cut 4 times.*by hand and give the path"):
        fetch_gowalla(server.url, tmp_path)
    assert left(tmp_path) == [f"{NAME}.part", f"{NAME}.part.json"]
    assert fetch_gowalla(server.url, tmp_path).read_bytes() == WHOLE
    assert server.asked[-1]["Range"] == "bytes=400000-"


def test_an_interrupted_fetch_goes_on_later(server, tmp_path):
    size = interrupt(server, tmp_path)
    shares = []
    assert fetch_gowalla(server.url, tmp_path, shares.append).read_bytes() == WHOLE
    assert server.asked[-1]["Range"] == f"bytes={size}-"
    assert shares[0] > size / len(WHOLE)
    assert left(tmp_path) == [NAME]


def test_a_server_without_ranges_starts_anew(server, tmp_path):
    interrupt(server, tmp_path)
    server.ranges = False
    assert fetch_gowalla(server.url, tmp_path).read_bytes() == WHOLE
    assert len(server.asked) == 2


@pytest.mark.parametrize("if_range", [True, False], ids=["If-Range kept", "If-Range ignored"])
@pytest.mark.parametrize("mark", ["etag", "modified", "weak etag", "size"])
def test_bytes_of_two_versions_are_never_joined(server, tmp_path, mark, if_range):
    new = OTHER
    if mark == "etag":
        old_headers, new_headers = ('"one"', None), ('"two"', None)
    elif mark == "modified":
        old_headers = (None, "Mon, 01 Jan 2024 00:00:00 GMT")
        new_headers = (None, "Tue, 02 Jan 2024 00:00:00 GMT")
    elif mark == "weak etag":
        old_headers, new_headers = ('W/"one"', None), ('W/"two"', None)
    else:
        old_headers, new_headers, new = (None, None), (None, None), OTHER + OTHER
    server.etag, server.modified = old_headers
    interrupt(server, tmp_path)
    server.content, server.if_range = new, if_range
    server.etag, server.modified = new_headers
    assert fetch_gowalla(server.url, tmp_path).read_bytes() == new


def test_weak_etags_are_not_sent_as_a_condition(server, tmp_path):
    server.etag = 'W/"one"'
    size = interrupt(server, tmp_path)
    assert fetch_gowalla(server.url, tmp_path).read_bytes() == WHOLE
    assert "If-Range" not in server.asked[-1]
    assert server.asked[-1]["Range"] == f"bytes={size}-"


def test_versions_that_look_alike_are_found_out_by_the_checksum(server, tmp_path):
    server.etag = None
    one, two = bytearray(WHOLE), bytearray(WHOLE)
    two[1_000:1_040] = bytes(40)
    two[-1_000:-960] = bytes(40)
    server.content = bytes(one)
    interrupt(server, tmp_path)
    server.content = bytes(two)
    with pytest.raises(CaldpError, match="not a sound gzip file"):
        fetch_gowalla(server.url, tmp_path)
    assert left(tmp_path) == []
    server.content = WHOLE
    assert fetch_gowalla(server.url, tmp_path).read_bytes() == WHOLE


def test_a_partial_answer_from_elsewhere_is_not_used(server, tmp_path):
    interrupt(server, tmp_path)
    server.shift = 10
    assert fetch_gowalla(server.url, tmp_path).read_bytes() == WHOLE
    assert "Range" not in server.asked[-1]


def test_nothing_left_to_send(server, tmp_path):
    interrupt(server, tmp_path)
    (tmp_path / f"{NAME}.part").write_bytes(WHOLE)
    assert fetch_gowalla(server.url, tmp_path).read_bytes() == WHOLE
    assert len(server.asked) == 2


def test_nothing_left_to_send_of_a_shorter_file(server, tmp_path):
    interrupt(server, tmp_path, at=0.6)
    server.etag = None
    server.if_range = False
    server.content = short = gzip.compress(WHOLE[: len(WHOLE) // 4])
    assert fetch_gowalla(server.url, tmp_path).read_bytes() == short
    assert [asked.get("Range") is None for asked in server.asked] == [True, False, True]


@pytest.mark.parametrize("label", [None, "", "no json", "[1]", '{"url": 3}', '{"unknown": 1}'])
def test_bytes_of_unknown_origin_are_not_used(server, tmp_path, label):
    (tmp_path / f"{NAME}.part").write_bytes(b"whatever")
    if label is not None:
        (tmp_path / f"{NAME}.part.json").write_text(label)
    assert fetch_gowalla(server.url, tmp_path).read_bytes() == WHOLE
    assert "Range" not in server.asked[0]


def test_bytes_from_another_address_are_not_used(server, tmp_path):
    interrupt(server, tmp_path)
    assert fetch_gowalla(server.url + "?mirror", tmp_path).read_bytes() == WHOLE
    assert "Range" not in server.asked[-1]


def test_a_server_that_tells_no_size(server, tmp_path):
    server.length = False
    shares = []
    assert fetch_gowalla(server.url, tmp_path, shares.append).read_bytes() == WHOLE
    assert shares == [1.0]


def test_a_server_that_tells_no_size_and_cuts(server, tmp_path):
    server.length = False
    server.cuts = [100_000]
    with pytest.raises(CaldpError, match="not a sound gzip file"):
        fetch_gowalla(server.url, tmp_path)
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    "content",
    [b"<html>Sorry</html>", WHOLE[:-1], WHOLE + b"x", WHOLE[:2], b""],
    ids=["page", "cut", "too long", "only the start", "nothing"],
)
def test_what_is_no_sound_gzip_file_is_deleted(server, tmp_path, content):
    server.content = content
    with pytest.raises(CaldpError, match=r"not a sound gzip file.*was deleted.*by hand"):
        fetch_gowalla(server.url, tmp_path)
    assert left(tmp_path) == []


@pytest.mark.parametrize("status", [403, 404, 416, 500, 503])
def test_http_errors_are_one_sentence(server, tmp_path, status):
    server.status = status
    with pytest.raises(CaldpError, match=rf"HTTP error {status} .*by hand and give the path"):
        fetch_gowalla(server.url, tmp_path / "folder")
    assert left(tmp_path) == []
    assert len(server.asked) == 1


def test_an_http_error_keeps_the_bytes_so_far(server, tmp_path):
    size = interrupt(server, tmp_path)
    server.status = 503
    with pytest.raises(CaldpError, match="503"):
        fetch_gowalla(server.url, tmp_path)
    server.status = None
    fetch_gowalla(server.url, tmp_path)
    assert server.asked[-1]["Range"] == f"bytes={size}-"


def test_no_network(monkeypatch, tmp_path):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        # Bound but not listening: a connection is refused.
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/x"
        with pytest.raises(CaldpError, match=r"can't be reached \(.*by hand and give the path"):
            fetch_gowalla(url, tmp_path)
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    "url", ["", "file:///etc/passwd", "ftp://x/y", "http://", "http://a b/", "http://x:port/"]
)
def test_addresses_that_are_none(url, tmp_path):
    with pytest.raises(CaldpError, match=r"url must start|can't be reached"):
        fetch_gowalla(url, tmp_path)


def test_a_file_that_is_too_large_is_refused(server, tmp_path):
    with pytest.raises(CaldpError, match="at most 1,000 bytes"):
        download.download(server.url, tmp_path / NAME, [].append, max_bytes=1_000)
    server.length = False
    with pytest.raises(CaldpError, match="at most 1,000 bytes"):
        download.download(server.url, tmp_path / NAME, [].append, max_bytes=1_000)


def test_a_bomb_is_refused(server, tmp_path):
    part = fetch.Part(tmp_path / NAME)
    part.path.write_bytes(gzip.compress(bytes(3 * 2**20)))
    with pytest.raises(CaldpError, match="unpacks to more than 2,000,000 bytes"):
        fetch._check_gzip(part.path, part, server.url, 2_000_000)
    assert left(tmp_path) == []


def test_a_folder_that_is_a_file(server, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CaldpError, match=r"can't be written: .*by hand"):
        fetch_gowalla(server.url, tmp_path / "file")


def test_a_full_disk(server, tmp_path, monkeypatch):
    opened = pathlib.Path.open

    def full(self, mode="r", *args, **kwargs):
        file = opened(self, mode, *args, **kwargs)
        if mode != "wb":
            return file

        class Full:
            def __enter__(self):
                return self

            def __exit__(self, *_):
                file.close()

            def seek(self, _):
                pass

            def write(self, _):
                raise OSError(28, "No space left on device")

        return Full()

    monkeypatch.setattr(pathlib.Path, "open", full)
    with pytest.raises(CaldpError, match="can't be written: No space left on device"):
        fetch_gowalla(server.url, tmp_path)


def test_where_files_are_kept(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_folder() == pathlib.Path("/somewhere/caldp")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(pathlib.Path, "home", lambda: pathlib.Path("/home/ann"))
    for platform, folder in (
        ("linux", "/home/ann/.cache/caldp"),
        ("darwin", "/home/ann/Library/Caches/caldp"),
        ("win32", "/local/caldp"),
    ):
        monkeypatch.setattr(fetch.sys, "platform", platform)
        monkeypatch.setenv("LOCALAPPDATA", "/local")
        assert cache_folder() == pathlib.Path(folder)


def test_the_default_folder_is_the_cache(server, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert fetch_gowalla(server.url) == tmp_path / "caldp" / NAME


def test_the_command_says_where_the_file_is_and_how_to_use_it(server, tmp_path):
    result = CliRunner().invoke(
        fetch_command, ["gowalla", "--folder", str(tmp_path), "--url", server.url]
    )
    assert result.exit_code == 0
    assert str(tmp_path / NAME) in result.stdout
    line = next(line for line in result.stdout.splitlines() if '"dataset": ' in line)
    slot = json.loads(line.partition('"dataset": ')[2])
    assert slot.pop("kind") == "snap"
    assert Snap(**slot).load().n == ROWS


def test_the_command_tells_errors_in_one_sentence(server, tmp_path):
    server.status = 404
    result = CliRunner().invoke(
        fetch_command, ["gowalla", "--folder", str(tmp_path), "--url", server.url]
    )
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "HTTP error 404" in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.stderr


def test_the_command_has_help():
    result = CliRunner().invoke(fetch_command, ["gowalla", "--help"])
    assert result.exit_code == 0
    assert "snap.stanford.edu" in result.stdout
