"""Sentences about fake phones. Each must be true of the scenario that it is shown with."""

from typing import Final

from caldp_core.audit.poisoning import RANDOM_ITEMS
from caldp_core.domain.grid import GridDomain
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_ui.adversary import fakes
from caldp_ui.adversary.fakes import PhonePowers, PoisonedEstimate
from caldp_ui.adversary.page_state import KNOWS_SHARE, KNOWS_TARGET, STATE, AttackerState
from caldp_ui.words import formats
from caldp_ui.words.headline import Headline
from caldp_ui.words.towns import place_name

POWER: Final = f".st-key-{STATE.key('power')} p"
"""CSS selector of the sentence on one phone."""
REPAIR_TITLES: Final = {
    KNOWS_TARGET: "the target and how many phones are fake",
    KNOWS_SHARE: "only how many phones are fake",
}


def counts_at_target(data: PoisonedEstimate, record: AttackerState) -> tuple[list[str], str]:
    """Truth, estimates without and with fakes, and repaired, as people out of one number.

    Returns the four counts and that number, as texts.
    """
    return formats.out_of_one(*shares_at_target(data, record).values())


def shares_at_target(data: PoisonedEstimate, record: AttackerState) -> dict[str, float]:
    """Shares of all people at the target, by their names."""
    shares = {
        "truth": data.truth,
        "without fakes": data.estimate_without_fakes,
        "with fakes": data.estimate_with_fakes,
        "repaired": data.repaired(record.repair).shares,
    }
    return {name: float(each[data.place]) for name, each in shares.items()}


def headline(data: PoisonedEstimate, domain: GridDomain, record: AttackerState) -> Headline:
    """How the fakes change the count at the target, and what the repair restores."""
    place = place_name(domain, data.place)
    (truth, before, after, repaired), number = counts_at_target(data, record)
    figures = shares_at_target(data, record)
    if not data.phones:
        return Headline(
            f"Without fake phones the estimate puts {before} of {number} people in {place}.",
            f"In truth {truth} are there. Move the slider of fake phones to see what they change.",
            figures={name: figures[name] for name in ("truth", "without fakes")},
        )
    return Headline(
        f"{_fake_phones_make(data.phones)} {place} look like {after} of {number} people instead of "
        f"{before}.",
        f"Of all phones {share(record.tenths)} are fake. A repair that knows "
        f"{REPAIR_TITLES[record.repair]} puts {repaired} there.",
        figures={name: at for name, at in figures.items() if name != "truth"},
    )


def _fake_phones_make(phones: int) -> str:
    return formats.counted(phones, "fake phone makes", "fake phones make")


def share(tenths: int) -> str:
    """A share of all phones, given in tenths of a percent."""
    return f"{tenths / 10:g} %"


def one_phone(record: AttackerState, domain: GridDomain) -> str:
    """The people that one fake phone adds, and how many phones exceed the noise."""
    here = fakes.compute_powers(record.scenario, record.place).own_block
    return (
        f"One fake phone adds **{_counted(here.added)}** in "
        f"{place_name(domain, record.place)}; it takes {formats.people(here.to_stand_out())} to "
        "exceed the noise."
    )


def people(number: float) -> str:
    """A small number of people with its decimals."""
    return f"{number:.3g}" if number < 1000 else formats.people(number)


def _counted(number: float) -> str:
    return formats.count(people(number), "person", "people")


def describe_block_effect(powers: PhonePowers, block: str) -> str:
    """Whether a smaller block raises or lowers one phone's power, in the scenario's numbers."""
    here, plain = powers.own_block, powers.in_one_block
    added, needs = people(here.added), here.to_stand_out()
    if powers.hidden[0] == powers.hidden[1]:
        return (
            f"Everything is one block here: a phone adds **{_counted(here.added)}**, and it "
            f"takes {formats.counted(needs, 'phone', 'phones')} to exceed the noise. Choose a "
            "protection with blocks to see what a smaller one changes."
        )
    change = "as much as" if added == people(plain.added) else "instead of the"
    fewer = "fewer" if needs < plain.to_stand_out() else "no fewer"
    return (
        f"In the {block} a phone adds **{_counted(here.added)}**, {change} "
        f"**{people(plain.added)}** if all places were one block. The noise is "
        f"**{formats.counted(here.noise, 'person', 'people')}** instead of "
        f"**{formats.people(plain.noise)}**. So {fewer} phones exceed it: "
        f"**{formats.people(needs)}** instead of **{formats.people(plain.to_stand_out())}**."
    )


