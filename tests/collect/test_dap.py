"""A collection for other servers and registries: sums debiased, entries by their schema."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from caldp_core import CaldpError, Protocol
from caldp_core.cli.commands import main
from caldp_core.collect.collected_tally import CollectedTally
from caldp_core.collect.estimate import made_up_week
from caldp_core.collect.record import About, make_record, registry_entry
from caldp_core.collect.servers import dap_configuration
from tests.collect.protocols import labelled, small, tables
from tests.contract.checks import naming

ABOUT = About("Sick days", "An office", "Planning", "Nowhere", "2026-11-23", "A. Clerk")


def test_what_the_servers_add_up_gives_the_unbiased_shares() -> None:
    numbers = [small(name) for name in ("hadamard", "galois", "randomized-response")]
    for protocol in (*numbers, *tables().values()):
        made = json.loads(json.dumps(dap_configuration(protocol)))
        length = made["vdaf"]["Prio3Histogram"]["length"]
        # What Prio3Histogram gives out of one measurement is one in its bucket (VDAF's vectors).
        aggregate = np.random.default_rng(4).integers(0, 50, length)
        right = protocol.mechanism.estimate(protocol.mechanism.tally_of_histogram(aggregate))
        found = np.array(made["debiasing"]["matrix"]) @ aggregate / aggregate.sum()
        with naming(protocol.plan.name):
            np.testing.assert_allclose(found, right, atol=1e-12)
            assert made["protocol"] == protocol.fingerprint
            assert not np.allclose(np.array(made["debiasing"]["matrix"])[::-1] @ aggregate, right)


def test_bytes_are_no_buckets() -> None:
    with pytest.raises(CaldpError, match="not numbers"):
        dap_configuration(small("oue"))


def text(*allowed: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(allowed)} if allowed else {"type": "string"}


def object_schema(needed: list[str], **fields: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": needed,
        "properties": fields,
    }


TEXTS = {"type": "array", "items": text(), "minItems": 1}
SCHEMA = object_schema(
    ["url_slug", "status", "tier", "deployment"],
    url_slug=text(),
    status=text("Draft"),
    tier={"enum": [1, 2, 3]},
    deployment=object_schema(
        ["basic", "administrative"],
        basic=object_schema(
            ["name", "data_curators", "description", "intended_use", "data_product_type",
             "data_product_region", "publication_date"],
            name=text(), data_curators=TEXTS, description=text(), intended_use=text(),
            data_product_type=text("Summary statistics"), data_product_region=text(),
            publication_date=text(), data_product_sector=text(),
        ),
        dp_variant=object_schema([], variant_name=text("Pure DP", "Custom"), data_domain=text(),
                          unprotected_quantities=text()),
        privacy_loss=object_schema([], privacy_unit=text(), privacy_unit_details=text(),
                            privacy_parameters=object_schema([], epsilon={"type": "number"}),
                            privacy_parameters_details=text()),
        deployment_model=object_schema(
            [], model_name=text("Local"), model_name_details=text(), actors=text(),
            release_type=text("One release", "Many releases"), release_type_details=text(),
            data_source_type=text("Static", "Dynamic"), data_source_type_details=text(),
            access_type=text("Interactive", "Non-interactive"), access_type_details=text(),
        ),
        accounting=object_schema([], post_processing=text(), composition=text()),
        implementation=object_schema([], preprocessing_and_hyperparameter_tuning=text(),
                              mechanisms=text(), justification=text()),
        administrative=object_schema(["registry_authors"], sources=text(), notes=text(),
                              registry_authors=TEXTS),
    ),
)  # fmt: skip
"""The keys and the words that the registry's schema allows (its repository, 2026)."""


def entry_of(protocol: Protocol) -> dict[str, Any]:
    counts = np.full(protocol.domain.k, 20)
    tally = protocol.mechanism.sample_tally(counts, np.random.default_rng(2))
    collected = CollectedTally(protocol.fingerprint, tally)
    return registry_entry(protocol, make_record(protocol, collected, 0.95, "none"), ABOUT)


def test_entries_have_what_the_registry_allows() -> None:
    plain = labelled("oue", ("a", "b", "c"))
    for protocol in (plain, small("hadamard"), made_up_week().protocol, *tables().values()):
        entry = entry_of(protocol)
        Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(entry, allow_nan=False)))
        variant = entry["deployment"]["dp_variant"]["variant_name"]
        assert variant == ("Pure DP" if protocol is plain else "Custom")
    assert not Draft202012Validator(SCHEMA).is_valid({**entry, "more": 1})
    with pytest.raises(CaldpError, match="published must be a day"):
        About("a", "b", "c", "d", "tomorrow", "e")


def test_both_commands(tmp_path: Path) -> None:
    week = made_up_week()
    protocol, record = tmp_path / "protocol.json", tmp_path / "record.json"
    protocol.write_text(week.protocol.to_json(), "utf-8")
    record.write_text(json.dumps(week.results(0.95).record), "utf-8")
    words = [f"--{key}={value}" for key, value in vars(ABOUT).items()]
    done = CliRunner().invoke(main, ["registry", str(protocol), str(record), *words])
    assert done.exit_code == 0, done.output
    assert "100,000 people" in json.loads(done.output)["deployment"]["basic"]["description"]
    refused = CliRunner().invoke(main, ["dap", str(protocol)])
    assert refused.exit_code != 0
    assert "not numbers" in refused.output
