"""Links of records: one key a field, and the keys of the scenario where a record has one.

A page gives the record that it begins with and refuses those whose parts do not fit; a link holds
only what differs from the beginning.
"""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, Generic, TypeVar

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.files import parse_float, parse_int
from caldp_core.basics.limits import SEED_MAX
from caldp_core.datasets import Snap
from caldp_core.scenarios.scenario import FORMAT, Scenario, unknown_query_keys
from caldp_ui.compute.runs import fetched_snap, with_population
from caldp_ui.session import visitor_data
from caldp_ui.session.page_state import PageState, R


@dataclass(frozen=True)
class ScenarioRecord:
    """Base of the records of pages with a scenario."""

    scenario: Scenario


S = TypeVar("S", bound=ScenarioRecord)


def update_scenario(state: PageState[S], update: Callable[[Scenario], Scenario]) -> None:
    """Change the scenario of the page's record; a change that is not allowed becomes a notice."""
    state.change(lambda record: replace(record, scenario=update(record.scenario)))


def bind(
    state: PageState[S],
    name: str,
    value: Any,
    update: Callable[[Scenario, Any], Scenario],
    options: Container[Any] | None = None,
) -> dict[str, Any]:
    """Arguments that tie a widget to the scenario of the page's record (see `PageState.bind`)."""
    return state.bind(name, value, _on_scenario(update), options)


def bind_text(
    state: PageState[S], name: str, text: str, update: Callable[[Scenario, str], Scenario]
) -> dict[str, Any]:
    """As `bind`, for a field of text (see `PageState.bind_text`)."""
    return state.bind_text(name, text, _on_scenario(update))


def _on_scenario(update: Callable[[Scenario, Any], Scenario]) -> Callable[[S, Any], S]:
    return lambda record, picked: replace(record, scenario=update(record.scenario, picked))


def redraw_noise(state: PageState[S]) -> None:
    """Draw new noise for the same scenario (and other people, where they are drawn)."""
    update_scenario(state, lambda s: replace(s, seed=(s.seed + 1) % (SEED_MAX + 1)))


def scenario_query(scenario: Scenario) -> dict[str, str]:
    """A scenario as texts of a link, never empty: no text stands for what a page begins with."""
    return visitor_data.query(scenario) or {"v": str(FORMAT)}


def make_safe(found: Scenario) -> Scenario:
    """A scenario from anywhere, safe to run; raises `CaldpError` if it can't be."""
    # It must not make the server read files of the sender's choice.
    if isinstance(found.dataset, Snap) and found.dataset != fetched_snap():
        raise CaldpError(
            "It needs SNAP's file, which is not on this machine: "
            "python -m caldp_core fetch gowalla brings it here."
        )
    # One outcome is shown: more trials would only keep the server busy.
    return with_population(replace(found, trials=1))


_QUOTED_MAX: Final = 20
_SCENARIO: Final = "scenario"


@dataclass(frozen=True)
class FieldFormat:
    """How a field is written into a link. `read(key, text)` raises `CaldpError`.

    `key`: its key in the link, "" for the field's own name.
    """

    write: Callable[[Any], str]
    read: Callable[[str, str], Any]
    key: str = ""


def _read_as(kind: str, read: Callable[[str], Any]) -> Callable[[str, str], Any]:
    def read_field(key: str, text: str) -> Any:
        value = read(text)
        if value is None:
            quoted = f"{text[:_QUOTED_MAX]!r}"
            raise CaldpError(f"{key} in the link must be {kind}, got {quoted}.")
        return value

    return read_field


WORD: Final = FieldFormat(str, lambda _, text: text)
WORDS: Final = FieldFormat(";".join, lambda _, text: tuple(text.split(";")))
SWITCH: Final = FieldFormat(
    lambda value: str(int(value)), _read_as("0 or 1", {"0": False, "1": True}.get)
)
WHOLE: Final = FieldFormat(str, _read_as("a whole number", parse_int))
NUMBER: Final = FieldFormat(lambda value: f"{value:.15g}", _read_as("a number", parse_float))
_BY_TYPE: Final = {str: WORD, tuple: WORDS, bool: SWITCH, int: WHOLE, float: NUMBER}


@dataclass(frozen=True)
class RecordLink(Generic[R]):
    """How a record is written into a link; implements `Codec`.

    `begin`: the record of a visit without a link. `check` raises `CaldpError` for a record whose
    parts do not fit. `browser`: keys of the browser's side. `field_formats`: by field, for those
    that are no text, number, switch or tuple of texts at the beginning. `left_out`: the record
    whose fields a link leaves out, for pages that once began with another one, so that their links
    open as they were; None: `begin`. Its scenario is that of `begin`.
    """

    begin: R
    check: Callable[[R], None]
    browser: tuple[str, ...] = ()
    field_formats: Mapping[str, FieldFormat] = field(default_factory=dict)
    left_out: R | None = None

    def fresh(self) -> R:
        """The record of a visit without a link."""
        return self.begin

    def write(self, record: R) -> dict[str, str]:
        """The record as texts of a query: none for `begin`, else what a link must say."""
        known = self.begin if record in (self.begin, self.left_out) else self._unsaid()
        return {
            key: text.write(getattr(record, name))
            for key, (name, text) in self._fields().items()
            if getattr(record, name) != getattr(known, name)
        }

    def read(self, query: Mapping[str, str]) -> R:
        """The record of such texts; raises `CaldpError` for a text that is no value of a field."""
        known = self._fields()
        values = {known[key][0]: known[key][1].read(key, query[key]) for key in query}
        unsaid: Any = self._unsaid() if query else self.begin
        record: R = replace(unsaid, **values)
        return record

    def _unsaid(self) -> R:
        """The record that a link speaks of as far as it says nothing else."""
        return self.begin if self.left_out is None else self.left_out

    def unknown_keys(self, query: Mapping[str, str]) -> list[str]:
        """Keys of the query that are no field's."""
        return [key for key in query if key not in self._fields()]

    def _fields(self) -> dict[str, tuple[str, FieldFormat]]:
        """By key of the link, the field and how it is written."""
        begin: Any = self.begin
        names = [each.name for each in fields(begin) if each.name != _SCENARIO]
        own = {n: self.field_formats.get(n) or _BY_TYPE[type(getattr(begin, n))] for n in names}
        return {text.key or name: (name, text) for name, text in own.items()}


@dataclass(frozen=True)
class ScenarioLink(RecordLink[S]):
    """How a record with a scenario is written: the scenario's own keys, then the other fields'.

    `restrict_scenario`: a link's scenario as the page takes it, for pages that fix parts of it.
    """

    restrict_scenario: Callable[[Scenario], Scenario] = lambda scenario: scenario

    def write(self, record: S) -> dict[str, str]:
        """The record as texts of a query: what differs from `begin`, its scenario as a whole."""
        is_initial = record.scenario == self.begin.scenario
        return ({} if is_initial else scenario_query(record.scenario)) | super().write(record)

    def read(self, query: Mapping[str, str]) -> S:
        """The record of such texts; raises `CaldpError` where they are none."""
        own = {key: text for key, text in query.items() if key in self._fields()}
        flat = {key: text for key, text in query.items() if key not in own}
        if not flat:
            return super().read(own)
        record = super().read(own) if own else self._unsaid()
        return replace(record, scenario=self.restrict_scenario(make_safe(visitor_data.read(flat))))

    def unknown_keys(self, query: Mapping[str, str]) -> list[str]:
        """Keys of the query that are neither a field's nor the scenario's."""
        known = (*visitor_data.KEYS, *self._fields())
        return [key for key in unknown_query_keys(query) if key not in known]
