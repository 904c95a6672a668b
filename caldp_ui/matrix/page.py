"""The page: the matrix and the choice of a channel, and the tabs below.

Designed channels have no film: each step would take a design.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd
import streamlit as st

from caldp_core.audit.pairwise import audit_sampler, release_both, sampler_of
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import EPSILON_MAX
from caldp_core.basics.types import Progress
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.designed.design import (
    AimedDesign,
    Design,
    DesignedMechanism,
    design,
    design_for_form,
    design_for_largest,
    variances,
)
from caldp_core.mechanisms.randomness import generator
from caldp_core.privacy.matrix import DenseMatrix, closure, released_together
from caldp_ui.app import gate
from caldp_ui.app.texts import escape_markdown, plain_errors, read_texts
from caldp_ui.app.user_text import UserText
from caldp_ui.controls import choices, common
from caldp_ui.matrix import page_state, view
from caldp_ui.matrix.page_state import STATE
from caldp_ui.matrix.view import ChannelVerdict, MatrixData, judge_channel
from caldp_ui.parts import comparison, sharing
from caldp_ui.parts.layout import column_layout, tabs
from caldp_ui.server.uploads import take_content, was_taken
from caldp_ui.session import jobs
from caldp_ui.session.links import lines
from caldp_ui.shell.page import Page
from caldp_ui.words import formats
from caldp_ui.words.accuracy import DEFINITIONS, terms

TEXTS: Final = read_texts(__file__)

EPSILON: Final = common.Slider[page_state.MatrixState](
    "epsilon",
    lambda record: record.epsilon,
    lambda record, level: record.with_template(record.template, float(level)),
    # A line's last value is five steps from its first.
    tuple(level for level in common.EPSILONS if 5 * level <= EPSILON_MAX),
    lambda level: f"{level:g}",
)


def _load(record: page_state.MatrixState) -> MatrixData:
    """The data of a record, of a channel that need not be designed."""
    candidate = page_state.available_candidate(record)
    return MatrixData(record, judge_channel(record.names, record.matrix, candidate))


PAGE: Final = Page(
    state=STATE,
    load=_load,
    view=view.view,
    sliders=lambda record: (  # none for an edited matrix, or where each step takes a design
        {"Base ε": EPSILON} if record.template and record.channel not in page_state.DESIGNS else {}
    ),
    own=lambda record: {view.KEY: view.as_component(_load(record).verdict)},
)


_INSTEAD: Final = "the first channel."
_FILE: Final = "channel-file"
_ENTRIES: Final = 10_000_000
"""Every extreme ray of 12 values at most: six seconds and 400 MB, for a proof without a gap."""


def _matrix_controls(record: page_state.MatrixState) -> None:
    """Draw the controls of the matrix: the example, its base ε, the names of the values."""
    st.selectbox(
        "Example",
        list(page_state.TEMPLATES),
        placeholder="your own",
        format_func=lambda name: page_state.TEMPLATES[name].title,
        help=DEFINITIONS["context-aware"],
        **STATE.bind(
            "template",
            record.template or None,
            lambda r, name: r.with_template(name, r.epsilon),
            page_state.TEMPLATES,
        ),
    )
    if record.template:
        st.caption(page_state.TEMPLATES[record.template].sentence)
        with st.container(key=STATE.key("dials")):
            common.show(STATE, EPSILON, "Base ε", DEFINITIONS["ε"])
        comparison.epsilon_button(STATE, record.epsilon)
    with st.expander("Values"):
        st.text_area(
            f"One a line, {page_state.K_MIN} to {page_state.K_MAX}; new ones begin without limits",
            help=TEXTS["groups_help"],
            **STATE.bind_held(
                "names", "\n".join(record.names), lambda r, text: r.with_names(lines(text))
            ),
        )


def _channel_controls(record: page_state.MatrixState) -> page_state.Candidate:
    """Draw the choice of a channel; returns it, or the first one while it can't be shown."""
    titles = page_state.titles_for(record.levels, record.names)
    chosen = record.channel if record.channel in titles else None
    st.selectbox(
        "Channel",
        list(titles),
        format_func=titles.__getitem__,
        placeholder="not for this matrix",
        **STATE.bind("channel", chosen, _with_channel, titles),
    )
    if chosen is None:
        st.caption("The channel chosen before can't be made for this matrix.")
    if chosen == page_state.PASTED:
        st.text_area(
            "One line for each value: chances of its reports, as 0.25 or 1/4",
            height=140,
            **STATE.bind_held("pasted", record.pasted, lambda r, text: replace(r, pasted=text)),
        )
        st.file_uploader(
            "Or a CSV file of them",
            key=STATE.key(_FILE),
            on_change=_read_channel,
            max_upload_size=1,
        )
    if chosen is not None and chosen not in page_state.DESIGNS:
        try:
            page_state.build_candidate(record)
        except CaldpError as error:
            st.warning(escape_markdown(f"{error} Until then: {_INSTEAD}"))
    designed = _designed(record, chosen) if chosen in page_state.DESIGNS else None
    candidate = designed or page_state.available_candidate(record)
    if sentence := view.error_sentence(candidate):
        with st.container(key=view.OFF):
            st.caption(sentence)
    _buttons(chosen, page_state.BUG in titles)
    return candidate


