"""Data and protections by name, for pages that compare many of them."""

from dataclasses import dataclass, replace
from typing import Final

from caldp_core.basics.limits import OWN_NAME_MAX
from caldp_core.datasets import (
    Cities,
    DatasetSpec,
    Geometric,
    Gowalla,
    OwnPlaces,
    OwnSurvey,
    OwnTable,
    PermutedGeometric,
    Survey,
    Uniform,
    WebVisits,
    Zipf,
)
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.scenarios.blocks import (
    EvenRuns,
    GridBlocks,
    OneBlock,
    SensitiveAreas,
    SensitiveSpec,
    SensitiveSymbols,
    StateBlocks,
)
from caldp_core.scenarios.policies import ContextPolicy
from caldp_ui.controls.any_map import blocks_of, cells_along, large_blocks_of, largest_town
from caldp_ui.session import visitor_data

DATA: Final[dict[str, DatasetSpec]] = {
    "A few common, many rare values (Zipf)": Zipf(),
    "Uniform, 1,000 values": Uniform(),
    "Geometric, 1,000 values": Geometric(),
    "Geometric, shuffled": PermutedGeometric(),
    "Visits to web pages": WebVisits(),
    "Marriage and affairs": Survey("affairs"),
    "Household income": Survey("income"),
    "Gowalla (reconstructed grid)": Gowalla(),
    "Synthetic cities": Cities(),
}
"""Datasets that ship, by the title that readers see."""
_NEW_YORK: Final = SensitiveAreas(("+40.2,41.4,-74.8,-73.2",))


def data_sets(current: DatasetSpec) -> dict[str, DatasetSpec]:
    """Datasets by title: those that ship, this visit's own, and the one that is `current`."""
    own = [
        spec for each in (*visitor_data.kept_datasets().values(), current) for spec in _tables(each)
    ]
    titled = {**DATA, **{f"{visitor_data.YOURS}{spec.title}": spec for spec in own}}
    return titled if current in titled.values() else {**titled, type(current).__name__: current}


def _tables(spec: DatasetSpec) -> list[OwnTable | OwnPlaces]:
    """A visitor's own data as datasets: each question of a survey, called after both."""
    if isinstance(spec, OwnSurvey):
        return [replace(t, title=_short(f"{spec.title}: {t.title}")) for t in spec.tables()]
    return [spec] if isinstance(spec, OwnTable | OwnPlaces) else []


def _short(title: str) -> str:
    return title[:OWN_NAME_MAX].strip()


@dataclass(frozen=True)
class Choice:
    """A protection: its title for readers, and its policy."""

    title: str
    policy: ContextPolicy


PLAIN: Final = "plain"
NAMES: Final = (PLAIN, "blocks", "more-blocks", "sensitive", "both")
"""Protections by their name in links; what each is depends on the data."""


def protections(domain: Domain | GridDomain) -> dict[str, Choice]:
    """The protections of `NAMES` for these data, all at ε = 1; fewer where k is small."""
    if isinstance(domain, GridDomain):
        others = _on_us_map() if domain == US_GRID else _on_map(domain)
    else:
        others = _on_list(domain.k)
    plain = Choice("Plain LDP", ContextPolicy(OneBlock()))
    return {PLAIN: plain, **dict(zip(NAMES[1:], others, strict=True))}


def _on_us_map() -> tuple[Choice, ...]:
    return (
        Choice("US states", ContextPolicy(StateBlocks())),
        Choice("25 × 35 blocks", ContextPolicy(GridBlocks(25, 35))),
        Choice("New York is sensitive", ContextPolicy(OneBlock(), _NEW_YORK)),
        Choice("New York, in states", ContextPolicy(StateBlocks(), _NEW_YORK)),
    )


def _on_map(domain: GridDomain) -> tuple[Choice, ...]:
    title, large = large_blocks_of(domain)
    town, around = largest_town(domain)
    cells = cells_along(domain)
    return (
        Choice(title, ContextPolicy(large)),
        Choice(f"Blocks of {cells} × {cells} cells", ContextPolicy(blocks_of(domain))),
        Choice(f"{town} is sensitive", ContextPolicy(OneBlock(), around)),
        Choice(f"{town}, in blocks", ContextPolicy(large, around)),
    )


def _on_list(k: int) -> tuple[Choice, ...]:
    few, many, some = min(10, max(k // 2, 1)), min(50, max(k // 2, 1)), max(k // 10, 1)
    last = last_values(k, some)
    return (
        Choice(f"{few} blocks", ContextPolicy(EvenRuns(few))),
        Choice(f"{many} blocks, small ones", ContextPolicy(EvenRuns(many))),
        Choice(f"Last {some} of {k:,} sensitive", ContextPolicy(OneBlock(), last)),
        Choice(f"Last {some}, in {few} blocks", ContextPolicy(EvenRuns(few), last)),
    )


def last_values(k: int, size: int) -> SensitiveSpec:
    """The last `size` of k values are sensitive."""
    return SensitiveSymbols((f"{k - size}-{k - 1}",)) if size else SensitiveSymbols()
