"""A seed that people's data share with caldp does no harm: caldp draws other numbers from it."""

import ast
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import norm

from caldp_core.audit.pairwise import audit_sampler, sampler_of
from caldp_core.basics.errors import CaldpError
from caldp_core.basics.types import Floats, Ints, Seed
from caldp_core.experiments.run import draw_people, prepare, run
from caldp_core.lecture import counts as lecture
from caldp_core.lecture import daily
from caldp_core.mechanisms import FAMILIES, Mechanism, randomness
from caldp_core.mechanisms.catalogue import in_context, mechanism
from caldp_core.mechanisms.randomness import generator, generators, seed_sequence
from caldp_core.privacy.context import Context, PrivacyMatrix
from caldp_core.privacy.distance import EuclideanMetric, GridMetric
from caldp_core.privacy.matrix import BinaryPolicy, DenseMatrix
from caldp_core.scenarios.scenario import Scenario
from caldp_core.theory.expected_error import variance_given_people
from caldp_core.treatments.release import CentralTable, Rounding
from tests import ROOT
from tests.contract.checks import naming
from tests.stats import SIGNIFICANCE

PEOPLE: Final = 20_000
SEEDS: Final = (1, 42, 2**40)
SIZES: Final = (2, 5)


def shares(k: int) -> Floats:
    weights = 1.0 / np.arange(1, k + 1)
    return np.asarray(weights / weights.sum())


def by_inversion(uniform: NDArray[Any], k: int) -> Ints:
    return np.searchsorted(np.cumsum(shares(k))[:-1], uniform)


def one_column(rng: np.random.Generator, k: int, columns: int, column: int) -> Ints:
    """A column of a table whose columns are drawn one after the other."""
    return by_inversion(rng.random((columns, PEOPLE))[column], k)


def one_entry(rng: np.random.Generator, k: int, columns: int, column: int) -> Ints:
    """A column of a table whose rows are drawn one after the other."""
    return by_inversion(rng.random((PEOPLE, columns))[:, column], k)


def shuffled(rng: np.random.Generator, k: int) -> Ints:
    answers = np.arange(PEOPLE) % k
    rng.shuffle(answers)
    return answers


WAYS: Final[dict[str, Callable[[np.random.Generator, int], NDArray[Any]]]] = {
    "random() < p": lambda rng, k: (rng.random(PEOPLE) < 0.3).astype(np.int64),
    "random(), inverted": lambda rng, k: by_inversion(rng.random(PEOPLE), k),
    "random(), 32 bits": lambda rng, k: by_inversion(rng.random(PEOPLE, dtype=np.float32), k),
    "choice with p": lambda rng, k: rng.choice(k, PEOPLE, p=shares(k)),
    "choice": lambda rng, k: rng.choice(k, PEOPLE),
    "integers": lambda rng, k: rng.integers(0, k, PEOPLE),
    "integers of 64 bits": lambda rng, k: rng.integers(0, 2**64, PEOPLE, np.uint64) // (2**64 // k),
    "multinomial": lambda rng, k: np.repeat(np.arange(k), rng.multinomial(PEOPLE, shares(k))),
    "permutation": lambda rng, k: rng.permutation(np.arange(PEOPLE) % k),
    "shuffle": shuffled,
    "binomial": lambda rng, k: rng.binomial(k - 1, 0.3, PEOPLE),
    "geometric": lambda rng, k: rng.geometric(0.5, PEOPLE) - 1,
    "Poisson": lambda rng, k: rng.poisson(1.0, PEOPLE),
    "Zipf": lambda rng, k: rng.zipf(2.0, PEOPLE) - 1,
    "normal": lambda rng, k: np.rint(rng.normal(k / 2, 1.0, PEOPLE)),
    "exponential": lambda rng, k: rng.exponential(1.0, PEOPLE),
    "second column": lambda rng, k: one_column(rng, k, 9, 1),
    "fifth column": lambda rng, k: one_column(rng, k, 9, 4),
    "second entry": lambda rng, k: one_entry(rng, k, 5, 1),
    "spawned": lambda rng, k: by_inversion(rng.spawn(1)[0].random(PEOPLE), k),
}
"""Usual ways to draw answers in [0, k); what is outside is cut to the ends."""
LIMIT: Final = float(
    norm.isf(SIGNIFICANCE / 2 / (len(FAMILIES) * len(WAYS) * len(SEEDS) * sum(SIZES)))
)
"""Standard scores above it, 6.4, fail: a right mechanism has one with probability 1e-6 in all.
With a shared stream those of the families below are 25 or more."""