def _read_channel() -> None:
    """Put the text of the file into the record, which refuses one that is too long."""
    file = st.session_state[STATE.key(_FILE)]
    if file is not None and not was_taken(file):
        text = take_content(file)[: page_state.PASTED_MAX + 1].decode("utf-8-sig", "replace")
        STATE.change(lambda r: replace(r, pasted=text))


def _with_channel(record: page_state.MatrixState, name: str) -> page_state.MatrixState:
    if name == page_state.PASTED and not record.pasted:
        pasted = page_state.as_text(page_state.baseline(record).channel)
        return replace(record, channel=name, pasted=pasted)
    return replace(record, channel=name)


def _designed(record: page_state.MatrixState, channel: str) -> page_state.Candidate | None:
    """The channel that is designed; None, with its progress or a warning, until it is.

    With the least total error, with the least largest one, or with the least errors of groups.
    """
    form = page_state.form(record.names) if channel == page_state.GROUPS else np.zeros(0)
    makers: dict[str, Callable[[Progress], Design | AimedDesign]] = {
        page_state.DESIGNED: lambda p: design(record.matrix, progress=p, entries=_ENTRIES),
        page_state.EVEN: lambda p: design_for_largest(record.matrix, progress=p),
        page_state.GROUPS: lambda p: design_for_form(
            record.matrix, form, progress=p, entries=_ENTRIES
        ),
    }
    try:
        result = jobs.run_automatically(
            STATE.key(channel.replace("designed", "design")),
            f"{record.levels} {form.tolist()}",
            makers[channel],
            lambda job: f"Designing: {job.seconds:.0f} s. Until then: {_INSTEAD}",
        )
    except CaldpError as error:
        st.warning(escape_markdown(f"{error} Until then: {_INSTEAD}"))
        return None
    if result is None:
        return None
    st.markdown(_design_text(record, channel, result))
    whole = result if isinstance(result, Design) else result.design
    return page_state.designed(DesignedMechanism(whole), result.gap, _DESIGN_TITLES[channel])


_DESIGN_TITLES: Final = {
    page_state.DESIGNED: "Designed",
    page_state.EVEN: "Designed for the largest error",
    page_state.GROUPS: "Designed for groups",
}
"""What the titles of designed channels begin with."""


