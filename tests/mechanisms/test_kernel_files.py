"""Files of the best noise: what is read is what was designed, and no more than it proves."""

import json
from pathlib import Path

import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.mechanisms import kernels
from caldp_core.mechanisms.kernels import BestKernelMechanism, Kernel, StepLevels, design
from caldp_core.privacy.distance import EuclideanMetric

WIDE = (1.0, 0.7)


@pytest.fixture(scope="module")
def kernel() -> Kernel:
    return design(StepLevels(*WIDE))


def test_what_is_on_file_is_what_was_designed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path)
    steps = StepLevels(*WIDE)
    assert kernels.read_kernel(steps) is None
    made = kernels.kernel_for(steps)
    kept = kernels.read_kernel(steps)
    assert kept is not None
    assert (kept.displacement, kept.bound) == (made.displacement, made.bound)
    policy = EuclideanMetric(4, 5, *WIDE)
    assert (
        BestKernelMechanism(policy, kept).fingerprint
        == BestKernelMechanism(policy, made).fingerprint
    )
    assert kernels.read_kernel(StepLevels(1.0, 0.71)) is None
    (file,) = (tmp_path / "kernels").iterdir()
    file.write_text("{}", encoding="utf-8")
    assert kernels.read_kernel(steps) is None
    assert kernels.kernel_for(steps).bound == made.bound, "it is designed again"
    assert kernels.read_kernel(steps) is not None


def test_a_folder_that_cannot_be_written_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kernels").write_text("no folder", encoding="utf-8")
    monkeypatch.setattr(kernels, "cache_folder", lambda: tmp_path)
    assert kernels.kernel_for(StepLevels(2.0, 2.5)).gap <= 2e-5


@pytest.mark.parametrize(
    ("key", "value", "match"),
    [
        ("format", "another", "not a kernel"),
        ("steps", [1.0, 0.8], "other steps"),
        ("peak_logs", [0.0], "as long as each other"),
        ("peak_rows", [0, 1.5, 0, 1], "whole numbers"),
        ("payer", [10**9], "whole numbers"),
        ("amount", ["1"], "of at most 1,000,000 numbers"),
        ("near", 7, "must be a list"),
        ("peak_logs", [0.0, 99.0, 0.0, 0.0], "at most 4 nats"),
    ],
)
def test_other_texts_are_refused(key: str, value: object, match: str, kernel: Kernel) -> None:
    text = kernels.to_text(kernel)
    with pytest.raises(CaldpError, match=match):
        kernels.from_text(json.dumps(json.loads(text) | {key: value}), StepLevels(*WIDE))


def test_a_file_cannot_claim_a_bound_that_its_flows_do_not_prove(kernel: Kernel) -> None:
    text = kernels.to_text(kernel)
    data = json.loads(text)
    data["amount"] = [2 * amount for amount in data["amount"]]
    assert kernels.from_text(json.dumps(data), StepLevels(*WIDE)).bound < 0.9 * kernel.bound
    with pytest.raises(CaldpError, match="not JSON"):
        kernels.from_text("kernel", StepLevels(*WIDE))
