"""Published deployments of local differential privacy, with what they say of themselves.

Room: plan. Only what a source prints; where a deployment is silent, it is not listed.
"""

from dataclasses import dataclass
from typing import Final

from caldp_core.audit.adversary import guessed_right
from caldp_ui.words import formats

_APPLE: Final = "Apple, Differential Privacy Overview, 2017"


@dataclass(frozen=True)
class Deployment:
    """`epsilon`: of one report. `a_day`: reports a day at most, None where reports do not add up.

    `ceiling`: ε of all reports about an unchanged value together, where they are made from one
    noisy copy that is kept.
    """

    title: str
    epsilon: float
    source: str
    a_day: int | None = None
    ceiling: float | None = None

    def level_after(self, days: int) -> float:
        """ε of all reports about one unchanged value in so many days (CALDP Proposition 1)."""
        if self.ceiling is not None:
            return self.ceiling
        return self.epsilon * (self.a_day or 1) * days

    def told(self, days: int) -> str:
        """Of 100 people torn 50:50, how many are guessed right at most."""
        return formats.hundred(guessed_right(self.level_after(days)))


DEPLOYMENTS: Final = (
    Deployment("Health types, phones", 2.0, _APPLE, 1),
    Deployment("Emoji, phones", 4.0, _APPLE, 1),
    Deployment("Keyboard words (QuickType), phones", 8.0, _APPLE, 2),
    Deployment(
        "Home pages, a browser",
        0.5343,
        "Erlingsson, Pihur, Korolova, RAPPOR (Google Chrome), CCS 2014, §5.4: h = 2, f = 0.75, "
        "p = 0.5, q = 0.75",
        ceiling=2.0433,
    ),
)
