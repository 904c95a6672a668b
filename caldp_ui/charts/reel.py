"""Reels: a slider's every step, sent ahead, so that the browser shows it while a hand moves.

What the browser shows and what the server then sends are made by the same functions.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import streamlit as st

from caldp_ui.charts.scripts import script
from caldp_ui.stage import bundle
from caldp_ui.stage.markup import tree

_reel: Final = st.components.v2.component(
    "caldp_reel", js=bundle.part("dial", "elsewhere") + script("reel")
)


@dataclass(frozen=True)
class Frame:
    """The page at one step of a slider.

    `reading`: what the slider says there. `pictures`: charts and drawings by their keys, as they
    are told to the browser. `elsewhere`: HTML by the CSS selector of what it stands in for.
    """

    reading: str
    pictures: Mapping[str, str]
    elsewhere: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Reel:
    """The frames of the slider with the key `dial`. `alike`: names all else that they rest on."""

    dial: str
    alike: str
    frames: tuple[Frame, ...]

    @cached_property
    def packed(self) -> bytes:
        """What is sent, the same in every run."""
        frames = [
            {
                "reading": frame.reading,
                "pictures": dict(frame.pictures),
                "elsewhere": {place: tree(html) for place, html in frame.elsewhere.items()},
            }
            for frame in self.frames
        ]
        return json.dumps({"dial": self.dial, "alike": self.alike, "steps": frames}).encode()


@dataclass(frozen=True)
class Dialled:
    """Where a slider is in this run: its `reading`, and the name of all else on the page."""

    reading: str
    alike: str


def project(key: str, page: Mapping[str, Dialled], reels: Iterable[Reel]) -> None:
    """Bring a page's reels to the browser, and what each of its sliders is at by its key.

    Call it last: that the page is there is what takes a reel off the screen again. `key`: ends in
    "feeds", by which `style.css` gives it no room.
    """
    with st.container(key=key, gap=None):
        for reel in reels:
            _reel(key=f"{key}-{reel.dial}", data=reel.packed)
        now = {dial: vars(at) for dial, at in page.items()}
        _reel(key=f"{key}-page", data=[{"page": now}])