def _design_text(record: page_state.MatrixState, channel: str, result: Design | AimedDesign) -> str:
    """How good a design is, as proved, and beside randomized response."""
    above = page_state.above(result.gap)
    if isinstance(result, Design):
        proof = "every extreme ray was looked at" if result.exact else "by a relaxation"
        saved = _saved(record, result.loss, page_state.even_variance)
        return f"**Certified:** {above} ({proof}).{saved}"
    if channel == page_state.EVEN:
        errors = variances(result.design)
        times = formats.times(float(errors.max() / errors.min()))
        return TEXTS["largest_variance"].format(above=above, times=times)
    kinds = ", ".join(map(str, map(escape_markdown, page_state.groups_of(record.names))))
    saved = _saved(record, result.loss, lambda each: page_state.error(each, record.names))
    return TEXTS["groups_error"].format(kinds=kinds, above=above, saved=saved)


def _saved(record: page_state.MatrixState, loss: float, error: Callable[[Mechanism], float]) -> str:
    """How many times as many people randomized response at the least ε needs."""
    mechanism = page_state.baseline(record).mechanism
    if mechanism is None or loss <= 0:
        return ""
    times = error(mechanism) / loss
    if times < 1.005:
        return " Randomized response at the least ε is as good."
    return f" Randomized response at the least ε needs {formats.times(times)} as many people."


def _buttons(chosen: str | None, can_bug: bool) -> None:
    if chosen != page_state.DESIGNED:
        _go("design-it", "Design the best channel", "architecture", page_state.DESIGNED)
    elif chosen != page_state.EVEN:
        _go("even-it", "Design for the largest error", "equalizer", page_state.EVEN)
    if chosen == page_state.BUG:
        _go("repair", "Remove the bug", "healing", page_state.RANDOMIZED_RESPONSE)
    elif can_bug:
        _go("plant", "Plant a bug: 1.05 ε", "bug_report", page_state.BUG)
    with st.container(horizontal=True, gap="xsmall"):
        common.button(STATE)
        redo, can = STATE.redo, STATE.can_redo
        STATE.button("redo", "Redo", redo, icon="redo", disabled=not can)


def _go(name: str, label: str, icon: str, to: str) -> None:
    look = {"icon": icon, "width": "stretch"}
    STATE.button(name, label, STATE.change, lambda r: replace(r, channel=to), **look)


SAMPLES: Final = 10_000
"""Reports that a test draws for each of two values."""
_SEED: Final = 1
_TOGETHER_MAX: Final = 3_000
"""Most pairs of reports of two releases that are audited here."""


