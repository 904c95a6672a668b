"""Data that are fetched, SNAP's check-ins from good and bad lines, and data that are made up."""

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
from hypothesis import given
from scipy import integrate

from caldp_core.basics.errors import CaldpError, Cancelled
from caldp_core.cli.commands import main
from caldp_core.datasets import (
    Cities,
    Geometric,
    PermutedGeometric,
    Snap,
    Uniform,
    YesOrNo,
    Zipf,
    fetch_gowalla,
    shipped,
)
from caldp_core.datasets.files.maps import MapRequest, map_for_places
from caldp_core.datasets.snap import GOWALLA_FILE, TRIES
from caldp_core.domain.domains import US_GRID, Area, Domain
from tests import strategies
from tests.datasets.files import AUSTIN, random_rows, write

OSLO = b"7\t2010-10-18T22:17:43Z\t59.9\t10.75\t9"
pytestmark = pytest.mark.usefixtures("one_connection")
ORIGIN = (0.0, 0.0, 0.0, 0.0)
AUSTIN_CELL = int(US_GRID.locate([30.2359091167], [-97.7951395833])[0])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "checkins"


def test_counts_go_to_the_cells_of_the_places(path: Path) -> None:
    dataset = write(path, AUSTIN, OSLO, AUSTIN).load()
    assert dataset.name == "Gowalla (SNAP)"
    assert dataset.domain == US_GRID
    assert dataset.n == 2
    assert dataset.counts is not None
    assert dataset.counts[AUSTIN_CELL] == 2
    assert "2 check-ins are on the map. 1 of 3 rows is not counted" in dataset.note
    assert dataset.note.endswith("1 with a place outside the map.")


@pytest.mark.parametrize("packed", [False, True])
def test_counts_are_those_of_a_histogram(path: Path, packed: bool) -> None:
    rows, latitude, longitude = random_rows(2_000, np.random.default_rng(1))
    text = b"\n".join(rows)
    # The name says nothing: what counts is how the file begins.
    path.write_bytes(gzip.compress(text) if packed else text)
    counts = Snap(str(path)).load().counts
    expected, *_ = np.histogram2d(
        latitude, longitude, bins=(np.linspace(25, 50, 126), np.linspace(-130, -60, 351))
    )
    assert counts is not None
    assert (counts.reshape(125, 350) == expected).all()


@pytest.mark.parametrize(
    "fields",
    [
        {"area": "25,50"},
        {"area": "50,25,-130,-60"},
        {"cell": 0.001},
        {"cell": 0.01, "area": "-90,90,-180,180"},
        {"path": ""},
    ],
)
def test_impossible_maps_are_refused_at_once(fields: Any) -> None:
    with pytest.raises(CaldpError):
        Snap(**({"path": "x"} | fields))


BAD = {
    "too few fields": b"1\t2010\t30.0\t-97.0",
    "too many fields": AUSTIN + b"\tmore",
    "words": b"user\ttime\tlatitude\tlongitude\tplace",
    "no number": b"1\t2010\t\t-97.0\t1",
    "not available": b"1\t2010\tNA\t-97.0\t1",
    "nan": b"1\t2010\tnan\t-97.0\t1",
    "infinite": b"1\t2010\t30.0\t-inf\t1",
    "huge": b"1\t2010\t30.0\t1e400\t1",
    "too far north": b"1\t2010\t90.0001\t-97.0\t1",
    "too far south": b"1\t2010\t-90.5\t-97.0\t1",
    "too far east": b"1\t2010\t30.0\t180.1\t1",
    "hexadecimal": b"1\t2010\t0x1e\t-97.0\t1",
    "commas": AUSTIN.replace(b"\t", b","),
    "bytes": b"\xff\xfe\x80",
    "null island": b"1\t2010\t0.0\t0.0\t1",
}


@pytest.mark.parametrize("last", [False, True], ids=["within", "last"])
def test_a_bad_line_is_counted_and_shown(path: Path, last: bool) -> None:
    rows = [AUSTIN] * 3 + ([BAD["words"]] if last else [BAD["words"], AUSTIN])
    dataset = write(path, *rows).load()
    assert dataset.n == 4 - last
    assert f"1 of {5 - last} rows is not counted: 1 with " in dataset.note
    assert "The first is line 4, '" in dataset.note


