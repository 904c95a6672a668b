"""The record of a collection, published with its estimate: what was asked, promised and collected.

A record that is uploaded may have been changed: it is checked against its protocol. With `About`,
what only people know, it makes an entry of a registry of deployments (OpenDP's, schema of 2026), in
JSON, which is YAML.

Its privacy once a shuffler mixes its reports depends on how many people a block has, which no
protocol knows: before a collection `mixed_privacy_by_crowd` takes expected numbers, afterwards the
record holds it for those who took part.
"""

import hashlib
import json
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

import numpy as np

import caldp_core
from caldp_core.basics.errors import CaldpError, check_n, check_whole, count_text, quoted, require
from caldp_core.basics.limits import CONFIDENCE_MAX, CONFIDENCE_MIN, N_MAX, PAIRWISE_MAX
from caldp_core.basics.types import Floats, Ints, Progress, no_progress
from caldp_core.collect.collected_tally import REASONS, CollectedTally, report_counts
from caldp_core.collect.device import NUMBER_RANGE, Memo, NoisyMemo, Once
from caldp_core.collect.json_files import read_json_object
from caldp_core.collect.protocol import EXPOSED, PROTOCOL_KEY, FamilyPlan, Protocol
from caldp_core.collect.questions import Questions, parse_protocol, protocols_by_name
from caldp_core.collect.report_files import BATCH_PREFIX, FILE_PREFIX
from caldp_core.datasets.own import is_line
from caldp_core.datasets.public_map import NoPrior, PriorSpec, PublicMap
from caldp_core.estimation.estimators import (
    ESTIMATORS,
    GIVEN_UP,
    ErrorEstimate,
    compare_groups,
    quantiles,
)
from caldp_core.estimation.evidence import Evidence
from caldp_core.estimation.intervals import Looks, one_look
from caldp_core.mechanisms.capabilities import block_totals
from caldp_core.mechanisms.contextual import ContextMechanism
from caldp_core.mechanisms.written_out import WrittenOut
from caldp_core.privacy.context import Context, dense
from caldp_core.privacy.matrix import exposed_clause
from caldp_core.theory.expected_error import variance_given_people
from caldp_core.theory.mixing import DELTA, BlockPairs, epsilons_after_mixing

