"""What leaves the house of a visitor's own data: nothing true unasked, and a red line where it is.

All files, links and code of all pages are looked through for counts that nobody else has, as
numbers, shares and percentages, in all that can be unpacked.
"""

import base64
import binascii
import io
import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any
from urllib.parse import unquote_plus

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from caldp_core.datasets import DatasetSpec, OwnPlaces, OwnSurvey, OwnTable, Survey
from caldp_core.experiments.run import prepare, run
from caldp_core.scenarios.blocks import OneBlock
from caldp_core.scenarios.policies import ContextPolicy, PersonalTags
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.adversary.page_state import FAKES
from caldp_ui.app.theme import NOISE
from caldp_ui.compute import exports, runs
from caldp_ui.compute.runs import is_own, with_dataset
from caldp_ui.maps.ground import home
from caldp_ui.parts import internal, pictures
from tests.contract.checks import naming
from tests.ui.driver import checked, jobs_done, open_page, query_of
from tests.ui.exported import Files, capture_files
from tests.ui.pages import PAGES

COUNTS = (10_007, 20_011, 30_011, 3, 2, 1, 5_003)
"""Marked: primes whose shares of all have five digits of their own, and cells of 1, 2, 3 people."""
TABLE = OwnTable(tuple("abcdefg"), COUNTS, title="marked")
SURVEY = OwnSurvey(
    ("q",) * 7 + ("r",) * 2, (*"abcdefg", "yes", "no"), (*COUNTS, 40_009, 25_029), title="marked"
)
CELLS = (0, 14, 29, 30, 70, 100, 143)
MAP = OwnPlaces(
    " ".join(f"{cell}:{n}" for cell, n in zip(CELLS, COUNTS, strict=True)),
    "48,49.2,11,12.2",
    0.1,
    "marked",
)
BIG = [count for count in COUNTS if count > 9]
MARKED = {
    f"{shown:.5g}"
    for count in BIG
    for shown in (count, count / sum(COUNTS), 100 * count / sum(COUNTS))
}
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")


