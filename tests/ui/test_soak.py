"""What users do within milliseconds is neither lost nor done twice, beside other visits at work."""

import pytest

from tests.conftest import THOROUGH
from tests.servers import run
from tests.soak import uploads
from tests.soak.soak import KINDS, Count, counting_server, soak


def _faults(counts: dict[str, Count]) -> dict[str, dict[str, int]]:
    found = {}
    for name, count in counts.items():
        assert count.pairs > 0
        if count.faults:
            found[name] = dict(count.faults)
    return found


def test_a_late_step_is_explained_by_the_turns_of_its_visit() -> None:
    """Half of the wait was for a turn of its own; another visit's turns count for nothing."""
    step = uploads.Step("a", "places places-epsilon", 100.0, 140.0)
    turns = [
        uploads.Turn("a", 90.0, 95.0, 99.0),  # over before the step was asked for
        uploads.Turn("b", 100.0, 120.0, 139.0),
        uploads.Turn("a", 101.0, 121.0, 139.0),
        uploads.Turn("a", 150.0, 160.0, 170.0),
    ]
    said = uploads.explain(step, turns)
    assert said == "places places-epsilon: 40 s; its runs (1) waited 20 s, ran 18 s"
    assert uploads.explain(step, turns[:2]).endswith("lost")
    assert not uploads.Step("a", "places", 100.0, 129.0).is_late
    assert uploads.Step("a", "places", 100.0, None).is_late


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
