"""All changes to Streamlit, in the order in which they are made."""

from typing import Final

from caldp_ui.server import components, files, messages, parts, proxies, stale, uploads, waiting
from caldp_ui.server.guard import Patch

PATCHES: Final[tuple[Patch, ...]] = (
    uploads.PATCH,
    proxies.PATCH,
    *files.PATCHES,
    *messages.PATCHES,
    waiting.PATCH,
    *parts.PATCHES,
    stale.PATCH,
    components.PATCH,
)
