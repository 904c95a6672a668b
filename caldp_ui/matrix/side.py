"""Beside the tables: the example, its values, and the channel that is audited."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeVar

import streamlit as st

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress
from caldp_core.mechanisms import Mechanism
from caldp_core.mechanisms.designed.design import (
    Design,
    EvenDesign,
    FormDesign,
    design,
    design_for_form,
    design_for_largest,
    variances,
)
from caldp_core.mechanisms.designed.mechanism import DesignedMechanism
from caldp_ui.app.errors import escape_markdown
from caldp_ui.matrix import candidates, films, page_state, words
from caldp_ui.matrix.candidates import Candidate
from caldp_ui.matrix.page_state import (
    BUG,
    DESIGNED,
    DESIGNS,
    EVEN,
    GROUPS,
    K_MAX,
    K_MIN,
    PASTED,
    RANDOMIZED_RESPONSE,
    STATE,
    TEMPLATES,
    MatrixState,
)
from caldp_ui.session import jobs
from caldp_ui.words import formats
from caldp_ui.words.glossary import DEFINITIONS

D = TypeVar("D", Design, EvenDesign, FormDesign)

_INSTEAD: Final = "the first channel."
_ENTRIES: Final = 10_000_000
"""Every extreme ray of 12 values at most: six seconds and 400 MB, for a proof without a gap."""


def matrix(record: MatrixState) -> None:
    """Draw the controls of the matrix: the example, its base ε, the names of the values."""
    st.selectbox(
        "Example",
        list(TEMPLATES),
        placeholder="your own",
        format_func=lambda name: TEMPLATES[name].title,
        help=DEFINITIONS["context-aware"],
        **STATE.bind(
            "template", record.template or None, lambda r, name: r.with_template(name, r.epsilon)
        ),
    )
    if record.template:
        st.caption(TEMPLATES[record.template].sentence)
        st.select_slider(
            "Base ε",
            sorted({*films.EPSILON.steps, record.epsilon}),
            format_func=films.EPSILON.format_value,
            help=DEFINITIONS["ε"],
            **STATE.bind(films.EPSILON.name, record.epsilon, films.EPSILON.with_value),
        )
    with st.expander("Values"):
        st.text_area(
            f"One a line, {K_MIN} to {K_MAX}; new ones begin without limits",
            help="“North: home” and “North: work” are in the group North: a channel can be "
            "designed for the errors of groups.",
            **STATE.bind(
                "names", "\n".join(record.names), lambda r, text: r.with_names(_lines(text))
            ),
        )


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def channel(record: MatrixState) -> Candidate:
    """Draw the choice of a channel; returns it, or the first one while it can't be shown."""
    titles = candidates.titles_for(record.levels, record.names)
    chosen = record.channel if record.channel in titles else None
    st.selectbox(
        "Channel",
        list(titles),
        format_func=titles.__getitem__,
        placeholder="not for this matrix",
        **STATE.bind("channel", chosen, _with_channel),
    )
    if chosen is None:
        st.caption("The channel chosen before can't be made for this matrix.")
    if chosen == PASTED:
        _paste(record)
    if chosen is not None and chosen not in DESIGNS:
        _warn(record)
    designed = _DESIGNERS[chosen](record) if chosen in DESIGNS else None
    candidate = designed or candidates.available_candidate(record)
    if error := words.error_sentence(candidate):
        with st.container(key=films.OFF):
            st.caption(error)
    _buttons(chosen, BUG in titles)
    return candidate


def _warn(record: MatrixState) -> None:
    """Show why the channel can't be made, where it can't."""
    try:
        candidates.build_candidate(record)
    except CaldpError as error:
        st.warning(escape_markdown(f"{error} Until then: {_INSTEAD}"))


def _with_channel(record: MatrixState, name: str) -> MatrixState:
    if name == PASTED and not record.pasted:
        baseline = replace(record, channel=RANDOMIZED_RESPONSE)
        return replace(
            record,
            channel=name,
            pasted=candidates.as_text(candidates.build_candidate(baseline).channel),
        )
    return replace(record, channel=name)


def _paste(record: MatrixState) -> None:
    st.text_area(
        "One line for each value: chances of its reports, as 0.25 or 1/4",
        height=140,
        **STATE.bind("pasted", record.pasted, lambda r, text: replace(r, pasted=text)),
    )


