"""A survey page's record: a scenario of ten answers without a map, and the answer looked at."""

from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import Zipf
from caldp_core.scenarios.blocks import EvenRuns
from caldp_core.scenarios.policies import ContextPolicy
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs
from caldp_ui.session.page_state import PageState, ScenarioLink, ScenarioRecord

TEN: Final = Scenario(Zipf(k=10), ContextPolicy(blocks=EvenRuns(2)), n=10_000)


@dataclass(frozen=True)
class Survey(ScenarioRecord):
    scenario: Scenario = TEN
    answer: int = 0

    def at(self, answer: int) -> "Survey":
        return replace(self, answer=answer)


def check(record: Survey) -> None:
    if not 0 <= record.answer < runs.dataset(record.scenario).domain.k:
        raise CaldpError(f"answer must be one of the domain's, got {record.answer}.")
    runs.setup(record.scenario)


STATE: Final = PageState("survey", ScenarioLink(Survey(), check))
