"""Films of the map page, made in the background while nobody is waiting for anything.

Room: places. A film of ε has the same people and coins at every step, so what changes is ε alone;
the results of its steps are kept, so a move of ε afterwards shows what is there already.
"""

from dataclasses import replace
from typing import Final

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.experiments.run import Result
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import rivals, runs
from caldp_ui.controls.common import EPSILONS
from caldp_ui.places import scene
from caldp_ui.session import jobs
from caldp_ui.stage import Film, Stage, Step, project

DRAWS: Final = 20
_PER_SECOND: Final = 2.0


def show(key: str, scenario: Scenario, on: Stage) -> None:
    """Bring the films of this scenario to the stage, now or as soon as they are made.

    `key`: the place on its page of the job that makes them.
    """
    if isinstance(scenario.context.epsilon, tuple) or any(
        runs.takes_long(each) for each in (scenario, rivals.rival(scenario))
    ):
        return
    name = runs.key(replace(scenario.with_context(epsilon=EPSILONS[0]), seed=0))
    levels = f"{name} {scenario.seed}"
    over = jobs.quietly(f"{key}-levels", levels, lambda p: _over_epsilon(levels, scenario, p))
    if over is None:
        return
    project([over], on)
    outcome = runs.key(replace(scenario, seed=0))
    draws = jobs.quietly(f"{key}-draws", outcome, lambda p: _outcomes(outcome, scenario, p))
    if draws is not None:
        project([draws], on)


@st.cache_resource(max_entries=16, show_spinner=False)
def _over_epsilon(name: str, _scenario: Scenario, _progress: Progress) -> Film:
    del name
    steps = []
    for number, epsilon in enumerate(EPSILONS):
        _progress(number / len(EPSILONS))
        at = _scenario.with_context(epsilon=epsilon)
        pair = {scene.PLAIN: runs.result(rivals.rival(at)), scene.OURS: runs.result(at)}
        steps.append(_step(f"ε = {epsilon:g}", epsilon, pair))
    return Film("epsilon", "Privacy level ε", tuple(steps))


@st.cache_resource(max_entries=16, show_spinner=False)
def _outcomes(name: str, _scenario: Scenario, _progress: Progress) -> Film:
    del name
    steps = []
    for number in range(DRAWS):
        _progress(number / DRAWS)
        at = replace(_scenario, seed=number + 1)
        pair = {scene.PLAIN: runs.once(rivals.rival(at)), scene.OURS: runs.once(at)}
        steps.append(_step(f"outcome {number + 1}", float(number + 1), pair))
    return Film("draws", "Other outcomes", tuple(steps), False, _PER_SECOND, loops=True)


def _step(label: str, value: float, pair: dict[str, Result]) -> Step:
    return Step(
        label,
        value,
        {name: scene.code(result) for name, result in pair.items()},
        {name: scene.subtitle(result) for name, result in pair.items()},
        {name: scene.fact(result) for name, result in pair.items()},
    )
