"""An onlooker's beliefs by what mechanisms offer, against Bayes on the written-out channel."""

from itertools import cycle, permutations
from typing import Final

import numpy as np
import pytest

from caldp_core.audit.adversary import guess_accuracy, max_guess_accuracy
from caldp_core.audit.inference import (
    credible_set,
    likelihood,
    max_posterior,
    posterior_after_reports,
)
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.mechanisms import FAMILIES, Mechanism, catalogue
from caldp_core.mechanisms.catalogue import MechanismEntry, mechanisms_for
from caldp_core.mechanisms.personalised import TaggedMechanism, uniform_background
from caldp_core.privacy.context import Context, PersonalPolicy, PrivacyMatrix
from tests.contract.checks import channel_of, single_tallies
from tests.contract.contexts import context
from tests.contract.test_catalogue import POLICIES

ALSO: Final = ("plain", "sensitive set", "one ε per block")
PAIRS: Final = [
    pytest.param(policy, entry, id=f"{kind}, {entry.name}")
    for kind, policy in {**POLICIES, **{name: context(name, 1.0) for name in ALSO}}.items()
    for entry in mechanisms_for(policy)
]
EVERY: Final = pytest.mark.parametrize(("policy", "entry"), PAIRS)
NEARLY: Final = 1e-9


def prior_of(k: int) -> Floats:
    return np.random.default_rng(5).dirichlet(np.ones(k))


def by_bayes(channel: Floats, prior: Floats, outputs: list[int]) -> Floats:
    joint = prior * np.prod(channel[:, outputs], axis=1)
    return np.asarray(joint / joint.sum())


@EVERY
def test_every_report_is_as_likely_as_the_channel_says(
    policy: PrivacyMatrix, entry: MechanismEntry
) -> None:
    mechanism = entry.make(policy)
    channel = channel_of(mechanism)
    tallies = single_tallies(mechanism)
    some = np.random.default_rng(2).permutation(len(tallies))[:60]
    for y in some.tolist():
        if not channel[:, y].any():
            continue
        found = likelihood(mechanism, tallies[y])
        found = found / found.sum() * channel[:, y].sum()
        np.testing.assert_allclose(found, channel[:, y], rtol=1e-6, atol=1e-14)


@EVERY
def test_two_reports_lead_where_bayes_leads_and_no_further_than_the_promise(
    policy: PrivacyMatrix, entry: MechanismEntry
) -> None:
    mechanism = entry.make(policy)
    channel, tallies, prior = channel_of(mechanism), single_tallies(mechanism), prior_of(policy.k)
    rng = np.random.default_rng(8)
    for x in rng.permutation(policy.k)[:3].tolist():
        pair = rng.choice(mechanism.outputs, 2, p=channel[x] / channel[x].sum()).tolist()
        for reports in (pair[:1], pair):
            found = posterior_after_reports(mechanism, prior, [tallies[y] for y in reports])
            np.testing.assert_allclose(found, by_bayes(channel, prior, reports), rtol=1e-6)
            for s in range(policy.k):
                most = max_posterior(policy, prior, s, len(reports))
                assert found[s] <= most * (1 + NEARLY)


def test_a_stronger_channel_goes_beyond_the_promise() -> None:
    weaker, prior = Context.plain(7, 1.0), prior_of(7)
    mechanism = catalogue.in_context(Context.plain(7, 1.1), "randomized-response")
    after = posterior_after_reports(mechanism, prior, single_tallies(mechanism)[:1])
    assert after[0] > max_posterior(weaker, prior, 0) * 1.01


def test_the_promise_is_reached_and_adds_up() -> None:
    policy, prior = Context.plain(2, 1.0), np.array([0.5, 0.5])
    mechanism = catalogue.in_context(policy, "randomized-response")
    report = single_tallies(mechanism)[0]
    for m in (1, 2, 5):
        most = max_posterior(policy, prior, 0, m)
        assert most == pytest.approx(max_guess_accuracy(1.0, m))
        assert posterior_after_reports(mechanism, prior, [report] * m)[0] == pytest.approx(most)
    assert max_posterior(policy, prior, 0, 0) == 0.5


@EVERY
def test_two_symbols_are_told_apart_as_the_channel_allows(
    policy: PrivacyMatrix, entry: MechanismEntry
) -> None:
    mechanism = entry.make(policy)
    channel = channel_of(mechanism)
    pairs = list(permutations(range(policy.k), 2))[:40]
    for (x, other), w in zip(pairs, cycle((0.5, 0.2)), strict=False):
        two = np.zeros(policy.k)
        two[[x, other]] = w, 1 - w
        expected = float((two[:, None] * channel).max(axis=0).sum())
        assert guess_accuracy(mechanism, x, other, w) == pytest.approx(expected, abs=1e-9)


