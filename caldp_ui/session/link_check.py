"""The texts of a link: whether they are what was sent, and what can be put right.

A link holds a check of itself, as mail programs cut links and people paste half of them: what is
left may be another protection. Older links without a check open all the same.
"""

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final, Generic, Protocol, TypeAlias, TypeVar
from urllib.parse import parse_qsl, unquote_plus, urlencode

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets.own import excerpt
from caldp_ui.session.visitor_data import MissingDataError

R = TypeVar("R")
Pairs: TypeAlias = list[tuple[str, str]]
"""Keys and texts of a link in its order; a key may stand there twice."""
CHECK: Final = "check"
"""The link's first key: of a link that is cut it is what is left."""
_CHECK_DIGITS: Final = 8
_ESCAPED: Final = re.compile("^(?:amp;)+")
_MARKS: Final = ".,;:!?)]}>'\"…’”»* "
"""Signs after an address in a text that mail programs take for a part of it."""


class Codec(Protocol[R]):
    """How one page's record is written into a link, and which records the page can show."""

    @property
    def browser(self) -> tuple[str, ...]:
        """Keys that only the browser's side writes and reads: kept as they are."""
        ...

    def fresh(self) -> R:
        """The record that a visit without a link begins with."""
        ...

    def write(self, record: R) -> dict[str, str]:
        """The record as texts of a query; only what differs from `fresh`."""
        ...

    def read(self, query: Mapping[str, str]) -> R:
        """Read such texts; raises `CaldpError` where they are no record of this page."""
        ...

    def unknown_keys(self, query: Mapping[str, str]) -> list[str]:
        """Keys of the query that this page does not know."""
        ...

    def check(self, record: R) -> None:
        """Raise `CaldpError` for a record whose parts do not fit, so that none is ever shown."""
        ...


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
    codec: Codec[R], page: str, pairs: Pairs, other_keys: Collection[str] = ()
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
    codec: Codec[R], page: str, pairs: Pairs, other_keys: Collection[str]
) -> tuple[dict[str, str], str]:
    """The texts that the page knows, and in what they are not what was sent."""
    check = dict(pairs).get(CHECK)
    known = [key for key, _ in pairs if key in other_keys or not codec.unknown_keys({key: ""})]
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
    codec: Codec[R], texts: dict[str, str], other_keys: Collection[str], fault: str = ""
) -> Received[R]:
    try:
        record = codec.read({key: text for key, text in texts.items() if key not in other_keys})
        codec.check(record)
    except CaldpError as error:
        if isinstance(error, MissingDataError) and not fault:
            return Received(texts, codec.fresh(), lacks_data=True)
        return Received({}, codec.fresh(), f"{fault or error} The page starts afresh.")
    return Received(texts, record, fault and f"{fault} The page shows the rest.")


def _decode(pairs: Pairs) -> Pairs:
    """Pairs of a link that was percent-encoded once more, in parts or as a whole."""
    if len(pairs) == 1 and "=" in pairs[0][0]:
        return parse_qsl(pairs[0][0], keep_blank_values=True)
    return [(unquote_plus(key), unquote_plus(text)) for key, text in pairs]


def _trim(pairs: Pairs) -> Pairs:
    """Pairs without the marks after the address."""
    *rest, (key, text) = pairs
    return [*rest, (key, text.rstrip(_MARKS))]
