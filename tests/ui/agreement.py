"""Where on the pages numbers are, and where in a run of the exported scenario each comes from.

A sentence is a pattern with a name for each of its numbers; what the pattern does not name may
hold no digit of its own. A table is held row by row, and a row that is not listed here is an error.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.special import betaincinv

from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.run import Setup
from caldp_core.mechanisms.catalogue import MECHANISMS
from caldp_core.mechanisms.personalised import TaggedMechanism
from caldp_core.privacy.coverage import coverage
from tests.ui.exported import LEFT_OUT, Run
from tests.ui.readings import Reading, read, to_two_digits

Source = Callable[[Run], float]
"""Where in a run a number is."""


def total_variation(run: Run) -> float:
    return run.error("tv")


def earth_mover(run: Run) -> float:
    return run.error("sliced_wasserstein_km")


def people(run: Run) -> float:
    return float(run.summary["n"])


def odds(run: Run) -> float:
    """Of 100 even guesses about protected people those that become right, at most."""
    if run.policy["kind"] != "context":
        distances = run.policy.get("rows", [[1.0]])
        return 100 * guessed_right(run.policy["epsilon"] * max(map(max, distances)))
    beside = [1 - math.exp(-e) / 2 for e in _levels(run, lambda hidden, size: 0 < hidden < size)]
    return max([100 * each for each in beside] + [both_ways(run)])


def both_ways(run: Run) -> float:
    """The same between two protected values alone."""
    within = _levels(run, lambda hidden, size: hidden > 1)
    return max((100 * guessed_right(e) for e in within), default=0.0)


def _levels(run: Run, chosen: Callable[[int, int], bool]) -> list[float]:
    """The ε of the blocks that are chosen by how many of their values hide, of how many."""
    setup, level = run.result.setup, run.policy["epsilon"]
    labels = setup.partition.labels
    hidden = np.bincount(labels[hides(run)], minlength=setup.partition.m)
    return [
        level[block] if isinstance(level, list) else level
        for block, size in enumerate(setup.partition.sizes().tolist())
        if chosen(int(hidden[block]), size)
    ]


def unprotected(run: Run) -> float:
    """The share of people, by the truth, whose value does not hide."""
    return 1.0 - protected(run)


def read_by_one(run: Run) -> float:
    """Of the unprotected the share whose one report names their value."""
    return drawn_names(run.result.setup)


def drawn_names(setup: Setup) -> float:
    """Of ten million unprotected people the share whose one report names their value."""
    made: Any = setup.mechanism
    channel: Any = made.after_pre_processing() if isinstance(made, TaggedMechanism) else made
    people = np.zeros(channel.k)
    left = ~coverage(setup.policy).protected
    people[: left.size] = setup.dataset.distribution * left
    counts = np.round(1e7 * people / people.sum()).astype(np.int64)
    tally = channel.sample_tally(counts, np.random.default_rng(1))
    return float(channel.clear_counts(tally).sum() / counts.sum())


def guessed_right(epsilon: float | str) -> float:
    return 1.0 if epsilon == "infinity" else 1 / (1 + math.exp(-float(epsilon)))


def hidden(run: Run) -> float:
    return float(hides(run).sum())


def protected(run: Run) -> float:
    """The share of people, by the truth, whose value hides."""
    return float(run.result.setup.dataset.distribution[hides(run)].sum())


def hides(run: Run) -> Any:
    """(k,) whether a value hides: in a context, if it is sensitive and others are in its block."""
    setup = run.result.setup
    if run.policy["kind"] == "context":
        return setup.sensitive & (setup.partition.sizes() > 1)[setup.partition.labels]
    return np.ones(setup.mechanism.k, np.bool_)


# What the table of numbers shows under every page, whatever its columns are runs of.
NUMBERS: Final[Mapping[str, Source]] = {
    "total variation (TV)": total_variation,
    "sampling alone, without privacy (TV)": lambda run: run.error("sampling_tv"),
    "l1 distance": lambda run: run.error("l1"),
    "l2 distance": lambda run: run.error("l2"),
    "Kullback–Leibler divergence": lambda run: run.error("kl"),
    "earth mover's distance": earth_mover,
    "bits per report": lambda run: float(run.summary["bits_per_report"]),
    "blocks": lambda run: float(run.summary["blocks"]),
    "hidden symbols": hidden,
    "reports": people,
}
BOXES: Final = re.compile(r"boxes of (\d+) × \1 cells \(TV\)")
LARGEST: Final = re.compile(r"largest found, of (\d+)")
TEXTS: Final[Mapping[str, Callable[[Run], str]]] = {
    "method": lambda run: MECHANISMS[run.summary["mechanism"]].title,
    "estimate": lambda run: ESTIMATORS[run.summary["scenario"]["estimator"]].title,
}
EXPECTED: Final = "expected TV"


def agree(text: str, value: float, where: str, as_read: Callable[[str], Reading] = read) -> None:
    assert as_read(text).holds(value), f"{where}: {text!r} is shown, the run has {value!r}"


@dataclass(frozen=True)
class Sentence:
    """A sentence: a pattern, and for each group the file whose run has the number, and where."""

    pattern: str
    numbers: Mapping[str, tuple[str, Source]]

    def check(self, text: str, runs: Mapping[str, Run]) -> None:
        found = re.fullmatch(self.pattern, text.replace("\n", " "))
        assert found is not None, f"{text!r} is not of the form {self.pattern!r}"
        for name, number in found.groupdict().items():
            if number is not None:
                file, source = self.numbers[name]
                agree(number, source(runs[file]), name)


def of_boxes(run: Run, cells: int) -> float:
    (found,) = [each for each in run.summary["errors"]["boxes"] if each["cells"] == cells]
    return float(found["tv"]["mean"])


def check_largest(text: str, number: int, run: Run, where: str) -> None:
    """Say how many of the largest are found, and the F1 score beside it."""
    largest = run.summary["errors"]["largest"]
    assert number == largest["number"], where
    found = re.fullmatch(r"(\S+) \(F1 (\S+)\)", text)
    assert found is not None, f"{where}: {text!r}"
    # In one trial a whole number, shown in three digits.
    right = number * largest["recall"]["mean"]
    assert abs(float(found[1].replace(",", "")) - right) <= 5e-3 * right, where
    agree(found[2], largest["f1"]["mean"], where)


def check_numbers(
    frame: pd.DataFrame, file_of: Callable[[str], str], runs: Mapping[str, Run]
) -> None:
    """The table of numbers; `file_of`: by a column's title, the file that it is a run of."""
    assert {"total variation (TV)", *TEXTS} <= set(frame.index)
    for title in frame.columns:
        run = runs[file_of(title)]
        for row, text in zip(map(str, frame.index), frame[title], strict=True):
            where = f"{title}, {row}"
            if boxes := BOXES.fullmatch(row):
                agree(text, of_boxes(run, int(boxes[1])), where, to_two_digits)
            elif largest := LARGEST.fullmatch(row):
                check_largest(text, int(largest[1]), run, where)
            elif row in TEXTS:
                assert text == TEXTS[row](run), where
            elif row == EXPECTED:
                check_expected(text, run)
            elif text == "needs shares":
                assert run.summary["errors"]["sliced_wasserstein_km"]["mean"] is None
            else:
                agree(text, NUMBERS[row](run), where, to_two_digits)


