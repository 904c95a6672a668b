"""What a page has to show of a scenario: this protection and the best plain LDP beside it.

A picture that takes longer than a second is left out here and comes by a job.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import streamlit as st

from caldp_core.basics.types import Progress
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.run import Result, Setup
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import rivals, runs
from caldp_ui.session import jobs
from caldp_ui.session.scenarios import S, steer
from caldp_ui.session.slot import Slot
from caldp_ui.words import formats


@dataclass(frozen=True, eq=False)
class Shown:
    """Results of this protection and of plain LDP on the same people; None: not there yet."""

    setup: Setup
    plain_setup: Setup
    ours: Result | None
    plain: Result | None


Way: TypeAlias = Callable[[Slot[Any], Scenario], Shown]
"""How results are brought: `shown`, by jobs where they take long, or `at_once`."""


def quick(scenario: Scenario) -> Result | None:
    """The result, at once; None where it takes a job or too many people were asked for."""
    if runs.takes_long(scenario) or runs.setup(scenario).n > runs.most_people(scenario):
        return None
    return runs.result(scenario)


def shown(slot: Slot[S], scenario: Scenario) -> Shown:
    """What can be shown now; for the rest, buttons and progress are drawn where this is called."""
    rival = rivals.rival(scenario)
    ours, plain = quick(scenario), quick(rival)
    if ours is None:
        ours = _ours_by_job(slot, scenario)
    if plain is None and ours is not None:
        plain = beside(slot, "plain", rival)
    return Shown(runs.setup(scenario), runs.setup(rival), ours, plain)


def at_once(slot: Slot[S], scenario: Scenario) -> Shown:
    """The same without what takes long: no job is started, nothing is drawn."""
    del slot
    rival = rivals.rival(scenario)
    return Shown(runs.setup(scenario), runs.setup(rival), quick(scenario), quick(rival))


def beside(slot: Slot[S], which: str, scenario: Scenario) -> Result | None:
    """The result of what stands beside, at once, or by a job that starts by itself.

    `which`: names the job on its page.
    """
    found = quick(scenario)
    if found is not None or runs.setup(scenario).n > runs.most_people(scenario):
        return found
    return _job(slot, which, scenario, jobs.started)


def _ours_by_job(slot: Slot[S], scenario: Scenario) -> Result | None:
    most = runs.most_people(scenario)
    if runs.setup(scenario).n > most:
        _too_many(slot, scenario, most)
        return None
    way = _offered if runs.may_take_minutes(scenario) else jobs.started
    return _job(slot, "ours", scenario, way)


_Job = Callable[[str, str, Callable[[Progress], Result], jobs.Told], Result | None]


def _offered(
    key: str, name: str, work: Callable[[Progress], Result], told: jobs.Told
) -> Result | None:
    offer = jobs.Offer(
        "Run it",
        ":material/hourglass:",
        "From a few seconds to a minute; it runs beside the page and can be cancelled.",
        "primary",
    )
    return jobs.offered(key, name, work, offer, told)


def _job(slot: Slot[S], which: str, scenario: Scenario, way: _Job) -> Result | None:
    title = _title(scenario)
    return way(
        slot.key(which),
        runs.key(scenario),
        lambda progress: runs.result(scenario, progress),
        lambda job: _told(title, job),
    )


def _title(scenario: Scenario) -> str:
    method = MECHANISMS[runs.setup(scenario).mechanism_name].title
    return f"{method} with “{ESTIMATORS[scenario.estimator].title}”"


def _told(title: str, job: jobs.Job[Result]) -> str:
    if job.is_waiting:
        return "Waiting for other runs on this server to end …"
    return f"{title}: {job.seconds:.0f} s so far"


def _too_many(slot: Slot[S], scenario: Scenario, most: int) -> None:
    st.error(
        f"{MECHANISMS[runs.setup(scenario).mechanism_name].title} cannot be run here for "
        f"{formats.exactly(runs.setup(scenario).n)} people: with so many places every report "
        f"is drawn by itself, for at most {formats.exactly(most)} people. Take fewer people or "
        "another method.",
        icon=":material/error:",
    )
    fewer = 10 ** (len(str(most)) - 1)  # the slider's steps are powers of ten
    st.button(
        f"Use {formats.exactly(fewer)} people",
        key=slot.key("fewer-people"),
        type="primary",
        on_click=lambda: steer(slot, lambda s: replace(s, n=fewer)),
    )