def texts(data: bytes, name: str = "") -> Iterator[str]:
    """All that can be read in a file: itself, what is packed in it, and what in that."""
    if data[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            for member in packed.namelist():
                yield member
                yield from texts(packed.read(member), member)
    elif data[:4] == b"PAR1":
        table = pq.read_table(io.BytesIO(data))
        yield table.drop_columns(["geometry"]).to_pandas().to_csv()
        yield str(table.schema.metadata)
    elif data[:4] == b"\x89PNG":
        with Image.open(io.BytesIO(data)) as picture:
            yield json.dumps({key: str(text) for key, text in picture.info.items()})
    else:
        yield from _in_text(data.decode("utf-8", "replace"))


def _in_text(text: str) -> Iterator[str]:
    yield text
    if "%" in text:
        yield unquote_plus(text)
    for word in set(re.findall(r"[A-Za-z0-9+/_-]{24,}={0,2}", text)):
        try:
            found = base64.b64decode(word.translate(str.maketrans("-_", "+/")) + "==")
        except binascii.Error:
            continue
        if found[:4] == b"\x89PNG":
            continue
        yield found.decode("utf-8", "replace")
        for bits in (zlib.MAX_WBITS | 32, -zlib.MAX_WBITS):
            with suppress(zlib.error):
                yield zlib.decompressobj(bits).decompress(found).decode("utf-8", "replace")


def marks_in(data: bytes) -> set[str]:
    """The marked counts, shares and percentages that are in a file."""
    found = set()
    for text in texts(data):
        for number in NUMBER.findall(text):
            plain = number.replace(",", "")
            if sum(sign.isdigit() for sign in plain.lstrip("0.")) >= 5:
                found.add(f"{float(plain):.5g}")
    return found & MARKED


def as_bytes(content: Any) -> bytes:
    return content.encode() if isinstance(content, str) else bytes(content)


def all_hidden(spec: DatasetSpec, name: str = "") -> Scenario:
    """Data of which everything is hidden, as plain LDP or by the policy of the page `name`."""
    plain = replace(with_dataset(Scenario(), spec), policy=ContextPolicy(OneBlock()))
    if name == "distances":
        policy = PAGES[name].state.codec.fresh().scenario.policy
        return replace(plain, policy=policy)
    return replace(plain, policy=PersonalTags()) if name == "personal" else plain


WAYS: dict[str, tuple[str, DatasetSpec, dict[str, str]]] = {
    "values": ("values", TABLE, {}),
    "values, a survey": ("values", SURVEY, {}),
    "places": ("places", MAP, {}),
    "coarser, a table": ("coarser", TABLE, {}),
    "coarser, a map": ("coarser", MAP, {}),
    "distances": ("distances", MAP, {}),
    "personal": ("personal", MAP, {}),
    "plan": ("plan", TABLE, {"goal": "values"}),
    "curves": ("curves", TABLE, {}),
    "adversary": ("adversary", MAP, {"place": "14"}),
    "adversary, fake phones": ("adversary", MAP, {"place": "14", "show": FAKES}),
}
"""Pages that show a visitor's own data: page, data, further keys of the link."""
STARTS = ("-audit-start", "-home-start")
"""Ends of the keys of buttons that make files beside the page."""


def press(at: AppTest) -> AppTest:
    """The page once its files are there that are made beside it."""
    for key in [str(each.key) for each in at.button if str(each.key).endswith(STARTS)]:
        checked(at.button(key=key).click().run())
    return jobs_done(at)


def walk(at: AppTest, page: str) -> list[str]:
    """Every tab and drawer of a page is opened, and a pin made; returns texts to copy."""
    if any(each.key == f"{page}-pin" for each in at.button):
        checked(at.button(key=f"{page}-pin").click().run())
    for drawer in ("sharing", "share-drawer"):
        at.session_state[f"{page}-{drawer}"] = True
    jobs_done(at)
    copied = [each.value for each in press(at).code]
    key = f"{page}-fakes-tabs" if query_of(at).get("show") == FAKES else f"{page}-tabs"
    for title in [tab.label for tab in at.tabs]:
        at.session_state[key] = title
        press(jobs_done(at))
        copied += [each.value for each in at.code]
        for frame in at.dataframe:
            truth = [str(name) for name in frame.value.columns if "truth" in str(name)]
            assert all("INTERNAL" in name for name in truth), truth
    return copied


QUICK = ("values", "coarser, a map")
"""Of a table and of a map: pages with the most files."""


@pytest.mark.parametrize(
    "way", [pytest.param(w, marks=[] if w in QUICK else pytest.mark.thorough) for w in WAYS]
)
def test_nothing_true_of_a_visitor_s_data_leaves_unasked(way: str) -> None:
    page, spec, more = WAYS[way]
    scenario = all_hidden(spec, page)
    with capture_files() as files:
        at = open_page(PAGES[page].path, {**scenario.to_query(), **more})
        assert is_own(at.session_state[f"{page}/state"].record.scenario.dataset)
        copied = walk(at, page)
    assert any("own=" in text for text in copied), "the link is among what is copied"
    for text in (*copied, json.dumps(query_of(at))):
        if internal.LINE not in text:
            assert not marks_in(text.encode()), text
    assert_kept(files)
    if "record.html" in files and spec == MAP:
        domain = MAP.grid()
        (truth,) = pictures.maps({"": MAP.load().distribution}, domain, home(domain), 1).values()
        drawn = base64.b64encode(truth).decode()
        assert drawn not in str(files["record.html"])
        assert drawn.encode() in as_bytes(files["record-internal.html"])
    assert [name for name in files if internal.NAME in name]


def assert_kept(files: Files) -> None:
    """Files hold nothing marked, or say in name and content that they are internal."""
    for label, content in files.items():
        with naming(label):
            data = as_bytes(content)
            if internal.NAME in label:
                assert_says_so(label, data)
            else:
                assert not marks_in(data)
                assert internal.LINE not in "".join(texts(data))


def assert_says_so(name: str, data: bytes) -> None:
    assert internal.LINE in "".join(texts(data))
    if name.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            for member in packed.namelist():
                assert_says_so(member, packed.read(member))


@pytest.mark.parametrize("name", sorted(PAGES.keys() - {page for page, _, _ in WAYS.values()}))
def test_the_other_pages_show_no_data_of_a_visitor(name: str) -> None:
    for spec in (TABLE, MAP):
        at = open_page(PAGES[name].path, all_hidden(spec).to_query())
        record = at.session_state[f"{name}/state"].record if name != "start" else None
        assert not is_own(getattr(record, "scenario", Scenario()).dataset)


SECRETS = tuple(str(number) for number in range(1, 41))


def test_who_knows_the_seed_can_not_try_tables_until_one_gives_the_estimate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever tries all tables of 6 people meets the truth no more often than another that fits."""
    truth = all_hidden(OwnTable(("yes", "no", "silent"), (4, 1, 1)))
    tried = run(prepare(truth)).first.estimate

    def fits(secret: str) -> bool:
        monkeypatch.setenv(NOISE, secret)
        return np.allclose(tried, runs.uncached_result(truth).first.estimate)

    assert fits("0")
    assert sum(map(fits, SECRETS)) <= len(SECRETS) // 3
    public = all_hidden(Survey())
    np.testing.assert_array_equal(
        runs.uncached_result(public).first.estimate, run(prepare(public)).first.estimate
    )


def test_marked_counts_are_found_wherever_they_are_packed() -> None:
    """The search itself: it finds them in links, tables, packed and coded texts."""
    scenario = all_hidden(TABLE)
    link = "http://x/?" + "&".join(f"{k}={v}" for k, v in scenario.to_query().items())
    file = exports.scenario_json(scenario).encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.json", file)
    everywhere: Sequence[bytes] = (
        link.encode(),
        file,
        packed.getvalue(),
        base64.b64encode(file),
        base64.urlsafe_b64encode(zlib.compress(file)),
        b"a share of 15.386 %, or 0.15386 of all",
        b"10,007 people",
    )
    for data in everywhere:
        assert marks_in(data)
    assert not marks_in(b"of 65,038 people 0.154 have it")
