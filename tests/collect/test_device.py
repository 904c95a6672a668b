"""What a device sends, by its own code and in exact numbers, for every family and context."""

from dataclasses import replace

import pytest

from caldp_core.audit.pairwise import audit_channel
from caldp_core.collect.device import NUMBER_RANGE, Device, DrawnCoins
from caldp_core.collect.protocol import Protocol
from tests.collect.laws import exact_law, sent_by, stated
from tests.collect.protocols import SPECS, small, tables
from tests.contract.checks import naming
from tests.contract.contexts import CONTEXTS


@pytest.mark.parametrize("family", SPECS)
def test_a_device_sends_exactly_what_the_channel_says(family: str) -> None:
    for kind in CONTEXTS:
        protocol = small(family, kind)
        with naming(kind):
            for symbol, law in enumerate(stated(protocol)):
                assert sent_by(protocol, symbol) == law


def test_a_table_sends_exactly_what_its_mechanism_says() -> None:
    for name, protocol in tables().items():
        with naming(name):
            for symbol, law in enumerate(stated(protocol)):
                assert sent_by(protocol, symbol) == law


def payload_channel(protocol: Protocol) -> list[list]:  # type: ignore[type-arg]
    laws = [sent_by(protocol, symbol) for symbol in range(protocol.domain.k)]
    payloads = sorted({payload for law in laws for payload in law}, key=repr)
    return [[law.get(payload, 0) for payload in payloads] for law in laws]


@pytest.mark.parametrize("family", SPECS)
def test_what_is_sent_keeps_the_policy_and_one_more_of_two_to_the_48th_would_not(
    family: str,
) -> None:
    protocol = small(family, epsilon=0.7)
    policy = protocol.mechanism.policy
    assert audit_channel(payload_channel(protocol), policy).holds
    assert isinstance(protocol.device, Device)
    name, by = ("truth", 1) if "truth" in protocol.device.blocks[0] else ("cover", -1)
    blocks = [{**of, name: of[name] + by * (of[name] > 0)} for of in protocol.device.blocks]
    device = Device(
        protocol.plan.name, protocol.format.oracle_count, blocks, protocol.device.block_of,
        protocol.device.rank_of,
    )  # fmt: skip
    wrong = replace(protocol, plan=replace(protocol.plan))
    wrong.plan.__dict__["device"] = device
    assert not audit_channel(payload_channel(wrong), policy).holds


def test_coins_are_even_whatever_the_numbers_are() -> None:
    """All of a small source's numbers: so many of them lead to each result."""
    least = DrawnCoins(iter((0, 4, 5, NUMBER_RANGE - 1)).__next__)
    assert [least.flip(5) for _ in range(4)] == [True, True, False, False]
    numbers = iter(
        [NUMBER_RANGE - 1, 7]
    )  # 2^48 − 1 is above the largest multiple of 3 … 2^48 = 1 mod 3
    assert DrawnCoins(numbers.__next__).uniform_below(3) == 1
    wide = iter([1, 5])
    assert DrawnCoins(wide.__next__).uniform_below(NUMBER_RANGE**2) == NUMBER_RANGE + 5
    assert DrawnCoins().uniform_below(1) == 0
    # Below 2^48 + 1 two numbers are drawn, and 2^96 mod that is 1: the largest is drawn again.
    again = iter([NUMBER_RANGE - 1, NUMBER_RANGE - 1, 0, 6])
    assert DrawnCoins(again.__next__).draw_step([6, 7, NUMBER_RANGE + 1], NUMBER_RANGE + 1) == 1


def test_the_law_of_the_tests_is_that_of_two_dice() -> None:
    law = exact_law(lambda coins: coins.uniform_below(6) + coins.uniform_below(6))
    assert law[5] * 36 == 6
    assert sum(law.values()) == 1
