"""Areas of a reader's own, such as districts, as blocks: a file of polygons is read and kept."""

import streamlit as st
from streamlit.runtime.uploaded_file_manager import DeletedFile

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import POLYGON_BYTES_MAX
from caldp_core.datasets.files.polygons import read_polygons
from caldp_core.scenarios.polygon_blocks import OUTSIDE, PolygonBlocks
from caldp_ui.app.errors import escape_markdown
from caldp_ui.app.uploads import release
from caldp_ui.compute import runs
from caldp_ui.places.page_state import STATE
from caldp_ui.session import visitor_data
from caldp_ui.session.scenarios import update_scenario
from caldp_ui.words import formats


def details(blocks: PolygonBlocks) -> None:
    """The upload of a file, with the areas of the last one or its error."""
    st.file_uploader(
        f"GeoJSON with polygons, up to {POLYGON_BYTES_MAX // 2**20} MB",
        key=STATE.key("polygons"),
        on_change=_read_upload,
        help="In degrees (WGS 84). Each area is a block with its name: people are hidden among "
        "all cells of theirs. Areas are public: everybody sees them.",
    )
    wrong = st.session_state.get(_ERROR_KEY)
    if wrong:
        st.error(escape_markdown(wrong), icon=":material/error:")
    if blocks.names:
        st.caption(_describe_blocks(blocks))
    else:
        st.caption("Nothing yet: the whole map is one block.")


_ERROR_KEY = f"{STATE.page}/polygons-wrong"


def _read_upload() -> None:
    file = st.session_state[STATE.key("polygons")]
    if file is None or isinstance(file, DeletedFile):  # a file already read is still listed
        return
    data = file.getvalue()
    release(file.file_id)
    st.session_state[_ERROR_KEY] = None
    try:
        polygons = read_polygons(data, file.name)
        blocks = PolygonBlocks(tuple(polygons), tuple(polygons.values()))
    except CaldpError as error:
        st.session_state[_ERROR_KEY] = str(error)
        return
    visitor_data.keep_areas(blocks)
    update_scenario(STATE, lambda s: s.with_context(blocks=blocks))


def _describe_blocks(blocks: PolygonBlocks) -> str:
    """The number of areas, those without a cell of their own, and what lies outside of all."""
    partition = runs.setup(STATE.current().scenario).partition
    lost = [name for name in blocks.names if name not in partition.names]
    text = f"{formats.count(len(blocks.names), 'area', 'areas')}."
    if lost:
        few = ", ".join(lost[:3])
        text += f" {len(lost)} of them hold no middle of a cell and are no blocks: {few}."
    if OUTSIDE in partition.names and partition.m > 1:
        text += " What is outside of all is one more block."
    return str(escape_markdown(text))
