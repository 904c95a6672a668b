"""Map pictures: the PNG holds each cell's colour number, where the axes say, at a small price."""

import base64
import io
import json

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from caldp_core.basics.types import Floats, Ints
from caldp_core.datasets import Gowalla
from caldp_core.domain.grid import US_GRID, Area, GridDomain
from caldp_core.domain.partitions import grid_blocks, whole
from caldp_core.scenarios.protection import SensitiveAreas, SensitiveInhabited, SensitiveSpec
from caldp_ui.app.theme import CIVIDIS, LIGHT
from caldp_ui.places import maps

SMALL = GridDomain(south=10.0, west=-20.0, cell=0.5, rows=4, columns=6)
BYTES_MAX = 150_000
SHARES = st.floats(-1.0, 2.0, allow_nan=False)


def decoded(uri: str) -> Image.Image:
    head, data = uri.split(",", 1)
    assert head == "data:image/png;base64"
    return Image.open(io.BytesIO(base64.b64decode(data)))


THREE_BOXES = SensitiveAreas(("+40,41,-75,-73", "+b41.4,42.4,-88.4,-87.2", "-40.2,40.4,-74,-73"))


def full_figure(shares: Floats, spec: SensitiveSpec = THREE_BOXES) -> go.Figure:
    """A map with all the layers of the page."""
    parts = grid_blocks(US_GRID, 25, 35)
    sensitive = spec.build(US_GRID, parts)
    layers = [
        *maps.outline_layer(US_GRID),
        *maps.block_layer(parts, US_GRID),
        *maps.sensitive_layer(sensitive, US_GRID),
        *maps.region_layer(Area(40, 41, -75, -73)),
        maps.marker_layer(parts, US_GRID, shares, shares),
    ]
    return maps.map_figure(shares, US_GRID, layers)


@given(SHARES)
def test_level_of_one_share(share: float) -> None:
    level = int(maps.levels(np.array([share]))[0])
    if share <= 0:
        assert level == 0
    elif share <= maps.SHARE_LOW:
        assert level == 1
    elif share >= maps.SHARE_HIGH:
        assert level == 255
    else:
        exact = 1 + 254 * np.log10(share / maps.SHARE_LOW) / np.log10(
            maps.SHARE_HIGH / maps.SHARE_LOW
        )
        assert abs(level - exact) <= 0.5 + 1e-9


def test_levels_grow_with_the_share() -> None:
    shares = np.geomspace(maps.SHARE_LOW / 3, maps.SHARE_HIGH * 3, 4000)
    level = maps.levels(shares).astype(int)
    assert (np.diff(level) >= 0).all()
    assert set(level) == set(range(1, 256))


def test_less_than_half_a_person_is_nobody() -> None:
    """Where the rest of the noise is spread evenly, hundredths of a person fill the whole sea."""
    n, spread = 3_671_812, 7e-10
    for people, seen in ((0.003, False), (0.4, False), (0.6, True), (1.0, True), (40.0, True)):
        level = maps.levels(np.array([people / n]), maps.nobody_below(n))
        assert bool(level[0]) == seen
    shares = np.full(SMALL.k, spread)
    shares[5] = 1 - shares.sum()
    figure = maps.map_figure(shares, SMALL, [], maps.nobody_below(n))
    (inhabited,) = np.flatnonzero(np.asarray(decoded(figure.data[0].source)))
    assert inhabited == 5


def test_few_people_do_not_empty_what_the_scale_can_tell() -> None:
    shares = np.geomspace(maps.SHARE_LOW, maps.SHARE_HIGH, 50)
    assert maps.levels(shares, maps.nobody_below(1_000)).all()  # half a person is 5 in 10,000


@pytest.mark.parametrize("domain", [SMALL, US_GRID], ids=["24 cells", "43,750 cells"])
def test_picture_holds_every_cell_s_level_from_the_south(domain: GridDomain) -> None:
    shares = 10.0 ** np.random.default_rng(3).uniform(-7, -1, domain.k)
    shares[::5] = 0.0
    image = decoded(maps.picture(shares, domain))
    assert image.mode == "P"
    assert image.size == (domain.columns, domain.rows)
    index = np.asarray(image)
    np.testing.assert_array_equal(index.ravel(), maps.levels(shares))


def test_picture_s_colours_are_cividis_and_nobody_is_transparent() -> None:
    shares = np.geomspace(1e-6, 1e-2, SMALL.k)
    shares[3] = 0.0
    shares[7] = -0.1
    colour = np.asarray(decoded(maps.picture(shares, SMALL)).convert("RGBA")).reshape(-1, 4)
    seen = shares > 0
    assert (colour[~seen, 3] == 0).all()
    assert (colour[seen, 3] == 255).all()
    np.testing.assert_array_equal(colour[seen, :3], CIVIDIS[maps.levels(shares)[seen]])


