from caldp_core.audit.mechanisms import audit_mechanism as audit_mechanism
from caldp_core.basics.errors import CaldpError as CaldpError
from caldp_core.collect.client import Client as Client
from caldp_core.collect.device import Budget as Budget
from caldp_core.collect.device import Memo as Memo
from caldp_core.collect.device import NoisyMemo as NoisyMemo
from caldp_core.collect.device import Once as Once
from caldp_core.collect.protocol import Protocol as Protocol
from caldp_core.collect.questions import Questions as Questions
from caldp_core.domain.domains import Domain as Domain
from caldp_core.estimation.estimators import estimate as estimate
from caldp_core.estimation.estimators import intervals as intervals
from caldp_core.experiments.reproduce import compare as compare
from caldp_core.experiments.run import Result as Result
from caldp_core.experiments.run import prepare as prepare
from caldp_core.experiments.run import run as run
from caldp_core.mechanisms.base import Tally as Tally
from caldp_core.mechanisms.catalogue import mechanism as mechanism
from caldp_core.mechanisms.written_out import WrittenOut as WrittenOut
from caldp_core.privacy.context import Context as Context
from caldp_core.scenarios.scenario import Scenario as Scenario
from caldp_core.theory.planner import Goal as Goal
from caldp_core.theory.planner import epsilon_for as epsilon_for
from caldp_core.theory.planner import people_for as people_for
from caldp_core.theory.planner import relative_error as relative_error
from caldp_core.theory.planner import standard_error as standard_error
from caldp_core.theory.planner import total_variation as total_variation

__version__: str
__all__: list[str]
