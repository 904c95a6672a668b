"""Expected error against ε, people, blocks or sensitive places: this protection beside plain LDP.

Drawn in a fragment of its own: moving between curves leaves the rest alone.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.domain.grid import GridDomain
from caldp_core.experiments.judged import is_judged, not_judged
from caldp_core.experiments.run import Result
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.theme import palette
from caldp_ui.charts import curves
from caldp_ui.charts.show import show
from caldp_ui.compute import curves as compute
from caldp_ui.compute import runs
from caldp_ui.compute.curves import Pair
from caldp_ui.parts import repetition
from caldp_ui.parts.comparison import Shown
from caldp_ui.session import jobs
from caldp_ui.session.slot import Slot
from caldp_ui.words import formats, promise
from caldp_ui.words.vocabulary import PLACES, VALUES


@dataclass(frozen=True)
class Against:
    """What the error is drawn against. `curves`: for a job. `whatever`: what they are the same for.

    `present`: where the shown result is on the abscissa.
    """

    title: str
    curves: Callable[[Scenario, Progress], Pair]
    whatever: Callable[[Scenario], Scenario]
    present: Callable[[Result], float]
    abscissa: dict[str, Any]


EPSILON: Final = Against(
    "ε",
    compute.against_epsilon,
    compute.whatever_epsilon,
    lambda result: promise.strongest(result.setup.scenario),
    curves.AGAINST_EPSILON,
)
PEOPLE: Final = Against(
    "number of people",
    compute.against_people,
    compute.whatever_people,
    lambda result: float(result.setup.n),
    curves.AGAINST_PEOPLE,
)
BLOCKS: Final = Against(
    "number of blocks",
    compute.against_blocks,
    compute.whatever_blocks,
    lambda result: float(result.setup.partition.m),
    curves.AGAINST_BLOCKS,
)
SENSITIVE: Final = Against(
    "size of the sensitive set",
    compute.against_sensitive,
    compute.whatever_seed,
    lambda result: float(result.setup.sensitive.sum()),
    curves.AGAINST_SENSITIVE,
)


def section(slot: Slot[Any], choices: Sequence[Against], what: Shown) -> None:
    """The choice, the curves, and repeated runs, once both results are there."""
    if not is_judged(what.setup):
        st.info(not_judged(what.setup))
        return
    if what.ours is None or what.plain is None:
        st.info("The curves follow as soon as both pictures are ready.")
        return
    _curves(slot.key("curve-against"), choices, what.ours, what.plain)
    repetition.section(slot.key("repetition"), what.ours, what.plain)


def _curves(key: str, choices: Sequence[Against], ours: Result, plain: Result) -> None:
    titles = {against.title: against for against in choices}
    picked = st.segmented_control(
        "Error against", list(titles), default=choices[0].title, required=True, key=key
    )
    against = titles[picked or choices[0].title]
    same = against.whatever(ours.setup.scenario)
    pair = jobs.started(
        f"{key}-curves",
        f"{against.title} {runs.key(same)}",
        lambda progress: against.curves(same, progress),
        lambda job: f"Computing the expected error at every point: {job.share:.0%}",
    )
    if pair is not None and all(curve.x.size for curve in pair):
        _show(against, ours, plain, pair)
    elif pair is not None:
        st.info(
            "There is no error curve here: each point would take long trials. Repeated runs "
            "measure the error."
        )


def _show(against: Against, ours: Result, plain: Result, pair: Pair) -> None:
    now = [result.first.errors.tv for result in (ours, plain)]
    wrong = _wrong(ours)
    drawn = curves.error_curves(
        (pair[0], now[0]),
        (pair[1], now[1]),
        against.present(ours),
        against.abscissa,
        palette(),
        wrong=wrong,
    )
    counted = "" if wrong is None else f", in people of 100 {wrong}"
    show(
        drawn,
        "curve",
        f"Expected error against {against.title}{counted}: this protection solid, plain LDP "
        "dashed, with bands that hold 90 of 100 outcomes. At the present setting "
        f"{_number(now[0], wrong)} and {_number(now[1], wrong)}.",
    )
    st.caption(
        "Lines: expected error. Bands: 90 of 100 outcomes. Points: the noise that was drawn. "
        "One person of 100 is a total variation of 0.01."
    )


def _wrong(result: Result) -> str | None:
    """Where people are by mistake; None where the estimate is not made of shares."""
    if result.setup.scenario.estimator == "none":
        return None
    is_map = isinstance(result.setup.dataset.domain, GridDomain)
    return PLACES.wrong if is_map else VALUES.wrong


def _number(tv: float, wrong: str | None) -> str:
    return formats.share(tv) if wrong is None else formats.per_hundred(min(tv, 1.0))