def describe_crowding_out(data: PoisonedEstimate, block: str) -> str:
    """How many places of the target's block the estimate loses; "" where none."""
    before, after = data.occupied_without_fakes, data.occupied_with_fakes
    if after >= before:
        return ""
    return (
        f"What the fakes add is taken from others: the estimate has people in "
        f"**{formats.count(after, 'place', 'places')}** of the {block}, and in "
        f"**{formats.integer(before)}** without fakes."
    )


def describe_detection(data: PoisonedEstimate, attack: str, block: str) -> str:
    """Whether the server can see that there are fakes, by the sum of the target's block."""
    check = data.sum_check
    method = MECHANISMS[data.setup.mechanism_name].title
    if not data.phones:
        return "There are none."
    if attack == RANDOM_ITEMS:
        return (
            "**No, and no test can**: they send what honest phones send. Only a place that changes "
            "more than anybody can explain gives a hint."
        )
    if check.always_agree:
        return (
            f"**Not by this sum.** With this method ({method}) the estimates of the {block} always "
            "add up to the phones that reported from it, whatever they send. A report that comes "
            "too often for honest phones would show them."
        )
    sums = (
        f"The estimates of the {block} add up to "
        f"**{formats.counted(check.estimated, 'person', 'people')}**, "
        f"**{formats.counted(check.reported, 'phone', 'phones')}** reported from it"
    )
    limit_text = f"{formats.people(check.limit)} apart in one of 1,000 collections"
    if check.is_suspect:
        return (
            f"**Yes.** {sums}. Noise alone puts them {limit_text}. The sum shows that there are "
            "fakes, not which they are."
        )
    enough = (
        f" About {formats.people(data.phones_to_detect)} would be seen every other time."
        if data.phones_to_detect
        else ""
    )
    return f"**Not these.** {sums}, and noise alone puts them {limit_text}.{enough}"


RULE: Final = (
    "A smaller block does not make one phone stronger with Hadamard response, RAPPOR or optimized "
    "unary encoding: what it adds depends on ε alone. With randomized response it makes it weaker. "
    "But the noise of an estimate comes from the people of the block. Where few people live, fewer "
    "fakes are enough to exceed it: the attacker needs fewer, and a search for them finds fewer "
    "(with randomized response power and noise fall together). A phone may claim any block: blocks "
    "keep nobody out. Yet how many phones report from a block is seen exactly, and an estimate "
    "that keeps these numbers takes back a part of the gain."
)
FORMULA: Final = r"""
A strongest report for a place adds $\frac{1-r}{a-r}$ people, $a$ and $r$ the chances that an honest
report includes the place, from there and from elsewhere in its block of $s$ sensitive places:

| method | added by one phone |
|---|---|
| Hadamard response | $\frac{e^ε+1}{e^ε-1}$ |
| optimized unary encoding | $\frac{2e^ε}{e^ε-1}$ |
| RAPPOR | $\frac{e^{ε/2}}{e^{ε/2}-1}$ |
| randomized response | $1+\frac{s-1}{e^ε-1}$ |
| others | the same rule, nearly constant for large $s$ |
| any, at a place that is not sensitive | $\frac{1}{1-λ}$, λ the chance of a cover answer |

β of all phones raise the place's share $p$ by $β\left(\frac{1-r}{a-r}-p\right)$ on average: the
maximal gain attack of Cao, Jia and Gong (2021), here in blocks as well. Noise: the exact standard
deviation of the estimate without fakes; "stands out" is three of it.
"""
MISSES: Final = (
    "The repair subtracts what the fakes are thought to have added and takes the nearest shares "
    "(the idea of LDPRecover, Sun and others 2024). It gets the true number of fakes, which "
    "nobody knows in practice. **If it does not know the target**, it takes a little from every "
    "place and leaves the pushed one where it is. **If it knows the target**, it mends strongest "
    "reports. But it takes too much from a place whose fakes follow the protocol: their reports "
    "look like those of honest people, and no collector can tell them apart."
)
TABLE_ROWS: Final = (
    "truth",
    "estimate with fakes",
    "gain of the unbiased estimate",
    *(f"repair that knows {known}" for known in REPAIR_TITLES.values()),
)


def target_shares(data: PoisonedEstimate) -> list[float]:
    """Shares at the target, as `TABLE_ROWS` names them."""
    repaired = [data.repaired(knows).shares for knows in REPAIR_TITLES]
    at = [float(each[data.place]) for each in (data.truth, data.estimate_with_fakes, *repaired)]
    return [*at[:2], data.gain, *at[2:]]
