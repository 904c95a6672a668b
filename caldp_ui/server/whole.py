"""A change is made to its end.

Streamlit breaks a run off where the run reads the state of its visit, in a callback too, as soon as
the next message waits. That message has the changed value already, so nobody would make the change:
a text that was ended by a click was lost in one of eight pairs, where its callback took 9 ms.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from streamlit.runtime.scriptrunner import get_script_run_ctx


@contextmanager
def whole() -> Iterator[None]:
    """Have the current run make changes of its visit's state in full, whatever message comes.

    Outside of a run, as in a test of the state alone, nothing can break a change off.
    """
    context = get_script_run_ctx(suppress_warning=True)
    if context is None:
        yield
        return
    # The method that looks for a waiting message belongs to the thread that runs the page. While it
    # is not executing a page, by its own word, it lets everything go on.
    look = context.session_state._yield_callback  # noqa: SLF001 — no public name
    runner: Any = getattr(look, "__self__", None)
    if not getattr(runner, "_execing", False):
        yield
        return
    runner._execing = False  # noqa: SLF001
    try:
        yield
    finally:
        runner._execing = True  # noqa: SLF001
