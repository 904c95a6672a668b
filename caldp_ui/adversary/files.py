"""Exports: the attacker's beliefs day by day, and Python that computes them again."""

from typing import Final

from caldp_ui.adversary.beliefs import BeliefData
from caldp_ui.adversary.page_state import DAYS_MAX
from caldp_ui.compute import exports

_SNIPPET: Final = """import numpy as np

from caldp_core import Scenario, prepare
from caldp_core.audit.inference import posterior_after_reports

scenario = {scenario}
place, days = {place}, {days}
setup = prepare(scenario)
mechanism, p = setup.mechanism, setup.dataset.distribution
belief = (1 - 1e-3) * p + 1e-3 / p.size
print(0, belief[place])
coins = np.random.SeedSequence((scenario.seed, place)).spawn(days)
for day, seed in enumerate(coins, start=1):
    report = mechanism.privatize(np.array([place]), np.random.default_rng(seed))
    belief = posterior_after_reports(mechanism, belief, [mechanism.tally(report)])
    print(day, belief[place])
"""


def csv_of(data: BeliefData) -> bytes:
    """One row a day with a fresh report: chances of the true place, in [0, 1]."""
    rows = [
        {
            "reports": day,
            "this protection": data.ours.chance_of_truth(day),
            "plain LDP": data.plain.chance_of_truth(day),
            "at most, by the promise": data.ours.limits[day],
        }
        for day in range(len(data.ours.beliefs))
    ]
    return exports.csv(rows)


def snippet(data: BeliefData) -> str:
    """Python that prints the chances of the true place under this protection, day by day."""
    return _SNIPPET.format(
        scenario=exports.literal(data.ours.setup.scenario), place=data.record.place, days=DAYS_MAX
    )
