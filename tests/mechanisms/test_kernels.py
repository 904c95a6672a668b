"""The best noise for a distance: what it keeps, how far it lies, its proof and its files."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq, linprog

from caldp_core.audit.mechanisms import audit_mechanism
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats
from caldp_core.estimation.maximum_likelihood import falling_root
from caldp_core.mechanisms import kernels
from caldp_core.mechanisms.direct.planar import PlanarNoise, reduced_epsilons
from caldp_core.mechanisms.kernels import (
    BestKernelMechanism,
    Cells,
    Flows,
    Kernel,
    Peaks,
    Program,
    StepLevels,
    best_kernel,
    design,
    log_envelope,
    mean_distance,
    quadrant_of,
)
from caldp_core.privacy.distance import EuclideanMetric
from tests import ROOT
from tests.channels import exact_audit
from tests.contract import checks
from tests.contract.checks import check_progress
from tests.mechanisms.test_planar import US, least_reserve, planar_displacement

WIDE = (1.0, 0.7)
GOWALLA = (0.445, 0.31)
"""Steps of the paper's map at ε = 1 within 50 km, about."""


@lru_cache
def kernel(row: float | None, column: float | None) -> Kernel:
    return design(StepLevels(row, column))


def best(shape: tuple[int, int], steps: tuple[float, float]) -> BestKernelMechanism:
    policy = EuclideanMetric(*shape, *steps)
    return BestKernelMechanism(policy, kernel(*StepLevels.of(policy).both))


@pytest.mark.parametrize("steps", [(1.0, 0.7), (1.0, 1.0), (0.7, 1.4), (0.445, 0.31), (4.0, 0.3)])
@pytest.mark.parametrize("shape", [(1, 5), (4, 1), (3, 4), (5, 5)])
def test_the_channel_keeps_the_distance(shape: tuple[int, int], steps: tuple[float, float]) -> None:
    mechanism = best(shape, steps)
    checks.check_rows(mechanism)
    checks.check_audit(mechanism)


@st.composite
def any_peaks(draw: st.DrawFn, steps: StepLevels) -> Peaks:
    """Cells of any height that may win somewhere."""
    places = st.integers(0, 3)
    cells = draw(st.lists(st.tuples(places, places), max_size=5))
    rows, columns = (np.array([0, *(c[i] for c in cells)]) for i in (0, 1))
    gains = np.array([0.0, *(draw(st.floats(0.0, 1.5)) for _ in cells)])
    far = np.hypot((steps.row or 0.0) * rows, (steps.column or 0.0) * columns)
    return Peaks(rows, columns, np.where(far > 0, gains - far, 0.0))


@settings(max_examples=40)
@given(st.data(), st.floats(0.2, 3.0), st.floats(0.2, 3.0))
def test_any_peaks_keep_the_distance_and_none_is_below_the_bound(
    data: st.DataObject, a: float, b: float
) -> None:
    steps = StepLevels(a, b)
    peaks = data.draw(any_peaks(steps))
    peaks.check(steps)
    policy = EuclideanMetric(3, 4, a, b)
    mechanism = PlanarNoise(policy, lambda metric: quadrant_of(peaks, metric), "any")
    assert exact_audit(mechanism).holds
    assert mean_distance(peaks, StepLevels(*WIDE)) >= kernel(*WIDE).bound


def every_cone(peaks: Peaks, cells: Cells, steps: tuple[float, float]) -> Floats:
    """log p by definition: all peaks and all their mirror images."""
    a, b = steps
    images = [
        log - np.hypot(cells.x - down * a * row, cells.y - right * b * column)
        for row, column, log in zip(peaks.rows, peaks.columns, peaks.logs, strict=True)
        for down in (-1, 1)
        for right in (-1, 1)
    ]
    return np.asarray(np.max(images, axis=0))


@given(st.data())
def test_wedges_leave_out_no_cone_that_wins(data: st.DataObject) -> None:
    steps = StepLevels(0.9, 0.4)
    peaks = data.draw(any_peaks(steps))
    cells = Cells.within(steps, 12.0)
    found = log_envelope(peaks, peaks.coordinates(0.9, 0.4), (cells.x, cells.y))
    np.testing.assert_allclose(found, every_cone(peaks, cells, (0.9, 0.4)), atol=1e-12)


