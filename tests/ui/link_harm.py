"""What happens to links on their way: cuts, changes, and what mail programs do to them."""

import html
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from caldp_ui.session.links import Received, seal, understand
from caldp_ui.session.page_state import PageState

Query = dict[str, str]


def opened(state: PageState[Any], link: str) -> Received[Any]:
    """What the page makes of the query of an address, as Streamlit reads it."""
    pairs = parse_qsl(link, keep_blank_values=True)
    return understand(state.codec, state.page, pairs, state.other_keys)


def cuts(link: str) -> Iterator[str]:
    """The link cut at every position; without any sign of it, it is the page's own address."""
    yield from (link[:end] for end in range(1, len(link)))


def changes(link: str) -> Iterator[str]:
    """The link without one of its pairs, with one twice, with one sign more, less or another."""
    pairs = parse_qsl(link, keep_blank_values=True)
    for at in range(len(pairs)):
        if at:  # without its check it is a link of before there were any
            yield urlencode([*pairs[:at], *pairs[at + 1 :]])
        yield urlencode([*pairs, (pairs[at][0], f"{pairs[at][1]}1")])
    for at, sign in enumerate(link):
        yield link[:at] + link[at + 1 :]
        yield link[:at] + ("7" if sign != "7" else "8") + link[at + 1 :]
        yield f"{link[:at]}0{link[at:]}"


def repairable(link: str) -> Iterator[str]:
    """The link as programs and people pass it on that change nothing of what it says."""
    yield link
    yield html.escape(link)
    yield html.escape(html.escape(link))
    yield quote(link)
    yield "&".join(
        f"{quote(key)}={quote(quote(text))}"
        for key, text in parse_qsl(link, keep_blank_values=True)
    )
    yield from (f"{link}{mark}" for mark in (".", ",", ")", "%3E", "%22.", "!"))
    yield f"{html.escape(link)}."
    yield f"{link}&utm_source=mail&source=lms"
    yield "&".join(reversed(link.split("&")))


def assert_none_opens_otherwise(state: PageState[Any], query: Query, every: int = 1) -> None:
    """However a link of a page comes, it opens what was sent, or the page says that it is not."""
    link = urlencode(seal(state.page, query))
    record = opened(state, link).record
    for whole in repairable(link):
        received = opened(state, whole)
        assert (received.fault, received.texts, received.record) == ("", query, record), whole
    for cut in [*cuts(link)][::every]:
        assert opened(state, cut).fault, cut
    for changed in [*changes(link)][::every]:
        received = opened(state, changed)
        assert received.fault or (received.texts, received.record) == (query, record), changed
