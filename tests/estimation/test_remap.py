"""The Bayesian remap: no cell of a small map is better, by brute force; another prior is worse."""

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.domain.grid import GridDomain
from caldp_core.estimation.remap import identity_remap, remap
from caldp_core.mechanisms import catalogue
from caldp_core.mechanisms.direct.planar import PlanarGeometricMechanism
from caldp_core.privacy.context import Context
from caldp_core.privacy.distance import EuclideanMetric

MAP = GridDomain(40.0, -75.0, 0.2, 9, 12)
NOISE = PlanarGeometricMechanism(EuclideanMetric(9, 12, 0.5, 0.4))
PEOPLE = np.random.default_rng(1).dirichlet(np.full(MAP.k, 0.1))


def test_no_cell_is_nearer_on_average_than_where_a_report_is_read_to_be() -> None:
    """Against all cells, by the channel written out; the mean of the posterior may be nearer."""
    joint = PEOPLE[:, None] * np.stack([NOISE.law_of(x) for x in range(MAP.k)])
    posterior = joint / joint.sum(axis=0)
    distances = np.stack([MAP.km_from(x) for x in range(MAP.k)])
    best = (distances @ posterior).min(axis=0)
    found = remap(NOISE, PEOPLE, MAP)
    every = np.repeat(np.arange(MAP.k), MAP.k)
    report = np.tile(np.arange(MAP.k), MAP.k)
    km = found.kilometres(every, report).reshape(MAP.k, MAP.k)
    reached = (posterior * km).sum(axis=0)
    assert (reached <= best * (1 + 1e-3)).all()
    assert reached @ joint.sum(axis=0) < 0.9 * (joint * distances).sum()
    wrong = remap(NOISE, PEOPLE[::-1], MAP).kilometres(every, report).reshape(MAP.k, MAP.k)
    assert ((posterior * wrong).sum(axis=0) > best * (1 + 1e-3)).mean() > 0.5


def test_reports_that_are_not_remapped_lie_where_they_say() -> None:
    cells = np.array([0, 5, 107])
    assert identity_remap(MAP).kilometres(cells, cells) == pytest.approx(0.0, abs=1e-9)
    km = identity_remap(MAP).kilometres(np.zeros(3, np.int64), cells)
    assert km == pytest.approx(MAP.km_from(0)[cells])


def test_what_is_no_place_is_refused() -> None:
    lists = catalogue.in_context(Context.plain(MAP.k, 1.0), "galois")
    with pytest.raises(CaldpError, match="reports that are places"):
        remap(lists, PEOPLE, MAP)
    with pytest.raises(CaldpError, match="prior must be 108 shares"):
        remap(NOISE, -PEOPLE, MAP)
