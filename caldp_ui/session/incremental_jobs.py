"""Long work that finds one thing after another: shown as it comes, kept after a cancel.

As in `jobs.py`, the work runs in a thread and must not draw.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_ui.session.cost import Cost
from caldp_ui.session.jobs import (
    Describe,
    Job,
    StartButton,
    current_job,
    job_key,
    progress_bar,
    show_progress,
    submit,
    wait_briefly,
)
from caldp_ui.session.ticking import redraw_every, run_page

_BRIEF_WAIT_S: Final = 0.08
"""Less than for other jobs: what is not whole by then is shown in part, and soon enough in full."""


def gather_automatically(
    key: str,
    name: str,
    find: Callable[[Progress], Iterator[Any]],
    describe: Describe,
    show: Callable[[list[Any]], None],
) -> None:
    """Show what `find` yields, drawn anew as there is more of it.

    It starts by itself; after a cancel, what was found until then stays on show, with a button to
    start again. `show` draws in a fragment: all that it needs must come with it.
    """
    job: Job[list[Any]] | None = current_job(key, name)
    if job is None:
        start_gathering(key, name, find)
        job = current_job(key, name)
        wait_briefly(st.session_state[job_key(key)], _BRIEF_WAIT_S)
    if job is None or not job.done:
        redraw_every(key, 1.5, lambda: _draw_partial_results(key, describe, show))
        return
    # In a container, as a fragment's elements are: each takes the place of what the fragment drew.
    # Without it the page shows both, one above the other, until its run has ended.
    with st.container():
        show(list(job.partial_results))
    if job.result() is None:
        st.button(
            "Start again",
            key=f"{key}-again",
            icon=":material/replay:",
            on_click=start_gathering,
            args=(key, name, find),
        )


def needs_consent(key: str, name: str, cost: Cost) -> bool:
    """Whether the work is above a visit's share, and the reader has not asked for it yet."""
    return cost.is_large and current_job(key, name) is None


def consent_button(key: str, name: str, find: Callable[[Progress], Iterator[Any]]) -> None:
    """The button by which the reader asks for work that is above a visit's share."""
    st.button(
        "Compute it",
        key=f"{key}-agree",
        icon=":material/play_arrow:",
        on_click=start_gathering,
        args=(key, name, find),
    )


def gather_on_click(
    key: str,
    name: str,
    find: Callable[[Progress], Iterator[Any]],
    button: StartButton,
    describe: Describe,
) -> None:
    """The button that starts to gather what `find` yields, then its progress.

    What was found is in `partial_results` of the `current_job`.
    """
    job: Job[list[Any]] | None = current_job(key, name)
    if job is None or (job.done and job.result() is None):
        button.show(key, lambda: start_gathering(key, name, find))
    elif not job.done:
        show_progress(key, describe)


def start_gathering(key: str, name: str, find: Callable[[Progress], Iterator[Any]]) -> None:
    """Start to gather what `find` yields, into the job's `partial_results`."""
    job: Job[list[Any]] = Job(name)

    def work(progress: Progress) -> list[Any]:
        for each in find(progress):
            job.partial_results.append(each)
        return job.partial_results

    st.session_state[job_key(key)] = submit(job, work)


def _draw_partial_results(key: str, describe: Describe, show: Callable[[list[Any]], None]) -> None:
    job: Job[Any] | None = st.session_state.get(job_key(key))
    if job is None or job.done:
        run_page()
    show(list(job.partial_results))
    progress_bar(key, job, describe)