@pytest.mark.parametrize("steps", [(1.0, 0.7), (1.0, 1.0), GOWALLA])
def test_it_lies_less_far_than_planar_noise_and_is_proved_best(
    steps: tuple[float, float],
) -> None:
    made = kernel(*steps)
    assert made.planar == pytest.approx(planar_displacement(*steps), rel=1e-12)
    assert made.bound <= made.displacement < 0.9995 * made.planar
    assert made.gap <= 2e-5
    assert made.planar_gap == pytest.approx(made.planar / made.bound - 1)
    # Nor does it ask for any privacy in return: the same cones, its own steps.
    assert len(made.peaks.logs) > 3


@pytest.mark.parametrize("steps", [(4.0, 4.0), (2.0, 2.5), (0.3, None), (None, 0.7), (None, None)])
def test_where_planar_noise_is_the_best_it_is_found(
    steps: tuple[float | None, float | None],
) -> None:
    # A mean displacement below one step, or one axis: see docs/mathematics.md.
    made = kernel(*steps)
    assert made.displacement == pytest.approx(made.planar, rel=1e-7)
    assert made.planar_gap <= 1e-7
    if steps == (0.3, None):
        # E|Z| = 2αε/(1 − α²) with α = e^−ε.
        assert made.planar == pytest.approx(0.3 / math.sinh(0.3), rel=1e-12)


def test_along_streets_noise_on_both_axes_is_the_best() -> None:
    # The step distance comes from single steps, so a program of neighbours is all of it. Cells
    # beyond 21 nats are left out, which lets the optimum only be lower.
    a, b, size = 1.2, 0.9, (18, 24)
    row, column = (grid.ravel() for grid in np.indices(size))
    norm = a * row + b * column
    mass = np.exp(-norm) * np.where(row > 0, 2.0, 1.0) * np.where(column > 0, 2.0, 1.0)
    number = np.arange(norm.size).reshape(size)
    pairs = [(number[:-1], number[1:]), (number[:, :-1], number[:, 1:])]
    near, far = (np.concatenate([pair[i].ravel() for pair in pairs]) for i in (0, 1))
    kept = np.zeros((near.size, norm.size))
    kept[np.arange(near.size), near], kept[np.arange(near.size), far] = 1.0, -1.0
    best_one = linprog(mass * norm, kept, np.zeros(near.size), mass[None, :], np.ones(1))
    product = a / math.sinh(a) + b / math.sinh(b)
    assert best_one.fun == pytest.approx(product, rel=1e-7)


def test_on_a_torus_no_mechanism_is_better_than_one_that_moves_all_alike() -> None:
    # 3 × 4 cells: a program of all 144 probabilities, and one of the 12 of a displacement.
    row, column = (grid.ravel() for grid in np.indices((3, 4)))
    down, right = (np.abs(np.subtract.outer(each, each)) for each in (row, column))
    apart = np.hypot(0.8 * np.minimum(down, 3 - down), 0.5 * np.minimum(right, 4 - right))
    k, factor = len(apart), np.exp(-apart)
    pairs = [(x, z) for x in range(k) for z in range(k) if x != z]
    kept = np.zeros((len(pairs) * k, k * k))
    for i, (x, z) in enumerate(pairs):
        rows, reports = np.arange(i * k, (i + 1) * k), np.arange(k)
        kept[rows, x * k + reports] = factor[x, z]
        kept[rows, z * k + reports] = -1.0
    sums = np.kron(np.eye(k), np.ones(k))
    any_one = linprog(apart.ravel() / k, kept, np.zeros(len(kept)), sums, np.ones(k))
    alike = np.zeros((len(pairs), k))
    alike[np.arange(len(pairs)), [x for x, _ in pairs]] = [factor[pair] for pair in pairs]
    alike[np.arange(len(pairs)), [z for _, z in pairs]] -= 1.0
    moved = linprog(apart[0], alike, np.zeros(len(pairs)), np.ones((1, k)), np.ones(1))
    assert any_one.fun == pytest.approx(moved.fun, rel=1e-9)


