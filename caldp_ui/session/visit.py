"""The visit that a run belongs to, and what ends with it.

Streamlit keeps a visit's state for two minutes after its socket has gone, in case that it comes
back. Its work ends at once: nobody would see what comes of it. A visit that does come back starts
anew what it was at.
"""

from typing import Protocol
from weakref import WeakSet

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx


class VisitResource(Protocol):
    """Work that belongs to a visit and ends with it."""

    def leave(self) -> None:
        """End: the visitor has gone."""


class Visit:
    """One visit by the `name` that the server gives it, and what ends with it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._resources: WeakSet[VisitResource] = WeakSet()

    def add(self, resource: VisitResource) -> None:
        """Have the resource end with the visit."""
        self._resources.add(resource)

    def leave(self) -> None:
        """End all that belongs to the visit."""
        for resource in list(self._resources):
            resource.leave()

    @property
    def is_here(self) -> bool:
        """False once its socket has gone; true where no server is at work, as in a test."""
        return not runtime.exists() or bool(runtime.get_instance().is_active_session(self.name))


def this_visit() -> Visit:
    """The visit of this run; one without a name outside of a run."""
    run = get_script_run_ctx(suppress_warning=True)
    return Visit("") if run is None else _cached_visit(run.session_id)


@st.cache_resource(scope="session", on_release=Visit.leave, show_spinner=False)
def _cached_visit(name: str) -> Visit:
    """Streamlit forgets it, and so calls `leave`, as soon as the visit's socket has gone."""
    return Visit(name)
