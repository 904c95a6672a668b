"""A page to take home: what it shows and its sliders as one file, with its own scenario."""

import hashlib
from collections.abc import Callable
from typing import Any, Final

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute.sources import is_own
from caldp_ui.offline.document import document
from caldp_ui.offline.records import Part
from caldp_ui.parts import internal
from caldp_ui.session import jobs
from caldp_ui.session.page_state import PageState, R

_OFFER: Final = jobs.StartButton(
    "Take this page home",
    ":material/download:",
    "One file with what you see and its sliders. It opens without a network, from a memory stick "
    "or on a phone, and sends nothing.",
)


def offer_page(state: PageState[R], make: Callable[[R], Part | None]) -> None:
    """Show the button that makes the file of a page, then the one that saves it.

    `make`: the page as a part; None where a picture for each step would take too long.
    """
    st.markdown("**This page to take home** · one file whose sliders move without a network")
    part = make(state.current())
    if part is None:
        st.caption("Its pictures take too long here to be made for each step of a slider.")
        return
    record: Any = state.current()
    own = is_own(getattr(record, "scenario", Scenario()).dataset)
    file = f"caldp-{part.id}.html"
    if own:
        file = internal.file_name(file)
        st.caption(f":red[**{internal.LINE}**] The file shows what you see, and says so inside.")
    name = hashlib.sha256(repr(state.query()).encode()).hexdigest()
    offer_file(
        state.key("home"),
        name,
        lambda progress: _html_bytes(part, file if own else "", progress),
        _OFFER,
        file,
    )


def offer_file(
    key: str, name: str, make: Callable[[Progress], bytes], offer: jobs.StartButton, file: str
) -> None:
    """Show the button that makes a file in the background, then the one that saves it.

    `key`: of the job and its widgets; `name`: of what the file holds, a new one ends the job.
    `make`: bytes of the file; `offer`: the first button; `file`: the file's name.
    """
    data = jobs.run_on_click(key, name, make, offer, _describe_progress)
    if data is not None:
        st.download_button(
            f"Save {file} ({len(data) / 1e6:.1f} MB)",
            data,
            file,
            "text/html",
            key=f"{key}-save",
            icon=":material/save:",
            type="primary",
            on_click="ignore",
        )


def _html_bytes(part: Part, internal_file: str, progress: Progress) -> bytes:
    """The file's content, marked where it is internal and so has a name in `internal_file`."""
    page = document(f"{part.title} · caldp", [part], progress).encode()
    return internal.mark(internal_file, page) if internal_file else page


def _describe_progress(job: jobs.Job[Any]) -> str:
    return f"Writing the file: {job.seconds:.0f} s so far"