@pytest.mark.parametrize(
    ("row", "width"),
    [("square cells", 1.0), ("cells 0.7 as wide", 0.7), ("cells 0.4 as wide", 0.4)],
)
def test_the_documented_gaps_of_planar_noise_are_the_proved_ones(row: str, width: float) -> None:
    text = (ROOT / "docs" / "mathematics.md").read_text(encoding="utf-8")
    lines = {line.split("|")[1].strip(): line.split("|")[2:-1] for line in text.splitlines()
             if line.startswith("|")}  # fmt: skip
    gaps = lines[f"planar noise, {row}"]
    for step, value in list(zip(lines["nats a step, south–north"], gaps, strict=True))[5:]:
        high = 100 * kernel(float(step), width * float(step)).planar_gap
        assert high - 1e-3 < float(value) < high + 1.01e-3


def left_of_everybody(flows: Flows, steps: StepLevels, level: float, reach: float) -> Floats:
    """What every cell has left, by definition and cell by cell: none may be below 0.

    Of Σ p(z)·times·(|z| − λ) plus multipliers F of e^{−|z − z′|}·p(z) ≤ p(z′).
    """
    cells = Cells.within(steps, reach)
    left = cells.times * (cells.norm - level)
    for near, payer, amount in zip(flows.near, flows.payer, flows.amount, strict=True):
        multiplier = amount * math.exp(cells.norm[payer])
        apart = math.hypot(cells.x[near] - cells.x[payer], cells.y[near] - cells.y[payer])
        left[near] += multiplier * math.exp(-apart)
        left[payer] -= multiplier
    return np.asarray(left * np.exp(-cells.norm))


def test_the_flows_prove_the_bound() -> None:
    made = kernel(*WIDE)
    assert made.bound > 1.9
    # These steps need no cell that stands for others, so the window is all there is.
    assert Program.of(made.steps).cells.norm[-1] > 23
    left = left_of_everybody(made.flows, made.steps, made.bound, 24.0)
    assert left.min() >= 0
    higher = left_of_everybody(made.flows, made.steps, made.bound * (1 + 1e-6), 24.0)
    assert higher.min() < 0, "the bound is as high as these flows allow"


def test_flows_that_prove_less_are_seen_through() -> None:
    made = kernel(*GOWALLA)
    program = Program.of(made.steps)
    flows = made.flows
    assert program.bound(flows) == made.bound
    for share in (0.0, 0.99, 1.01, 2.0):
        assert program.bound(Flows(flows.near, flows.payer, share * flows.amount)) < made.bound
    swapped = Flows(flows.near, np.roll(flows.payer, 1), flows.amount)
    assert program.bound(swapped) < made.bound
    assert program.bound(Flows(flows.near, flows.payer, -flows.amount)) == 0.0


def test_cells_that_stand_for_far_ones_count_no_more_than_these() -> None:
    # The program's least displacement of a kernel is never above its true one.
    steps = StepLevels(0.2, 0.14)
    program = Program.of(steps)
    assert program.cells.norm[-1] < 12, "far cells stand with near ones here"
    for peaks in (Peaks.planar(), kernel(*GOWALLA).peaks):
        logs = log_envelope(peaks, peaks.coordinates(0.2, 0.14), (program.cells.x, program.cells.y))
        q = np.exp(logs + program.cells.norm)
        low = float(program.cost @ q / (program.mass @ q))
        assert 0.999 * mean_distance(peaks, steps) < low <= mean_distance(peaks, steps)


def test_a_person_amid_a_large_map_is_displaced_as_told() -> None:
    mechanism = best(US, GOWALLA)
    middle = US[0] // 2 * US[1] + US[1] // 2
    law = mechanism.law_of(middle)
    distances = mechanism.policy.between(np.full(mechanism.k, middle), np.arange(mechanism.k))
    assert float(law @ distances) == pytest.approx(mechanism.kernel.displacement, rel=1e-8)


def test_a_large_map_keeps_the_distance() -> None:
    mechanism = best(US, GOWALLA)
    assert 0 < least_reserve(mechanism) < 2e-11
    assert audit_mechanism(mechanism).holds
    wrong = best(US, GOWALLA)
    wrong._quadrant = cut(wrong)
    assert least_reserve(wrong) < 0


def cut(mechanism: BestKernelMechanism) -> Floats:
    """Weights without the tails beyond the map."""
    policy = mechanism.policy
    a, b = reduced_epsilons(policy)
    peaks = mechanism.kernel.peaks
    x, y = np.meshgrid(a * np.arange(policy.rows), b * np.arange(policy.columns), indexing="ij")
    return np.exp(log_envelope(peaks, peaks.coordinates(a, b), (x.ravel(), y.ravel()))).reshape(
        x.shape
    )


