"""Whatever comes in, what comes out is one sentence of ours that can be shown."""

import gzip
import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caldp_core.basics.errors import SENTENCE_MAX, CaldpError, make_readable
from caldp_core.datasets import Gowalla, OwnTable, Survey, shipped
from caldp_core.datasets.base_map import us_cities
from caldp_core.scenarios.scenario import Scenario
from tests.contract.checks import naming

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


def test_a_hostile_file_gets_one_short_sentence() -> None:
    for name, text in BAD.items():
        with naming(name), pytest.raises(CaldpError) as refused:
            Scenario.from_text(text)
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
