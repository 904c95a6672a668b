"""Ready examples: real tables, small and large, and choices for their larger cells."""

from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from caldp_core.datasets import DatasetSpec, Gowalla, InfantDeaths, Survey
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.scenarios.best import Best
from caldp_core.scenarios.blocks import (
    BlocksSpec,
    EvenRuns,
    EverythingSensitive,
    GridBlocks,
    GroupBlocks,
    OneBlock,
    StateBlocks,
)
from caldp_core.scenarios.policies import ContextPolicy
from caldp_ui.coarser.page_state import (
    CENSUS_BLOCK,
    PARTS,
    STATE,
    TABLES,
    TWO_PLACES,
    Publication,
    with_data,
)


@dataclass(frozen=True)
class Example:
    """A title, the data, and the attack that it opens with."""

    title: str
    data: DatasetSpec
    attack: str

    def apply(self, record: Publication) -> Publication:
        """The record with these data, at the attack's first move."""
        changed = record if record.scenario.dataset == self.data else with_data(record, self.data)
        return replace(
            changed.with_attack(self.attack), moves=1 if self.attack == TWO_PLACES else 0
        )

    def fits(self, record: Publication) -> bool:
        """Whether the record shows the example; by the attack alone where that has no data."""
        if {record.attack, self.attack} & {CENSUS_BLOCK, TABLES}:
            return record.attack == self.attack
        return record.scenario.dataset == self.data


EXAMPLES: Final = (
    Example("Check-ins in the United States", Gowalla(), TWO_PLACES),
    Example("Infant deaths in North Carolina", InfantDeaths(), PARTS),
    Example("A census block of seven people", InfantDeaths(), CENSUS_BLOCK),
    Example("Many tables, everybody's answer", Gowalla(), TABLES),
    Example("Marriage and affairs", Survey("affairs"), TWO_PLACES),
)


def show_menu(record: Publication) -> None:
    """The menu of examples."""
    titles = {each.title: each for each in EXAMPLES}
    now = next((each.title for each in EXAMPLES if each.fits(record)), None)
    st.selectbox(
        "Example",
        list(titles),
        placeholder="your own",
        label_visibility="collapsed",
        **STATE.bind("preset", now, lambda r, title: titles[title].apply(r)),
    )


def block_choices(domain: Domain | GridDomain) -> dict[str, BlocksSpec]:
    """Choices for the larger cells, by title."""
    if not isinstance(domain, GridDomain):
        groups = {"groups of the table": GroupBlocks()} if domain.groups else {}
        fewer = {n: EvenRuns(n) for n in (2, 5, 10, 20, 50) if 2 * n <= domain.k}
        even = {f"{n} runs of values": spec for n, spec in fewer.items()}
        return {**groups, **even, "all in one": OneBlock()}
    choices: dict[str, BlocksSpec] = {}
    for rows, columns in ((1, 2), (2, 5), (5, 10), (12, 25), (25, 35)):
        if domain.rows % rows == 0 and domain.columns % columns == 0:
            size = f"{rows * domain.cell:.3g}° × {columns * domain.cell:.3g}°"
            choices[size] = GridBlocks(domain.rows // rows, domain.columns // columns)
    return {**choices, **({"US states": StateBlocks()} if domain == US_GRID else {})}


def with_blocks(record: Publication, blocks: BlocksSpec) -> Publication:
    """The record with other larger cells."""
    policy = ContextPolicy(blocks, EverythingSensitive(), record.scenario.policy.plain_epsilon)
    return replace(record, scenario=replace(record.scenario, policy=policy, mechanism=Best()))
