"""All changes to Streamlit, in the order in which they are made."""

from typing import Final

from caldp_ui.server import components, messages, parts, stale, waiting
from caldp_ui.server.guard import Patch

PATCHES: Final[tuple[Patch, ...]] = (
    *messages.PATCHES,
    waiting.PATCH,
    *parts.PATCHES,
    stale.PATCH,
    components.PATCH,
)