def _run_design(
    record: MatrixState, name: str, make: Callable[[Progress], D], about: str = ""
) -> D | None:
    """Run a design beside the page; None, with its progress or a warning, until it is done.

    `about`: the inputs that it depends on, the levels if empty.
    """
    try:
        return jobs.run_automatically(
            STATE.key(name),
            about or f"{record.levels}",
            make,
            lambda job: f"Designing: {job.seconds:.0f} s. Until then: {_INSTEAD}",
        )
    except CaldpError as error:
        st.warning(escape_markdown(f"{error} Until then: {_INSTEAD}"))
        return None


def _designed(record: MatrixState) -> Candidate | None:
    """The channel with the least total error; None, with its progress, until it is designed."""
    result = _run_design(
        record,
        "design",
        lambda progress: design(record.matrix, progress=progress, entries=_ENTRIES),
    )
    if result is None:
        return None
    candidate = candidates.designed(DesignedMechanism(result), result.gap)
    proof = "every extreme ray was looked at" if result.exact else "by a relaxation"
    baseline = candidates.build_candidate(replace(record, channel=RANDOMIZED_RESPONSE)).mechanism
    st.markdown(f"**Certified:** {candidate.title[10:]} ({proof}).{_saved(result, baseline)}")
    return candidate


def _designed_for_largest(record: MatrixState) -> Candidate | None:
    """The channel whose largest error is least; None, with its progress, until it is designed."""
    result = _run_design(
        record,
        "design-even",
        lambda progress: design_for_largest(record.matrix, progress=progress),
    )
    if result is None:
        return None
    errors = variances(result.design)
    st.markdown(
        f"**Certified:** the largest variance of a value is {candidates.above(result.gap)}, and "
        f"{formats.times(float(errors.max() / errors.min()))} the smallest."
    )
    mechanism = DesignedMechanism(result.design)
    return candidates.designed(mechanism, result.gap, "Designed for the largest error")


def _designed_for_groups(record: MatrixState) -> Candidate | None:
    """The channel whose errors of groups are least; None, with its progress, until then."""
    form = page_state.form(record.names)
    best = _run_design(
        record,
        "design-groups",
        lambda p: design_for_form(record.matrix, form, progress=p, entries=_ENTRIES),
        f"{record.levels} {form.tolist()}",
    )
    if best is None:
        return None
    mechanism = DesignedMechanism(best.design)
    kinds = ", ".join(map(str, map(escape_markdown, page_state.groups_of(record.names))))
    baseline, more = (
        candidates.build_candidate(replace(record, channel=RANDOMIZED_RESPONSE)).mechanism,
        "",
    )
    if baseline is not None and best.loss > 0:
        ratio = page_state.error(baseline, record.names) / best.loss
        more = f" Randomized response at the least ε needs {formats.times(ratio)} as many people."
    st.markdown(
        f"**Certified:** the error of the groups ({kinds}) is {candidates.above(best.gap)}.{more} "
        "Single values come out worse than by the other designs."
    )
    return candidates.designed(mechanism, best.gap, "Designed for groups")


def _saved(result: Design, baseline: Mechanism | None) -> str:
    """How many times as many people randomized response at the least ε needs."""
    if baseline is None:
        return ""
    times = candidates.even_variance(baseline) / result.loss
    if times < 1.005:
        return " Randomized response at the least ε is as good."
    return f" Randomized response at the least ε needs {formats.times(times)} as many people."


_DESIGNERS: Final[dict[str, Callable[[MatrixState], Candidate | None]]] = {
    DESIGNED: _designed,
    EVEN: _designed_for_largest,
    GROUPS: _designed_for_groups,
}


def _buttons(chosen: str | None, can_bug: bool) -> None:
    if chosen != DESIGNED:
        _go("design-it", "Design the best channel", ":material/architecture:", DESIGNED)
    elif chosen != EVEN:
        _go("even-it", "Design for the largest error", ":material/equalizer:", EVEN)
    if chosen == BUG:
        _go("mend", "Remove the bug", ":material/healing:", RANDOMIZED_RESPONSE)
    elif can_bug:
        _go("plant", "Plant a bug: 1.05 ε", ":material/bug_report:", BUG)
    with st.container(horizontal=True, gap="xsmall"):
        _step("undo", STATE.undo, STATE.can_undo)
        _step("redo", STATE.redo, STATE.can_redo)


def _go(name: str, label: str, icon: str, to: str) -> None:
    st.button(
        label,
        icon=icon,
        key=STATE.key(name),
        width="stretch",
        on_click=lambda: STATE.change(lambda r: replace(r, channel=to)),
    )


def _step(name: str, act: Callable[[], None], can: bool) -> None:
    st.button(
        name.capitalize(),
        icon=f":material/{name}:",
        key=STATE.key(name),
        disabled=not can,
        on_click=act,
    )