LISTED: Final = 100
"""Most blocks or values listed; of more blocks, those with the fewest and the most people."""
TEXTS: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def mixed_privacy(protocol: Protocol, people: Ints) -> dict[str, Any] | None:
    """(m,) people of each block → what mixing their reports leaves of ε, JSON-ready.

    `epsilon`: of two protected values; `epsilon_beside_open`: of a protected and an open one. None
    where the policy has pairs without a limit, or protects nobody. Raises `CaldpError` for another
    number of blocks.
    """
    crowds = np.asarray(people)
    blocks = len(protocol.block_names)
    require(
        crowds.shape == (blocks,),
        f"people must be a number for each of {count_text(blocks, 'block', 'blocks')}, got "
        f"{crowds.size:,}.",
    )
    listed = np.arange(blocks)
    if blocks > LISTED:
        listed = np.argsort(crowds, kind="stable")[[*range(LISTED // 2), *range(-LISTED // 2, 0)]]
    listed_crowds = np.zeros_like(crowds)
    listed_crowds[listed] = crowds[listed]
    levels = epsilons_after_mixing(protocol.mechanism, listed_crowds, DELTA)
    if levels is None or not protocol.coverage.protected.any():
        return None
    alone = block_epsilons(protocol)
    return {
        **protocol.exposed_part,
        "delta": DELTA,
        "assumes": TEXTS["assumes"],
        "blocks": [
            {
                "block": protocol.block_names[j],
                "people": int(crowds[j]),
                "epsilon_of_one_report": alone[j],
                **_rounded_epsilon("epsilon", levels.hidden[j]),
                **_rounded_epsilon("epsilon_beside_open", levels.open[j]),
            }
            for j in np.sort(listed).tolist()
        ],
    }


def block_epsilons(protocol: Protocol) -> list[float | None]:
    """ε of each block for one report, before anything is mixed; None where nothing is hidden."""
    policy = protocol.mechanism.policy
    if isinstance(policy, Context):
        pairs = zip(policy.epsilon.tolist(), policy.hidden_sizes.tolist(), strict=True)
        return [level if hidden else None for level, hidden in pairs]
    return [protocol.plan.promise()["epsilon_most"]] * len(protocol.block_names)


def _rounded_epsilon(name: str, level: float) -> dict[str, float]:
    """{name: `level` rounded up to three digits}; empty without such a pair."""
    if math.isnan(level):
        return {}
    step = 10.0 ** (math.floor(math.log10(level)) - 2)
    return {name: float(f"{math.ceil(level / step - 1e-9) * step:.3g}")}


def mixed_privacy_by_crowd(
    protocol: Protocol,
    people: Sequence[int],
    delta: float = DELTA,
    progress: Progress = no_progress,
) -> dict[str, Any]:
    """ε that is left after mixing where every block has n people, for each n in `people`.

    JSON-ready. Equal blocks share a row, with their number and the first one's name. Raises
    `CaldpError` where the policy has pairs without a limit, and for invalid numbers of people.
    """
    require(
        bool(protocol.coverage.protected.any()),
        "Mixing promises nothing where no value is protected: every report names its value; "
        "choose a policy that hides some.",
    )
    crowds = sorted({check_n(n) for n in people})
    first, sizes = _kinds(protocol)
    bounds = []
    for done, n in enumerate(crowds):
        counts = np.zeros(len(protocol.block_names), np.int64)
        counts[first] = n
        levels = epsilons_after_mixing(protocol.mechanism, counts, delta)
        if levels is None:
            raise CaldpError(
                "Mixing promises nothing where the policy has pairs without a limit; choose a "
                "policy in which every pair has one, or blocks."
            )
        bounds.append(levels)
        progress((done + 1) / len(crowds))

    # Of each kind of block: ε alone, and by the number of people that its reports are mixed among.
    alone = block_epsilons(protocol)
    blocks = []
    for block, blocks_like_it in zip(first.tolist(), sizes.tolist(), strict=True):
        mixed_among = {}
        for n, levels in zip(crowds, bounds, strict=True):
            mixed_among[str(n)] = {
                **_rounded_epsilon("epsilon", levels.hidden[block]),
                **_rounded_epsilon("epsilon_beside_open", levels.open[block]),
            }
        part = {
            "block": protocol.block_names[block],
            "blocks_like_it": blocks_like_it,
            "epsilon_of_one_report": alone[block],
            "mixed_among": mixed_among,
        }
        blocks.append(part)
    return {
        **protocol.exposed_part,
        "protocol": protocol.fingerprint,
        "delta": delta,
        "assumes": TEXTS["assumes"],
        "blocks": blocks,
    }


def _kinds(protocol: Protocol) -> tuple[Ints, Ints]:
    """The first block of each kind and how many there are; of many kinds the extremes.

    Two blocks are of a kind if their ε and the chances of their coins are the same.
    """
    mechanism, blocks = protocol.mechanism, len(protocol.block_names)
    if not isinstance(mechanism, ContextMechanism):
        return np.zeros(1, np.int64), np.array([blocks])
    variations = BlockPairs.variations(mechanism)
    epsilon = np.where(mechanism.policy.hidden_sizes > 0, mechanism.policy.epsilon, np.nan)
    rows = np.stack([epsilon, variations.hidden, variations.open], axis=1)
    _, first, sizes = np.unique(
        np.nan_to_num(rows, nan=-1), axis=0, return_index=True, return_counts=True
    )
    order = np.arange(first.size)
    if first.size > LISTED:
        order = order[[*range(LISTED // 2), *range(-LISTED // 2, 0)]]
    order = order[np.argsort(first[order])]
    return first[order], sizes[order]


YEAR: Final = 365
"""Reports of a person that an account assumes where a plan allows as many."""


def _up(level: float) -> float | None:
    """Rounded up to six digits after the point; None without a limit."""
    if math.isinf(level):
        return None
    return math.ceil(level * 1e6 - 1e-3) / 1e6


def plan_cost(protocol: Protocol, reports: int = YEAR) -> dict[str, Any]:
    """ε of all that a person sends who is asked this many times, JSON-ready; None without a limit.

    `is`: whether an attacker can reach it or it is a bound. Over pairs of values that have a limit.
    `value`: of a value that stays. `change`: of one report's value that differs, not the first's.
    `history`: between any two histories. `same_pattern`: between histories of one pattern:
    wherever one has the value of an earlier report again, so has the other. Histories that only
    change at the same reports may cost as much as any two. `reports`: a whole number from 1 to
    10^12, else `CaldpError`. docs/derivations.md, “Plans of repetition”, has the proofs.
    """
    plan, sent = protocol.repetition, _sent(protocol, reports)
    one, exact = report_levels(protocol)
    level, value = largest_level(one), largest_level(value_levels(protocol, reports))
    history = same = _cost(value, exact)
    change = _cost(level if sent > 1 else 0.0, exact)
    # Reports of equal values are one group, and each group has a stored report of its own.
    groups = min(sent, protocol.domain.k)
    if isinstance(plan, Once):
        change = _cost(0.0, exact=True)
    elif isinstance(plan, Memo) and sent > 1:
        change = history = _cost(math.inf, exact)
        same = _cost(groups * level, exact and _are_equal(one[~np.eye(len(one), dtype=np.bool_)]))
    elif isinstance(plan, NoisyMemo) and sent > 1:
        shown = math.log(plan.odds(protocol.format.values))
        change, history = _cost(shown, exact=False), _cost(sent * shown, exact=False)
        same = _noisy_same_pattern(protocol, sent, min(groups * level, sent * shown))
    costs = {"value": _cost(value, exact), "change": change, "history": history}
    return {"reports": sent, **costs, "same_pattern": same}


def _are_equal(numbers: Floats) -> bool:
    """True if there are finite numbers that are equal but for rounding."""
    return numbers.size > 0 and bool(np.isfinite(numbers).all() and np.ptp(numbers) < 1e-12)


def _noisy_same_pattern(protocol: Protocol, sent: int, bound: float) -> dict[str, Any]:
    """ε between histories of one pattern of a noisy memo's `sent` reports.

    Groups of equal values are independent, so it is the largest sum of what groups cost, over all
    sizes of at most k groups. `bound` stands for it where a pair of values has no limit, or where
    there are more reports or values than a second of work allows.
    """
    plan, stored = protocol.repetition, protocol.plan.mechanism
    assert isinstance(plan, NoisyMemo)
    most_groups = min(sent, protocol.domain.k)
    if not isinstance(stored, WrittenOut) or sent > YEAR or most_groups > _GROUPS_MAX:
        return _cost(bound, exact=False)
    channel = stored.channel
    if np.isinf(_channel_levels(channel)).any():
        return _cost(bound, exact=False)
    # What a group of 1, 2, … reports costs: as all pairs count, the largest ratio of a report's
    # chances is that of the greatest and the least chance in its column.
    base = plan.odds(stored.outputs) ** -np.arange(1.0, sent + 1)[:, None]
    greatest = base + (1.0 - base) * channel.max(axis=0)
    least = base + (1.0 - base) * channel.min(axis=0)
    cost_of_size = np.log(greatest / least).max(axis=1)
    # cost_of[m]: the most that m reports cost in the groups that were added so far.
    cost_of = np.concatenate([[0.0], np.full(sent, -math.inf)])
    for _ in range(most_groups):
        grown = cost_of.copy()
        for size in range(1, sent + 1):
            with_group = cost_of[:-size] + cost_of_size[size - 1]
            grown[size:] = np.maximum(grown[size:], with_group)
        cost_of = grown
    return _cost(float(cost_of[sent]), _has_equal_pairs(channel))


_GROUPS_MAX: Final = 64


def _has_equal_pairs(channel: Floats) -> bool:
    """True if any two values differ in the same way: the truth has one chance, lies another."""
    if channel.shape[0] != channel.shape[1]:
        return False
    own = np.eye(len(channel), dtype=np.bool_)
    return _are_equal(channel[own]) and _are_equal(channel[~own])


def plan_accuracy(protocol: Protocol, people: int, reports: int = YEAR) -> dict[str, float]:
    """Standard deviation of the least certain share of given people, equally many of each value.

    `one`: from one report of each. `all`: from the mean of all reports of people who are asked this
    many times and whose value stays; what a device stores is drawn once, so that no number of
    reports averages it out. Exact; raises `CaldpError` for `people` outside [1, 10^12].
    """
    even = np.full(protocol.domain.k, 1.0 / protocol.domain.k)
    one = variance_given_people(protocol.mechanism, even, check_whole("people", people, 1, N_MAX))
    lasting = _lasting_variance(protocol, one, even / people)
    every = lasting + (one - lasting) / _sent(protocol, reports)
    return {"one": math.sqrt(one.max()), "all": math.sqrt(every.max())}


def _lasting_variance(protocol: Protocol, one: Floats, weights: Floats) -> Floats:
    """(k,) the part of the variance `one` that is drawn once; `weights`: (k,) 1/n of each share."""
    plan, stored = protocol.repetition, protocol.plan.mechanism
    if not isinstance(plan, NoisyMemo) or not isinstance(stored, WrittenOut):
        return one if isinstance(plan, Once | Memo) else np.zeros_like(one)
    estimator = stored.with_even_noise(plan.noise, NUMBER_RANGE).estimator
    noise = plan.noise / NUMBER_RANGE
    adds = (1.0 - noise) * estimator + noise * estimator.mean(axis=0)  # what a stored report adds
    return np.asarray(weights @ (stored.channel @ adds**2 - (stored.channel @ adds) ** 2))


def _cost(level: float, exact: bool) -> dict[str, Any]:
    return {"epsilon": _up(level), "is": "exact" if exact else "bound"}


def _sent(protocol: Protocol, reports: int) -> int:
    """How many reports a person sends who is asked this many times."""
    check_whole("reports", reports, 1, N_MAX)
    return min(reports, getattr(protocol.repetition, "reports", reports))


def report_levels(protocol: Protocol) -> tuple[Floats, bool]:
    """(k, k) ε of one report, of a memo a stored one, and whether the channel reaches it.

    Of many values the policy's limits, or (1, 1) the largest of them.
    """
    stored = protocol.plan.mechanism
    if isinstance(stored, WrittenOut):
        return _channel_levels(stored.channel), True
    if stored.k * stored.outputs <= 1 << 14:  # a second of fractions
        return _channel_levels(np.array(stored.exact_channel(), np.float64)), True
    if stored.k**2 <= PAIRWISE_MAX:
        return dense(stored.policy), False
    most = protocol.promise()["epsilon_most"]
    return np.array([[math.inf if most is None else most]]), False


def value_levels(protocol: Protocol, reports: int = YEAR) -> Floats:
    """(k, k) or (1, 1) ε between two values that stay while a person is asked this many times.

    No limit where one stored report has none.
    """
    plan, stored, sent = protocol.repetition, protocol.plan.mechanism, _sent(protocol, reports)
    one, _ = report_levels(protocol)
    if isinstance(plan, NoisyMemo) and isinstance(stored, WrittenOut):
        # Noise hides pairs a little that the stored report tells apart: none that is protected.
        levels = _channel_levels(stored.channel, plan.odds(stored.outputs) ** -sent)
        return np.where(np.isinf(one), np.inf, levels)
    return one if isinstance(plan, Once | Memo) else sent * one


def _channel_levels(channel: Floats, base: float = 0.0) -> Floats:
    """(k, k) max_y log((b + (1 − b)·Q(y|x))/(b + (1 − b)·Q(y|x'))) of (k, outputs) chances Q."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(base + (1.0 - base) * channel)
        return np.array([np.nanmax(row - logs, axis=1) for row in logs])


def largest_level(levels: Floats) -> float:
    """The largest ε of the pairs that have a limit; inf where no pair has one."""
    pairs = levels[~np.eye(len(levels), dtype=np.bool_)] if levels.size > 1 else levels
    limits = pairs[np.isfinite(pairs)]
    return float(limits.max()) if limits.size else math.inf


def read_protocols(path: Path) -> dict[str, Protocol]:
    """File → the protocol in it, of a file or of all JSON files in a folder.

    Of a file of several questions "FILE NAME" → each. Raises `CaldpError` without any.
    """
    files = [path]
    if path.is_dir():
        files = sorted(path.glob("*.json"))
    found: dict[str, Protocol] = {}
    for file in files:
        data = read_json_object(file, "The file")
        # A folder may hold tallies and records as well.
        if PROTOCOL_KEY not in data:
            continue
        try:
            parts = protocols_by_name(parse_protocol(data))
        except CaldpError as error:
            raise CaldpError(f"{quoted(file.name)} can't be read: {error}") from None
        for name, protocol in parts.items():
            found[f"{file.name} {name}".strip()] = protocol
    require(bool(found), f"{quoted(path)} has no protocol; give a folder or file that has one.")
    return found


def make_account(
    protocols: Mapping[str, Protocol],
    budget: float | None = None,
    reports: int = YEAR,
    people: int | None = None,
) -> dict[str, Any]:
    """What all these protocols cost a person who answers every one; JSON-ready.

    Of protocols with one question and domain the ε of each pair of values are added, of others the
    largest: a person may have any two answers to two questions. `reports`: as for `plan_cost`.
    `budget`: an ε, of which what is left is stated. `people`: how many, for `plan_accuracy`.
    """
    # 1. What each protocol costs by itself; those that ask the same of the same values together.
    names_of: dict[str, list[str]] = {}
    costs: list[dict[str, Any]] = []
    for name, protocol in protocols.items():
        asked = json.dumps([protocol.question or name, protocol.to_dict()["domain"]])
        names_of.setdefault(asked, []).append(name)
        cost = {
            "file": name,
            "question": protocol.question,
            "protocol": protocol.fingerprint,
            "plan": protocol.repetition_part(),
            **plan_cost(protocol, reports),
        }
        if people:
            cost["accuracy"] = plan_accuracy(protocol, people, reports)
        costs.append(cost)
    values = [_composed(names, protocols, reports) for names in names_of.values()]

    # 2. The cost of all protocols together, and what the budget leaves; None without a limit.
    total = {
        "if_values_stay": _total([part["epsilon"] for part in values]),
        "any_history": _total([cost["history"]["epsilon"] for cost in costs]),
    }
    account: dict[str, Any] = {
        "caldp_account": 1,
        "times_asked": reports,
        "protocols": costs,
        "values": values,
        "epsilon": total,
    }
    if people:
        account["people"] = people
    if budget is not None:
        account["budget"] = budget
        account["left"] = {}
        for case, epsilon in total.items():
            account["left"][case] = None if epsilon is None else round(budget - epsilon, 6)
    return account


def _total(levels: Sequence[float | None]) -> float | None:
    """The sum of some ε; None if one of them has no limit."""
    known = [level for level in levels if level is not None]
    if len(known) < len(levels):
        return None
    return round(math.fsum(known), 6)


def _composed(
    names: Sequence[str], protocols: Mapping[str, Protocol], reports: int
) -> dict[str, Any]:
    """The largest ε of a pair of values over all protocols of one domain, and the pairs."""
    levels = sum((value_levels(protocols[name], reports) for name in names), np.zeros((1, 1)))
    part: dict[str, Any] = {"files": list(names), "epsilon": _up(largest_level(levels))}
    part["pairs_without_a_limit"] = int(np.isinf(levels).sum())
    if 1 < len(levels) <= LISTED:
        part["names"] = list(protocols[names[0]].labels)
        part["epsilon_by_pair"] = [list(map(_up, row)) for row in levels.tolist()]
    return part


RECORD_KEY: Final = "caldp_record"
LAW_KEY: Final = "report_counts"
"""Key of the counts of reports against their law; records of earlier versions lack it."""
HOLD_KEY: Final = "intervals_hold"
"""Key that is there where intervals hold while reports come; its value is `EVERY_LOOK`."""
EVERY_LOOK: Final = "at every look"
_FORMAT: Final = 1
SOURCE: Final = "give the file that caldp estimate wrote."
_UPWARDS: Final = 1.01
"""Factor by which an ε after mixing may be rounded up, to three digits."""


def make_record(
    protocol: Protocol,
    collected: CollectedTally,
    level: float,
    estimator: str,
    *,
    prior: PriorSpec = NoPrior(),  # noqa: B008 — frozen
    false_share: float | None = None,
    error: ErrorEstimate | None = None,
    looks: Looks = one_look,
) -> dict[str, Any]:
    """What was asked, promised and collected, for readers of the estimate; JSON-ready.

    `prior`: the public map that the estimate takes for known, which is recorded by title and hash;
    `false_share`: q of a cascade, None if it was not chosen; `error`: of the estimate, if known;
    `looks`: at which its intervals hold, each of groups and quartiles alone.
    """
    # What the estimator was given, and its error, where they are known.
    known: dict[str, Any] = {}
    if false_share is not None:
        known["false_share"] = false_share
    if error is not None:
        known["error_estimate"] = asdict(error)
    if isinstance(prior, PublicMap):
        shape = f"{prior.area} {prior.cell} {prior.parts}"
        hashed = hashlib.sha256(shape.encode()).hexdigest()
        known["public_map"] = {"title": prior.title, "sha256": hashed}

    # Tallies know files by their contents, and batches by the names that people give them.
    batches = []
    for name in collected.batches:
        if name.startswith(BATCH_PREFIX):
            batches.append(name.removeprefix(BATCH_PREFIX))
    promised = _protocol_fields(protocol)
    mixed = mixed_privacy(protocol, block_totals(protocol.mechanism, collected.tally)[1])
    evidence = Evidence.of(protocol.mechanism, collected.tally, domain=protocol.domain)
    alone = looks(level, evidence.n, 1)
    return {
        RECORD_KEY: _FORMAT,
        "caldp_version": caldp_core.__version__,
        **promised,
        "privacy": {**promised["privacy"], "if_mixed": mixed},
        "reports": collected.tally.n,
        "refused": dict(collected.refused),
        LAW_KEY: report_counts(protocol, collected),
        "files": sum(name.startswith(FILE_PREFIX) for name in collected.batches),
        "batches": sorted(batches),
        "tally_sha256": hashlib.sha256(collected.tally.counts.tobytes()).hexdigest(),
        "estimator": estimator,
        **known,
        "interval_level": level,
        **({} if looks is one_look else {HOLD_KEY: EVERY_LOOK}),
        "groups": [asdict(group) for group in compare_groups(evidence, alone)],
        "quartiles": [asdict(quantile) for quantile in quantiles(evidence, level=alone)],
    }


def make_questions_record(
    questions: Questions, records: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """The record of several questions: ε of a person, and each question's own; JSON-ready."""
    once, year = (make_account(questions.protocols, reports=n)["epsilon"] for n in (1, YEAR))
    return {
        RECORD_KEY: _FORMAT,
        "caldp_version": caldp_core.__version__,
        "protocol": questions.fingerprint,
        "privacy": {"asked_once": once["any_history"], "asked_daily_for_a_year": year},
        "questions": dict(records),
    }


def _protocol_fields(protocol: Protocol) -> dict[str, Any]:
    """Fields of a record that follow from the protocol alone."""
    return {
        "question": protocol.question,
        "protocol": protocol.fingerprint,
        "mechanism": protocol.plan.summary(),
        "privacy": privacy_fields(protocol),
    }


def privacy_fields(protocol: Protocol) -> dict[str, Any]:
    """What a protocol promises, with its plan of repetition: of what ε is, and who adds noise."""
    plan, unit = protocol.repetition_part(), "one report, in clear"
    if protocol.coverage.protected.any():
        unit = TEXTS["unit"][plan.get("kind", "none")].format_map(plan)
    cost = plan and {"repetition": plan | {"cost": plan_cost(protocol)}}
    return {**protocol.promise(), **cost, "model": _model(protocol), "unit": unit}


def _model(protocol: Protocol) -> str:
    """Who randomizes reports, and which reports nobody does."""
    named = int(protocol.coverage.in_clear.sum())
    case = "some" if named else "all"
    if not protocol.coverage.protected.any():
        case = "none"
    return str(TEXTS["model"][case].format(named=count_text(named, "value", "values")))


def check_record(protocol: Protocol, record: Mapping[str, Any], name: str) -> None:
    """Raise `CaldpError`, calling it `name`, unless `make_record` makes such of this protocol."""
    require(
        record.get("protocol") == protocol.fingerprint,
        f"{name} is of another protocol; give the one that its reports were made by.",
    )
    privacy = record.get("privacy")
    if not isinstance(privacy, dict) or "if_mixed" not in privacy:
        raise CaldpError(f"{name} does not say what was promised; {SOURCE}")
    promised = {key: each for key, each in privacy.items() if key != "if_mixed"}
    for key, right in _protocol_fields(protocol).items():
        require(
            (promised if key == "privacy" else record.get(key)) == right,
            f"{name} has another {key} than its protocol; {SOURCE}",
        )
    wrong = [key for key, fits in _COLLECTED.items() if key not in record or not fits(record[key])]
    if LAW_KEY in record and not _are_law_checks(protocol, record[LAW_KEY]):
        wrong.append(LAW_KEY)
    require(not wrong, f"{name} has no {''.join(wrong[:1])} that can be right; {SOURCE}")
    mixed = privacy["if_mixed"]
    require(
        mixed is None or _is_mixed(protocol, mixed),
        f"{name} has another if_mixed than its protocol can have; {SOURCE}",
    )


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= N_MAX


_COLLECTED: Final[dict[str, Callable[[Any], bool]]] = {
    "reports": _is_count,
    "refused": lambda found: (
        isinstance(found, dict)
        and set(found) == set(REASONS)
        and all(map(_is_count, found.values()))
    ),
    "files": _is_count,
    "batches": lambda found: isinstance(found, list) and all(isinstance(b, str) for b in found),
    "tally_sha256": lambda found: isinstance(found, str) and len(found) == 64,
    "estimator": lambda found: isinstance(found, str) and found in (*ESTIMATORS, *GIVEN_UP),
    "interval_level": lambda found: (
        type(found) in (int, float) and CONFIDENCE_MIN <= found <= CONFIDENCE_MAX
    ),
    "caldp_version": lambda found: isinstance(found, str),
}
"""Key → whether a value of it can be right."""


def _are_law_checks(protocol: Protocol, value: object) -> bool:
    furthest = value.get("furthest") if isinstance(value, dict) else None
    return isinstance(furthest, list) and all(_is_law_check(protocol, each) for each in furthest)


def _is_law_check(protocol: Protocol, each: object) -> bool:
    if not isinstance(each, dict) or each.get("of") not in ("report", "value", "bucket"):
        return False
    mean = each.get("honest_mean")
    return (
        all(_is_count(each.get(key)) for key in ("counts", "reports", "number", "count"))
        and (each["of"] != "value" or each["number"] < protocol.domain.k)
        and isinstance(mean, list)
        and len(mean) == 2
        and all(type(end) in (int, float) and 0 <= end <= N_MAX for end in mean)
        and type(each.get("unlike_honest")) is bool
    )


def _is_mixed(protocol: Protocol, mixed: object) -> bool:
    """Whether a record may say this of mixing: no ε above that of one report of its block."""
    if not isinstance(mixed, dict):
        return False
    rows = mixed.get("blocks")
    if not isinstance(rows, list):
        return False
    alone = list(zip(protocol.block_names, block_epsilons(protocol), strict=True))

    def fits(row: object) -> bool:
        if not isinstance(row, dict) or not _is_count(row.get("people")):
            return False
        level = row.get("epsilon_of_one_report")
        left = [row[key] for key in ("epsilon", "epsilon_beside_open") if key in row]
        if type(level) not in (int, float, type(None)) or (row.get("block"), level) not in alone:
            return False
        most = 0.0 if level is None else level * _UPWARDS
        return all(
            type(mixed_level) in (int, float) and 0 < mixed_level <= most for mixed_level in left
        )

    return all(map(fits, rows))


_ENTRY: Final = Path(__file__).with_name("registry.json")
"""The entry of a registry, with {fields} in its texts."""
_LINE_MAX: Final = 2_000
"""Most characters of a text that people give."""


@dataclass(frozen=True)
class About:
    """What no record holds: who published it, for what, where, when (YYYY-MM-DD), who writes.

    Each is one line of at most 2,000 characters; raises `CaldpError` for anything else.
    """

    name: str
    curator: str
    use: str
    region: str
    published: str
    author: str

    def __post_init__(self) -> None:
        for key, text in vars(self).items():
            require(
                isinstance(text, str) and 0 < len(text) <= _LINE_MAX and is_line(text),
                f"{key} must be one line of at most {_LINE_MAX:,} characters, got {text!r:.40}.",
            )
        try:
            date.fromisoformat(self.published)
        except ValueError:
            raise CaldpError(
                f"published must be a day such as 2026-11-23, got {self.published!r:.40}."
            ) from None


def registry_entry(protocol: Protocol, record: Mapping[str, Any], about: About) -> dict[str, Any]:
    """The entry of a collection; raises `CaldpError` for a record that is not its protocol's."""
    check_record(protocol, record, "The record")
    most, plain = protocol.promise()["epsilon_most"], _is_plain(protocol)
    fields = {
        **record,
        **vars(about),
        "mark": protocol.fingerprint[:12],
        "people": count_text(record["reports"], "person", "people"),
        "question": protocol.question or "a question",
        "variant": "Pure DP" if plain else "Custom",
        "values": protocol.domain.k,
        "unprotected": _unprotected(protocol, plain),
        "relation": _relation(protocol, plain),
        "unit": record["privacy"]["unit"],
        "composition": TEXTS["composition"][protocol.repetition_part().get("kind", "none")],
        "model": record["privacy"]["model"],
        "mechanism": protocol.plan.summary()["kind"],
    }
    entry: dict[str, Any] = _filled(json.loads(_ENTRY.read_text("utf-8")), fields)
    if most is not None:
        entry["deployment"]["privacy_loss"]["privacy_parameters"] = {"epsilon": most}
    return entry


def _filled(part: Any, fields: Mapping[str, Any]) -> Any:
    """A part of the entry with these fields in its texts."""
    if isinstance(part, dict):
        return {key: _filled(inner, fields) for key, inner in part.items()}
    if isinstance(part, list):
        return [_filled(inner, fields) for inner in part]
    if isinstance(part, str):
        return part.format_map(fields)
    return part


def _is_plain(protocol: Protocol) -> bool:
    """Whether every pair of values has the same limit: plain local differential privacy."""
    promise = protocol.plan.promise()
    if promise["epsilon_least"] != promise["epsilon_most"] or not protocol.coverage.protected.all():
        return False
    return not promise.get("pairs_without_a_limit") and len(protocol.block_names) == 1


def _relation(protocol: Protocol, plain: bool) -> str:
    """Between which values a report promises ε, in words."""
    if plain:
        case = "plain"
    elif not protocol.coverage.protected.any():
        case = "none"
    elif isinstance(protocol.plan, FamilyPlan):
        case = "context"
    else:
        case = "matrix"
    return str(TEXTS["relation"][case])


def _unprotected(protocol: Protocol, plain: bool) -> str:
    """What reports reveal of everybody, or of some people, in words; the exposed come first."""
    quantities = []
    if not plain:
        exposed = exposed_clause(protocol.exposed_part.get(EXPOSED, []))
        if exposed:
            quantities.append(exposed)
    quantities.append("the number of reports")
    if not plain:
        blocks = len(protocol.block_names)
        if blocks > 1:
            quantities.append(f"which of {blocks:,} blocks a person is in")
        bare = int((~protocol.coverage.protected).sum())
        if bare:
            quantities.append(f"{bare:,} of {protocol.domain.k:,} values, which reports can name")
    text = "; ".join(quantities)
    return f"{text[0].upper()}{text[1:]}."
