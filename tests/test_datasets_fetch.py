"""Fetching SNAP's file: whole, cut, resumed, changed; all from this very machine."""

import gzip

import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import Snap, fetch_gowalla
from tests.file_server import NAME, OTHER, ROWS, WHOLE, interrupt, serving


@pytest.fixture
def server(monkeypatch):
    with serving(monkeypatch) as it:
        yield it


def left(folder):
    return sorted(path.name for path in folder.iterdir())


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