def test_pixels_lie_on_their_cells() -> None:
    figure = maps.map_figure(np.full(SMALL.k, 0.01), SMALL, [])
    image = figure.data[0]
    np.testing.assert_allclose(
        image.x0 + image.dx * np.arange(SMALL.columns), SMALL.longitudes(), atol=1e-9
    )
    np.testing.assert_allclose(
        image.y0 + image.dy * np.arange(SMALL.rows), SMALL.latitudes(), atol=1e-9
    )
    low, high = figure.layout.yaxis.range
    assert (low, high) == (SMALL.area.south, SMALL.area.north)  # upwards is north
    assert tuple(figure.layout.xaxis.range) == (SMALL.area.west, SMALL.area.east)


def test_dragging_selects_and_nothing_comes_from_elsewhere() -> None:
    figure = full_figure(Gowalla().load().distribution)
    assert figure.layout.dragmode == "select"
    text = figure.to_json()
    assert "http" not in text
    assert {trace.type for trace in figure.data} <= {"image", "scatter"}


NOISE = np.random.default_rng(1)
KINDS = {
    "truth": Gowalla().load().distribution,
    "noise over all colours": 10.0 ** NOISE.uniform(-6, -2, US_GRID.k),
    "half noise, half nobody": NOISE.normal(0, 1e-3, US_GRID.k),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_map_as_sent_is_small(kind: str) -> None:
    assert len(full_figure(KINDS[kind]).to_json()) <= BYTES_MAX


def test_a_map_with_a_scattered_sensitive_set_is_small() -> None:
    figure = full_figure(KINDS["truth"], SensitiveInhabited(1, 5_000))
    assert len(figure.to_json()) <= BYTES_MAX


def test_finest_blocks_and_scattered_areas_as_sent_are_small() -> None:
    shares = KINDS["noise over all colours"]
    parts = grid_blocks(US_GRID, 125, 350)
    layers = [
        *maps.outline_layer(US_GRID),
        *maps.block_layer(parts, US_GRID),
        maps.marker_layer(parts, US_GRID, shares, shares),
    ]
    assert len(maps.map_figure(shares, US_GRID, layers).to_json()) <= BYTES_MAX


def test_markers_say_what_their_blocks_hold() -> None:
    parts = grid_blocks(SMALL, 2, 3)
    truth = np.arange(1.0, SMALL.k + 1) / np.arange(1.0, SMALL.k + 1).sum()
    estimate = truth[::-1].copy()
    layer = maps.marker_layer(parts, SMALL, truth, estimate)
    assert list(layer.text) == list(parts.names)
    for block in range(parts.m):
        cells = np.flatnonzero(parts.labels == block)
        row, column = np.divmod(cells, SMALL.columns)
        assert layer.x[block] == pytest.approx(SMALL.longitudes()[column].mean())
        assert layer.y[block] == pytest.approx(SMALL.latitudes()[row].mean())
        held = [100 * truth[cells].sum(), 100 * estimate[cells].sum()]
        assert list(layer.customdata[block]) == pytest.approx(held, rel=1e-5)


def test_layers_appear_only_where_there_is_something_to_show() -> None:
    everything, nothing = np.ones(SMALL.k, np.bool_), np.zeros(SMALL.k, np.bool_)
    assert maps.sensitive_layer(everything, SMALL) == []
    assert maps.sensitive_layer(nothing, SMALL) == []
    assert len(maps.sensitive_layer(SMALL.inside(Area(10, 11, -20, -19)), SMALL)) == 1
    assert maps.block_layer(whole(SMALL), SMALL) == []
    assert maps.region_layer(None) == []
    assert maps.outline_layer(SMALL) == []
    assert len(maps.outline_layer(US_GRID)) == 1


def test_region_is_drawn_where_it_is() -> None:
    (line,) = maps.region_layer(Area(40, 41, -75, -73))
    corners = set(zip(line.x.tolist(), line.y.tolist(), strict=True))
    assert corners == {(-75, 40), (-73, 40), (-73, 41), (-75, 41)}
    assert (line.x[0], line.y[0]) == (line.x[-1], line.y[-1])


def test_legend_shows_the_colours_of_the_maps() -> None:
    figure = maps.legend(LIGHT)
    strip = figure.data[0]
    colours: Ints = np.asarray(strip.z)[0]
    middles = 10.0 ** (strip.x0 + strip.dx * np.arange(colours.shape[0]))
    index = maps.levels(middles).astype(int)
    shown = CIVIDIS[index].astype(int)
    assert np.abs(shown - colours.astype(int)).max() <= 3  # one step of colour at the most
    ticks = json.loads(figure.to_json())["layout"]["xaxis"]
    assert len(ticks["ticktext"]) == len(figure.layout.xaxis.tickvals)
