"""A page's link in the address bar: read with care, written when it changes.

A link comes from anywhere, so all of it is checked before it is shown. It holds a check of itself,
as mail programs cut links and people paste half of them: what is left may be another protection.
Older links without a check open all the same.
"""

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Generic, TypeAlias, TypeVar
from urllib.parse import parse_qsl, unquote_plus, urlencode

import streamlit as st

from caldp_core.basics.errors import CaldpError, excerpt, make_readable, require
from caldp_core.basics.files import parse_float, parse_int
from caldp_core.datasets.own import is_line, one_line
from caldp_core.estimation.estimators import explain_given_up
from caldp_ui.app.texts import escape_markdown
from caldp_ui.session.visit import MissingDataError, this_visit

R = TypeVar("R")
Pairs: TypeAlias = list[tuple[str, str]]
"""Keys and texts of a link in its order; a key may stand there twice."""
CHECK: Final = "check"
"""The link's first key: of a link that is cut it is what is left."""
_CHECK_DIGITS: Final = 8
_ESCAPED: Final = re.compile("^(?:amp;)+")
_MARKS: Final = ".,;:!?)]}>'\"…’”»* "
"""Signs after an address in a text that mail programs take for a part of it."""


_QUOTED_MAX: Final = 20
_SCENARIO: Final = "scenario"


@dataclass(frozen=True)
class FieldFormat:
    """How a field is written into a link. `read(key, text)` raises `CaldpError`.

    `key`: its key in the link, "" for the field's own name.
    """

    write: Callable[[Any], str]
    read: Callable[[str, str], Any]
    key: str = ""


def _read_as(kind: str, read: Callable[[str], Any]) -> Callable[[str, str], Any]:
    def read_field(key: str, text: str) -> Any:
        value = read(text)
        if value is None:
            quoted = f"{text[:_QUOTED_MAX]!r}"
            raise CaldpError(f"{key} in the link must be {kind}, got {quoted}.")
        return value

    return read_field


WORD: Final = FieldFormat(str, lambda _, text: text)
WORDS: Final = FieldFormat(";".join, lambda _, text: tuple(text.split(";")))
SWITCH: Final = FieldFormat(
    lambda value: str(int(value)), _read_as("0 or 1", {"0": False, "1": True}.get)
)
WHOLE: Final = FieldFormat(str, _read_as("a whole number", parse_int))
NUMBER: Final = FieldFormat(lambda value: f"{value:.15g}", _read_as("a number", parse_float))
_BY_TYPE: Final = {str: WORD, tuple: WORDS, bool: SWITCH, int: WHOLE, float: NUMBER}


@dataclass(frozen=True)
class RecordLink(Generic[R]):
    """How the record of a page is written into a link, and which records the page can show.

    `begin`: the record of a visit without a link. `check` raises `CaldpError` for a record whose
    parts do not fit. `browser`: keys of the browser's side. `field_formats`: by field, for those
    that are not a text, number, switch or tuple of texts at the beginning. `left_out`: the record
    whose fields a link leaves out, for pages that once began with another one, so that their links
    open as they were; None: `begin`. Its scenario is that of `begin`. `given_up`: keys that earlier
    links have, each with the sentence on what the page shows instead.
    """

    begin: R
    check: Callable[[R], None]
    browser: tuple[str, ...] = ()
    field_formats: Mapping[str, FieldFormat] = field(default_factory=dict)
    left_out: R | None = None
    given_up: Mapping[str, str] = field(default_factory=dict)

    def fresh(self) -> R:
        """The record of a visit without a link."""
        return self.begin

    def write(self, record: R) -> dict[str, str]:
        """The record as texts of a query: none for `begin`, else what a link must say."""
        known = self.begin if record in (self.begin, self.left_out) else self._unsaid()
        return {
            key: text.write(getattr(record, name))
            for key, (name, text) in self._fields().items()
            if getattr(record, name) != getattr(known, name)
        }

    def read(self, query: Mapping[str, str]) -> R:
        """The record of such texts; raises `CaldpError` if one is not a value of its field."""
        known = self._fields()
        values = {known[key][0]: known[key][1].read(key, query[key]) for key in query}
        unsaid: Any = self._unsaid() if query else self.begin
        record: R = replace(unsaid, **values)
        return record

    def _unsaid(self) -> R:
        """The record that a link speaks of as far as it says nothing else."""
        return self.begin if self.left_out is None else self.left_out

    def unknown_keys(self, query: Mapping[str, str]) -> list[str]:
        """Keys of the query that belong to no field."""
        return [key for key in query if key not in self._fields()]

    def _fields(self) -> dict[str, tuple[str, FieldFormat]]:
        """By key of the link, the field and how it is written."""
        begin: Any = self.begin
        names = [each.name for each in fields(begin) if each.name != _SCENARIO]
        own = {n: self.field_formats.get(n) or _BY_TYPE[type(getattr(begin, n))] for n in names}
        return {text.key or name: (name, text) for name, text in own.items()}


