"""Controls of any page with a scenario; each shows the page's scenario and changes it.

No numbers of their own: ranges come from the domain and from `limits`.

A slider as a record: the page draws it, and films follow its steps.

The button that takes a page's last change back.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

import streamlit as st

from caldp_core.datasets import DatasetSpec
from caldp_core.datasets.public_map import PublicMap
from caldp_core.domain.domains import GridDomain, is_scale
from caldp_core.estimation.cascade_estimator import pooling_helps
from caldp_core.estimation.estimators import ESTIMATORS, menu_of_estimators
from caldp_core.estimation.evidence import default_estimator
from caldp_core.mechanisms import FAMILIES
from caldp_core.mechanisms.capabilities import channel_products
from caldp_core.mechanisms.catalogue import MECHANISMS, MechanismSpec, mechanisms_for
from caldp_core.scenarios.scenario import Best, Scenario
from caldp_ui.compute import runs
from caldp_ui.controls import choices
from caldp_ui.session.page_state import PageState, S, bind, redraw_noise, update_scenario
from caldp_ui.words import formats, promise
from caldp_ui.words.accuracy import DEFINITIONS

R = TypeVar("R")


@dataclass(frozen=True)
class Slider(Generic[R]):
    """One slider of a page. `name`: of its widget in the page's state.

    `value`: its value in a record; `with_value`: the record with another value; `steps`: its
    values; `format_value`: the text of a value; `order`: the key by which its steps are sorted.
    """

    name: str
    value: Callable[[R], float]
    with_value: Callable[[R, float], R]
    steps: Sequence[float]
    format_value: Callable[[float], str]
    order: Callable[[float], float] = float


def show(
    state: PageState[R], slider: Slider[R], title: str, help_text: str | None = None, **options: Any
) -> None:
    """Draw it, bound to the page's record; a value from a link may lie between its steps."""
    value = slider.value(state.current())
    steps = sorted({*slider.steps, value}, key=slider.order)
    texts = list(map(slider.format_value, steps))
    st.select_slider(
        title,
        steps,
        format_func=slider.format_value,
        help=help_text,
        **options,
        **state.bind_held(slider.name, value, slider.with_value, texts),
    )


def field_slider(
    path: str, steps: Sequence[float], format_value: Callable[[Any], str] = str, name: str = ""
) -> Slider[Any]:
    """The slider of a field of a page's record, whose values have the field's type.

    `path`: the field, also within others, as in "scenario.policy.epsilon"; the slider has its
    `name`, or that of the field.
    """

    def change(record: Any, value: float) -> Any:
        return _with_field(record, path, value)

    return Slider(name or path.rpartition(".")[2], attrgetter(path), change, steps, format_value)


def _with_field(record: Any, path: str, value: float) -> Any:
    first, _, rest = path.partition(".")
    now = getattr(record, first)
    return replace(record, **{first: _with_field(now, rest, value) if rest else type(now)(value)})


EPSILONS: Final = runs.EPSILONS
"""The levels of every control and film, which are those of the curves."""
_THE_DATA: Final = 0
"""Stands for "the very people of the data" among numbers of people."""
REDRAW_HELP: Final = (
    "The same protection and the same people, with new noise. What stays the same is known; what "
    "changes is noise."
)


def epsilon(state: PageState[S]) -> None:
    """The privacy level; where it differs between blocks, a way to make it one."""
    policy: Any = state.current().scenario.policy
    value = policy.epsilon
    if isinstance(value, tuple):
        st.info("ε differs from block to block here.")
        one = min(value)
        label = f"Use the smallest ε everywhere: {one:g}"
        state.button("one-epsilon", label, update_scenario, state, lambda s: s.with_epsilon(one))
        return
    help_text = f"{DEFINITIONS['ε']} {promise.epsilon_examples()}"
    show(state, epsilon_slider(), "Privacy level ε", help_text)


def epsilon_slider() -> Slider[Any]:
    """The slider of the one ε of a record with a scenario."""
    return Slider(
        "epsilon",
        lambda record: record.scenario.policy.epsilon,
        lambda record, e: replace(record, scenario=record.scenario.with_epsilon(float(e))),
        EPSILONS,
        lambda e: f"{e:g}",
    )


def people(state: PageState[S], in_data: int | None) -> None:
    """The slider of people: the `in_data` people of the data, or as many drawn from them."""
    control = people_slider(in_data)
    show(
        state,
        control,
        "People",
        "More people make the error smaller. “The data” takes the people of the data set; any "
        "other number of people is drawn from it at random. "
        + promise.counted_as_people(state.current().scenario),
    )


