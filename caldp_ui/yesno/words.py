"""Sentences of the page. Each must be true of the scenario that it is shown with."""

import math

from caldp_ui.words import formats, promise_levels
from caldp_ui.words.formats import strength
from caldp_ui.words.headline import Headline
from caldp_ui.yesno.page_state import Coin, YesNoData, warner_people_factor, yes_no_policy

ANSWERS = ("no", "yes")
_DECIMALS_MAX = 6


def of_hundred(probability: float) -> str:
    """A probability as "73 of 100"; "all 100" and "none of 100" only for 1 and 0."""
    if probability in (0.0, 1.0):
        return "all 100" if probability else "none of 100"
    number = formats.hundred(probability)
    return "fewer than 1 of 100" if number == "0" else f"{number} of 100"


def percent_range(low: float, high: float, decimals: int = 1) -> str:
    """Shares as "12.3 to 14.5 %", with as many decimals as it takes to tell the ends apart."""
    while decimals < _DECIMALS_MAX and 100 * (high - low) < 3 * 10.0**-decimals:
        decimals += 1
    return f"{100 * low:.{decimals}f} to {100 * high:.{decimals}f} %"


def headline(data: YesNoData) -> Headline:
    """Who is not protected, if anybody; the estimate; the people that plain LDP needs for it."""
    ours = data.ours
    policy = yes_no_policy(ours.result.setup.scenario)
    reports = formats.counted(ours.result.setup.n, "report", "reports")
    estimate = (
        f"From {reports} we estimate that {percent_range(ours.low, ours.high)} would "
        "truthfully say yes."
    )
    open_answers = [
        answer
        for answer, epsilon in zip(ANSWERS, (policy.epsilon_01, policy.epsilon_10), strict=True)
        if math.isinf(epsilon)
    ]
    if not open_answers:
        return Headline(estimate, _plain_ldp_sentence(data))
    # Where every report is the true answer, there is nothing that plain LDP could be beside.
    plain = "" if len(open_answers) == len(ANSWERS) else f" {_plain_ldp_sentence(data)}"
    return Headline(_unprotected_sentence(data, open_answers), f"{estimate}{plain}", True)


def one_line_summary(data: YesNoData) -> str:
    """Both lines of the headline as one text."""
    lines = headline(data)
    return f"{lines.sentence} {lines.second}".strip()


def _unprotected_sentence(data: YesNoData, answers: list[str]) -> str:
    if len(answers) > 1:
        return "Nobody is protected: every report is the true answer."
    (answer,) = answers
    share = data.truth if answer == "yes" else 1 - data.truth
    return (
        f"{formats.out_of(share)} people are not protected: a report can prove their answer "
        f"“{answer}”."
    )


def _plain_ldp_sentence(data: YesNoData) -> str:
    factor = warner_people_factor(data)
    if factor < 1.005:
        return "Plain LDP (Warner's coin) is as accurate here."
    if math.isinf(factor):
        return "Plain LDP (Warner's coin) never gets as accurate."
    return (
        f"Plain LDP (Warner's coin) needs {formats.times(factor)} as many people for the same "
        "accuracy."
    )


def coin_numbers(coin: Coin) -> dict[str, str]:
    """Numbers of a coin for a table, by their names."""
    policy = yes_no_policy(coin.result.setup.scenario)
    correct = [
        "nobody sends it" if right is None else of_hundred(right)
        for right in coin.correct_probabilities
    ]
    return {
        "ε of yes": promise_levels.level(policy.epsilon_10),
        "ε of no": promise_levels.level(policy.epsilon_01),
        "with yes, send yes": of_hundred(coin.yes_probabilities[1]),
        "with no, send yes": of_hundred(coin.yes_probabilities[0]),
        "right after “yes”, from 50:50": correct[1],
        "right after “no”, from 50:50": correct[0],
        "estimate of yes": f"{100 * coin.estimate:.2f} %",
        "95 % range": percent_range(coin.low, coin.high, 2),
        "standard error (exact)": (
            f"{formats.digits(100 * coin.standard_error, 3)} percentage points"
        ),
    }


def describe_sender(coin: Coin, answer: int) -> tuple[str, str]:
    """People with `answer` (0 no, 1 yes) who send yes: a number, and what it counts."""
    name, share = ANSWERS[answer], coin.yes_probabilities[answer]
    cover = " as well, as cover" if not answer and share else ""
    return of_hundred(share), f"people whose true answer is {name} send “yes”{cover}"


def describe_reader(coin: Coin, report: int) -> tuple[str, str, str]:
    """What `report` (0 no, 1 yes) reveals: a number, what it counts, and the grade's word."""
    right, answer = coin.correct_probabilities[report], ANSWERS[report]
    if right is None:
        return "", f"Nobody sends “{answer}”.", "strong"
    text = f"who send “{answer}” truly mean it, if both answers were equally likely before"
    return of_hundred(right), text, strength(min(right, 1.0)).word


def alt_plane(data: YesNoData, pinned: YesNoData | None) -> str:
    """Alternative text of the plane of errors."""
    ours, warner = data.ours.errors, data.warner.errors
    pinned_text = "" if pinned is None else f" Pinned: {_errors_text(pinned.ours)}."
    return (
        "Plane of an attacker's two errors. No method with this protection gets below the bent "
        f"line; this one is at its corner: {of_hundred(ours.false_alarm)} people with yes are "
        f"taken for no, {of_hundred(ours.missed)} with no for yes. Plain LDP: "
        f"{of_hundred(warner.false_alarm)} and {of_hundred(warner.missed)}.{pinned_text}"
    )


def _errors_text(coin: Coin) -> str:
    return f"{of_hundred(coin.errors.false_alarm)} and {of_hundred(coin.errors.missed)}"


def alt_dot_plot(data: YesNoData, pinned: YesNoData | None) -> str:
    """Alternative text of the dot plot."""
    pinned_text = "" if pinned is None else f" Pinned: {_range_text(pinned.ours)}."
    return (
        "Heaps of 50 marks each: between two neighbours lies the true share of yes in 1 of 50 such "
        "surveys; the band holds it in 95 of 100. "
        f"This protection: {_range_text(data.ours)}. Plain LDP: {_range_text(data.warner)}."
        f"{pinned_text} Truth: {100 * data.truth:.3g} %."
    )


def _range_text(coin: Coin) -> str:
    return percent_range(coin.low, coin.high)
