"""What Streamlit knows of the run that is at work, and of visits, and has no public name for.

Outside of a run, as in a test of one function, there is nothing to know: each function says what it
returns then.
"""

from dataclasses import dataclass
from typing import Any

from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx


@dataclass(frozen=True)
class OpenPages:
    """Where a run is: `url` of its browser, empty if unknown; `names`: of all pages in addresses.

    `current`: the name of the page that is run, empty for the first page.
    """

    url: str
    names: frozenset[str]
    current: str


def is_in_run() -> bool:
    """Whether this is done in a run of a visit's page."""
    return get_script_run_ctx(suppress_warning=True) is not None


def this_visit() -> str:
    """The name of the visit whose page is being run; empty outside of a run."""
    run = get_script_run_ctx(suppress_warning=True)
    if run is None:
        return ""
    return run.session_id


def open_pages() -> OpenPages | None:
    """The pages of this run and its address; None outside of a run."""
    run = get_script_run_ctx(suppress_warning=True)
    if run is None:
        return None
    pages = run.pages_manager.get_pages()
    current: Any = pages.get(run.pages_manager.current_page_script_hash, {})
    names = frozenset(page.get("url_pathname", "") for page in pages.values())
    # `st.context.url` is wrong after a change of page.
    url = getattr(run.context_info, "url", "") or ""
    return OpenPages(url, names, current.get("url_pathname", ""))


def is_set_anew(key: str) -> bool:
    """Whether Streamlit sends the widget's value to the browser, whatever its default is."""
    run = get_script_run_ctx()
    return run is not None and run.session_state.is_new_state_value(key)


def is_connected(visit: str) -> bool:
    """Whether that visit's socket is open; where there is no server, as in a test, it is."""
    if not runtime.exists():
        return True
    return bool(runtime.get_instance().is_active_session(visit))
