"""What users do within milliseconds is neither lost nor done twice, beside other visits at work."""

import pytest

from tests.conftest import THOROUGH
from tests.servers import run
from tests.soak.soak import KINDS, Count, counting_server, soak


def _faults(counts: dict[str, Count]) -> dict[str, dict[str, int]]:
    found = {}
    for name, count in counts.items():
        assert count.pairs > 0
        if count.faults:
            found[name] = dict(count.faults)
    return found


@pytest.mark.slow
def test_of_quick_pairs_nothing_is_lost() -> None:
    """All kinds beside one busy visit; every night with three times as many pairs and visits."""
    pairs, visits, busy = (300, 8, 5) if THOROUGH else (20, 4, 1)
    with counting_server() as address:
        counts = run(soak(address, list(KINDS), pairs, visits, busy))
    assert _faults(counts) == {}


@pytest.mark.thorough
def test_without_changes_to_their_end_texts_are_lost() -> None:
    """The soak sees the fault that it looks for: of such pairs one in eight lost its text.

    With a rate of one in eight no fault among 120 pairs has a chance of 10⁻⁷.
    """
    with counting_server({"CALDP_SOAK_WITHOUT": "whole"}) as address:
        counts = run(soak(address, ["text, click"], 120, 8, 5))
    assert counts["text, click"].faults["wrong"] > 0
