"""Long work that finds one thing after another: shown as it comes, kept after a cancel.

As in `jobs.py`, the work runs in a thread and must not draw.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_ui.session.cost import Cost
from caldp_ui.session.jobs import Job, Offer, Told, bar, begin, held, place, soon, watch
from caldp_ui.session.ticking import run_page, ticking

_SOON_S: Final = 0.08
"""Less than for other jobs: what is not whole by then is shown in part, and soon enough in full."""


def filling(
    key: str,
    name: str,
    find: Callable[[Progress], Iterator[Any]],
    told: Told,
    show: Callable[[list[Any]], None],
) -> None:
    """Show what `find` yields, drawn anew as there is more of it.

    It starts by itself; after a cancel, what was found until then stays on show, with a button to
    start again. `show` draws in a fragment: all that it needs must come with it.
    """
    job: Job[list[Any]] | None = held(key, name)
    if job is None:
        gather(key, name, find)
        job = held(key, name)
        soon(st.session_state[place(key)], _SOON_S)
    if job is None or not job.done:
        ticking(key, 1.5, lambda: _fill(key, told, show))
        return
    # In a container, as a fragment's elements are: each takes the place of what the fragment drew.
    # Without it the page shows both, one above the other, until its run has ended.
    with st.container():
        show(list(job.found))
    if job.result() is None:
        st.button(
            "Start again",
            key=f"{key}-again",
            icon=":material/replay:",
            on_click=gather,
            args=(key, name, find),
        )


def must_ask(key: str, name: str, cost: Cost) -> bool:
    """Whether the work is above a visit's share, and the reader has not asked for it yet."""
    return cost.is_large and held(key, name) is None


def ask(key: str, name: str, find: Callable[[Progress], Iterator[Any]]) -> None:
    """The button by which the reader asks for work that is above a visit's share."""
    st.button(
        "Compute it",
        key=f"{key}-agree",
        icon=":material/play_arrow:",
        on_click=gather,
        args=(key, name, find),
    )


def gathered(
    key: str, name: str, find: Callable[[Progress], Iterator[Any]], offer: Offer, told: Told
) -> None:
    """The button that starts to gather what `find` yields, then its progress; see `held`."""
    job: Job[list[Any]] | None = held(key, name)
    if job is None or (job.done and job.result() is None):
        offer.show(key, lambda: gather(key, name, find))
    elif not job.done:
        watch(key, told)


def gather(key: str, name: str, find: Callable[[Progress], Iterator[Any]]) -> None:
    """Start to gather what `find` yields, in the job's `found`."""
    job: Job[list[Any]] = Job(name)

    def work(progress: Progress) -> list[Any]:
        for each in find(progress):
            job.found.append(each)
        return job.found

    st.session_state[place(key)] = begin(job, work)


def _fill(key: str, told: Told, show: Callable[[list[Any]], None]) -> None:
    job: Job[Any] | None = st.session_state.get(place(key))
    if job is None or job.done:
        run_page()
    show(list(job.found))
    bar(key, job, told)
