"""Two mechanisms share a fingerprint only if their reports mean the same."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Bools, Floats, Ints
from caldp_core.mechanisms import FAMILIES, ContextMechanism, mechanism
from caldp_core.mechanisms.base import digest
from caldp_core.mechanisms.catalogue import Hadamard
from caldp_core.mechanisms.direct.published_urap import PublishedUrapMechanism
from caldp_core.mechanisms.oracles.galois import GaloisOracles
from caldp_core.mechanisms.oracles.hadamard import HadamardOracles
from caldp_core.mechanisms.oracles.local_hashing import LocalHashingOracles
from caldp_core.mechanisms.oracles.randomized_response import RandomizedResponseOracles
from caldp_core.mechanisms.oracles.subset_selection import SubsetSelectionOracles
from caldp_core.mechanisms.oracles.unary import UnaryOracles, unary_family
from caldp_core.mechanisms.personalised import PersonalisedMechanism
from caldp_core.privacy.context import Context
from tests import mutants
from tests.contract.contexts import context

POLICY: Final = context("blocks and sensitive set", 1.0)
COINS: Final = (
    HadamardOracles,
    Hadamard(None).family(),
    RandomizedResponseOracles,
    SubsetSelectionOracles,
    LocalHashingOracles,
    GaloisOracles,
    unary_family(0.4),
)
"""Oracles that realise ε in coins of their own."""


def mechanism_of(family: Any) -> ContextMechanism:
    return ContextMechanism(POLICY, "same name", family)


class WiderSets(SubsetSelectionOracles):
    """ω one larger, nothing else."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        self._omega = self._omega + 1


class MoreBins(LocalHashingOracles):
    """g one larger, nothing else."""

    def __init__(self, sizes: Ints, epsilon: Floats) -> None:
        super().__init__(sizes, epsilon)
        self._g = self._g + 1


def same_class(wrong: type, right: type) -> Callable[[Ints, Floats], Any]:
    """`wrong`'s settings under `right`'s name, so that only the settings can tell."""

    def build(sizes: Ints, epsilon: Floats) -> Any:
        made = wrong(sizes, epsilon)
        made.__class__ = right
        return made

    return build


@pytest.mark.parametrize("oracles", COINS)
def test_other_coins_mean_something_else(oracles: Any) -> None:
    right = mechanism_of(oracles).fingerprint
    assert mechanism_of(oracles).fingerprint == right
    assert mechanism_of(mutants.coin_for(1.001, oracles)).fingerprint != right
    assert mechanism_of(mutants.without_company(oracles)).fingerprint != right


@pytest.mark.parametrize(
    ("wrong", "right"), [(WiderSets, SubsetSelectionOracles), (MoreBins, LocalHashingOracles)]
)
def test_other_sets_and_bins_mean_something_else(wrong: type, right: type) -> None:
    assert mechanism_of(same_class(wrong, right)).fingerprint != mechanism_of(right).fingerprint


def test_other_thetas_do_not_share_tallies() -> None:
    policy, rng = Context.plain(4, 1.0), np.random.default_rng(0)
    one, other = (ContextMechanism(policy, "unary", unary_family(t)) for t in (0.3, 0.7))
    tally = one.sample_tally(np.full(4, 100), rng)
    with pytest.raises(CaldpError, match="another mechanism"):
        other.estimate(tally)
    with pytest.raises(CaldpError, match="different mechanisms"):
        tally + other.sample_tally(np.full(4, 100), rng)
    published = [PublishedUrapMechanism(policy, unary_family(t)).fingerprint for t in (0.3, 0.7)]
    assert len({one.fingerprint, other.fingerprint, *published}) == 4


def test_the_same_settings_in_another_form_are_told_apart() -> None:
    # Both have the same coins; only their class says that reports are made another way.
    class Mirrored(UnaryOracles):
        pass

    def truth(sizes: Ints) -> Any:
        return np.full(sizes.size, 1 << 46, np.uint64)

    one = mechanism_of(lambda sizes, epsilon: UnaryOracles(sizes, epsilon, truth(sizes)))
    other = mechanism_of(lambda sizes, epsilon: Mirrored(sizes, epsilon, truth(sizes)))
    assert one.fingerprint != other.fingerprint


@pytest.mark.parametrize("family", FAMILIES)
def test_tags_are_no_symbols(family: str) -> None:
    def flags(*values: int) -> Bools:
        return np.array(values, np.bool_)

    one = PersonalisedMechanism(flags(1, 0, 1), 1, 1.0, family, FAMILIES[family].family)
    other = PersonalisedMechanism(flags(1, 0), 2, 1.0, family, FAMILIES[family].family)
    plain = mechanism(Context.high_low(flags(1, 0, 1, 1), 1.0), family)
    again = PersonalisedMechanism(flags(1, 0, 1), 1, 1.0, family, FAMILIES[family].family)
    prints = [each.common.fingerprint for each in (one, other)]
    assert len({*prints, plain.fingerprint}) == 3
    assert again.common.fingerprint == prints[0]
    tally = one.sample_tally(np.full(4, 5), np.random.default_rng(0))
    with pytest.raises(CaldpError, match="another mechanism"):
        other.estimate(tally, np.array([[0.0, 1.0]] * 2))


def test_digests_tell_texts_and_arrays_apart() -> None:
    words = np.array([1, 2], np.uint64)
    parts: list[tuple[Any, ...]] = [
        ("a", "b"),
        ("ab",),
        ("a", "b", ""),
        (words,),
        (words[:1], words[1:]),
        (words.astype(np.int64),),
        (words.reshape(1, 2),),
        (np.array([2, 1], np.uint64),),
        (str(words),),
    ]
    assert len({digest(*each) for each in parts}) == len(parts)
    assert digest("a", words) == digest("a", words.copy())
