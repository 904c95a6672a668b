"""The one state of a visit: a scenario and a marked region, mirrored in the address bar.

Room: state. Widgets hold no state of their own: before each is drawn, its value is set from here,
and its callback changes what is here.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import SEED_MAX
from caldp_core.datasets import Snap
from caldp_core.domain.grid import Area
from caldp_core.scenarios.protection import BlocksSpec, SensitiveSpec
from caldp_core.scenarios.scenario import Scenario, strangers
from caldp_ui.datasets import fetched_snap, peopled
from caldp_ui.shell import as_text

_SCENARIO: Final = "scenario"
_REGION: Final = "region"
_NOTICE: Final = "notice"
_HINT: Final = "hint"
_EARLIER: Final = "earlier"
_EARLIER_MAX: Final = 50
Protection = tuple[BlocksSpec, SensitiveSpec]


def scenario() -> Scenario:
    """The scenario that is shown: the visit's own, else the link's, else the default."""
    if _SCENARIO not in st.session_state:
        st.session_state[_SCENARIO], st.session_state[_REGION] = _from_link()
    held: Scenario = st.session_state[_SCENARIO]
    return held


def region() -> Area | None:
    """The box whose numbers are shown, if there is one."""
    scenario()
    held: Area | None = st.session_state[_REGION]
    return held


def put(changed: Scenario) -> None:
    """Show this scenario from now on; what was protected until now is remembered for `undo`."""
    now = scenario()
    before, after = ((shown.context.blocks, shown.context.sensitive) for shown in (now, changed))
    if before != after:
        st.session_state[_EARLIER] = (*earlier(), before)[-_EARLIER_MAX:]
    st.session_state[_SCENARIO] = changed


def earlier() -> tuple[Protection, ...]:
    """What was protected earlier in this visit, latest last."""
    held: tuple[Protection, ...] = st.session_state.get(_EARLIER, ())
    return held


def undo(without_memory: Callable[[Scenario], Scenario]) -> None:
    """Protect again what was protected before; ε, people and the rest stay as they are.

    `without_memory` makes the scenario of a visit that has changed nothing yet.
    """
    now = scenario()
    if earlier():
        *rest, (blocks, sensitive) = earlier()
        st.session_state[_EARLIER] = tuple(rest)
        st.session_state[_SCENARIO] = now.with_context(blocks=blocks, sensitive=sensitive)
    else:
        st.session_state[_SCENARIO] = without_memory(now)


def mark(area: Area | None) -> None:
    """Show the numbers of this box, or of none."""
    scenario()
    st.session_state[_REGION] = area


def change(make: Callable[[Scenario], Scenario]) -> None:
    """Replace the scenario; a change that is not allowed becomes a notice, and nothing is lost."""
    try:
        put(make(scenario()))
    except CaldpError as error:
        notify(str(error))


def bind(key: str, value: Any, make: Callable[[Scenario, Any], Scenario]) -> dict[str, Any]:
    """Arguments that tie a widget to the scenario: it shows `value`, and its change is `make`."""
    st.session_state[key] = value

    def changed() -> None:
        picked = st.session_state[key]
        if picked is not None:
            change(lambda before: make(before, picked))

    return {"key": key, "on_change": changed}


def start_afresh() -> None:
    """Show the default scenario, and no box."""
    put(Scenario())
    mark(None)


def another_draw() -> None:
    """The same scenario with other coins (and other people, where they are drawn)."""
    change(lambda s: replace(s, seed=(s.seed + 1) % (SEED_MAX + 1)))


def notify(sentence: str) -> None:
    """Keep a sentence to be shown at the next drawing of the page."""
    st.session_state[_NOTICE] = sentence


def hint(sentence: str) -> None:
    """Keep a sentence that floats over the page, so that the map stays where it is."""
    st.session_state[_HINT] = sentence


def show_notice() -> None:
    """Show the kept sentences once."""
    floating = st.session_state.pop(_HINT, None)
    if floating:
        st.toast(as_text(floating), icon=":material/info:", duration="long")
    sentence = st.session_state.pop(_NOTICE, None)
    if sentence:
        st.warning(as_text(sentence), icon=":material/info:")


def follow_link() -> None:
    """After a step back or forth in the browser, show what its address bar holds.

    At all other times the visit is right: the address bar may lag behind a quick change.
    """
    if _SCENARIO in st.session_state and _stepped():
        found, box = _from_link()
        put(found)
        mark(box)


def _stepped() -> bool:
    # Streamlit has no public name for it yet; without it a step would be overwritten, no more.
    return bool(getattr(get_script_run_ctx(), "is_history_navigation", False))


def write_link() -> None:
    """Make the address bar hold the scenario and the marked region."""
    wanted = scenario().to_query()
    box = region()
    if box is not None:
        wanted[_REGION] = str(box)
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def _from_link() -> tuple[Scenario, Area | None]:
    query = st.query_params.to_dict()
    box = query.pop(_REGION, None)
    unknown = strangers(query)
    if unknown:
        notify(f"The link says something that this page does not know: {unknown[0]!r}. Ignored.")
    query = {key: text for key, text in query.items() if key not in unknown}
    try:
        found = Scenario.from_query(query)
        _allow_only_fetched(found)
        _ = found.context  # other policies have pages of their own
        # One outcome is shown: more trials in a link would only keep the server busy.
        return peopled(replace(found, trials=1)), Area.parse(box) if box else None
    except CaldpError as error:
        notify(f"This link can't be opened as it is, so the page starts afresh. {error}")
        return Scenario(), None


def _allow_only_fetched(found: Scenario) -> None:
    # A link must not make the server read files of the sender's choice.
    if isinstance(found.dataset, Snap) and found.dataset != fetched_snap():
        raise CaldpError(
            "It needs SNAP's file, which is not on this machine: "
            "python -m caldp_core fetch gowalla brings it here."
        )
