"""Says at start which of our changes to Streamlit do not fit the version that is installed.

The dashboard rests on parts of Streamlit and Starlette that have no public name. Each such change
is a `Patch`, which says what it cures and what it rests on. A patch that does not fit is left out,
with one sentence in the log: the dashboard then runs with that fault. Only where a promise would
break in silence, as that uploads are never written to the disk, does the server not start.
"""

import inspect
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from typing import Final

_LOG: Final = logging.getLogger(__name__)
_MISSING: Final = object()


@dataclass(frozen=True)
class Patch:
    """One use of private parts of a library.

    `reason`: what the library does that needs it. `upstream`: where its makers speak of that, empty
    if nobody has found such a place. `without`: what a user sees if the patch is left out.
    `rests_on`: dotted names that must be there; for a function its parameters, joined by commas, or
    an empty text for any. After a colon stands a text that the source of that function must have.
    `apply`: makes the change; None for what is only read where it is needed. `is_needed`: whether
    the server must not start without it.
    """

    name: str
    reason: str
    without: str
    rests_on: Mapping[str, str]
    apply: Callable[[], None] | None = None
    upstream: str = ""
    is_needed: bool = False

    def misfit(self) -> str:
        """What is not there as the patch knows it, in a clause; empty where all is."""
        for place, parameters in self.rests_on.items():
            found = look_up(place)
            if isinstance(found, ImportError):
                return f"{place} can't be imported ({found})"
            if found is _MISSING:
                return f"{place} is not there"
            if parameters and callable(found):
                known = ", ".join(inspect.signature(found).parameters)
                if known != parameters:
                    return f"{place} takes {known}"
        return ""


class Unfit(RuntimeError):
    """The server must not start: a promise of the dashboard would break in silence."""


def install(patches: Sequence[Patch]) -> str:
    """Apply the patches that fit, and log what is missing; returns that sentence, empty if none is.

    Raises `Unfit` if one that the server needs does not fit; then none is applied.
    """
    misfits = {patch.name: patch.misfit() for patch in patches}
    unfit = [patch for patch in patches if misfits[patch.name]]
    needed = [patch for patch in unfit if patch.is_needed]
    if needed:
        raise Unfit(_sentence(needed, misfits, len(patches)))
    for patch in patches:
        if patch.apply is not None and patch not in unfit:
            patch.apply()
    if not unfit:
        return ""
    sentence = _sentence(unfit, misfits, len(patches))
    _LOG.warning(sentence)
    return sentence


def _sentence(unfit: Sequence[Patch], misfits: Mapping[str, str], number: int) -> str:
    lost = []
    for patch in unfit:
        lost.append(f"{patch.name} ({misfits[patch.name]}): {patch.without}")
    fit = number - len(unfit)
    return (
        f"Streamlit {version('streamlit')}: {fit} of {number} of the dashboard's changes fit."
        f" Without the others: {'; '.join(lost)}."
        " The version in requirements.txt is the one that is tested."
    )


def look_up(place: str) -> object:
    """What a dotted name leads to; a marker that equals nothing else if it leads nowhere.

    An `ImportError` is returned if a module of the name lacks a library that it needs. Fields of a
    protocol's messages count as parts of the message. After a colon stands a text that the source
    must have.
    """
    name, _, text = place.partition(":")
    parts = name.split(".")
    # The longest beginning that is a module; what follows are its members.
    for length in range(len(parts), 0, -1):
        try:
            found: object = import_module(".".join(parts[:length]))
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] != parts[0]:
                return error
            continue
        for member in parts[length:]:
            found = _member(found, member)
            if found is _MISSING:
                return _MISSING
        if text and text not in inspect.getsource(found):  # type: ignore[arg-type]
            return _MISSING
        return found
    return _MISSING


def _member(owner: object, name: str) -> object:
    """A part of a module, class or message; of a message's field the message that it holds."""
    descriptor = getattr(owner, "DESCRIPTOR", None)
    fields = getattr(descriptor, "fields_by_name", {})
    if name in fields:
        inner = fields[name].message_type
        if inner is None:
            return fields[name]
        return inner._concrete_class  # noqa: SLF001 — protobuf has no public name for it
    return getattr(owner, name, _MISSING)
