"""The exact audit of the mechanism that a page shows."""

from dataclasses import dataclass

from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.basics.cache import cached_by
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Progress
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.compute import runs


@dataclass(frozen=True)
class PrivacySummary:
    """The result of an audit.

    `holds`: whether the mechanism keeps its policy; None where no audit could be made, for the
    `reason` given. `method`: how it was audited. `loss`, `epsilon`: privacy loss and ε of the pair
    of symbols that comes nearest to its ε; None without pairs. `excess`: by how much the loss is
    above ε, in nats, where it does not hold.
    """

    holds: bool | None
    method: str = ""
    loss: float | None = None
    epsilon: float | None = None
    reason: str = ""
    excess: float = 0.0

    @property
    def nothing_promised(self) -> bool:
        """Whether no pair has a limit, so that nothing could be broken."""
        return self.holds is True and self.loss is None


@cached_by(lambda scenario, *_: runs.key(scenario))
def summarize_privacy(scenario: Scenario, progress: Progress) -> PrivacySummary:
    """Audit the scenario's mechanism; people, estimator and seed do not change the result."""
    setup = runs.setup(scenario)
    try:
        audit = audit_mechanism(setup.mechanism, setup.policy, progress)
    except CaldpError as error:
        return PrivacySummary(None, reason=str(error))
    worst = audit.worst
    if worst is None:
        return PrivacySummary(audit.holds, audit.method)
    loss = float("inf") if worst.ratio is None else worst.privacy_loss
    excess = 0.0 if audit.holds else worst.excess
    return PrivacySummary(audit.holds, audit.method, loss, worst.epsilon, excess=excess)
