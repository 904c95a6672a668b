"""Survey tables: what is shipped is what was printed, and names and groups fit the values."""

import numpy as np
import pytest

from caldp_core.basics.errors import CaldpError
from caldp_core.datasets import SURVEYS, Survey, WebVisits
from caldp_core.domain.answers import Domain
from caldp_core.domain.grid import US_GRID, GridDomain
from caldp_core.scenarios.blocks import GroupBlocks, SymbolBlocks

# People, answers and the people of one group, as the sources print them.
PRINTED = {
    "affairs": (6_366, 10, "had an affair", 2_053),
    "income": (117_183, 44, "$150k or more", 5_250 + 2_001 + 2_476),
    "vote": (944, 14, "will vote for Dole", 393),
    "substances": (2_276, 8, "marijuana too", 960),
}


def test_every_table_is_told_and_tested() -> None:
    assert set(PRINTED) == set(SURVEYS)


@pytest.mark.parametrize("table", PRINTED)
def test_a_table_has_the_numbers_that_its_source_prints(table: str) -> None:
    people, answers, group, of_group = PRINTED[table]
    data = Survey(table).load()
    assert isinstance(data.domain, Domain)
    assert data.counts is not None
    assert (data.n, data.domain.k) == (people, answers)
    inside = np.array(data.domain.groups) == group
    assert data.counts[inside].sum() == of_group
    assert set(SURVEYS[table].sensitive) <= set(data.domain.groups)
    assert inside.any()
    assert not inside.all()


def test_a_table_that_is_not_there_is_named() -> None:
    with pytest.raises(CaldpError, match=r"table must be one of affairs, income, .* got 'wages'"):
        Survey("wages")


def test_web_pages_have_names_topics_and_zipfs_shares() -> None:
    data = WebVisits(rate=1.0, seed=3).load()
    assert isinstance(data.domain, Domain)
    assert len(set(data.domain.names)) == data.domain.k == 1_000
    assert set(WebVisits.delicate_topics()) < set(data.domain.groups)
    ranked = np.sort(data.distribution)[::-1]
    np.testing.assert_allclose(ranked * np.arange(1, 1_001), ranked[0])
    assert (data.distribution != WebVisits(rate=1.0, seed=4).load().distribution).any()


def test_values_go_by_their_names() -> None:
    assert Domain(2, ("yes", "no")).name_of(1) == "no"
    assert Domain(2_000).name_of(999) == "value 1,000"
    with pytest.raises(CaldpError, match="names must be one text for each of the 3 values, got 2"):
        Domain(3, ("yes", "no"))
    with pytest.raises(CaldpError, match="names must differ"):
        Domain(2, ("yes", "yes"))


@pytest.mark.parametrize("spec", [*(Survey(table) for table in SURVEYS), WebVisits()])
def test_groups_can_be_blocks(spec: Survey | WebVisits) -> None:
    domain = spec.load().domain
    assert isinstance(domain, Domain)
    blocks = GroupBlocks().build(domain)
    assert blocks.names == tuple(dict.fromkeys(domain.groups))
    assert tuple(blocks.names[j] for j in blocks.labels) == domain.groups


@pytest.mark.parametrize("domain", [Domain(3), US_GRID])
def test_values_without_groups_are_no_group_blocks(domain: Domain | GridDomain) -> None:
    with pytest.raises(CaldpError, match="Group blocks need values that come in groups"):
        GroupBlocks().build(domain)


def test_blocks_by_number_hold_what_they_name_and_the_rest_is_one_more() -> None:
    blocks = SymbolBlocks(("0,4-5", "2")).build(Domain(7))
    assert blocks.labels.tolist() == [1, 0, 2, 0, 1, 1, 0]
    assert blocks.names == ("all others", "block 1", "block 2")
    assert SymbolBlocks(("0-3", "4-6")).build(Domain(7)).names == ("block 1", "block 2")
    assert SymbolBlocks().build(Domain(7)).names == ("all others",)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        (("0,7",), "value of a block must be a whole number"),
        (("0-2", "2"), "2 is in two blocks"),
        (("a",), 'written "3" or "10-19"'),
        (("",), 'written "3" or "10-19"'),
    ],
)
def test_blocks_by_number_say_what_is_wrong(blocks: tuple[str, ...], message: str) -> None:
    with pytest.raises(CaldpError, match=message):
        SymbolBlocks(blocks).build(Domain(7))
