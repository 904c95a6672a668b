"""How the error changes as more answers become sensitive, with ε and with people.

Room: values. Forecasts of few people take trials, so that all curves here are jobs.
"""

from collections.abc import Callable

import numpy as np
import streamlit as st

from caldp_core.basics.types import Progress
from caldp_ui.app.theme import palette
from caldp_ui.charts import curves
from caldp_ui.charts.show import show as show_chart
from caldp_ui.compute import runs
from caldp_ui.parts import error_curves, numbers
from caldp_ui.parts.comparison import Shown
from caldp_ui.session import jobs
from caldp_ui.values import figures
from caldp_ui.values.figures import Growth
from caldp_ui.values.slot import SLOT
from caldp_ui.words import formats


def show(what: Shown) -> None:
    """The curve over the sensitive set first, then those over ε and people."""
    if what.ours is None or what.plain is None:
        st.info("The curves come once both pictures are there.")
        return
    _sensitive(what)
    _others(what)


def _sensitive(what: Shown) -> None:
    scenario = what.setup.scenario
    st.markdown("**As more answers become sensitive**")
    found = jobs.started(
        SLOT.key("growth"),
        runs.key(scenario),
        lambda progress: figures.growth(scenario, progress),
        lambda job: f"From nothing to everything sensitive: {job.share:.0%}",
    )
    if found is not None:
        _curve(what, found)


def _curve(what: Shown, found: Growth) -> None:
    assert what.ours is not None
    assert what.plain is not None
    now = what.ours.first.errors.tv, what.plain.first.errors.tv
    own = int(what.setup.sensitive.sum())
    plain = found.plain.tv[0]
    show_chart(
        curves.error_curves(
            (found.ours, now[0]),
            (found.plain, now[1]),
            float(own),
            {"title_text": "number of sensitive answers"},
            palette(),
        ),
        SLOT.key("growth-curve"),
        f"Expected error against the number of sensitive answers, from {_at(found, 0)} with none "
        f"to {_at(found, -1)} with all; plain LDP: "
        f"{'not known' if np.isnan(plain) else formats.share(float(plain))}.",
    )
    st.caption(
        f"Yours come first, then others in random order; you are at {own}. Points: this outcome."
    )


def _at(found: Growth, place: int) -> str:
    return formats.share(float(found.ours.tv[place])) if found.ours.tv.size else "not known"


def _others(what: Shown) -> None:
    ours, plain = what.setup.scenario, what.plain_setup.scenario
    offer = jobs.Offer(
        "Curves over ε and people, and what plain LDP needs",
        ":material/show_chart:",
        "Half a minute or so, beside the page.",
    )

    steps: tuple[Callable[[], object], ...] = (
        lambda: runs.expected(ours),
        lambda: runs.expected(plain),
        lambda: runs.epsilon_curve(ours),
        lambda: runs.epsilon_curve(plain),
        lambda: runs.people_curve(ours),
        lambda: runs.people_curve(plain),
        lambda: runs.people_plain_needs(ours),
    )

    def work(progress: Progress) -> bool:
        for done, step in enumerate(steps):
            progress(done / len(steps))
            step()
        return True

    done = jobs.offered(
        SLOT.key("curves"), runs.key(ours), work, offer, lambda job: f"Curves: {job.share:.0%}"
    )
    if done and what.ours is not None and what.plain is not None:
        error_curves.section(SLOT.key("curve-against"), what.ours, what.plain)
        numbers.plain_needs(what.ours)
