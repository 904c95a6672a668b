"""The headline of a page in two lines."""

import re
from html import escape
from typing import Final

import streamlit as st

from caldp_ui.words.headline import Headline

SENTENCE: Final = ".st-key-headline .headline"
"""Where the headline is on the page, as a CSS selector: films change it, too."""
_LONG: Final = 75
"""Characters that fit into one line beside the switch of views; a longer one is set smaller."""
_BOLD: Final = re.compile(r"\*\*(.+?)\*\*")
_SIGN: Final = re.compile(r"\\(?=[^\w\s])")


def show(headline: Headline) -> None:
    """The page's only heading of the first level, and the smaller line below it."""
    with st.container(key="headline"):
        st.html(html(headline))


def html(headline: Headline) -> str:
    """The headline as HTML, for films along a slider."""
    kind = " unprotected" if headline.unprotected else ""
    size = " long" if len(headline.sentence) > _LONG else ""
    second = f"\n<p>{escape(headline.second)}</p>" if headline.second else ""
    return f'<div class="headline{kind}{size}"><h1>{escape(headline.sentence)}</h1>{second}</div>'


def bold_html(sentence: str, tag: str) -> str:
    """A sentence as HTML, its words between `**` in elements of this kind."""
    return _BOLD.sub(rf"<{tag}>\1</{tag}>", escape(sentence))


def as_html(sentence: str) -> str:
    """A sentence of Markdown, with no more than bold words and escaped signs, as HTML."""
    return f"<p>{_SIGN.sub('', bold_html(sentence, 'strong'))}</p>"
