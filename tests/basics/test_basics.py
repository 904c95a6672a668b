"""The shared cache, small files, DuckDB within bounds, and errors as sentences.

DuckDB within bounds: of time, memory and files; it ends when its reader has had enough.
"""

import gzip
import json
import os
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from threading import Barrier, Event, Thread
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.basics.cache import EVERYBODY, ByteCache, cached_by, object_sizes, shared_cache
from caldp_core.basics.cache import cached as cache_cached
from caldp_core.basics.errors import (
    SENTENCE_MAX,
    CaldpError,
    Cancelled,
    check_whole,
    make_readable,
)
from caldp_core.basics.files import (
    check_output,
    connect,
    engine_reason,
    fetch_rows,
    read_text,
    whole_file,
    write_whole,
)
from caldp_core.basics.types import Floats
from caldp_core.datasets import Gowalla, OwnTable, Survey, shipped
from caldp_core.datasets.base_map import us_cities
from caldp_core.scenarios.scenario import Scenario
from tests import ROOT
from tests.contract.checks import naming
from tests.servers import PATIENCE, join

_ROOM = 2_000
"""Bytes of objects around an array."""


def _of(size: int) -> Callable[[], Floats]:
    return lambda: np.zeros(size // 8)


def test_what_was_unused_the_longest_goes_first_and_the_bytes_stay_below_the_bound() -> None:
    cache = ByteCache(300_000 + _ROOM)
    made: list[str] = []

    def get(name: str) -> None:
        def make() -> Floats:
            made.append(name)
            return np.zeros(12_500)

        cache.get(name, make)

    for name in ("a", "b", "c", "a", "d"):
        get(name)
    assert made == ["a", "b", "c", "d"]
    get("a")
    get("c")
    assert made == ["a", "b", "c", "d"]
    get("b")
    assert made == ["a", "b", "c", "d", "b"]
    assert 300_000 <= cache.bytes <= 300_000 + _ROOM


def test_many_small_results_are_bounded_as_one_large_one_is() -> None:
    cache = ByteCache(100_000)
    for number in range(10_000):
        cache.get(number, partial(str.format, "{}" * 20, *[number] * 20))
        assert cache.bytes <= 100_000
    assert len(cache) > 100


def test_what_is_larger_than_the_bound_is_kept_alone_until_the_next_comes() -> None:
    cache = ByteCache(1_000)
    large = cache.get("large", _of(8_000))
    assert cache.get("large", _of(8)) is large
    cache.get("small", _of(8))
    assert cache.bytes < 1_000


def test_what_two_values_share_counts_once_and_until_both_are_gone() -> None:
    cache, common = ByteCache(250_000), np.zeros(12_500)
    for number in range(5):
        cache.get(number, partial(tuple[object, ...], [number, common, common[10:20]]))
    assert 100_000 < cache.bytes < 100_000 + _ROOM
    cache.get("other", _of(200_000))
    assert 200_000 < cache.bytes < 200_000 + _ROOM


def test_a_text_that_texts_are_the_keys_of_counts_once() -> None:
    """Key and value had counted as one object of a moment, whose id others had soon after."""
    cache, common = ByteCache(10**6), "x" * 50_000
    for number in range(10):
        cache.get(f"{number:01000}", lambda: common)
    assert 60_000 <= cache.bytes <= 62_000
    cache.update_sizes()
    assert 60_000 <= cache.bytes <= 62_000


@dataclass(frozen=True)
class _Grows:
    size: int

    @cached_property
    def found(self) -> Floats:
        return np.zeros(self.size)


def test_what_grows_after_it_came_is_seen_when_all_is_weighed_again() -> None:
    cache = ByteCache(100_000)
    grows = [cache.get(number, lambda: _Grows(10_000)) for number in range(3)]
    assert sum(each.found.size for each in grows) == 30_000
    assert cache.bytes < 10_000
    cache.update_sizes()
    assert cache.bytes <= 100_000
    assert len(cache) == 1
    assert cache.get(2, lambda: _Grows(1)) is grows[2]  # the one that came last has stayed


def test_only_what_was_used_lately_is_weighed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server with thousands of results spent a third of its time on weighing all of them."""
    cache, weighed = ByteCache(10_000), list[int]()

    def weigh(part: object) -> Iterator[tuple[int, int]]:
        # Of an entry its key, which is a number here, and its value are weighed one by one.
        if isinstance(part, int):
            weighed.append(part)
        return object_sizes(part)

    for number in range(5):
        cache.get(number, _of(8))
    for used, wanted in ((0, [0, 1, 2, 3, 4]), (3, [0, 1, 2, 3, 4]), (4, [3, 4]), (4, [4])):
        cache.get(used, _of(8))
        monkeypatch.setattr("caldp_core.basics.cache.object_sizes", weigh)
        cache.update_sizes()
        monkeypatch.undo()
        assert sorted(weighed) == wanted
        weighed.clear()


def test_views_and_fields_are_weighed_by_what_they_keep_alive() -> None:
    whole = np.zeros(100_000)
    assert sum(size for _, size in object_sizes([whole[:10], {"part": whole[20:]}])) >= whole.nbytes
    assert sum(size for _, size in object_sizes(_Grows(3))) < 1_000
    names = ("x" * 1_000, "y" * 1_000)
    assert len(list(object_sizes(names))) == 1
    assert 2_000 < sum(size for _, size in object_sizes(names)) < 2_300
    assert sum(size for _, size in object_sizes((_of(8), np, int))) < 1_000


def test_one_makes_what_many_want_and_an_error_is_not_kept() -> None:
    cache, begun, go = ByteCache(10_000), Event(), Event()
    calls: list[int] = []
    found: list[int] = []

    def make() -> int:
        calls.append(len(calls))
        begun.set()
        assert go.wait(PATIENCE)
        if len(calls) == 1:
            raise ValueError("not this time")
        return 7

    def want() -> None:
        try:
            found.append(cache.get("it", make))
        except ValueError:
            found.append(-1)

    threads = [Thread(target=want) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert begun.wait(PATIENCE)
    go.set()
    join(threads)
    assert sorted(found) == [-1, 7, 7, 7, 7]
    assert len(calls) == 2


def test_two_values_are_made_at_the_same_time() -> None:
    cache, both = ByteCache(10_000), Barrier(2, timeout=PATIENCE)
    threads = [Thread(target=cache.get, args=(name, both.wait)) for name in "ab"]
    for thread in threads:
        thread.start()
    join(threads)
    assert len(cache) == 2


def test_keys_are_the_arguments_with_their_types() -> None:
    shared_cache().clear()
    calls = []

    @cache_cached
    def double(value: float, *, other: int = 0) -> float:
        calls.append(value)
        return 2 * value + other

    assert [double(1), double(1.0), double(True), double(1, other=0)] == [2] * 4
    assert [type(each) for each in calls] == [int, float, bool]
    assert double(1, other=3) == 5
    with pytest.raises(TypeError):
        double([1])  # type: ignore[arg-type]


def test_a_key_of_ones_own_gets_all_arguments_and_decides_alone() -> None:
    shared_cache().clear()
    calls = []

    @cached_by(lambda values, note, other: (*values, other))
    def total(values: list[float], note: object = None, other: int = 0) -> float:
        calls.append(note)
        return sum(values) + other

    assert [total([1, 2]), total([1, 2], "said"), total([1, 2], note=3, other=0)] == [3] * 3
    assert [total([1, 2], other=4), total([3], "other")] == [7, 3]
    assert calls == [None, None, "other"]


def read(path: Any) -> str:
    return read_text(path, "The list", 10, "give a list")


def test_a_text_is_read_within_its_bound(tmp_path: Path) -> None:
    (tmp_path / "right").write_bytes("zehn: ää".encode())
    (tmp_path / "long").write_bytes(b"x" * 11)
    (tmp_path / "latin").write_bytes("ä".encode("latin-1"))
    assert read(tmp_path / "right") == "zehn: ää"
    for wrong, words in {
        tmp_path / "long": "may have at most 10 bytes",
        tmp_path / "latin": "must be text in UTF-8; give a list",
        tmp_path / "gone": "can't be read: No such file",
        tmp_path: "can't be read: Is a directory",
        "\0": "can't be read: embedded null",
        None: "give its path, got one of type NoneType",
    }.items():
        with pytest.raises(CaldpError, match=f"^The list .*{words}"):
            read(wrong)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of Unix")
def test_a_device_without_an_end_is_read_to_the_bound_alone() -> None:
    with pytest.raises(CaldpError, match="may have at most 10 bytes"):
        read("/dev/zero")


class Stopped(Exception):
    """What a hand on Ctrl-C does in mid-work."""


def write_half(path: Path) -> None:
    with whole_file(path) as part:
        part.write_text("half", "utf-8")
        raise Stopped


def test_a_file_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "out"
    for before in (None, "old"):
        if before is not None:
            write_whole(path, before)
        with pytest.raises(Stopped):
            write_half(path)
        assert [each.read_text("utf-8") for each in tmp_path.iterdir()] == [before][: path.exists()]
    path.chmod(0o600)
    write_whole(path, "new\n")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new\n", 0o600)
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_one_and_a_device_is_no_file(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old", "utf-8")
    link.symlink_to(target)
    write_whole(link, "new")
    assert (link.is_symlink(), target.read_text("utf-8")) == (True, "new")
    device = Path("/dev/full")
    if device.exists():
        with pytest.raises(CaldpError, match="'/dev/full' can't be written: No space left"):
            write_whole(device, "new")
        assert device.is_char_device()


def test_a_place_for_an_output_is_asked_for_before_it_is_needed(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("kept", "utf-8")
    (tmp_path / "same").symlink_to(tmp_path / "in")
    check_output(tmp_path / "out", tmp_path / "in", None, str(tmp_path / "gone"))
    assert not (tmp_path / "out").exists()
    for inputs in ([tmp_path / "in"], [None, str(tmp_path / "same")]):
        with pytest.raises(CaldpError, match="is read by this command and would be lost"):
            check_output(tmp_path / "in", *inputs)
    with pytest.raises(CaldpError, match="can't be written: No such file or directory"):
        check_output(tmp_path / "gone" / "out")
    assert (tmp_path / "in").read_text("utf-8") == "kept"


ENDLESS = "SELECT max(hash(a.range, b.range)) FROM range(1000000) a, range(1000000) b"


def test_it_reads_and_writes_in_the_folders_that_are_named_and_nowhere_else(tmp_path: Path) -> None:
    inside, outside = tmp_path / "it's here", tmp_path / "outside.csv"
    inside.mkdir()
    outside.write_text("a\n1\n")
    with connect(100, folders=[inside]) as connection:
        file = str(inside / "x.csv")
        fetch_rows(connection, "COPY (SELECT 5 AS a) TO '{}'".format(file.replace("'", "''")))
        assert fetch_rows(connection, "FROM read_csv(?)", [file]) == [(5,)]
        for path in (outside, "/etc/passwd", "http://localhost:1/x.csv"):
            with pytest.raises(duckdb.Error):
                fetch_rows(connection, "FROM read_csv(?)", [str(path)])
        with pytest.raises(duckdb.Error, match="locked"):
            fetch_rows(connection, "SET memory_limit = '1GB'")


def test_a_query_ends_when_its_time_is_up_or_its_reader_goes() -> None:
    def enough(_: float) -> None:
        raise Cancelled

    with connect(100) as connection:
        with pytest.raises(CaldpError, match=r"within 0\.1 seconds"):
            fetch_rows(connection, ENDLESS, seconds=0.1)
        with pytest.raises(Cancelled):
            fetch_rows(connection, ENDLESS, progress=enough)
        assert fetch_rows(connection, "SELECT 1") == [(1,)]  # it can be asked again
        printing = "SELECT current_setting('enable_progress_bar_print')"
        assert fetch_rows(connection, printing) == [(False,)]  # commands print JSON


def test_memory_is_bounded_and_nothing_is_spilled() -> None:
    with connect(40) as connection, pytest.raises(CaldpError, match="more memory"):
        fetch_rows(
            connection,
            "SELECT count(*) FROM (SELECT DISTINCT md5(range::text) FROM range(3000000))",
        )


_STOPPED = f"""
import itertools, os, signal
from caldp_core.basics.files import connect, fetch_rows
signal.signal(signal.SIGINT, signal.default_int_handler)
calls = itertools.count()
def progress(share):
    if next(calls) == 0:
        os.kill(os.getpid(), signal.SIGINT)
try:
    with connect(100) as connection:
        fetch_rows(connection, {ENDLESS!r}, progress=progress)
except KeyboardInterrupt:
    print("stopped")
"""


def test_a_hand_on_ctrl_c_stops_a_query_as_it_stops_all_else() -> None:
    """DuckDB alone hears it between its tasks, and raises a `RuntimeError` with a traceback."""
    command = [sys.executable, "-c", _STOPPED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped\n", "")
    with pytest.raises(KeyboardInterrupt), connect(100):
        raise RuntimeError("Query interrupted")  # as of a query that is not fetched so
    with pytest.raises(RuntimeError, match="another"), connect(100):
        raise RuntimeError("another")


DEEP = "[" * 900 + "]" * 900
DIGITS = "9" * 5_000
RLO = "\u202e"


@given(st.text(st.characters(codec=None), max_size=300), st.integers(1, 20))
def test_a_sentence_is_short_and_can_be_sent_and_shown(text: str, times: int) -> None:
    found = make_readable(f"Before {text * times} after.")
    assert len(found) <= SENTENCE_MAX * 6  # odd signs are written out, in up to six characters
    assert not any(
        unicodedata.category(sign) in ("Cs", "Cc") for sign in found if sign not in "\n\t"
    )
    assert RLO not in found
    found.encode()


def test_the_beginning_and_the_end_of_a_long_sentence_stay() -> None:
    found = make_readable(f"epsilon must be small, got {'9' * 60_000}; take a smaller one.")
    assert found == f"epsilon must be small, got {'9' * 40}…; take a smaller one."
    long = make_readable(f"First {'word ' * 10_000} last.")
    assert len(long) == SENTENCE_MAX
    assert long.startswith("First word")
    assert long.endswith("word  last.")
    assert (
        make_readable("Nothing odd: é, 名, 👩\u200d🔬 and ε.")
        == "Nothing odd: é, 名, 👩\u200d🔬 and ε."
    )


def test_an_error_is_one_line_whatever_it_quotes() -> None:
    with pytest.raises(CaldpError) as found:
        check_whole("k", np.arange(400).reshape(20, 20), 1, 9)
    assert "\n" not in str(found.value)
    assert str(found.value).startswith("k must be a whole number in [1, 9], got array([[")


def _file(**changed: object) -> str:
    return json.dumps({**Scenario().to_dict(), **changed})


def _table(*names: str) -> str:
    return _file(dataset={"kind": "table", "names": names, "counts": [1] * len(names)})


BAD = {
    "a list 900 deep": DEEP,
    "an object 900 deep": '{"a":' * 900 + "1" + "}" * 900,
    "a value 900 deep": _file(n=0).replace('"n": 0', f'"n": {DEEP}'),
    "data 900 deep": _file(dataset=0).replace('"dataset": 0', f'"dataset": {DEEP}'),
    "5,000 digits": _file(n=0).replace('"n": 0', f'"n": {DIGITS}'),
    "5,000 digits below 0": _file(n=0).replace('"n": 0', f'"n": -{DIGITS}'),
    "400 digits": _file(n=0).replace('"n": 0', f'"n": {DIGITS[:400]}'),
    "half a character": _table("\ud800", "b"),
    "half a character's key": _file(**{"\ud800": 1}),
    "half a character's kind": _file(dataset={"kind": "\ud800"}),
    "nothing": "",
    "100,000 names": _table(*["a"] * 10**5),
    "100,000 keys": json.dumps({f"{number}": 1 for number in range(10**5)}),
    "a list for a number": _file(n=[1] * 10**5),
    "a long kind": _file(dataset={"kind": "x" * 10**5}),
}


@pytest.mark.slow
def test_a_hostile_file_gets_one_short_sentence() -> None:
    for name, text in BAD.items():
        with naming(name), pytest.raises(CaldpError) as refused:
            Scenario.from_json(text)
        sentence = str(refused.value)
        assert len(sentence) <= SENTENCE_MAX, name
        assert "\ud800" not in sentence, name
        assert "sys." not in sentence, name


@pytest.mark.parametrize(
    "mark", ["\u202e", "\u2066", "\u200f", "\u061c", "\ufeff", "\u200b", "\x85"]
)
def test_names_have_no_unseen_marks(mark: str) -> None:
    for changed in ({"names": (f"a{mark}b", "c")}, {"title": f"a{mark}b"}):
        with pytest.raises(CaldpError) as refused:
            OwnTable(**{"names": ("a", "c"), "counts": (1, 2), **changed})  # type: ignore[arg-type]
        assert mark not in str(refused.value)
    OwnTable(("👩\u200d🔬", "می\u200cخواهم"), (1, 2))


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b", b"no gzip", b"a,b\n1,2\n", b"a\n" * 9])
def test_a_shipped_file_that_is_empty_or_wrong_says_what_to_do(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped, "DATA_FOLDER", tmp_path)
    for cached in (shipped._read_us_cells, shipped.us_state_labels, shipped.population_prior):
        monkeypatch.setattr(shipped, cached.__name__, cached.__wrapped__)
    for file in ("gowalla_us_reconstruction", "surveys", "us_states_cells", "us_cities", "us_land"):
        packed = gzip.compress(content) if b"," in content or b"\n" in content else content
        (tmp_path / f"{file}.csv.gz").write_bytes(packed)
    for read in (
        Gowalla().load,
        Survey().load,
        shipped.us_state_labels,
        us_cities.__wrapped__,  # as if nobody had asked before
        shipped.land_outline,
    ):
        with pytest.raises(CaldpError, match="restore it from the repository"):
            read()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a priority of each thread")
def test_threads_of_duckdb_run_after_the_one_that_asks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caldp_core.basics.files._PRIORITY", 10)

    def niceness() -> dict[int, int]:
        found = dict[int, int]()
        for task in Path("/proc/self/task").iterdir():
            with suppress(ProcessLookupError):  # a thread of others that has ended
                found[int(task.name)] = os.getpriority(os.PRIO_PROCESS, int(task.name))
        return found

    at_work: list[dict[int, int]] = []
    own, before = os.getpriority(os.PRIO_PROCESS, 0), niceness()
    with connect(100) as connection:
        sql = "SELECT count(*) FROM range(100000000) WHERE hash(range) = 1"
        fetch_rows(connection, sql, progress=lambda _: at_work.append(niceness()))
    of_duckdb = {task: nice for task, nice in at_work[0].items() if task not in before}
    assert len(of_duckdb) >= 2
    assert {*of_duckdb.values()} == {max(own, 10)}
    assert os.getpriority(os.PRIO_PROCESS, 0) == own


def test_the_reason_of_the_engine_that_reads_files_has_no_query_in_it() -> None:
    message = (
        'Invalid Input Error: Malformed JSON in file "data://file", at byte 18 in line 3: '
        "unexpected end of data.\n\nLINE 1: DESCRIBE SELECT * FROM read_json_auto('data://file')\n"
    )
    reason = "Malformed JSON, at byte 18 in line 3: unexpected end of data."
    assert engine_reason(message) == reason
    assert engine_reason("") == "no reason given"


def test_a_value_of_one_owner_is_found_by_nobody_else_and_goes_with_them() -> None:
    cache, made, owner = ByteCache(10**6), list[str](), [EVERYBODY]
    cache.find_owner = lambda: owner[0]

    def get(who: str, key: str) -> bytearray:
        owner[0] = who

        def make() -> bytearray:
            made.append(f"{who} {key}")
            return bytearray(10_000 + len(made))

        return cache.get(key, make)

    first = get("a", "table")
    assert get("a", "table") == first
    assert get("b", "table") != first
    assert get(EVERYBODY, "table") != first
    # What is there for everybody need not be made again.
    shared = get(EVERYBODY, "map")
    assert get("a", "map") == get("b", "map") == shared
    assert cache.owners() == {EVERYBODY, "a", "b"}
    before = cache.bytes
    cache.discard("a")
    assert cache.owners() == {EVERYBODY, "b"}
    assert cache.bytes < before - len(first)
    cache.update_sizes()
    assert cache.owners() == {EVERYBODY, "b"}
    assert made == ["a table", "b table", " table", " map"]
