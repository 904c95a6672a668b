"""Published deployments of local differential privacy, with the figures of their sources.

Only what a source prints, and what it was checked against here; a deployment without published
figures is not listed.
"""

import math
from dataclasses import dataclass
from typing import Final

from caldp_core.audit.adversary import max_guess_accuracy
from caldp_ui.words import formats

_APPLE: Final = "Apple, Differential Privacy Overview, 2017"
_BY_DAY: Final = (
    "ε of a day as read by D. Desfontaines, A list of real-world uses of differential privacy; "
    "not checked against Apple's own text"
)


@dataclass(frozen=True)
class Deployment:
    """A collection that was really made.

    `epsilon`: of one report. `reports_a_day`: reports a day at most, None where reports do not add
    up. `epsilon_limit`: ε of all reports about an unchanged value together, where they are made
    from one noisy copy that is kept. `verification`: what the figures of `source` were checked by.
    """

    title: str
    epsilon: float
    source: str
    verification: str
    reports_a_day: int | None = None
    epsilon_limit: float | None = None

    def epsilon_after(self, days: int) -> float:
        """ε of all reports about one unchanged value in so many days (CALDP Proposition 2)."""
        if self.epsilon_limit is not None:
            return self.epsilon_limit
        return self.epsilon * (self.reports_a_day or 1) * days

    def describe_right_guesses(self, days: int) -> str:
        """Of 100 guesses between two equally likely values, how many are right at most."""
        return formats.hundred(max_guess_accuracy(self.epsilon_after(days)))


def _rappor(title: str, flips: tuple[float, float, float], source: str, checked: str) -> Deployment:
    """RAPPOR with two hash functions by its f, p, q: ε₁ and ε∞ by its Theorems 2 and 1."""
    f, p, q = flips
    if_set, if_not = (0.5 * f * (p + q) + (1 - f) * bit for bit in (q, p))
    one_report = 2 * math.log(if_set * (1 - if_not) / (if_not * (1 - if_set)))
    all_reports = 4 * math.log((1 - f / 2) / (f / 2))
    cited = f"{source}: h = 2, f = {f:g}, p = {p:g}, q = {q:g}"
    return Deployment(title, one_report, cited, checked, epsilon_limit=all_reports)


DEPLOYMENTS: Final = (
    Deployment("Health types, phones", 2.0, _APPLE, _BY_DAY, 1),
    Deployment("Emoji, phones", 4.0, _APPLE, _BY_DAY, 1),
    Deployment("Lookup hints, phones", 4.0, _APPLE, _BY_DAY, 2),
    Deployment("Keyboard words (QuickType), phones", 8.0, _APPLE, _BY_DAY, 2),
    _rappor(
        "Home pages, a browser",
        (0.75, 0.5, 0.75),
        "Erlingsson, Pihur, Korolova, RAPPOR (Google Chrome), CCS 2014, §5.4",
        "ε by the paper's theorems; f, p and q not held against its print",
    ),
    _rappor(
        "Web domains, the browser's source",
        (0.5, 0.25, 0.75),
        "Chromium, tools/metrics/rappor/rappor.xml, 2014, ETLD_PLUS_ONE",
        "f, p, q and h as in that file; ε by RAPPOR's theorems",
    ),
)
