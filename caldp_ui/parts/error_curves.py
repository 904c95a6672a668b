"""Expected error against ε, people or blocks: this protection beside plain LDP.

Room: parts. Drawn in a fragment of its own: moving between curves leaves the rest alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import streamlit as st

from caldp_core.experiments.forecast import Curve
from caldp_core.experiments.run import Result
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.app.theme import palette
from caldp_ui.charts import curves
from caldp_ui.charts.show import show
from caldp_ui.compute import runs
from caldp_ui.words import formats, promise


@dataclass(frozen=True)
class Against:
    """What the error is drawn against. `present`: where the shown result is on the abscissa."""

    title: str
    curve: Callable[[Scenario], Curve]
    present: Callable[[Result], float]
    abscissa: dict[str, Any]


AGAINST: Final = (
    Against(
        "ε",
        runs.epsilon_curve,
        lambda result: promise.strongest(result.setup.scenario),
        curves.AGAINST_EPSILON,
    ),
    Against(
        "number of people",
        runs.people_curve,
        lambda result: float(result.setup.n),
        curves.AGAINST_PEOPLE,
    ),
)


def section(key: str, ours: Result, plain: Result) -> None:
    """The choice, the curves, and what they are."""
    if runs.expected(ours.setup.scenario) is None:
        st.info("No error curve: no formula is known for this estimate. Repeated runs measure it.")
        return
    titles = {against.title: against for against in AGAINST}
    picked = st.segmented_control(
        "Error against …", list(titles), default=AGAINST[0].title, required=True, key=key
    )
    _curves(titles[picked or AGAINST[0].title], ours, plain)


def _curves(against: Against, ours: Result, plain: Result) -> None:
    now = [result.first.errors.tv for result in (ours, plain)]
    pair = [against.curve(result.setup.scenario) for result in (ours, plain)]
    show(
        curves.error_curves(
            (pair[0], now[0]), (pair[1], now[1]), against.present(ours), against.abscissa, palette()
        ),
        "curve",
        f"Expected error against {against.title}: this protection solid, plain LDP dashed, with "
        "bands that hold 90 of 100 outcomes. At the present setting "
        f"{formats.share(now[0])} against {formats.share(now[1])}.",
    )
    st.caption(
        "Lines: expected. Bands: 90 of 100 outcomes. Points: this very outcome. Dotted: where you "
        "are."
    )
