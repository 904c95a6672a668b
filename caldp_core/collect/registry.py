"""A collection as an entry of a registry of deployments (OpenDP's, schema of 2026), JSON-ready.

JSON is YAML, so what `caldp registry` writes is such a file. `About` holds what only people know.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from caldp_core.basics.counted import count_text
from caldp_core.basics.errors import CaldpError, require
from caldp_core.collect.family_plan import FamilyPlan
from caldp_core.collect.protocol import EXPOSED, Protocol
from caldp_core.collect.record import check_record
from caldp_core.privacy.coverage import exposed_clause

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