def bold(mechanism: BestKernelMechanism) -> Floats:
    """The same peaks with 5 % longer steps."""
    p = mechanism.policy
    longer = replace(p, epsilon_row=1.05 * p.epsilon_row, epsilon_column=1.05 * p.epsilon_column)
    return quadrant_of(mechanism.kernel.peaks, longer)


def higher(mechanism: BestKernelMechanism) -> Floats:
    """Cell 0 alone 1 % likelier than its cone says, as a solver's rounding could leave it."""
    weights = quadrant_of(mechanism.kernel.peaks, mechanism.policy)
    weights[0, 0] *= 1.01
    return weights


@pytest.mark.parametrize("wrong", [cut, bold, higher])
def test_wrong_noise_is_found_by_the_audit(wrong: Callable[[BestKernelMechanism], Floats]) -> None:
    mechanism = best((3, 4), WIDE)
    assert exact_audit(mechanism).holds
    mechanism._quadrant = wrong(mechanism)
    assert not exact_audit(mechanism).holds


def test_what_is_refused() -> None:
    with pytest.raises(CaldpError, match="planar geometric noise is as good"):
        design(StepLevels(0.01, 0.01))
    with pytest.raises(CaldpError, match="designed for steps"):
        BestKernelMechanism(EuclideanMetric(3, 3, 1.0, 1.0), kernel(*WIDE))
    with pytest.raises(CaldpError, match="terms with its tails"):
        quadrant_of(Peaks.planar(), EuclideanMetric(1000, 1000, 0.05, 0.05))
    with pytest.raises(CaldpError, match="about 31,416"):
        best_kernel(EuclideanMetric(2, 2, 0.01, 0.01))
    with pytest.raises(CaldpError, match="begin with cell 0"):
        Peaks(np.array([0, 1]), np.array([0, 0]), np.array([0.0, 9.0])).check(StepLevels(1.0, 1.0))


def test_it_can_be_watched_and_cancelled() -> None:
    assert check_progress(lambda progress: design(StepLevels(*WIDE), progress))[-1] == 1.0


@pytest.fixture(scope="module")
def written_kernel() -> Kernel:
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
def test_other_texts_are_refused(
    key: str, value: object, match: str, written_kernel: Kernel
) -> None:
    text = kernels.to_text(written_kernel)
    with pytest.raises(CaldpError, match=match):
        kernels.from_text(json.dumps(json.loads(text) | {key: value}), StepLevels(*WIDE))


def test_a_file_cannot_claim_a_bound_that_its_flows_do_not_prove(written_kernel: Kernel) -> None:
    text = kernels.to_text(written_kernel)
    data = json.loads(text)
    data["amount"] = [2 * amount for amount in data["amount"]]
    assert kernels.from_text(json.dumps(data), StepLevels(*WIDE)).bound < 0.9 * written_kernel.bound
    with pytest.raises(CaldpError, match="not JSON"):
        kernels.from_text("kernel", StepLevels(*WIDE))


@pytest.mark.parametrize("start", [-9.0, 0.0, 0.3, 9.0])
def test_roots_of_many_curves_at_once(start: float) -> None:
    curves: list[tuple[Callable[[float], float], Callable[[float], float]]] = [
        (lambda x: 0.7 - x, lambda x: -1.0),
        (lambda x: np.exp(-50 * x) - 1e-3, lambda x: -50 * np.exp(-50 * x)),
        (lambda x: -np.arctan(40 * (x - 0.9)), lambda x: -40 / (1 + 1600 * (x - 0.9) ** 2)),
        (lambda x: max(0.25 - x, 0.0) - 1e-4 * x, lambda x: -float(x < 0.25) - 1e-4),
        (lambda x: 0.1 - x**9, lambda x: -9 * x**8),
        (lambda x: 0.2 - np.cbrt(x - 0.5), lambda x: -np.inf),
    ]

    def curve(x: Floats) -> tuple[Floats, Floats]:
        pairs = list(zip(curves, x, strict=True))
        return np.array([f(at) for (f, _), at in pairs]), np.array([g(at) for (_, g), at in pairs])

    m = len(curves)
    found = falling_root(curve, np.zeros(m), np.ones(m), np.full(m, start), np.zeros(m))
    awaited = [brentq(f, 0, 1, xtol=1e-15) for f, _ in curves]
    np.testing.assert_allclose(found, awaited, rtol=1e-12, atol=1e-12)
