"""A user's request that waits for its run keeps its address and theme."""

from dataclasses import replace
from typing import Final

from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequests,
    ScriptRequestType,
)

from caldp_ui.server.guard import Patch


def keep_request_that_waits() -> None:
    """Have a user's request that waits for its run keep its address and theme.

    Streamlit joins later ones to it and takes these from the last: a run that asks for another
    knows neither a new theme nor the address of a step back.
    """
    join = ScriptRequests._request_rerun_locked  # noqa: SLF001 — no public name

    def request(requests: ScriptRequests, asked: RerunData) -> bool:
        kept = requests._rerun_data  # noqa: SLF001
        is_server_s = asked.widget_states is None or asked.is_auto_rerun > kept.is_auto_rerun
        is_joined = requests._state is ScriptRequestType.RERUN  # noqa: SLF001
        if is_joined and is_server_s and asked.page_script_hash == kept.page_script_hash:
            asked = replace(
                asked,
                query_string=kept.query_string,
                context_info=kept.context_info,
                is_auto_rerun=kept.is_auto_rerun,
            )
        return join(requests, asked)

    ScriptRequests._request_rerun_locked = request  # type: ignore[method-assign, assignment]  # noqa: SLF001


_REQUESTS: Final = "streamlit.runtime.scriptrunner_utils.script_requests.ScriptRequests"
PATCH: Final = Patch(
    name="requests that wait",
    reason="A request that the server makes itself takes the place, theme and address of a user's.",
    upstream="streamlit PRs 16158, 16765",
    without="a new theme or a step back may be lost",
    rests_on={
        f"{_REQUESTS}._request_rerun_locked": "self, new_data",
        f"{_REQUESTS}.__init__:_rerun_data": "",
    },
    apply=keep_request_that_waits,
)