def people_slider(in_data: int | None) -> Slider[Any]:
    """The slider of the people of a record with a scenario; see `people`."""

    def many(n: float) -> float:
        return in_data or 0 if n == _THE_DATA else n

    powers = tuple(10**power for power in range(3, 13))
    return Slider(
        "people",
        lambda record: record.scenario.n or _THE_DATA,
        lambda record, n: replace(
            record, scenario=replace(record.scenario, n=None if n == _THE_DATA else int(n))
        ),
        powers if in_data is None else (_THE_DATA, *powers),
        lambda n: formats.people(many(n)) + (" (the data)" if n == _THE_DATA else ""),
        many,
    )


def data(
    state: PageState[S],
    titles: Mapping[str, DatasetSpec],
    choose: Callable[[Scenario, DatasetSpec], Scenario] = runs.with_dataset,
    label: str = "Data",
) -> None:
    """The choice of data by `titles`; `choose`: returns the scenario with the chosen ones."""
    choices.by_title(
        state,
        "data",
        label,
        titles,
        lambda record, spec: replace(record, scenario=choose(record.scenario, spec)),
        title=runs.title_of(state.current().scenario.dataset, titles),
    )


_BEST: Final = "best"
METHODS: Final[dict[str, tuple[str, MechanismSpec]]] = {
    _BEST: ("The most accurate here", Best()),
    **{name: (MECHANISMS[name].title, MECHANISMS[name].spec()) for name in FAMILIES},
}


def method(
    state: PageState[S], names: Iterable[str] | None = None, best: str = METHODS["best"][0]
) -> None:
    """The best mechanism or one of these names, with a sentence on what each person does.

    `names`: None for all of the catalogue that support the policy. `best`: the title of the best,
    which may be the best of the quick ones only.
    """
    scenario = state.current().scenario
    kind = scenario.kind("mechanism")
    if names is None:
        ready = runs.setup(scenario)
        ordered = is_scale(ready.dataset.domain)
        able = mechanisms_for(ready.policy)
        names = [entry.name for entry in able if ordered or not entry.in_order]
    offered = list(dict.fromkeys(["best", *names, kind]))
    st.selectbox(
        "Method",
        offered,
        format_func=lambda name: best if name == "best" else MECHANISMS[name].title,
        help=DEFINITIONS["frequency oracle"],
        **bind(state, "family", kind, _with_method, offered),
    )
    # A method that is named is described without being made, which may take long.
    chosen = MECHANISMS[runs.setup(scenario).mechanism_name if kind == "best" else kind]
    st.caption(f"{chosen.title}. {chosen.sentence}")
    choices.show(state)


def _with_method(scenario: Scenario, name: str) -> Scenario:
    """The scenario with another method; those for ordered values have an estimator of their own."""
    entry = MECHANISMS.get(name)
    estimator, in_order = scenario.estimator, entry is not None and entry.in_order
    if in_order:
        estimator = "smoothed"
    elif ESTIMATORS[estimator].in_order:
        estimator = default_estimator()
    spec = Best() if entry is None else entry.spec()
    return replace(scenario, mechanism=spec, estimator=estimator)


def estimate(state: PageState[S]) -> None:
    """The estimator, with a sentence on what it does."""
    scenario = state.current().scenario
    estimator, domain = scenario.estimator, runs.dataset(scenario).domain
    mechanism = runs.setup(scenario).mechanism
    ordered = is_scale(domain) and channel_products(mechanism) is not None
    on_maps = isinstance(domain, GridDomain) and pooling_helps(mechanism)
    offered = menu_of_estimators(
        estimator, in_order=ordered, on_maps=on_maps, has_map=isinstance(scenario.prior, PublicMap)
    )
    st.selectbox(
        "Estimate",
        offered,
        format_func=lambda name: ESTIMATORS[name].title,
        help=DEFINITIONS["estimator"],
        **bind(state, "estimator", estimator, lambda s, e: replace(s, estimator=e), offered),
    )
    st.caption(f"Shown: {ESTIMATORS[estimator].sentence}.")
    if ESTIMATORS[estimator].is_cascade and pooling_helps(mechanism):
        choices.cascade_control(state)


def redraw_button(state: PageState[S], help_text: str = REDRAW_HELP) -> None:
    """The button that draws new noise; `help_text`: what stays the same here."""
    state.button("another", "Draw new noise", redraw_noise, state, icon="casino", help=help_text)


def button(state: PageState[Any]) -> None:
    """Undo, grey while there is nothing to undo."""
    state.button("undo", "Undo", state.undo, icon="undo", disabled=not state.can_undo)