def _tests(data: MatrixData) -> None:
    """Claimed, tested from outside, certified: the same channel by three kinds of trust."""
    verdict = data.verdict
    mechanism, worst = verdict.candidate.mechanism, verdict.audit.worst
    if mechanism is None or worst is None:
        st.markdown(TEXTS["no_test"])
        return
    rng = generator(_SEED)
    bound = audit_sampler(sampler_of(mechanism), worst.x, worst.x_other, SAMPLES, rng)
    names = " against ".join(
        f"“{UserText(verdict.names[x]).markdown}”" for x in (worst.x, worst.x_other)
    )
    witness = escape_markdown(verdict.candidate.reports[worst.report])
    missed = bound.epsilon <= worst.epsilon
    st.table(
        pd.DataFrame(
            {
                "what it says": [
                    f"ε ≤ {page_state.level_text(worst.epsilon)}",
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
    st.markdown(TEXTS["worst_pair"].format(names=names, moral=_moral(verdict, missed)))


def _moral(verdict: ChannelVerdict, missed: bool) -> str:
    if verdict.audit.holds:
        return "Only the audit can show that a limit is kept: a test of reports only finds leaks."
    if missed:
        return TEXTS["test_misses_bug"]
    return "This leak is so large that even a test of reports finds it."


def _implied_limits(data: MatrixData) -> None:
    verdict = data.verdict
    st.markdown(TEXTS["chain"].format(implied=view.implied_sentence(verdict)))
    loose = [
        f"- “{UserText(verdict.names[x]).markdown}” against "
        f"“{UserText(verdict.names[z]).markdown}”: "
        f"the limit is {page_state.level_text(verdict.levels[x, z])}, the others imply "
        f"{page_state.level_text(round(float(verdict.closure[x, z]), 6))}"
        for x, z in np.argwhere(verdict.loose_limits).tolist()
    ]
    if loose:
        st.markdown("\n".join(loose))
        STATE.button(
            "close",
            "Write these limits into the matrix",
            STATE.change,
            lambda r: r.with_levels(page_state.rows_of(closure(r.matrix).entries)),
            icon="done_all",
        )
    terms("ε", "local differential privacy", "context-aware")


def _two_reports(data: MatrixData) -> None:
    record, verdict = data.record, data.verdict
    choices.of_field(STATE, "second", "A second report about the same value", page_state.SECONDS)
    second, levels = verdict.candidate, verdict.levels
    if record.second == page_state.RANDOMIZED_RESPONSE:
        least_epsilon = page_state.least_level(record.levels)
        second = page_state.baseline(record)
        levels = np.where(np.eye(record.k, dtype=np.bool_), 0.0, least_epsilon)
    if len(second.reports) * len(verdict.candidate.reports) > _TOGETHER_MAX:
        st.markdown("These two channels have too many pairs of reports to be audited here.")
        return
    joint_policy = released_together(DenseMatrix.of(verdict.levels), DenseMatrix.of(levels))
    joint = page_state.Candidate(
        "both",
        release_both(verdict.candidate.channel, second.channel),
        tuple(f"{a} and {b}" for a in verdict.candidate.reports for b in second.reports),
    )
    joint_verdict = judge_channel(verdict.names, joint_policy, joint)
    headline = escape_markdown(view.headline(joint_verdict).whole)
    st.markdown(TEXTS["both_reports"].format(headline=headline))
    view.show_readonly(joint_verdict, STATE.key("together"))


def _numbers(data: MatrixData) -> None:
    verdict = data.verdict
    leaks = np.zeros((verdict.k, verdict.k))
    for (x, z), cell in verdict.cells.items():
        leaks[x, z] = cell.privacy_loss
    titles = ("Limits: E", "What the limits imply (closure)", "Leaks of the channel")
    for title, levels in zip(titles, (verdict.levels, verdict.closure, leaks), strict=True):
        st.markdown(f"**{title}** · row: the truth that is protected")
        text = [[page_state.level_text(round(e, 4)) for e in row] for row in levels.tolist()]
        names = list(map(escape_markdown, verdict.names))
        st.table(pd.DataFrame(text, index=names, columns=names).rename_axis("truth"))


def _sharing(data: MatrixData) -> None:
    verdict = data.verdict
    address = gate.current_address(STATE.query())  # a file made later sees no session
    with sharing.link_columns(STATE):
        with st.container(horizontal=True):
            for name, content in (
                ("matrix.json", view.matrix_json(verdict)),
                ("matrix.csv", view.matrix_csv(verdict)),
                ("channel.txt", page_state.as_text(verdict.candidate.channel)),
            ):
                sharing.file_button(STATE.key(name.replace(".", "-")), name, content)
        sharing.file_button(STATE.key("record"), "record.html", view.html(verdict, address))
        sharing.python(view.snippet(verdict))
        PAGE.offer()


_TABS: Final[dict[str, Callable[[MatrixData], None]]] = {
    "Can a test find it?": _tests,
    "What follows from E": _implied_limits,
    "Two reports": _two_reports,
    "Numbers": _numbers,
    "Share and export": _sharing,
}


def show(record: page_state.MatrixState) -> None:
    """Show the page at a record."""
    page = column_layout(STATE)
    with page.side, plain_errors():
        _matrix_controls(record)
        candidate = _channel_controls(record)
    with page.main:
        verdict = judge_channel(record.names, record.matrix, candidate)
        page.show_headline(view.headline(verdict))
        view.editable(verdict)
        tabs(STATE.key("tabs"), _TABS, MatrixData(record, verdict))
        comparison.drawer("matrix")
        PAGE.follow(record)
