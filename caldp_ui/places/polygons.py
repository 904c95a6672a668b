"""Areas of a reader's own, such as districts, as blocks: a file of polygons is read and kept."""

import streamlit as st
from streamlit.runtime.uploaded_file_manager import DeletedFile

from caldp_core.basics.errors import CaldpError
from caldp_core.basics.limits import POLYGON_BYTES_MAX
from caldp_core.datasets.files.geojson import AreasOfFile, read_polygons
from caldp_core.experiments.run import Setup
from caldp_core.scenarios.blocks import OUTSIDE, PolygonBlocks, describe_areas, some_names
from caldp_ui.app.delivery import release
from caldp_ui.app.errors import escape_markdown
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
_FILE_KEY = f"{STATE.page}/polygons-file"
"""The blocks of the last file, and the sentences about what was done with its features."""


def _read_upload() -> None:
    file = st.session_state[STATE.key("polygons")]
    if file is None or isinstance(file, DeletedFile):  # a file already read is still listed
        return
    data = file.getvalue()
    release(file.file_id)
    st.session_state[_ERROR_KEY] = None
    try:
        areas = read_polygons(data, file.name)
        blocks = PolygonBlocks(tuple(areas.polygons), tuple(areas.polygons.values()))
    except CaldpError as error:
        st.session_state[_ERROR_KEY] = str(error)
        return
    visitor_data.keep_areas(blocks)
    st.session_state[_FILE_KEY] = blocks, _describe_file(areas)
    update_scenario(STATE, lambda s: s.with_context(blocks=blocks))


def warn(setup: Setup) -> None:
    """Say above the page how its areas differ from what somebody may have drawn."""
    blocks = getattr(setup.scenario.policy, "blocks", None)
    with st.container():  # always there, so that what follows keeps its place
        if isinstance(blocks, PolygonBlocks) and (found := _differences(blocks, setup)):
            st.warning(escape_markdown(found), icon=":material/warning:")


def _differences(blocks: PolygonBlocks, setup: Setup) -> str:
    of_file, sentences = st.session_state.get(_FILE_KEY, (None, ()))
    return " ".join(
        [*(sentences if of_file == blocks else ()), *describe_areas(blocks, setup.dataset)]
    )


def _describe_blocks(blocks: PolygonBlocks) -> str:
    """The number of areas, what lies outside of all, and what is said above the page."""
    setup = runs.setup(STATE.current().scenario)
    text = f"{formats.count(len(blocks.names), 'area', 'areas')}."
    if OUTSIDE in setup.partition.names and setup.partition.m > 1:
        text += " What is outside of all is one more block."
    return str(escape_markdown(f"{text} {_differences(blocks, setup)}"))


def _describe_file(areas: AreasOfFile) -> tuple[str, ...]:
    """What was done with the features of a file, other than to take each as an area."""
    found = []
    if areas.united:
        number = formats.integer(sum(areas.united.values()))
        found.append(
            f"{number} features of the file are united by name: {some_names(areas.united)}."
        )
    if areas.copies:
        number = formats.count(sum(areas.copies.values()), "is a copy", "are copies")
        found.append(f"{number} of another one.")
    if areas.unused:
        number = formats.count(areas.unused, "feature", "features")
        found.append(f"Without a polygon, so left out: {number} of the file.")
    if found and areas.named_by is not None:
        found.append(f"The property “{areas.named_by}” names the areas.")
    return tuple(found)
