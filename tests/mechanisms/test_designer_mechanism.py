"""A designed channel at work: whole numbers, reports, estimates, and files that are audited."""

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.mechanisms.designed.design import DesignedMechanism, design
from caldp_core.mechanisms.designed.master import WholeChannel, rows_keep_levels, whole_channel
from caldp_core.privacy.matrix import DenseMatrix
from tests.contract import checks
from tests.designs import INF, line, uneven

POLICY = DenseMatrix.of([[0.0, 1, 2, 9], [0.5, 0, 1, 1], [1.0, 1, 0, INF], [3.0, 1, 1, 0]])


def test_reports_follow_the_channel_and_the_two_ways_to_a_tally_are_one_law() -> None:
    mechanism = DesignedMechanism.for_policy(POLICY)
    checks.check_privatize(mechanism)
    checks.check_one_law(mechanism, np.array([0.5, 0.2, 0.2, 0.1]))


def test_a_real_report_takes_no_seed_and_is_one_of_those() -> None:
    mechanism = DesignedMechanism.for_policy(POLICY)
    sent = np.concatenate([mechanism.client_report(2) for _ in range(50)])
    possible = np.flatnonzero([entry > 0 for entry in mechanism.design.channel.numerators[2]])
    assert set(sent.tolist()) <= set(possible.tolist())


def test_no_unbiased_estimate_of_the_same_reports_is_better_at_the_prior() -> None:
    prior = np.array([0.4, 0.3, 0.2, 0.1])
    mechanism = DesignedMechanism(design(POLICY, prior))
    channel, ours = mechanism.channel, mechanism.estimator
    assert mechanism.variance(prior, 1).sum() == pytest.approx(mechanism.design.loss, rel=1e-9)
    rng = np.random.default_rng(2)
    free = np.linalg.svd(channel)[2][4:].T
    assert free.shape[1] > 0, "no other unbiased estimate to compare with"
    law = prior @ channel
    for _ in range(20):
        other = ours + 0.1 * free @ rng.normal(size=(free.shape[1], 4))
        np.testing.assert_allclose(channel @ other, np.eye(4), atol=1e-9)
        assert (law @ other**2).sum() > (law @ ours**2).sum()


def test_fingerprints_tell_designs_apart() -> None:
    first, again = DesignedMechanism.for_policy(POLICY), DesignedMechanism.for_policy(POLICY)
    other = DesignedMechanism.for_policy(DenseMatrix.of(line(4, 1.0)))
    assert first.fingerprint == again.fingerprint != other.fingerprint
    tally = other.sample_tally([5, 5, 5, 5], np.random.default_rng(1))
    with pytest.raises(CaldpError, match="another mechanism"):
        first.estimate(tally)


def keeps_levels(channel: WholeChannel, levels: Floats) -> bool:
    return rows_keep_levels(channel.numerators, 1 << channel.bits, levels)


def test_rounding_keeps_every_level_and_a_unit_more_does_not() -> None:
    levels = uneven(3, 4)
    columns = np.exp(np.array([[0, -levels[0, 1], -levels[0, 2]], [0, 0, 0]]))
    rest = 1 - 0.3 * columns[0]
    v = np.stack([columns[0], rest])
    prior = np.full(3, 1 / 3)
    v, w = v / (v @ prior)[:, None], np.array([0.3, 1.0]) * (v @ prior)
    channel = whole_channel(v, w, prior, levels)
    assert keeps_levels(channel, levels)
    # Twice as likely is within a level just above log 2 and not within the float below it.
    twice = WholeChannel(((2, 2), (1, 3)), 2)
    assert keeps_levels(twice, np.array([[0, np.nextafter(np.log(2), 1)], [1, 0]]))
    assert not keeps_levels(twice, np.array([[0, np.log(2)], [1, 0]]))
    assert not keeps_levels(WholeChannel(((3, 1), (1, 2)), 2), np.full((2, 2), INF))
    assert not keeps_levels(WholeChannel(((5, -1), (1, 3)), 2), np.full((2, 2), INF))
