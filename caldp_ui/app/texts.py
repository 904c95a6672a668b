"""Texts for readers: from TOML files, and errors of ours as one sentence on screen."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import streamlit as st

from caldp_core.basics.errors import CaldpError


def read_toml(module: str, name: str) -> dict[str, Any]:
    """The TOML file `name` beside a module; `module`: the module's `__file__`."""
    return tomllib.loads(Path(module).with_name(name).read_text("utf-8"))


def read_texts(module: str) -> Mapping[str, str]:
    """The texts of the module's folder by their names, some with {fields}."""
    return read_toml(module, "texts.toml")


_JOINER: Final = "\N{WORD JOINER}"
_FOUND_AGAIN: Final = re.compile(r"\\:(?=\S)|www(?=\.)|(?=@)", re.IGNORECASE)
"""In escaped text: what makes `http://…`, `:icon:`, `www.…` and `a@b` more than text."""

_LIST_NUMBER: Final = re.compile(r"^(\d+)\.")
"""What begins a numbered list at the start of a line: "1. Yes" is text."""


def escape_markdown(text: str) -> str:
    """`text` on one line, with nothing left that Markdown would act on: it may quote raw data.

    Bare addresses and icons are found again after the escaping, so an invisible joiner splits them.
    """
    escaped = re.sub(r"([\\`*_{}\[\]()#+|<>~$:!&=-])", r"\\\1", " ".join(text.split()))
    escaped = _LIST_NUMBER.sub(r"\1\\.", escaped)
    return _FOUND_AGAIN.sub(rf"\g<0>{_JOINER}", escaped)


def unescape_markdown(text: str) -> str:
    """What `escape_markdown` was given, on one line: for files, which are no Markdown."""
    return re.sub(r"\\([^a-zA-Z0-9\s])", r"\1", text.replace(_JOINER, ""))


def show_failure(error: Exception) -> bool:
    """Show one sentence for an error that is a fault of ours, in the place of Streamlit's own box.

    Streamlit's `App` calls it, and has written the error into the log.
    """
    del error
    st.error(
        "Something went wrong on the server, and it is in its log. Go back one step, or load the "
        "page again.",
        icon=":material/error:",
    )
    return True


@contextmanager
def plain_errors() -> Iterator[None]:
    """Show a `CaldpError` as its sentence and end the page there."""
    try:
        yield
    except CaldpError as error:
        st.error(escape_markdown(str(error)), icon=":material/error:")
        st.stop()
