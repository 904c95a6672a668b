"""The record of a collection, published with its estimate: what was asked, promised and collected.

A record that is uploaded may have been changed: it is checked against its protocol. With `About`,
what only people know, it makes an entry of a registry of deployments (OpenDP's, schema of 2026), in
JSON, which is YAML.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final

import caldp_core
from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import CaldpError, require
from caldp_core.basics.limits import CONFIDENCE_MAX, CONFIDENCE_MIN, N_MAX
from caldp_core.collect.collected_tally import REASONS, CollectedTally, report_counts
from caldp_core.collect.collector import BATCH_PREFIX, FILE_PREFIX
from caldp_core.collect.mixing import block_epsilons, mixed_privacy_of_tally
from caldp_core.collect.protocol import EXPOSED, FamilyPlan, Protocol
from caldp_core.datasets.public_map import NoPrior, PriorSpec, PublicMap
from caldp_core.estimation.estimators import ESTIMATORS, ErrorEstimate
from caldp_core.privacy.coverage import exposed_clause

RECORD_KEY: Final = "caldp_record"
LAW_KEY: Final = "report_counts"
"""Key of the counts of reports against their law; records of earlier versions lack it."""
_FORMAT: Final = 1
_SOURCE: Final = "give the file that caldp estimate wrote."
_UNIT: Final = "one report; m reports of one person to this question cost up to m times ε"
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
) -> dict[str, Any]:
    """What was asked, promised and collected, for whoever reads the estimate; JSON-ready.

    `prior`: the public map that the estimate takes for known, which is recorded by title and hash;
    `false_share`: q of a cascade, None if it was not chosen; `error`: of the estimate, if known.
    """
    known: dict[str, Any] = {} if false_share is None else {"false_share": false_share}
    known |= {} if error is None else {"error_estimate": asdict(error)}
    if isinstance(prior, PublicMap):
        shape = f"{prior.area} {prior.cell} {prior.parts}"
        hashed = hashlib.sha256(shape.encode()).hexdigest()
        known |= {"public_map": {"title": prior.title, "sha256": hashed}}
    promised = _protocol_fields(protocol)
    mixed = mixed_privacy_of_tally(protocol, collected.tally)
    return {
        RECORD_KEY: _FORMAT,
        "caldp_version": caldp_core.__version__,
        **promised,
        "privacy": {**promised["privacy"], "if_mixed": mixed},
        "reports": collected.tally.n,
        "refused": dict(collected.refused),
        LAW_KEY: report_counts(protocol, collected),
        "files": sum(name.startswith(FILE_PREFIX) for name in collected.batches),
        "batches": sorted(
            n.removeprefix(BATCH_PREFIX) for n in collected.batches if n.startswith(BATCH_PREFIX)
        ),
        "tally_sha256": hashlib.sha256(collected.tally.counts.tobytes()).hexdigest(),
        "estimator": estimator,
        **known,
        "interval_level": level,
    }


def _protocol_fields(protocol: Protocol) -> dict[str, Any]:
    """Fields of a record that follow from the protocol alone."""
    return {
        "question": protocol.question,
        "protocol": protocol.fingerprint,
        "mechanism": protocol.plan.summary(),
        "privacy": {
            **protocol.promise(),
            "model": _model(protocol),
            "unit": _UNIT if protocol.coverage.protected.any() else "one report, in clear",
        },
    }


def _model(protocol: Protocol) -> str:
    """Who randomizes reports, and which reports nobody does."""
    found = protocol.coverage
    if not found.protected.any():
        return "none: every report names its value"
    named = int(found.in_clear.sum())
    if not named:
        return "local: each device randomizes its own report"
    values = count_text(named, "value", "values")
    return f"local: each device randomizes its own report, but for {values}, always named"


def check_record(protocol: Protocol, record: Mapping[str, Any], name: str) -> None:
    """Raise `CaldpError`, calling it `name`, unless `make_record` makes such of this protocol."""
    require(
        record.get("protocol") == protocol.fingerprint,
        f"{name} is of another protocol; give the one that its reports were made by.",
    )
    privacy = record.get("privacy")
    if not isinstance(privacy, dict) or "if_mixed" not in privacy:
        raise CaldpError(f"{name} does not say what was promised; {_SOURCE}")
    promised = {key: each for key, each in privacy.items() if key != "if_mixed"}
    for key, right in _protocol_fields(protocol).items():
        require(
            (promised if key == "privacy" else record.get(key)) == right,
            f"{name} has another {key} than its protocol; {_SOURCE}",
        )
    for key, fits in _COLLECTED.items():
        require(
            key in record and fits(record[key]),
            f"{name} has no {key} that can be right; {_SOURCE}",
        )
    require(
        LAW_KEY not in record or _are_law_checks(protocol, record[LAW_KEY]),
        f"{name} has no {LAW_KEY} that can be right; {_SOURCE}",
    )
    mixed = privacy["if_mixed"]
    require(
        mixed is None or _is_mixed(protocol, mixed),
        f"{name} has another if_mixed than its protocol can have; {_SOURCE}",
    )


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= N_MAX


def _is_level(value: object) -> bool:
    return type(value) in (int, float) and CONFIDENCE_MIN <= value <= CONFIDENCE_MAX  # type: ignore[operator]


def _are_refused(value: object) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == set(REASONS)
        and all(map(_is_count, value.values()))
    )


_COLLECTED: Final[dict[str, Callable[[Any], bool]]] = {
    "reports": _is_count,
    "refused": _are_refused,
    "files": _is_count,
    "batches": lambda found: isinstance(found, list) and all(isinstance(b, str) for b in found),
    "tally_sha256": lambda found: isinstance(found, str) and len(found) == 64,
    "estimator": lambda found: isinstance(found, str) and found in ESTIMATORS,
    "interval_level": _is_level,
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
    rows = mixed.get("blocks") if isinstance(mixed, dict) else None
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
        return all(type(each) in (int, float) and 0 < each <= most for each in left)

    return all(map(fits, rows))


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
                isinstance(text, str) and 0 < len(text) <= _LINE_MAX and text.isprintable(),
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
    promise = protocol.promise()
    plain = _is_plain(protocol)
    most = promise["epsilon_most"]
    return {
        "url_slug": f"caldp-{protocol.fingerprint[:12]}",
        "status": "Draft",
        "tier": 3,
        "deployment": {
            "basic": {
                "name": about.name,
                "data_curators": [about.curator],
                "intended_use": about.use,
                "data_product_type": "Summary statistics",
                "data_product_region": about.region,
                "description": f"Shares of {count_text(record['reports'], 'person', 'people')} "
                f"by their answer to: {protocol.question or 'a question'}",
                "publication_date": about.published,
            },
            "dp_variant": {
                "variant_name": "Pure DP" if plain else "Custom",
                "data_domain": f"One of {protocol.domain.k:,} values a person.",
                "unprotected_quantities": _unprotected(protocol, plain),
            },
            "privacy_loss": {
                "privacy_unit": "One report of a person",
                "privacy_unit_details": _relation(protocol, plain),
                "privacy_parameters": {} if most is None else {"epsilon": most},
                "privacy_parameters_details": record["privacy"]["unit"],
            },
            **_deployed(protocol, record),
            "administrative": {
                "notes": f"Protocol {protocol.fingerprint}, tally {record['tally_sha256']}.",
                "registry_authors": [about.author],
            },
        },
    }


def _deployed(protocol: Protocol, record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "deployment_model": {
            "model_name": "Local",
            "model_name_details": record["privacy"]["model"],
            "release_type": "One release",
            "data_source_type": "Static",
            "access_type": "Non-interactive",
        },
        "accounting": {
            "post_processing": f"Unbiased estimate, then the estimator {record['estimator']}.",
            "composition": "Fresh reports of one person to this question add up.",
        },
        "implementation": {
            "mechanisms": f"{protocol.plan.summary()['kind']} by caldp {record['caldp_version']}; "
            "coins are thresholds in whole numbers, no floating-point number is compared.",
        },
    }


def _is_plain(protocol: Protocol) -> bool:
    """Whether every pair of values has the same limit: plain local differential privacy."""
    promise = protocol.plan.promise()
    if promise["epsilon_least"] != promise["epsilon_most"] or not protocol.coverage.protected.all():
        return False
    return not promise.get("pairs_without_a_limit") and len(protocol.block_names) == 1


def _relation(protocol: Protocol, plain: bool) -> str:
    if plain:
        return "Two data sets are adjacent if one person's value differs."
    if not protocol.coverage.protected.any():
        return "Nothing is promised: every report names its value."
    if isinstance(protocol.plan, FamilyPlan):
        return (
            "For a sensitive value x and any other value y of its block, a set of reports is at "
            "most exp(epsilon of the block) times as likely from x as from y. Nothing is promised "
            "of values that are not sensitive, nor between blocks."
        )
    return (
        "For values x and y, a set of reports is at most exp(E[x, y]) times as likely from x as "
        "from y; E is the matrix in the protocol, and nothing is promised where it has no entry."
    )


def _unprotected(protocol: Protocol, plain: bool) -> str:
    quantities = ["the number of reports"]
    if not plain:
        found = protocol.coverage
        exposed = exposed_clause(protocol.exposed_part.get(EXPOSED, []))
        quantities[:0] = [exposed] if exposed else []
        blocks, bare = len(protocol.block_names), int((~found.protected).sum())
        quantities += [f"which of {blocks:,} blocks a person is in"] if blocks > 1 else []
        quantities += (
            [f"{bare:,} of {protocol.domain.k:,} values, which reports can name"] if bare else []
        )
    text = "; ".join(quantities)
    return f"{text[0].upper()}{text[1:]}."