def check_expected(text: str, run: Run) -> None:
    """An expected error with the 95 % range of one outcome's, and how it was found."""
    expected = run.summary["expected"]
    if expected["method"] == LEFT_OUT:
        assert text.startswith("not known")
        return
    if expected["tv"] == 0:
        assert text.startswith("0: nothing is hidden")
        return
    found = re.fullmatch(r"(.+) ± (.+), 95 % range \((.+)\)", text)
    assert found is not None, text
    agree(found[1], expected["tv"], EXPECTED)
    agree(found[2], 1.959964 * expected["tv_standard_deviation"], "its 95 % range")
    assert found[3] == expected["method"]


ESTIMATED = ("estimated share", "estimated people")
MARGINS = ("low", "high", "level", "relative error", "may be noise")


def check_csv(frame: pd.DataFrame, run: Run) -> None:
    """Every digit of estimate.csv."""
    setup, first = run.result.setup, run.result.first
    known = {"number", "latitude", "longitude", "answer", "group", "block", *ESTIMATED, *MARGINS}
    assert set(frame.columns) <= known
    assert frame["number"].tolist() == list(range(run.summary["k"]))
    assert frame[ESTIMATED[0]].tolist() == first.estimate.tolist()
    assert frame[ESTIMATED[1]].tolist() == (first.estimate * run.summary["n"]).tolist()
    assert frame["block"].nunique() <= run.summary["blocks"]
    if "latitude" in frame:
        domain: Any = setup.dataset.domain
        cells = domain.locate(frame["latitude"].to_numpy(), frame["longitude"].to_numpy())
        assert cells.tolist() == frame["number"].tolist()


@dataclass(frozen=True)
class Coin:
    """A yes-or-no question by its two levels alone: `f`, `g` are CALDP's (9), worked out anew."""

    f: float
    g: float
    run: Run

    @classmethod
    def of(cls, run: Run) -> "Coin":
        no, yes = (math.exp(float(run.policy[f"epsilon_{pair}"])) for pair in ("01", "10"))
        if math.isinf(no) or math.isinf(yes):
            return cls(0.0 if math.isinf(yes) else 1 / yes, 0.0 if math.isinf(no) else 1 / no, run)
        return cls((no - 1) / (no * yes - 1), (yes - 1) / (no * yes - 1), run)

    @property
    def estimate(self) -> float:
        return float(self.run.result.first.unbiased[1])

    @property
    def deviation(self) -> float:
        yes = float(self.run.result.setup.dataset.distribution[1])
        sent = self.f + (1 - self.f - self.g) * yes
        return math.sqrt(sent * (1 - sent) / self.run.summary["n"]) / (1 - self.f - self.g)

    def end(self, level: float) -> float:
        """Jeffreys' limit of the share of yes reports, with the coin taken out."""
        n = self.run.summary["n"]
        count = n * (self.f + (1 - self.f - self.g) * self.estimate)
        share = float(betaincinv(count + 0.5, n - count + 0.5, level))
        return min(max((share - self.f) / (1 - self.f - self.g), 0.0), 1.0)
