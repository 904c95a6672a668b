"""The dashboard, which writes down when each run of a page waited, had its turn and ended.

`CALDP_SOAK_TRACE` names the file: a line of JSON for each turn, in seconds of the machine's clock
that only goes on, which all its processes share.
"""

import json
import os
from pathlib import Path
from threading import Lock
from time import monotonic

from streamlit.starlette import App

from app import app as dashboard
from caldp_ui.server.turns import RunLimiter

_trace = Path(os.environ["CALDP_SOAK_TRACE"])
_lock = Lock()
_enter, _leave = RunLimiter.enter, RunLimiter.leave
_asked: dict[tuple[str, float], float] = {}
"""When the runs asked that have a turn now, by visit and by when they had it."""


def enter(limiter: RunLimiter, visit: str) -> float:
    """Wait for a turn, and remember since when."""
    asked = monotonic()
    began = _enter(limiter, visit)
    with _lock:
        _asked[visit, began] = asked
    return began


def leave(limiter: RunLimiter, visit: str, began: float) -> None:
    """Give the turn back, and write it down."""
    _leave(limiter, visit, began)
    with _lock:
        turn = {"visit": visit, "asked": _asked.pop((visit, began)), "began": began}
        with _trace.open("a", encoding="utf-8") as out:
            out.write(json.dumps({**turn, "ended": monotonic()}) + "\n")


RunLimiter.enter = enter  # type: ignore[method-assign, assignment]
RunLimiter.leave = leave  # type: ignore[method-assign, assignment]
# Streamlit looks for these words in the file that it is given.
app = App(
    dashboard.script_path,
    routes=dashboard._user_routes,
    middleware=dashboard._user_middleware,
    lifespan=dashboard._user_lifespan,
)