def largest_score(made: Mechanism, answers: NDArray[Any], rng: Seed) -> float:
    """Largest standard score of the estimates, over the coins alone."""
    x = np.clip(answers, 0, made.k - 1).astype(np.int64)
    truth = np.bincount(x, minlength=made.k) / x.size
    off = made.estimate(made.tally(made.privatize(x, rng))) - truth
    return float(np.abs(off / np.sqrt(variance_given_people(made, truth, x.size))).max())


@pytest.mark.parametrize("family", FAMILIES)
def test_data_and_coins_of_one_seed_are_independent(family: str) -> None:
    for k in SIZES:
        made = in_context(Context.plain(k, 1.0), family)
        for seed in SEEDS:
            for way, draw in WAYS.items():
                with naming(f"{way}, k = {k}, seed {seed}"):
                    answers = draw(np.random.default_rng(seed), k)
                    assert largest_score(made, answers, seed) < LIMIT


WRONG: Final = {
    "hadamard": "random() < p",
    "randomized-response": "random() < p",
    "subset-selection": "random() < p",
    "local-hashing": "fifth column",
    "galois": "second column",
}
"""A way to draw data by which each was wrong when a seed was `default_rng`'s. RAPPOR and OUE, which
use each word of random bits for 64 coins, were right for all ways above."""


