"""The result of a scenario as one sentence, and the odds as a picture of 100 people.

Room: parts.
"""

import re
from html import escape
from typing import Final

import streamlit as st

from caldp_core.experiments.run import Result, Setup
from caldp_core.privacy.context import Context
from caldp_ui.parts import icons
from caldp_ui.words import accuracy, formats, promise
from caldp_ui.words.strength import MEANING, strength
from caldp_ui.words.vocabulary import Vocabulary

SENTENCE: Final = ".st-key-headline p"
ODDS: Final = ".st-key-odds .odds"
"""Where the sentence and the odds are on the page, as CSS selectors: films change them, too."""
_BOLD: Final = re.compile(r"\*\*(.+?)\*\*")
_SIGN: Final = re.compile(r"\\(?=[^\w\s])")
_STRONG: Final = r"<strong>\1</strong>"


def sentence(nouns: Vocabulary, setup: Setup, ours: Result | None, plain: Result | None) -> None:
    """How far both are off, and what an onlooker can guess; with room for two lines."""
    with st.container(key="headline"):
        st.markdown(_told(nouns, setup, ours, plain))


def sentence_html(nouns: Vocabulary, ours: Result, plain: Result) -> str:
    """The same sentence as HTML, for films."""
    return as_html(_told(nouns, ours.setup, ours, plain))


def as_html(sentence: str) -> str:
    """A sentence of Markdown, with no more than bold words and escaped signs, as HTML."""
    return f"<p>{_SIGN.sub('', _BOLD.sub(_STRONG, escape(sentence)))}</p>"


def _told(nouns: Vocabulary, setup: Setup, ours: Result | None, plain: Result | None) -> str:
    off = accuracy.headline(nouns, _tv(ours), _tv(plain))
    return f"{off} {promise.in_short(setup)}"


def _tv(result: Result | None) -> float | None:
    return None if result is None else result.first.errors.tv


def odds(setup: Setup) -> None:
    """100 people for whom an onlooker was torn 50:50, and how many are guessed right."""
    with st.container(key="odds"):
        st.html(odds_html(setup))


def odds_html(setup: Setup) -> str:
    """The same odds as HTML, for films."""
    share = promise.chance(setup)
    best = "100" if share == 1.0 else formats.hundred(share)
    said = strength(share)
    title = f"100 small figures, {best} of them filled: guessed right."
    return (
        f'<div class="odds {said.word}">{icons.people_array(round(100 * share), title)}'
        f"<p><b>{said.word}</b>{_most(best)}<strong>{best} of 100</strong> "
        f"guessed right{_where(setup)}, from a 50:50 guess before</p></div>"
    )


def _most(best: str) -> str:
    return "" if best.startswith("over") or best == "100" else " at most "


def _where(setup: Setup) -> str:
    if not isinstance(setup.policy, Context):
        return " between neighbours"
    share = formats.out_of(promise.protected_share(setup))
    return "" if share in ("100 of 100", "0 of 100") else f" among the {share} who are protected"


def odds_help() -> str:
    """What the words of the scale mean."""
    return MEANING
