"""Composition and post-processing of channels (CALDP Propositions 1 and 2).

Arguments and results are small channels in rationals: rows of output probabilities, as
`Mechanism.exact_channel` returns them.
"""

from collections.abc import Sequence
from fractions import Fraction

from caldp_core.audit.channels import Channel, check_size, outputs_of
from caldp_core.basics.errors import require


def release_both(first: Channel, second: Channel) -> list[list[Fraction]]:
    """The channel of two independent releases about one x; column y₁·outputs₂ + y₂."""
    return release_adaptively(first, [second] * outputs_of(first))


def release_adaptively(first: Channel, seconds: Sequence[Channel]) -> list[list[Fraction]]:
    """The channel of two releases of which the second, seconds[y₁], depends on the first's y₁.

    CALDP Proposition 2: within E₁ + E₂ if `first` is within E₁ and each of `seconds` within E₂.
    All seconds have one number of outputs; column y₁·outputs₂ + y₂. Raises `CaldpError`.
    """
    outputs = outputs_of(first)
    widths = {outputs_of(second) for second in seconds}
    require(
        len(seconds) == outputs
        and len(widths) == 1
        and all(len(second) == len(first) for second in seconds),
        f"A second release needs a channel of {len(first)} rows, all of one length, for each of "
        f"the first's {outputs} outputs.",
    )
    check_size(len(first) * outputs * widths.pop())
    return [
        [q * r for q, second in zip(row, seconds, strict=True) for r in second[x]]
        for x, row in enumerate(first)
    ]


def post_process(channel: Channel, rule: Channel) -> list[list[Fraction]]:
    """Q·W: reports y are replaced by z with probability rule[y][z] (CALDP Proposition 1).

    `rule`: a row for each output of the channel, each a distribution. Raises `CaldpError`.
    """
    outputs, columns = outputs_of(channel), outputs_of(rule)
    require(
        len(rule) == outputs and all(sum(row) == 1 and min(row) >= 0 for row in rule),
        f"A rule for this channel needs {outputs} rows, each of probabilities that sum to 1.",
    )
    check_size(len(channel) * columns)
    return [
        [sum((q * to[z] for q, to in zip(row, rule, strict=True)), Fraction(0))
         for z in range(columns)]
        for row in channel
    ]  # fmt: skip