@pytest.mark.parametrize(
    "odd",
    [
        b"\xff\t\x80\t30.2359091167\t-97.7951395833\t1",
        b"\t\t30.2359091167\t-97.7951395833\t",
        b"0\t2010\t 3.02359091167e1 \t-97.7951395833\t1",
        b"0\t2010\t+30.2359091167\t-97.7951395833\t1",
    ],
)
def test_odd_but_readable_lines_count(path: Path, odd: bytes) -> None:
    dataset = write(path, AUSTIN, odd).load()
    assert dataset.counts is not None
    assert dataset.counts[AUSTIN_CELL] == 2


def test_many_bad_lines(path: Path) -> None:
    rng = np.random.default_rng(3)
    rows, _, _ = random_rows(1_000, rng)
    bad = np.sort(rng.choice(1_000, 120, replace=False))
    for kind, i in enumerate(bad):
        rows[i] = list(BAD.values())[kind % len(BAD)]
    path.write_bytes(b"\n".join(rows))
    note = Snap(str(path), area="-90,90,-180,180", cell=1.0).load().note
    assert "880 check-ins are on the map. 120 of 1,000 rows are not counted" in note
    assert f"The first is line {bad[0] + 1}, '1 2010" in note


@pytest.mark.parametrize("packed", [False, True])
def test_no_readable_line_is_an_error_with_the_example(path: Path, packed: bool) -> None:
    text = b"latitude,longitude\n1,2\n"
    path.write_bytes(gzip.compress(text) if packed else text)
    with pytest.raises(CaldpError, match=r"No row of .* the first is line 1, 'latitude"):
        Snap(str(path)).load()


def test_files_that_are_none(tmp_path: Path, path: Path) -> None:
    with pytest.raises(CaldpError, match=r"There is no file at .*checkins"):
        Snap(str(path)).load()
    with pytest.raises(CaldpError, match="There is no file at"):
        Snap(str(tmp_path)).load()
    for empty in (b"", gzip.compress(b"")):
        path.write_bytes(empty)
        with pytest.raises(CaldpError, match="nothing to read"):
            Snap(str(path)).load()


@pytest.mark.parametrize("kind", ["cut", "header only", "checksum", "body", "tail"])
def test_damaged_gzip_files(path: Path, kind: str) -> None:
    whole = bytearray(gzip.compress(b"\n".join(random_rows(3_000, np.random.default_rng(4))[0])))
    middle = len(whole) // 2
    if kind == "checksum":
        whole[-6] ^= 1
    if kind == "body":
        whole[middle : middle + 40] = bytes(40)
    ends = {"cut": whole[:middle], "header only": whole[:5], "tail": whole + b"garbage"}
    path.write_bytes(bytes(ends.get(kind, whole)))
    with pytest.raises(CaldpError, match="packed and damaged or unfinished"):
        Snap(str(path)).load()


def test_gzip_files_glued_together_are_one(path: Path) -> None:
    path.write_bytes(gzip.compress(AUSTIN + b"\n") + gzip.compress(AUSTIN + b"\n"))
    assert Snap(str(path)).load().n == 2


@given(strategies.snaps())
@pytest.mark.slow
def test_the_map_is_the_one_that_is_asked_for(spec: Snap) -> None:
    assert map_for_places(MapRequest(spec.cell, Area.parse(spec.area)), ORIGIN, None) == spec.grid()


def test_nobody_on_the_map_is_an_error(path: Path) -> None:
    with pytest.raises(CaldpError, match="choose a larger one"):
        write(path, OSLO).load()


def test_homes_are_found_or_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(path.parent))
    assert Snap(f"~/{path.name}").file() == path
    with pytest.raises(CaldpError, match="home folder in '~nobody-of-that-name/x' can't be found"):
        Snap("~nobody-of-that-name/x").load()


def test_nobody_beyond_the_area_is_counted(path: Path) -> None:
    rows, latitude, longitude = random_rows(2_000, np.random.default_rng(4))
    write(path, *rows)
    east = (longitude >= -130) & (longitude < -60)
    inside = east & (latitude >= 25) & (latitude < 49.9)
    with pytest.raises(CaldpError, match="must fill the area exactly"):
        Snap(str(path), area="25,49.9,-130,-60", cell=0.2)
    assert Snap(str(path), area="25,49.9,-130,-60", cell=0.1).load().n == inside.sum()
    # What cells reaching beyond would count, as they once did: the rows here tell it apart.
    whole = Snap(str(path), area="25,50,-130,-60", cell=0.2).load().n
    assert whole == (east & (latitude >= 25) & (latitude < 50)).sum() > inside.sum()


