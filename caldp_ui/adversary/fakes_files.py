"""Exports on fake phones: every place's shares, and Python that computes them again."""

from typing import Final

import numpy as np

from caldp_core.audit.poisoning import MAXIMAL_GAIN, RANDOM_ITEMS
from caldp_core.domain.grid import GridDomain
from caldp_ui.adversary.fakes import PoisonedEstimate
from caldp_ui.adversary.page_state import KNOWS_SHARE, KNOWS_TARGET
from caldp_ui.compute import exports

_SNIPPET: Final = """import numpy as np

from caldp_core import Scenario, prepare, run
from caldp_core.audit import poisoning
from caldp_core.estimation.estimators import estimator
from caldp_core.estimation.estimators import even_fakes, fakes_from_block, recover_shares

scenario = {scenario}
place, share = {place}, {share!r}
setup = prepare(scenario)
mechanism = setup.mechanism
honest = run(setup).first
phones = round(honest.evidence.n * share / (1 - share))
rng = np.random.default_rng(np.random.SeedSequence((scenario.seed, place)))
{sent}
evidence = setup.evidence(honest.evidence.tally + fakes)
print("without fakes", honest.estimate[place])
name = scenario.estimator
print("with fakes", estimator(name).apply(evidence)[place])
added = poisoning.crafted_mean(mechanism, place)
guess = fakes_from_block(evidence, place, added)
print("repaired, knows the target", recover_shares(evidence, share, guess, name)[place])
guess = even_fakes(evidence, float(added.sum()))
print("repaired, knows the share", recover_shares(evidence, share, guess, name)[place])
"""
_SENT: Final = {
    MAXIMAL_GAIN: "fakes = poisoning.sample_crafted(mechanism, place, phones, rng)",
    RANDOM_ITEMS: "counts = np.zeros(mechanism.k, np.int64)\ncounts[place] = phones\n"
    "fakes = mechanism.sample_tally(counts, rng)",
}
"""The tally of the fake phones, by attack."""


def csv_of(data: PoisonedEstimate, domain: GridDomain) -> bytes:
    """One row a place: shares of people, in truth and by every estimate; `target` marks one."""
    row, column = domain.row_column(np.arange(domain.k))
    return exports.csv(
        {
            "symbol": np.arange(domain.k),
            "latitude": domain.latitudes()[row].round(6),
            "longitude": domain.wrapped_longitudes()[column].round(6),
            "target": np.arange(domain.k) == data.place,
            "truth": data.truth,
            "without fakes": data.estimate_without_fakes,
            "with fakes": data.estimate_with_fakes,
            "repaired, knows the target": data.repaired(KNOWS_TARGET).shares,
            "repaired, knows the share": data.repaired(KNOWS_SHARE).shares,
        }
    )


def snippet(data: PoisonedEstimate, attack: str) -> str:
    """Python that prints the target's shares by every estimate."""
    return _SNIPPET.format(
        scenario=exports.literal(data.setup.scenario),
        place=data.place,
        share=data.share,
        sent=_SENT[attack],
    )
