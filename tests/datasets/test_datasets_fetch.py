"""Fetching SNAP's file from a server on this machine: whole, cut, damaged, or not at all."""

import gzip
import io
import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from caldp_core.basics.errors import CaldpError, Cancelled
from caldp_core.cli.reproduce import fetch_command
from caldp_core.datasets import Snap, fetch_gowalla
from caldp_core.datasets.snap import GOWALLA_FILE, TRIES
from tests.checkins import random_rows

ROWS = 20_000
WHOLE = gzip.compress(b"\n".join(random_rows(ROWS, np.random.default_rng(1))[0]), mtime=0)
WHOLE_PACKED = gzip.compress(WHOLE)  # sound gzip, but no check-ins


class Server(ThreadingHTTPServer):
    """Sends what it is told to, and remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.status, self.content, self.tells_length = 200, WHOLE, True
        self.cuts: list[int | None] = []
        self.paths: list[str] = []
        self.host = f"http://127.0.0.1:{self.server_port}"
        self.url = f"{self.host}/file"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        server.paths.append(self.path)
        self.send_response(server.status)
        if server.tells_length:
            self.send_header("Content-Length", str(len(server.content)))
        self.end_headers()
        self.wfile.write(server.content[: server.cuts.pop(0) if server.cuts else None])

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("pooch.core.time", SimpleNamespace(sleep=lambda seconds: None))
    with Server() as it:
        thread = threading.Thread(target=it.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield it
        it.shutdown()
        thread.join()


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_a_file_is_fetched_once_and_can_be_read(server: Server, tmp_path: Path) -> None:
    shares: list[float] = []
    path = fetch_gowalla(server.url, tmp_path / "new" / "folder", shares.append)
    assert path.read_bytes() == WHOLE
    assert names_in(path.parent) == [GOWALLA_FILE]
    assert path.stat().st_mode & 0o777 == 0o644
    assert shares == sorted(shares)
    assert 0 < shares[0] < 1
    assert shares[-1] == 1
    assert fetch_gowalla(server.url, str(path.parent)) == path
    assert len(server.paths) == 1


@pytest.mark.parametrize("tells_length", [True, False])
def test_a_cut_connection_is_tried_again(
    server: Server, tmp_path: Path, tells_length: bool
) -> None:
    server.tells_length = tells_length
    server.cuts = [300_000] * (TRIES - 1)
    assert fetch_gowalla(server.url, tmp_path).read_bytes() == WHOLE
    assert len(server.paths) == TRIES


def test_a_connection_that_is_always_cut_is_given_up(server: Server, tmp_path: Path) -> None:
    server.cuts = [300_000] * TRIES
    with pytest.raises(
        CaldpError, match=r"failed 3 times \(\w+Error\); check the connection.* yourself"
    ):
        fetch_gowalla(server.url, tmp_path)
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("stop", [KeyboardInterrupt, Cancelled])
def test_who_stops_leaves_nothing_that_passes_for_the_file(
    server: Server, tmp_path: Path, stop: Any
) -> None:
    def interrupt(share: float) -> None:
        raise stop

    with pytest.raises(stop):
        fetch_gowalla(server.url, tmp_path, interrupt)
    assert names_in(tmp_path) == []
    assert fetch_gowalla(server.url, tmp_path).read_bytes() == WHOLE


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"<html>Sorry</html>", "is a web page"),
        (WHOLE[:-1], "packed and damaged or unfinished"),
        (WHOLE[:-8] + bytes(4) + WHOLE[-4:], "damaged or unfinished .CRC check failed"),
        (WHOLE_PACKED, "is not a text file"),
        (b"", "nothing to read"),
    ],
    ids=["page", "cut", "wrong checksum", "no check-ins", "nothing"],
)
def test_what_is_no_sound_check_in_file_is_not_kept(
    server: Server, tmp_path: Path, content: bytes, why: str
) -> None:
    server.content = content
    with pytest.raises(CaldpError, match=f"sent is not kept: .*{why}.*yourself"):
        fetch_gowalla(server.url, tmp_path)
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("status", [404, 503])
def test_http_errors_are_one_sentence(server: Server, tmp_path: Path, status: int) -> None:
    server.status = status
    with pytest.raises(CaldpError, match=f"answered with HTTP error {status} .*yourself"):
        fetch_gowalla(server.url, tmp_path)
    assert names_in(tmp_path) == []


def test_no_network(server: Server, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        # Bound but not listening: a connection is refused.
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/x"
        with pytest.raises(CaldpError, match=r"failed 3 times \(ConnectionError\); check"):
            fetch_gowalla(url, tmp_path)


@pytest.mark.parametrize("url", ["", "file:///etc/passwd", "http://", "http://x:port/"])
def test_addresses_that_are_none(server: Server, tmp_path: Path, url: str) -> None:
    with pytest.raises(CaldpError, match=r"url must start|failed 3 times \(InvalidURL\)"):
        fetch_gowalla(url, tmp_path)


def test_a_proxy_of_the_environment_is_used(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.host)
    fetch_gowalla("http://nowhere.invalid/file", tmp_path)
    assert server.paths == ["http://nowhere.invalid/file"]


def test_a_full_disk(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pathlib.Path.open", lambda self, mode: io.FileIO("/dev/full", mode))
    with pytest.raises(CaldpError, match=f"can't be kept in {tmp_path}: No space left on device"):
        fetch_gowalla(server.url, tmp_path)
    assert names_in(tmp_path) == []


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CaldpError, match=r"can't be kept in .*/file: File exists"):
        fetch_gowalla("http://127.0.0.1/", tmp_path / "file")


def test_the_command_says_where_the_file_is_and_how_to_use_it(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    result = CliRunner().invoke(fetch_command, ["gowalla", "--url", server.url])
    assert result.exit_code == 0
    assert str(tmp_path / "caldp" / GOWALLA_FILE) in result.stdout
    slot = json.loads(result.stdout.partition('"dataset": ')[2])
    assert slot.pop("kind") == "snap"
    people = Snap(**slot).load().n
    assert people is not None
    assert people < ROWS


def test_the_command_tells_errors_in_one_sentence(server: Server, tmp_path: Path) -> None:
    server.status = 404
    arguments = ["gowalla", "--folder", str(tmp_path), "--url", server.url]
    result = CliRunner().invoke(fetch_command, arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert "HTTP error 404" in result.stderr