ROWS = 20_000
WHOLE = gzip.compress(b"\n".join(random_rows(ROWS, np.random.default_rng(1))[0]), mtime=0)
WHOLE_PACKED = gzip.compress(WHOLE)  # sound gzip, but no check-ins


class Server(ThreadingHTTPServer):
    """Sends what it is given, and remembers what it was asked."""

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
    result = CliRunner().invoke(main, ["fetch", "gowalla", "--url", server.url])
    assert result.exit_code == 0
    assert str(tmp_path / "caldp" / GOWALLA_FILE) in result.stdout
    slot = json.loads(result.stdout.partition('"dataset": ')[2])
    assert slot.pop("kind") == "snap"
    people = Snap(**slot).load().n
    assert people is not None
    assert people < ROWS


ALL = [Uniform(), Geometric(), PermutedGeometric(), Zipf(), YesOrNo(), Cities()]


@pytest.mark.parametrize("spec", ALL, ids=lambda spec: type(spec).__name__)
def test_every_spec_gives_a_named_distribution(spec: Any) -> None:
    shares: list[float] = []
    dataset = spec.load(shares.append)
    assert shares[-1] == 1.0
    assert "synthetic" in dataset.name
    assert dataset.note
    assert dataset.n is None
    assert dataset.distribution.shape == (dataset.domain.k,)
    assert dataset.distribution.sum() == pytest.approx(1, abs=1e-12)
    assert (dataset.distribution >= 0).all()
    assert spec == type(spec)()
    assert hash(spec) == hash(type(spec)())


def test_uniform() -> None:
    dataset = Uniform(7).load()
    assert dataset.domain == Domain(7)
    assert dataset.distribution == pytest.approx(np.full(7, 1 / 7))


def test_yes_or_no_has_words() -> None:
    dataset = YesOrNo(0.25).load()
    assert dataset.domain == Domain(2, ("no", "yes"))
    assert dataset.distribution.tolist() == [0.75, 0.25]
    assert YesOrNo(0.0).load().distribution.tolist() == [1.0, 0.0]


def test_geometric_is_the_papers() -> None:
    p = Geometric(k=12, rate=0.3).load().distribution
    masses = [0.7**i * 0.3 for i in range(12)]
    assert p == pytest.approx(np.array(masses) / sum(masses), rel=1e-12)


@pytest.mark.parametrize("rate", [1e-6, 0.5, 1 - 1e-6])
def test_geometric_bears_extreme_rates(rate: Any) -> None:
    p = Geometric(k=2**20, rate=rate).load().distribution
    assert np.isfinite(p).all()
    assert p[0] == p.max() > 0


def test_zipf_shares_are_the_papers() -> None:
    p = Zipf(k=5, rate=2.0).load().distribution
    masses = [1, 1 / 4, 1 / 9, 1 / 16, 1 / 25]
    assert p == pytest.approx(np.array(masses) / sum(masses), rel=1e-12)
    assert Zipf(k=5, rate=0.0).load().distribution == pytest.approx(np.full(5, 0.2))


def test_permuted_geometric_has_the_same_masses_in_another_order() -> None:
    plain = Geometric(k=50, rate=0.1).load().distribution
    first = PermutedGeometric(k=50, rate=0.1, seed=1).load().distribution
    again = PermutedGeometric(k=50, rate=0.1, seed=1).load().distribution
    other = PermutedGeometric(k=50, rate=0.1, seed=2).load().distribution
    assert np.sort(first)[::-1] == pytest.approx(plain, rel=1e-12)
    assert (first == again).all()
    assert not np.allclose(first, plain)
    assert not np.allclose(first, other)


@pytest.mark.parametrize(
    ("spec", "field", "value"),
    [
        (Uniform, "k", 0),
        (Uniform, "k", 2**20 + 1),
        (Geometric, "k", 1.5),
        (Geometric, "rate", 0.0),
        (Geometric, "rate", 1.0),
        (Geometric, "rate", float("nan")),
        (PermutedGeometric, "rate", 1.0),
        (PermutedGeometric, "seed", -1),
        (Zipf, "rate", -0.1),
        (Zipf, "rate", 11),
        (YesOrNo, "yes", 1.5),
        (Cities, "cities", 0),
        (Cities, "cities", 1001),
        (Cities, "spread_km", 0.5),
        (Cities, "spread_km", float("inf")),
        (Cities, "background", -0.01),
        (Cities, "background", 1.01),
        (Cities, "seed", 2**32),
        (Cities, "seed", True),
    ],
)
def test_values_out_of_range_name_the_field(spec: Any, field: str, value: Any) -> None:
    with pytest.raises(CaldpError, match=field):
        spec(**{field: value})