TAGGED: Final = PersonalPolicy.of(
    np.array([True, False, False, True, False]),
    (0.4, 0.2),
    uniform_background(2, np.array([False, True, True, False, True])),
    1.0,
)


@pytest.mark.parametrize("family", ["hadamard", "randomized-response", "rappor"])
def test_reports_of_people_with_tags_lead_where_bayes_leads(family: str) -> None:
    """By all that may be true of a person: their place, and which of their own it is, if any."""
    mechanism = FAMILIES[family].spec().make(TAGGED)
    assert isinstance(mechanism, TaggedMechanism)
    common, channel = channel_of(mechanism.common), channel_of(mechanism)
    tallies, prior = single_tallies(mechanism), prior_of(TAGGED.k)
    own = np.where(TAGGED.sensitive[:, None], 0.0, TAGGED.shares)
    apart = []
    for y in np.random.default_rng(4).permutation(len(tallies))[:12].tolist():
        for reports in ([y], [y, y], [y, 0, y]):
            if not channel[:, reports].all(axis=1).any():
                continue
            of = common[:, reports].prod(axis=1)
            joint = prior * ((1.0 - own.sum(axis=1)) * of[: TAGGED.k] + own @ of[TAGGED.k :])
            found = posterior_after_reports(mechanism, prior, [tallies[each] for each in reports])
            np.testing.assert_allclose(found, joint / joint.sum(), rtol=1e-9)
            redrawn = prior * np.prod([likelihood(mechanism, tallies[r]) for r in reports], axis=0)
            apart.append(float(np.abs(found - redrawn / redrawn.sum()).max()))
            if len(reports) == 1:
                np.testing.assert_allclose(found, by_bayes(channel, prior, [y]), rtol=1e-6)
    # Whoever drew anew for each report whether they are at home would be believed otherwise.
    assert max(apart) > 0.01


@pytest.mark.parametrize("family", FAMILIES)
def test_a_map_of_43_750_places(family: str) -> None:
    rng, k = np.random.default_rng(3), 43_750
    blocks = np.arange(k) // 50
    policy = Context.of(blocks, rng.random(k) < 0.7, 1.0)
    mechanism: Mechanism = catalogue.in_context(policy, family)
    prior = rng.dirichlet(np.ones(k))
    x = int(np.flatnonzero(policy.sensitive)[10])
    reports = [mechanism.tally(mechanism.privatize(np.array([x]), rng)) for _ in range(40)]
    after = posterior_after_reports(mechanism, prior, reports)
    assert after.sum() == pytest.approx(1.0)
    assert not after[blocks != blocks[x]].any()
    assert after[x] > 0.5 > prior[x]  # 40 fresh reports leave little hidden
    assert after[x] <= max_posterior(policy, prior, x, 40) * (1 + NEARLY)
    other = int(np.flatnonzero((blocks == blocks[x]) & policy.sensitive)[0])
    assert 0.5 < guess_accuracy(mechanism, x, other) <= max_guess_accuracy(1.0) + NEARLY


def test_the_likeliest_are_the_fewest() -> None:
    after = np.array([0.1, 0.5, 0.0, 0.4])
    assert credible_set(after, 0.9).tolist() == [1, 3]
    assert credible_set(after, 0.95).tolist() == [1, 3, 0]
    assert credible_set(after, 0.3).tolist() == [1]


def test_bad_input_is_told_in_a_sentence() -> None:
    mechanism = catalogue.in_context(Context.plain(7, 1.0), "hadamard")
    one = mechanism.tally(mechanism.every_report()[:1])
    with pytest.raises(CaldpError, match=r"prior must be shares .* sum to 1, got a sum of 7"):
        posterior_after_reports(mechanism, np.ones(7), [one])
    with pytest.raises(CaldpError, match="n = 2"):
        likelihood(mechanism, one + one)
    blocks = catalogue.in_context(Context.block_structured([0, 0, 1, 1], 1.0), "hadamard")
    far = [blocks.tally(blocks.privatize(np.array([x]), np.random.default_rng(1))) for x in (0, 3)]
    with pytest.raises(CaldpError, match="impossible under this prior"):
        posterior_after_reports(blocks, np.full(4, 0.25), far)
