"""What can be taken along: the attacker's beliefs day by day, and Python that finds them again."""

from typing import Final

from caldp_ui.adversary.beliefs import Shown
from caldp_ui.adversary.slot import DAYS_MAX
from caldp_ui.compute import exports

_SNIPPET: Final = """import numpy as np

from caldp_core import Scenario, prepare
from caldp_core.audit.inference import believed

scenario = {scenario}
place, days = {place}, {days}
setup = prepare(scenario)
mechanism, p = setup.mechanism, setup.dataset.distribution
belief = (1 - 1e-3) * p + 1e-3 / p.size
print(0, belief[place])
coins = np.random.SeedSequence((scenario.seed, place)).spawn(days)
for day, seed in enumerate(coins, start=1):
    report = mechanism.privatize(np.array([place]), np.random.default_rng(seed))
    belief = believed(mechanism, belief, [mechanism.tally(report)])
    print(day, belief[place])
"""


def csv_of(what: Shown) -> bytes:
    """One row a day with a fresh report: chances of the true place, in [0, 1]."""
    rows = [
        {
            "reports": day,
            "this protection": what.ours.on_truth(day),
            "plain LDP": what.plain.on_truth(day),
            "at most, by the promise": what.ours.most[day],
        }
        for day in range(len(what.ours.after))
    ]
    return exports.csv(rows)


def snippet(what: Shown) -> str:
    """Python that prints the chances of the true place under this protection, day by day."""
    return _SNIPPET.format(
        scenario=exports.literal(what.ours.setup.scenario), place=what.record.place, days=DAYS_MAX
    )
