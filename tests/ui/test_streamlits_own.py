"""What the dashboard takes from Streamlit that nobody promises: failures name who rests on it."""

import re
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import streamlit
from streamlit.runtime.scriptrunner_utils.script_run_context import (
    FragmentThreadState,
    ScriptRunContext,
)
from streamlit.testing.v1 import AppTest

from tests import ROOT
from tests.waiting import PATIENCE

UI = ROOT / "caldp_ui"
VERSION = f"Streamlit {streamlit.__version__}"
_NAMES = re.compile(
    r"""data-testid[~^$*]?=\\?["']?([\w-]+)|\[(data-(?!testid\b)[a-z-]+)|\.(react-aria-\w+|st[A-Z]\w+)"""
)
"""Test ids, attributes and classes, as style sheets and scripts look for them."""
_MENDED = "caldp_ui/session/ticking.py"


@cache
def streamlits_code() -> str:
    """All of Streamlit's JavaScript."""
    folder = Path(streamlit.__file__).parent / "static" / "static" / "js"
    texts = [path.read_text("utf-8") for path in sorted(folder.glob("*.js"))]
    assert sum(map(len, texts)) > 1_000_000, f"{VERSION} keeps its JavaScript elsewhere."
    return "\n".join(texts)


@cache
def own_code() -> str:
    """What sets attributes of our own: JavaScript and HTML in Python."""
    paths = [path for path in UI.rglob("*") if path.suffix in (".js", ".py")]
    return "\n".join(path.read_text("utf-8") for path in paths)


def find_uses(text: str) -> dict[str, list[str]]:
    """The places that look for each name; `text`: a file beside all of ours."""
    paths = [path for path in sorted(UI.rglob("*")) if path.suffix in (".css", ".js", ".py")]
    files = [(str(path.relative_to(ROOT)), path.read_text("utf-8")) for path in paths]
    places: dict[str, list[str]] = {}
    for file, content in [*files, ("more.css", text)]:
        for number, line in enumerate(content.splitlines(), 1):
            for found in _NAMES.finditer(line):
                name = next(filter(None, found.groups()))
                places.setdefault(name, []).append(f"{file}:{number}")
    return places


def find_missing(text: str = "") -> list[str]:
    """A sentence for each name that Streamlit has no longer."""
    return [
        f"{VERSION} has no {name!r} any more; on it rest {', '.join(places)}"
        for name, places in find_uses(text).items()
        if not _is_own(name) and not _is_there(name)
    ]


def _is_there(name: str) -> bool:
    """Whether Streamlit's code has it as a text, whole or made of a name and a kind."""
    first, dash, _ = name.partition("-")
    made = [f"`{first}-${{"] if dash else []
    return any(text in streamlits_code() for text in (f"`{name}`", f'"{name}"', *made))


def _is_own(name: str) -> bool:
    """Whether our own JavaScript or HTML sets the attribute, in JavaScript called in one word."""
    words = name.removeprefix("data-").split("-")
    called = words[0] + "".join(word.capitalize() for word in words[1:])
    texts = (f"dataset.{called}", f'"{name}"', f" {name}=", f"`{name}`")
    return name.startswith("data-") and any(text in own_code() for text in texts)


def test_streamlit_has_every_name_that_styles_and_scripts_look_for() -> None:
    assert len(find_uses("")) > 30
    assert find_missing() == []


def test_a_name_that_is_gone_is_told_with_its_places() -> None:
    text = '/* one */\n[data-testid="stSlipper"] > [data-slip]\n.react-aria-Slip [data-slip] {}'
    assert find_missing(text)[-3:] == [
        f"{VERSION} has no 'stSlipper' any more; on it rest more.css:2",
        f"{VERSION} has no 'data-slip' any more; on it rest more.css:2, more.css:3",
        f"{VERSION} has no 'react-aria-Slip' any more; on it rest more.css:3",
    ]


def two_parts() -> None:
    """A part with a name of its own, and one whose name is always the same."""
    import streamlit as st

    from caldp_ui.session.ticking import redraw_every

    def part() -> None:
        """Nothing is drawn."""

    redraw_every(st.session_state.get("name", "one"), 60, part)
    st.fragment(part, run_every=60)()


def test_a_fragment_in_the_place_of_another_is_known_by_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ids: list[str] = []
    enqueue = ScriptRunContext.enqueue

    def record_rerun(context: ScriptRunContext, message: Any) -> None:
        if message.WhichOneof("type") == "auto_rerun":
            ids.append(message.auto_rerun.fragment_id)
        enqueue(context, message)

    monkeypatch.setattr(ScriptRunContext, "enqueue", record_rerun)
    at = AppTest.from_function(two_parts, default_timeout=PATIENCE).run()
    at.session_state["name"] = "two"
    assert not at.run().exception
    assert len(ids) == 4, f"{VERSION} tells the browser otherwise which fragments tick."
    one, part, two, again = ids
    assert one != two, f"{VERSION} does not go by the __qualname__ that {_MENDED} sets."
    assert part == again, f"{VERSION} does without: {_MENDED} need not set __qualname__."


def test_a_run_knows_which_part_of_the_page_it_is_of() -> None:
    held = {field.name for field in fields(ScriptRunContext)}
    assert "fragment_ids_this_run" in held, f"{VERSION}: {_MENDED} tells ticks from hands by it."
    parts = {field.name for field in fields(FragmentThreadState)}
    assert "fragment_id" in parts, f"{VERSION}: {_MENDED} names the part of a widget by it."
