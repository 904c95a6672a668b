"""A designed channel at work: whole numbers, reports, estimates, and files that are audited."""

import json

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.mechanisms.designed.arrange import WholeChannel, keeps_levels, whole_channel
from caldp_core.mechanisms.designed.design import design
from caldp_core.mechanisms.designed.mechanism import DesignedMechanism, from_text, to_text
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


def test_a_file_holds_the_design_and_is_audited_when_it_is_read() -> None:
    made = design(POLICY, [4, 3, 2, 1], [1, 1, 1, 2])
    text = to_text(made)
    again = from_text(text)
    assert again.channel == made.channel
    assert (again.loss, again.bound, again.exact) == (made.loss, made.bound, made.exact)
    assert (DesignedMechanism(again).fingerprint, to_text(again)) == (
        DesignedMechanism(made).fingerprint,
        text,
    )


def with_values(text: str, **values: object) -> str:
    return json.dumps({**json.loads(text), **values})


def test_a_file_that_was_tampered_with_is_refused() -> None:
    made = design(POLICY)
    text, whole = to_text(made), made.channel
    rows = [list(row) for row in whole.numerators]
    big, small = rows[0].index(max(rows[0])), rows[0].index(min(rows[0]))
    # A thousandth of the row's mass moves to where it was least likely: still a distribution.
    rows[0][big], rows[0][small] = (
        rows[0][big] - (moved := rows[0][big] // 1000),
        rows[0][small] + moved,
    )
    leaky = [[f"{entry:x}" for entry in row] for row in rows]
    short = [[f"{entry:x}" for entry in row] for row in whole.numerators]
    short[1][0] = f"{int(short[1][0], 16) + 1:x}"
    half = (np.array(json.loads(text)["prior"]) / 2).tolist()
    for wrong, words in [
        ("{", "not JSON"),
        ("[]", "must be an object"),
        (with_values(text, format="caldp design 0"), "must be an object"),
        (with_values(text, more=1), "must be an object"),
        (with_values(text, numerators=leaky), "does not keep its privacy matrix"),
        (with_values(text, numerators=short), "does not keep its privacy matrix"),
        (with_values(text, numerators=leaky[:3]), "4 rows of one length"),
        (with_values(text, numerators=[[1]] * 4), "hexadecimal"),
        (with_values(text, numerators=4), "lists of rows"),
        (with_values(text, bits=0), "bits of a design"),
        (with_values(text, bits=True), "bits of a design"),
        (with_values(text, levels=[[0, "x"], [1, 0]]), "square matrix"),
        (with_values(text, bound="high"), "bound must be a number"),
        (with_values(text, prior=half[:2]), "prior must be"),
    ]:
        with pytest.raises(CaldpError, match=words):
            from_text(wrong)


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