def test_cities_depend_on_the_seed_only() -> None:
    a, b, c = (Cities(seed=seed).load().distribution for seed in (3, 3, 4))
    assert (a == b).all()
    assert not np.allclose(a, c)


def test_background_alone_is_uniform() -> None:
    p = Cities(background=1.0).load().distribution
    assert p == pytest.approx(np.full(US_GRID.k, 1 / US_GRID.k))
    assert (Cities(background=0.2).load().distribution >= 0.2 / US_GRID.k * (1 - 1e-9)).all()


def one_city(latitude: float, longitude: float, spread_km: float) -> Any:
    people = shipped._city_map(
        np.array([latitude]), np.array([longitude]), spread_km, np.array([1.0])
    )
    return people.reshape(US_GRID.rows, US_GRID.columns)


@pytest.mark.parametrize("latitude", [30.0, 45.0])
def test_a_city_is_round_in_kilometres(latitude: float) -> None:
    people = one_city(latitude, -95.0, 80.0)
    north = (US_GRID.latitudes() - latitude) * 111.195
    east = (US_GRID.longitudes() + 95.0) * 111.195 * np.cos(np.radians(latitude))
    assert people.sum() == pytest.approx(1)
    assert np.sqrt(people.sum(axis=1) @ north**2) == pytest.approx(80, rel=0.01)
    assert np.sqrt(people.sum(axis=0) @ east**2) == pytest.approx(80, rel=0.01)


def test_a_cell_holds_the_gaussian_integrated_over_it() -> None:
    people = one_city(40.07, -95.03, 9.0)
    row, column = (int(i[0]) for i in US_GRID.row_column(US_GRID.locate([40.3], [-95.3])))
    wide = np.cos(np.radians(40.07))

    def density(x: float, y: float) -> Any:
        north, east = (y - 40.07) * 111.195 / 9, (x + 95.03) * 111.195 * wide / 9
        return np.exp(-(north**2 + east**2) / 2) / (2 * np.pi) * (111.195 / 9) ** 2 * wide

    expected, _ = integrate.dblquad(density, 40.2, 40.4, -95.4, -95.2)
    assert people[row, column] == pytest.approx(expected, rel=1e-6)


def test_a_narrow_city_and_one_at_the_edge_keep_all_their_people() -> None:
    narrow = one_city(40.1, -95.1, 1.0)
    assert narrow.max() > 0.999
    for latitude, longitude in ((25.0, -130.0), (49.999, -60.001)):
        assert one_city(latitude, longitude, 200.0).sum() == pytest.approx(1)


def test_city_sizes_follow_zipfs_law() -> None:
    far_apart = np.array([30.0, 40.0, 48.0]), np.array([-120.0, -95.0, -70.0])
    shares = shipped.zipf_shares(3, 1.0)
    assert shares == pytest.approx(np.array([6, 3, 2]) / 11)
    people = shipped._city_map(*far_apart, 20.0, shares).reshape(US_GRID.rows, US_GRID.columns)
    thirds = [people[:, :90].sum(), people[:, 90:240].sum(), people[:, 240:].sum()]
    assert thirds == pytest.approx(shares)


def test_places_are_uniform_on_the_surface() -> None:
    latitude, longitude = shipped._places(20_000, np.random.default_rng(5))
    assert (US_GRID.locate(latitude, longitude) >= 0).all()
    # sin(latitude) is uniform: its mean has a standard error of 0.0007, six of them make 0.004.
    low, high = np.sin(np.radians([25.0, 50.0]))
    assert np.sin(np.radians(latitude)).mean() == pytest.approx((low + high) / 2, abs=0.004)
    # Places uniform in degrees would fail that bound.
    assert np.sin(np.radians(np.linspace(25, 50, 1001))).mean() > (low + high) / 2 + 0.006
    assert longitude.mean() == pytest.approx(-95, abs=0.9)
