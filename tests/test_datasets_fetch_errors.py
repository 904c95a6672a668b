"""Fetching SNAP's file where it fails: one sentence, and nothing left that is not sound."""

import gzip
import pathlib
import socket

import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import download, fetch, fetch_gowalla
from tests.file_server import NAME, WHOLE, interrupt, serving


@pytest.fixture
def server(monkeypatch):
    with serving(monkeypatch) as it:
        yield it


def left(folder):
    return sorted(path.name for path in folder.iterdir())


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
