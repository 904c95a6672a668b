"""What a scenario promises, in sentences: the same record whatever kind its policy is of.

Room: words. `policies.py` says which module writes it for which kind.
"""

from dataclasses import dataclass

from caldp_ui.words import formats


@dataclass(frozen=True)
class Told:
    """Sentences that are true of one scenario. `**` around what is bold.

    `chance`: most that an even guess between two symbols that hide each other becomes right, in
    [0.5, 1]. `in_short`: that, in one sentence. `protected`: who, and how many by the truth;
    `odds`: what an onlooker can guess from one report; `repeats`: from several, empty where
    nothing is hidden. `not_promised`: what the policy leaves open. `levels`: names and values of
    its numbers.
    """

    chance: float
    in_short: str
    protected: str
    odds: str
    repeats: str
    not_promised: tuple[str, ...]
    levels: tuple[tuple[str, str], ...]


def most(share: float) -> str:
    """A bound on right guesses of 100; none is named beyond what is told apart from certainty."""
    best = formats.hundred(share)
    return f"**{best}** of 100" if best.startswith("over") else f"at most **{best}** of 100"