DIVIDER: Final = "|"
"""Stands between names in a link."""


def lines(text: str) -> tuple[str, ...]:
    """The names that somebody has written or pasted, one a line."""
    return tuple(filter(None, map(one_line, text.splitlines())))


def check_names(names: Sequence[str], most: int, signs: int, *nouns: str) -> None:
    """Raise `CaldpError` unless there are 2 to `most` different names, of 1 to `signs` characters.

    `nouns`: what has the names, their plural, and one of them, as "A matrix", "values", "A name".
    """
    whole, many, one = nouns
    require(
        2 <= len(names) <= most,
        f"{whole} needs 2 to {most} {many}, got {len(names):,}; write one a line.",
    )
    for name in names:
        fits = bool(name.strip()) and len(name) <= signs
        require(
            fits and is_line(name) and DIVIDER not in name,
            f"{one} needs 1 to {signs} characters other than “{DIVIDER}”, got "
            f"“{name[: signs + 1]}”; shorten or rename it.",
        )
    twice = next((a for i, a in enumerate(names) if a in names[:i]), None)
    require(
        twice is None, f"All {one.split()[-1]}s must differ, “{twice}” is there twice; rename one."
    )


@dataclass(frozen=True)
class Received(Generic[R]):
    """A link as a page understands it: the `texts` that it knows, and their `record`.

    `fault`: in what this is not what was sent, and what the page shows; "" if it is. `lacks_data`:
    whether it is whole, but for data that have not been brought here.
    """

    texts: dict[str, str]
    record: R
    fault: str = ""
    lacks_data: bool = False


def seal(page: str, texts: Mapping[str, str]) -> dict[str, str]:
    """The texts of a page's link behind a check of them; {} for none."""
    return {CHECK: _check_of(page, texts), **texts} if texts else {}


def _check_of(page: str, texts: Mapping[str, str]) -> str:
    sent = urlencode([("", page), *sorted(texts.items())])
    return hashlib.sha256(sent.encode()).hexdigest()[:_CHECK_DIGITS]


def understand(
    codec: RecordLink[R], page: str, pairs: Pairs, other_keys: Collection[str] = ()
) -> Received[R]:
    """A page's link, without what programs on its way have added.

    `pairs` without the browser's own keys. `other_keys`: keys of the page that are not the codec's.
    """
    plain = [(_ESCAPED.sub("", key), text) for key, text in dict.fromkeys(pairs)]
    texts, fault = _sort(codec, page, plain, other_keys)
    sent = _read(codec, texts, other_keys, fault)
    if not sent.fault:
        return sent
    for change in (_decode, _trim, lambda each: _trim(_decode(each))):
        texts, fault = _sort(codec, page, change(plain), other_keys)
        received = sent if fault else _read(codec, texts, other_keys)
        if not received.fault:
            return received
    return sent


def _sort(
    codec: RecordLink[R], page: str, pairs: Pairs, other_keys: Collection[str]
) -> tuple[dict[str, str], str]:
    """The texts that the page knows, and in what they are not what was sent."""
    check = dict(pairs).get(CHECK)
    own = (*other_keys, *codec.given_up)
    known = [key for key, _ in pairs if key in own or not codec.unknown_keys({key: ""})]
    added = [key for key, _ in pairs if key not in (*known, CHECK)]
    texts = {key: text for key, text in pairs if known.count(key) == 1}
    fits = check == _check_of(page, texts)
    if len(texts) < len(known):
        return texts, f"The link says {excerpt(max(known, key=known.count))} twice."
    if check is not None and not fits:
        return texts, "The link was cut or changed on its way; ask for it again."
    if added and not fits:  # beside a whole link they may stand
        return texts, f"This page does not know {excerpt(added[0])} in the link."
    return texts, ""


