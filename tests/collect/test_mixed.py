"""What is promised of a collection if its reports are mixed: beforehand, and in its record."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from caldp_core import CaldpError, Protocol
from caldp_core.cli.commands import main
from caldp_core.collect.record import LISTED, mixed_privacy, mixed_privacy_by_crowd
from caldp_core.privacy.context import Context
from caldp_core.theory.mixing import epsilons_after_mixing
from tests.collect.protocols import SPECS, protocol_in, small, tables
from tests.contract.checks import naming


def test_a_row_a_kind_of_block_has_the_bounds_of_the_core() -> None:
    for family in ("oue", "hadamard in parts"):
        protocol = small(family, "one ε per block")
        blocks, policy = len(protocol.block_names), protocol.mechanism.policy
        assert isinstance(policy, Context)
        made = mixed_privacy_by_crowd(protocol, [1000, 20, 1000], 1e-6)
        assert made["delta"] == 1e-6
        assert sum(row["blocks_like_it"] for row in made["blocks"]) == blocks
        for n in (20, 1000):
            right = epsilons_after_mixing(protocol.mechanism, np.full(blocks, n), 1e-6)
            assert right is not None
            for row in made["blocks"]:
                assert list(row["mixed_among"]) == ["20", "1000"]
                j, bounds = protocol.block_names.index(row["block"]), row["mixed_among"][str(n)]
                with naming(f"{family}, {n}, {row['block']}"):
                    level = policy.epsilon[j] if policy.hidden_sizes[j] else None
                    assert row["epsilon_of_one_report"] == level
                    for key, bound in (
                        ("epsilon", right.hidden[j]), ("epsilon_beside_open", right.open[j])
                    ):  # fmt: skip
                        # Three digits upwards, or no such pair.
                        assert (key in bounds) != np.isnan(bound)
                        assert key not in bounds or bound <= bounds[key] <= 1.01 * bound


def test_the_record_says_it_of_those_who_came() -> None:
    protocol = small("galois", "blocks")
    people = np.array([0, 4, *[60] * (len(protocol.block_names) - 2)])
    found = mixed_privacy(protocol, people)
    assert found is not None
    assert [row["people"] for row in found["blocks"]] == people.tolist()
    few, many = found["blocks"][1], found["blocks"][-1]
    assert "epsilon" not in found["blocks"][0]
    assert many["epsilon"] < few["epsilon"] <= few["epsilon_of_one_report"] == 1.0
    same = mixed_privacy_by_crowd(protocol, [60])["blocks"]
    assert many["epsilon"] in [row["mixed_among"]["60"].get("epsilon") for row in same]


def test_of_many_kinds_the_weakest_and_the_strongest_are_told() -> None:
    levels = np.linspace(0.1, 3.0, LISTED + 20).round(3)
    policy = Context.of(np.arange(2 * levels.size) // 2, [True] * (2 * levels.size), levels)
    rows = mixed_privacy_by_crowd(protocol_in(policy, SPECS["randomized-response"]), [5])["blocks"]
    assert len(rows) == LISTED
    epsilons = [row["epsilon_of_one_report"] for row in rows]
    assert (epsilons[0], epsilons[-1]) == (levels[0], levels[-1])


def test_where_a_pair_has_no_limit_nothing_is_promised() -> None:
    with pytest.raises(CaldpError, match="pairs without a limit"):
        mixed_privacy_by_crowd(tables()["designed"], [1000])
    scale: Protocol = tables()["binary"]
    (row,) = mixed_privacy_by_crowd(scale, [1000])["blocks"]
    assert row["mixed_among"]["1000"]["epsilon"] < row["epsilon_of_one_report"] == 2.0


def test_the_command_prints_it(tmp_path: Path) -> None:
    protocol = small("oue", "plain")
    (tmp_path / "protocol.json").write_text(protocol.to_json(), "utf-8")
    words = ["mixed", str(tmp_path / "protocol.json"), "--people", "500", "--delta", "1e-6"]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert json.loads(done.output) == mixed_privacy_by_crowd(protocol, [500], 1e-6)