@pytest.mark.parametrize("family", WRONG)
def test_a_shared_stream_is_found(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(randomness, "seed_sequence", np.random.SeedSequence)
    made = in_context(Context.plain(2, 1.0), family)
    answers = WAYS[WRONG[family]](np.random.default_rng(1), 2)
    assert largest_score(made, answers, 1) > 3 * LIMIT


def test_the_published_example_is_right() -> None:
    """Thirty of a hundred people, ε = 1, one seed: the estimate was 0.002 (Hadamard 0.652)."""
    answers = (np.random.default_rng(1).random(100_000) < 0.3).astype(np.int64)
    for family in ("randomized-response", "hadamard"):
        made = in_context(Context.plain(2, 1.0), family)
        estimate = made.estimate(made.tally(made.privatize(answers, 1)))
        assert estimate[1] == pytest.approx(0.3, abs=0.025)  # seven standard errors


def test_runs_draw_other_people_than_the_seed_s_children() -> None:
    setup = prepare(Scenario(n=1_000, trials=1))
    result = run(setup)
    who, coins = generators(seed_sequence(1).spawn(1)[0], 2)
    assert (result.first.people == draw_people(setup, who)).all()
    tally = setup.mechanism.sample_tally(result.first.people, coins)
    assert (result.first.evidence.tally.counts == tally.counts).all()
    same, _ = np.random.SeedSequence(1).spawn(1)[0].spawn(2)
    assert (result.first.people != draw_people(setup, np.random.default_rng(same))).any()


POLICIES: Final[list[tuple[PrivacyMatrix, str]]] = [
    (BinaryPolicy(1.0, 0.5), "binary"),
    (Context.plain(5, 1.0), "square-wave"),
    (GridMetric(2, 3, 0.7, 0.4), "grid-geometric"),
    (EuclideanMetric(2, 3, 0.7, 0.4), "planar-geometric"),
    (EuclideanMetric(2, 3, 0.7, 0.4), "best-kernel"),
    (DenseMatrix.of([[0.0, 1, 2], [0.5, 0, 1], [1.0, 1, 0]]), "designed"),
]


@pytest.mark.parametrize(("policy", "name"), POLICIES, ids=[name for _, name in POLICIES])
def test_mechanisms_of_other_policies_draw_apart_from_the_data(
    policy: PrivacyMatrix, name: Any
) -> None:
    made = mechanism(policy, name)
    for way, draw in WAYS.items():
        with naming(way):
            assert largest_score(made, draw(np.random.default_rng(1), made.k), 1) < LIMIT


def test_each_seed_and_purpose_has_its_own_stream() -> None:
    """Large seeds are not small ones with a purpose; none is NumPy's own of these numbers."""
    sequences = [seed_sequence(*key) for key in ((1,), (1, 0), (1, 1), (2**32 + 1,), (0, 1), (0,))]
    sequences += [np.random.SeedSequence(entropy) for entropy in (0, 1, 2**32 + 1)]
    states = {tuple(sequence.generate_state(4).tolist()) for sequence in sequences}
    assert len(states) == len(sequences)


def test_a_generator_stays_as_it_is() -> None:
    rng = np.random.default_rng(5)
    assert generator(rng) is rng


@pytest.mark.parametrize("seed", [-1, 2**63, 0.5, "1", None, True])
def test_other_seeds_are_refused(seed: Any) -> None:
    with pytest.raises(CaldpError, match="The seed must be a whole number"):
        generator(seed)


_PLAIN: Final = in_context(Context.plain(4, 1.0), "hadamard")
_COUNTS: Final = np.array([500, 300, 100, 100])
_HASHES: Final = lecture.Hashes.random(4, 8, 4, 1)
_RAPPOR: Final = daily.RapporCollector(daily.LastingRappor(32, 2, 2.0), list("abcd"), 4)
DRAWS: Final[dict[str, Callable[[Seed], Any]]] = {
    "privatize": lambda rng: _PLAIN.privatize(np.arange(400) % 4, rng),
    "sample_tally": lambda rng: _PLAIN.sample_tally(_COUNTS, rng).counts,
    "audit": lambda rng: audit_sampler(sampler_of(_PLAIN), 0, 1, 20_000, rng).hits_x,
    "geometric noise": lambda rng: lecture.GeometricNoise(0.1).draw((50,), rng),
    "central count": lambda rng: lecture.CentralCount(1000, 0.1).publish(500, 50, rng),
    "noisy max": lambda rng: lecture.NoisyMax(4, 0.01).choose(_COUNTS, 200, rng),
    "one-hot": lambda rng: lecture.OneHotResponse(4, 1.0).sample_tally(_COUNTS, rng, 20),
    "bits": lambda rng: lecture.BitwiseResponse(4, 1.0).sample_tally(_COUNTS, rng, 20),
    "hashes": lambda rng: lecture.Hashes.random(100, 2, 16, rng).cells,
    "mean sketch": lambda rng: lecture.CountMeanSketch(_HASHES, 1.0).sample_tally(_COUNTS, rng)[0],
    "sketch": lambda rng: lecture.HadamardSketch(_HASHES, 1.0).sample_tally(_COUNTS, rng)[0],
    "RAPPOR": lambda rng: _RAPPOR.sample_tally(_COUNTS, rng)[0],
    "one-bit mean": lambda rng: daily.OneBitMean(3, 1.0).sample_ones(10**9 * _COUNTS, rng),
    "central table": lambda rng: CentralTable(0.01).draw(_COUNTS, rng),
    "rounding": lambda rng: Rounding(7).draw(np.arange(1000), rng),
}
"""What draws by a seed or a generator, where one seed and another hardly ever give the same."""


@pytest.mark.parametrize("name", DRAWS)
def test_whatever_takes_a_seed_draws_by_caldp_s_own_stream(name: str) -> None:
    draw = DRAWS[name]
    own = np.asarray(draw(3))
    assert np.array_equal(own, draw(generator(3)))
    assert not np.array_equal(own, draw(np.random.default_rng(3)))


ELSEWHERE: Final = {
    # The starts of searches for good channels, by a constant: no coins.
    "caldp_core/mechanisms/designed/relaxation.py",
    "caldp_core/mechanisms/designed/design.py",
    "caldp_core/mechanisms/designed/columns.py",
    # Made-up data, for which the noise is drawn.
    "caldp_core/datasets/shipped.py",
    "caldp_ui/maps/scene.py",
}
"""The only files that make generators by themselves."""


def test_every_other_generator_comes_from_this_one_place() -> None:
    makers = set()
    for folder in ("caldp_core", "caldp_ui", "pages"):
        for path in (ROOT / folder).rglob("*.py"):
            if makes_generators(path.read_text()):
                makers.add(path.relative_to(ROOT).as_posix())
    assert makers == {"caldp_core/mechanisms/randomness.py", *ELSEWHERE}


def makes_generators(source: str) -> bool:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(attr="default_rng" | "SeedSequence")):
                return True
    return False


def test_a_generator_made_elsewhere_is_found() -> None:
    assert makes_generators("rng = np.random.default_rng(scenario.seed)")
    assert makes_generators("root = np.random.SeedSequence([scenario.seed, 7])")
    assert not makes_generators("rng = generator(scenario.seed)")
    assert not makes_generators("def trial(seeds: np.random.SeedSequence) -> None: ...")
