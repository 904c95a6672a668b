"""Under the tables: what tests would find, what follows from E, two reports, numbers, files."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.audit.composition import release_both
from caldp_core.audit.sampled import EpsilonBound, audit_sampler, sampler_of
from caldp_core.mechanisms import Mechanism
from caldp_core.privacy.matrix import DenseMatrix, closure, released_together
from caldp_ui.app import addresses
from caldp_ui.app.errors import as_text
from caldp_ui.compute import exports
from caldp_ui.matrix import board, candidates, files, take_home, words
from caldp_ui.matrix.candidates import Candidate
from caldp_ui.matrix.slot import ALIKE, SECONDS, SLOT, Table, level_link, level_text
from caldp_ui.matrix.templates import rows_of
from caldp_ui.matrix.verdict import Shown, Verdict, judged
from caldp_ui.offline import offer
from caldp_ui.parts import sharing
from caldp_ui.parts.tabs import tabs
from caldp_ui.words.glossary import terms

SAMPLES: Final = 10_000
"""Reports of each of the two values that a test looks at."""
_SEED: Final = 1
_TOGETHER_MAX: Final = 3_000
"""Different pairs of reports of two releases that are audited here."""


def show(shown: Shown) -> None:
    """The tabs, and the open one."""
    tabs(SLOT.key("tabs"), _TABS, shown)


def _tests(shown: Shown) -> None:
    """Claimed, tested from outside, certified: the same channel by three kinds of trust."""
    what = shown.verdict
    found, worst = what.candidate.mechanism, what.audit.worst
    if found is None or worst is None:
        st.markdown(
            "Choose a channel that a mechanism makes, and a matrix with at least one limit."
        )
        return
    bound = _sampled(found, worst.x, worst.x_other)
    names = as_text(f"“{what.names[worst.x]}” against “{what.names[worst.x_other]}”")
    witness = as_text(what.candidate.reports[worst.output])
    missed = bound.epsilon <= worst.epsilon
    st.table(
        pd.DataFrame(
            {
                "what it says": [
                    f"ε ≤ {level_text(worst.epsilon)}",
                    f"ε ≥ {bound.epsilon:.3f}, at 95 % confidence",
                    f"ε = {worst.privacy_loss:.6f}, by {witness}",
                ],
                "verdict": [
                    "believed",
                    "nothing found" if missed else "a leak is found",
                    "kept" if what.audit.holds else "broken",
                ],
            },
            index=["claimed", f"tested, {2 * SAMPLES:,} reports", "audited exactly"],
        ).rename_axis("how")
    )
    st.markdown(
        f"This is {names}, where the channel comes nearest to its limit. {_moral(what, missed)}"
    )


def _moral(what: Verdict, missed: bool) -> str:
    if what.audit.holds:
        return "Only the audit can show that a limit is kept: a test of reports only finds leaks."
    if missed:
        return (
            "**The test misses the bug**: samples show only that ε is at least so large. The exact "
            "audit reads the channel itself, in rational numbers, and names the pair and the "
            "report."
        )
    return "This leak is so large that even a test of reports finds it."


def _sampled(found: Mechanism, x: int, other: int) -> EpsilonBound:
    rng = np.random.default_rng(_SEED)
    return audit_sampler(sampler_of(found), x, other, SAMPLES, rng)


def _follows(shown: Shown) -> None:
    what = shown.verdict
    st.markdown(
        "Limits add up along a chain: those for A against B and for B against C bound A against C "
        "by their sum. So no entry allows more than the shortest chain around it. "
        f"{words.implied(what)}"
    )
    loose = [
        f"- {as_text(f'“{what.names[x]}” against “{what.names[z]}”')}: "
        f"the limit is {level_text(what.levels[x, z])}, the others imply "
        f"{level_text(round(float(what.closed[x, z]), 6))}"
        for x, z in np.argwhere(what.loose).tolist()
    ]
    if loose:
        st.markdown("\n".join(loose))
        st.button(
            "Write these limits into the matrix",
            icon=":material/done_all:",
            key=SLOT.key("close"),
            on_click=lambda: SLOT.change(
                lambda record: record.own(rows_of(closure(record.matrix).entries))
            ),
        )
    terms("ε", "local differential privacy", "context-aware")


def _together(shown: Shown) -> None:
    record, what = shown.record, shown.verdict
    st.selectbox(
        "A second report about the same value",
        list(SECONDS),
        format_func=SECONDS.__getitem__,
        **SLOT.bind("second", record.second, _second),
    )
    second, levels = what.candidate, what.levels
    if record.second == ALIKE:
        least = candidates.least_level(record.levels)
        second = candidates.made(_second(record, ALIKE, ALIKE))
        levels = np.where(np.eye(record.k, dtype=np.bool_), 0.0, least)
    if len(second.reports) * len(what.candidate.reports) > _TOGETHER_MAX:
        st.markdown("These two channels have too many pairs of reports to be audited here.")
        return
    both = released_together(DenseMatrix.of(what.levels), DenseMatrix.of(levels))
    joint = Candidate(
        "both", release_both(what.candidate.channel, second.channel), _pairs(what, second)
    )
    found = judged(what.names, both, joint)
    st.markdown(
        "Both reports together: their limits add up (CALDP Proposition 2). "
        f"{as_text(words.in_one_line(found))}"
    )
    board.still(found, SLOT.key("together"))


def _second(record: Table, second: str, channel: str | None = None) -> Table:
    return replace(record, second=second, channel=channel or record.channel)


def _pairs(what: Verdict, second: Candidate) -> tuple[str, ...]:
    return tuple(f"{a} and {b}" for a in what.candidate.reports for b in second.reports)


def _numbers(shown: Shown) -> None:
    what = shown.verdict
    given = np.zeros((what.k, what.k))
    for (x, z), cell in what.cells.items():
        given[x, z] = cell.leak.privacy_loss
    titles = ("Limits: E", "What the limits imply (closure)", "Leaks of the channel")
    for title, levels in zip(titles, (what.levels, what.closed, given), strict=True):
        st.markdown(f"**{title}** · row: the truth that is protected")
        text = [[level_text(round(e, 4)) for e in row] for row in levels.tolist()]
        names = list(map(as_text, what.names))
        st.table(pd.DataFrame(text, index=names, columns=names).rename_axis("truth"))


def _sharing(shown: Shown) -> None:
    what = shown.verdict
    address = addresses.here(SLOT.query())  # what makes a file later sees no session
    with sharing.beside_link(SLOT):
        with st.container(horizontal=True):
            for name, made in (
                ("matrix.json", matrix_json(what)),
                ("matrix.csv", matrix_csv(what)),
                ("channel.txt", candidates.as_text(what.candidate.channel)),
            ):
                sharing.file(SLOT.key(name.replace(".", "-")), name, made)
        sharing.file(SLOT.key("record"), "record.html", files.html(what, address))
        sharing.python(files.snippet(what))
        offer.page(SLOT, take_home.part)


def matrix_json(what: Verdict) -> str:
    """Names, E, closure and verdict; ∞ is null, as JSON has no word for it."""

    def plain(level: float) -> float | None:
        return None if math.isinf(level) else level

    cells = [
        {
            "truth": what.names[x],
            "against": what.names[z],
            "limit": plain(float(what.levels[x, z])),
            "implied": plain(float(what.closed[x, z])),
            "leak": plain(cell.leak.privacy_loss),
            "report": what.candidate.reports[cell.leak.output],
            "holds": cell.holds,
        }
        for (x, z), cell in what.cells.items()
    ]
    rows = [[plain(e) for e in row] for row in what.levels.tolist()]
    told = {"names": list(what.names), "levels": rows, "channel": what.candidate.title}
    return json.dumps({**told, "holds": what.audit.holds, "cells": cells}, indent=1)


def matrix_csv(what: Verdict) -> bytes:
    """E with names, "inf" for ∞."""
    rows = [[level_link(e) for e in row] for row in what.levels.tolist()]
    levels = pd.DataFrame(rows, columns=list(what.names))
    levels.insert(0, "truth", what.names, allow_duplicates=True)
    return exports.csv(levels)


_TABS: Final[dict[str, Callable[[Shown], None]]] = {
    "Can a test find it?": _tests,
    "What follows from E": _follows,
    "Two reports": _together,
    "Numbers": _numbers,
    "Share and export": _sharing,
}
