"""Under the tables: what tests find, what E implies, two reports, numbers, and exports."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.audit.pairwise import release_both
from caldp_core.audit.sampled import EpsilonBound, audit_sampler, sampler_of
from caldp_core.mechanisms import Mechanism
from caldp_core.privacy.matrix import DenseMatrix, closure, released_together
from caldp_ui.app import gate
from caldp_ui.app.errors import escape_markdown
from caldp_ui.compute import exports
from caldp_ui.matrix import board, candidates, files, take_home, words
from caldp_ui.matrix.candidates import Candidate
from caldp_ui.matrix.page_state import (
    RANDOMIZED_RESPONSE,
    SECONDS,
    STATE,
    MatrixState,
    level_link,
    level_text,
    rows_of,
)
from caldp_ui.matrix.words import ChannelVerdict, MatrixData, judge_channel
from caldp_ui.offline import offer
from caldp_ui.parts import sharing
from caldp_ui.parts.tabs import tabs
from caldp_ui.words.glossary import terms

SAMPLES: Final = 10_000
"""Reports that a test draws for each of two values."""
_SEED: Final = 1
_TOGETHER_MAX: Final = 3_000
"""Most pairs of reports of two releases that are audited here."""


def show(data: MatrixData) -> None:
    """Draw the tabs and the content of the open one."""
    tabs(STATE.key("tabs"), _TABS, data)


def _tests(data: MatrixData) -> None:
    """Claimed, tested from outside, certified: the same channel by three kinds of trust."""
    verdict = data.verdict
    mechanism, worst = verdict.candidate.mechanism, verdict.audit.worst
    if mechanism is None or worst is None:
        st.markdown(
            "Choose a channel that a mechanism makes, and a matrix with at least one limit."
        )
        return
    bound = _sample_bound(mechanism, worst.x, worst.x_other)
    names = escape_markdown(f"“{verdict.names[worst.x]}” against “{verdict.names[worst.x_other]}”")
    witness = escape_markdown(verdict.candidate.reports[worst.output])
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
                    "kept" if verdict.audit.holds else "broken",
                ],
            },
            index=["claimed", f"tested, {2 * SAMPLES:,} reports", "audited exactly"],
        ).rename_axis("how")
    )
    st.markdown(
        f"This is {names}: no pair is nearer to its limit, or farther beyond it. "
        f"{_moral(verdict, missed)}"
    )


def _moral(verdict: ChannelVerdict, missed: bool) -> str:
    if verdict.audit.holds:
        return "Only the audit can show that a limit is kept: a test of reports only finds leaks."
    if missed:
        return (
            "**The test misses the bug**: samples show only that ε is at least so large. The exact "
            "audit reads the channel itself, in rational numbers, and names the pair and the "
            "report."
        )
    return "This leak is so large that even a test of reports finds it."


def _sample_bound(mechanism: Mechanism, x: int, other: int) -> EpsilonBound:
    rng = np.random.default_rng(_SEED)
    return audit_sampler(sampler_of(mechanism), x, other, SAMPLES, rng)


def _implied_limits(data: MatrixData) -> None:
    verdict = data.verdict
    st.markdown(
        "Limits add up along a chain: those for A against B and for B against C bound A against C "
        "by their sum. So no entry allows more than the shortest chain around it. "
        f"{words.implied_sentence(verdict)}"
    )
    loose = [
        f"- {escape_markdown(f'“{verdict.names[x]}” against “{verdict.names[z]}”')}: "
        f"the limit is {level_text(verdict.levels[x, z])}, the others imply "
        f"{level_text(round(float(verdict.closure[x, z]), 6))}"
        for x, z in np.argwhere(verdict.loose_limits).tolist()
    ]
    if loose:
        st.markdown("\n".join(loose))
        st.button(
            "Write these limits into the matrix",
            icon=":material/done_all:",
            key=STATE.key("close"),
            on_click=lambda: STATE.change(
                lambda record: record.with_levels(rows_of(closure(record.matrix).entries))
            ),
        )
    terms("ε", "local differential privacy", "context-aware")


def _two_reports(data: MatrixData) -> None:
    record, verdict = data.record, data.verdict
    st.selectbox(
        "A second report about the same value",
        list(SECONDS),
        format_func=SECONDS.__getitem__,
        **STATE.bind("second", record.second, _second),
    )
    second, levels = verdict.candidate, verdict.levels
    if record.second == RANDOMIZED_RESPONSE:
        least_epsilon = candidates.least_level(record.levels)
        second = candidates.build_candidate(
            _second(record, RANDOMIZED_RESPONSE, RANDOMIZED_RESPONSE)
        )
        levels = np.where(np.eye(record.k, dtype=np.bool_), 0.0, least_epsilon)
    if len(second.reports) * len(verdict.candidate.reports) > _TOGETHER_MAX:
        st.markdown("These two channels have too many pairs of reports to be audited here.")
        return
    joint_policy = released_together(DenseMatrix.of(verdict.levels), DenseMatrix.of(levels))
    joint = Candidate(
        "both", release_both(verdict.candidate.channel, second.channel), _pairs(verdict, second)
    )
    joint_verdict = judge_channel(verdict.names, joint_policy, joint)
    st.markdown(
        "Both reports together: their limits add up (CALDP Proposition 2). "
        f"{escape_markdown(words.in_one_line(joint_verdict))}"
    )
    board.show_readonly(joint_verdict, STATE.key("together"))


def _second(record: MatrixState, second: str, channel: str | None = None) -> MatrixState:
    return replace(record, second=second, channel=channel or record.channel)


def _pairs(verdict: ChannelVerdict, second: Candidate) -> tuple[str, ...]:
    return tuple(f"{a} and {b}" for a in verdict.candidate.reports for b in second.reports)


def _numbers(data: MatrixData) -> None:
    verdict = data.verdict
    leaks = np.zeros((verdict.k, verdict.k))
    for (x, z), cell in verdict.cells.items():
        leaks[x, z] = cell.leak.privacy_loss
    titles = ("Limits: E", "What the limits imply (closure)", "Leaks of the channel")
    for title, levels in zip(titles, (verdict.levels, verdict.closure, leaks), strict=True):
        st.markdown(f"**{title}** · row: the truth that is protected")
        text = [[level_text(round(e, 4)) for e in row] for row in levels.tolist()]
        names = list(map(escape_markdown, verdict.names))
        st.table(pd.DataFrame(text, index=names, columns=names).rename_axis("truth"))


def _sharing(data: MatrixData) -> None:
    verdict = data.verdict
    address = gate.current_address(STATE.query())  # a file made later sees no session
    with sharing.link_columns(STATE):
        with st.container(horizontal=True):
            for name, content in (
                ("matrix.json", matrix_json(verdict)),
                ("matrix.csv", matrix_csv(verdict)),
                ("channel.txt", candidates.as_text(verdict.candidate.channel)),
            ):
                sharing.file_button(STATE.key(name.replace(".", "-")), name, content)
        sharing.file_button(STATE.key("record"), "record.html", files.html(verdict, address))
        sharing.python(files.snippet(verdict))
        offer.offer_page(STATE, take_home.part)


def matrix_json(verdict: ChannelVerdict) -> str:
    """Names, E, closure and verdict as JSON; ∞ is null, as JSON has no word for it."""

    def plain(level: float) -> float | None:
        return None if math.isinf(level) else level

    cells = [
        {
            "truth": verdict.names[x],
            "against": verdict.names[z],
            "limit": plain(float(verdict.levels[x, z])),
            "implied": plain(float(verdict.closure[x, z])),
            "leak": plain(cell.leak.privacy_loss),
            "report": verdict.candidate.reports[cell.leak.output],
            "holds": cell.holds,
        }
        for (x, z), cell in verdict.cells.items()
    ]
    rows = [[plain(e) for e in row] for row in verdict.levels.tolist()]
    summary = {"names": list(verdict.names), "levels": rows, "channel": verdict.candidate.title}
    return json.dumps({**summary, "holds": verdict.audit.holds, "cells": cells}, indent=1)


def matrix_csv(verdict: ChannelVerdict) -> bytes:
    """E with names as CSV, "inf" for ∞."""
    rows = [[level_link(e) for e in row] for row in verdict.levels.tolist()]
    levels = pd.DataFrame(rows, columns=list(verdict.names))
    levels.insert(0, "truth", verdict.names, allow_duplicates=True)
    return exports.csv(levels)


_TABS: Final[dict[str, Callable[[MatrixData], None]]] = {
    "Can a test find it?": _tests,
    "What follows from E": _implied_limits,
    "Two reports": _two_reports,
    "Numbers": _numbers,
    "Share and export": _sharing,
}