def _read(
    codec: RecordLink[R], texts: dict[str, str], other_keys: Collection[str], fault: str = ""
) -> Received[R]:
    given_up = _given_up(codec, texts)
    texts = {key: text for key, text in texts.items() if key not in codec.given_up}
    try:
        record = codec.read({key: text for key, text in texts.items() if key not in other_keys})
        codec.check(record)
    except CaldpError as error:
        if isinstance(error, MissingDataError) and not fault:
            return Received(texts, codec.fresh(), lacks_data=True)
        return Received({}, codec.fresh(), f"{fault or error} The page starts afresh.")
    if fault:
        return Received(texts, record, f"{fault} The page shows the rest.")
    return Received(texts, record, given_up)


def _given_up(codec: RecordLink[R], texts: Mapping[str, str]) -> str:
    """Sentences on what a link of earlier versions names and is not there; "" for none."""
    names = [texts.get("estimator", ""), *texts.get("estimates", "").split(";")]
    sentences = [codec.given_up[key] for key in texts if key in codec.given_up]
    sentences += filter(None, map(explain_given_up, names))
    return " ".join(dict.fromkeys(sentences))


def _decode(pairs: Pairs) -> Pairs:
    """Pairs of a link that was percent-encoded once more, in parts or as a whole."""
    if len(pairs) == 1 and "=" in pairs[0][0]:
        return parse_qsl(pairs[0][0], keep_blank_values=True)
    return [(unquote_plus(key), unquote_plus(text)) for key, text in pairs]


def _trim(pairs: Pairs) -> Pairs:
    """Pairs without the marks after the address."""
    *rest, (key, text) = pairs
    return [*rest, (key, text.rstrip(_MARKS))]


_LAST_WRITTEN: Final = "links/written"
"""Key of a visit's last write: the page, the query wanted, the query at that time, the visit."""
_FAULT: Final = "{}/link-fault"
"""Key of a page's fault: the record that is shown, and what is wrong with its link."""
_TRACKING: Final = ("utm_", "fbclid", "gclid", "msclkid")
"""Keys that mail programs and social networks add to links: nobody's mistake, so no notice."""


def receive(
    codec: RecordLink[R], page: str, other_keys: Collection[str], step: str | None = None
) -> Received[R]:
    """The link in the address bar; the fresh record if it holds none.

    `other_keys`: keys of the page that are not the codec's. `step`: the query of the address that a
    step in the browser's history leads to.
    """
    texts: list[tuple[str, str]] = []
    if step is not None:
        texts = parse_qsl(step, keep_blank_values=True)
    else:
        for key in st.query_params:
            for text in st.query_params.get_all(key):
                texts.append((key, text))
    pairs = []
    for key, text in texts:
        if key not in codec.browser and not key.startswith(_TRACKING):
            pairs.append((key, text))
    if not pairs:
        return Received({}, codec.fresh())
    return understand(codec, page, pairs, other_keys)


def keep_fault(page: str, received: Received[R]) -> None:
    """Keep the fault of the page's latest link to be shown, if it has one."""
    st.session_state[_FAULT.format(page)] = None
    if received.fault:
        report_fault(page, received.record, received.fault)


def report_fault(page: str, record: object, sentence: str) -> None:
    """Keep a fault of the page's link to be shown, as long as the page shows this record."""
    before = st.session_state.get(_FAULT.format(page))
    said = f"{before[1]} {sentence}" if before else sentence
    st.session_state[_FAULT.format(page)] = record, make_readable(said)


def show_fault(page: str, record: object) -> None:
    """Say large, before all else, that what the page shows is not what was sent."""
    key = _FAULT.format(page)
    of_record, sentence = st.session_state.get(key) or (None, "")
    with st.container(key="link-fault"):
        if sentence and of_record == record:
            st.error(
                f"**This is not what was sent to you.** {escape_markdown(sentence)}",
                icon=":material/link_off:",
            )
            st.button("Go on", key=f"{page}-link-fault", on_click=lambda: st.session_state.pop(key))


def write(codec: RecordLink[R], page: str, query: Mapping[str, str]) -> None:
    """Make the address bar hold the query, and what the browser's side keeps there.

    Written once per socket: a run that was requested before the browser had received it comes with
    the old address, and writing it again could put this page's query into the address of the next
    one. A write to a socket that broke may be lost.
    """
    now = st.query_params.to_dict()
    kept = {key: text for key, text in now.items() if key in codec.browser}
    wanted = {**query, **kept}
    written = page, wanted, now, this_visit()
    opens_it = {CHECK: wanted.get(CHECK), **now} == wanted  # a link of before there were checks
    if now != wanted and not opens_it and st.session_state.get(_LAST_WRITTEN) != written:
        st.query_params.from_dict(wanted)
    st.session_state[_LAST_WRITTEN] = written
