"""A collection on a map: the estimate, and a lower bound on the people in each cell."""

from typing import Final

import numpy as np
from scipy.special import ndtri

from caldp_core.basics.types import Floats
from caldp_core.collect.estimate import Results
from caldp_core.domain.grid import GridDomain
from caldp_ui.maps.ground import home, land
from caldp_ui.results import words
from caldp_ui.results.page_state import STATE
from caldp_ui.stage import (
    Arrangement,
    Ground,
    Picture,
    Scene,
    encode_errors,
    encode_labels,
    encode_mask,
    encode_people,
    encode_rows,
    nobody_below,
    scale_of,
    stage,
)
from caldp_ui.words import formats

_ESTIMATE: Final = "estimate"
_LEAST: Final = "least"
_MARK_WORDS: Final = {
    "blocks": "borders of blocks",
    "sensitive": "protected places",
    "open": "can be read",
    "safe": "protected",
    "box": "your box",
}


def show(results: Results) -> None:
    """Show both maps."""
    stage(scene(results), STATE.key("maps"))


def scene(results: Results) -> Scene:
    """Scene of both maps under one scale; never cached, as the data are a visitor's own."""
    domain = results.protocol.domain
    assert isinstance(domain, GridDomain)
    reports = formats.counted(results.reports, "report", "reports")
    pictures = [_picture(_ESTIMATE, "Estimate", reports, results, results.shares)]
    if results.lower_bounds is not None:
        sure = f"in all cells, {100 * results.level:g} % sure"
        pictures.append(_picture(_LEAST, "At least", sure, results, results.lower_bounds))
    return Scene(
        _ground(results, domain),
        tuple(pictures),
        results.reports,
        (pictures[0].id, pictures[-1].id),
        arrangement=Arrangement((_ESTIMATE, _LEAST)) if len(pictures) > 1 else None,
        mark_words=_MARK_WORDS,
        label="Results of a collection",
        scale=scale_of(results.shares),
        image_name="caldp-collection",
        image_lines=(words.headline(results, is_example=False).sentence,),
    )


def _picture(name: str, title: str, subtitle: str, results: Results, shares: Floats) -> Picture:
    error = certain = None
    if name == _ESTIMATE and results.lower_bounds is not None:
        certain = encode_mask(results.lower_bounds > 0)
    if name == _ESTIMATE:
        half = np.maximum(results.high - results.shares, results.shares - results.low)
        error = encode_errors(half / float(ndtri((1 + results.level) / 2)))
    return Picture(
        name,
        title,
        subtitle,
        f"Map of where people are, {title.lower()}: {subtitle}.",
        encode_people(shares, results.reports),
        nobody_below(results.reports),
        ("blocks", "sensitive"),
        error=error,
        certain=certain,
    )


def _ground(results: Results, domain: GridDomain) -> Ground:
    plan, hidden = results.protocol.plan, results.hidden
    cut = int(plan.blocks.max()) > 0
    return Ground(
        domain,
        home(domain),
        **land(domain),
        labels=encode_labels(plan.blocks) if cut else None,
        names=encode_rows([results.protocol.block_names]) if cut else None,
        sensitive=None if hidden.all() or not hidden.any() else encode_mask(hidden),
        open=None if hidden.all() else encode_mask(~hidden),
    )
