"""State of the start page: the size of the hiding place and ε that its exhibit shows."""

from dataclasses import dataclass
from typing import Final

import streamlit as st

from caldp_core.basics.errors import require
from caldp_core.scenarios.scenario import unknown_query_keys
from caldp_ui.app.navigation import PLACES
from caldp_ui.session import links, visit
from caldp_ui.session.page_state import PageState
from caldp_ui.start.exhibit import Choice, epsilons, size_keys
from caldp_ui.words import formats


@dataclass(frozen=True)
class StartState:
    """The page's record. `size`: of the block in which one hides, by its name in `size_keys`."""

    size: str = "110x180"
    epsilon: float = 1.0

    @property
    def choice(self) -> Choice:
        """What the exhibit shows of it."""
        return Choice(self.size, self.epsilon)


def check(record: StartState) -> None:
    """Raise `CaldpError` unless there is a map of this size and ε."""
    sizes, levels = size_keys(), epsilons()
    require(
        record.size in sizes,
        f"size in the link must be one of {', '.join(sizes)}, got {record.size[:20]!r}.",
    )
    listed = ", ".join(f"{level:g}" for level in levels)
    require(
        record.epsilon in levels,
        f"eps in the link must be one of {listed}, got {formats.digits(record.epsilon)}.",
    )


_EPSILON: Final = links.FieldFormat(links.NUMBER.write, links.NUMBER.read, "eps")
LINK: Final = links.RecordLink(StartState(), check, field_formats={"epsilon": _EPSILON})
STATE: Final = PageState("start", LINK)


def _is_of_scenario(key: str) -> bool:
    return key in visit.KEYS or not unknown_query_keys({key: ""})


def redirect_map_links() -> None:
    """Open the map for links with a scenario: they date from when the first page was a map."""
    if any(_is_of_scenario(key) for key in st.query_params):
        st.switch_page(
            PLACES, query_params={key: st.query_params.get_all(key) for key in st.query_params}
        )
