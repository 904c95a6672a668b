"""Reads pasted, uploaded or named data: first layouts, then counts. The data are untrusted."""

from pathlib import Path

from caldp_core.basics.errors import count_text, require
from caldp_core.basics.limits import OWN_NAME_MAX, OWN_TEXT_MAX, POINTS_MAX
from caldp_core.datasets.files import source as sources
from caldp_core.datasets.files.geojson import name_key
from caldp_core.datasets.files.layout_detection import DetectedFile, detect_layouts
from caldp_core.datasets.files.places import CountedPlaces, count_places
from caldp_core.datasets.files.table import Chosen, open_table
from caldp_core.datasets.own import OwnPlaces


def check_size(text: str) -> None:
    """Raise `CaldpError` if a pasted text has more than 2^20 characters."""
    require(
        len(text) <= OWN_TEXT_MAX,
        f"A text may have up to {OWN_TEXT_MAX:,} characters, got {len(text):,}; choose a file.",
    )


def inspect_data(
    data: str | bytes | Path | sources.FileSource,
    bounds: sources.Bounds = sources.PAGE_BOUNDS,
    chosen: Chosen | None = None,
) -> DetectedFile:
    """The detected layouts of a text, of the bytes of a file, or of a file by path or `FileSource`.

    `chosen`: how it is opened, where a user says it. Raises `CaldpError`.
    """
    if isinstance(data, Path):
        source = sources.source_from_path(data)
    elif isinstance(data, sources.FileSource):
        source = data
    else:
        require(
            isinstance(data, str | bytes),
            f"data must be a text, bytes or a Path, got one of type {type(data).__name__}.",
        )
        if isinstance(data, str):
            check_size(data)
            data = data.encode("utf-8", "replace")
        source = sources.source_from_bytes(data, "the text")
    return detect_layouts(open_table(source, bounds, chosen), chosen.header if chosen else None)


def read_places(data: str | bytes | Path, title: str = OwnPlaces.title) -> CountedPlaces:
    """The places of a text or file by its detected layout, counted on a map made for them.

    Raises `CaldpError` where it holds none, or can't be understood without asking.
    """
    detected = inspect_data(data)
    return count_places(detected, detected.places, title)


def read_points(data: str | bytes) -> tuple[str, ...]:
    """Points of a table as `SensitiveNear` has them, with names where a column names each of them.

    Raises `CaldpError` where a row can't be read, or has no latitude and longitude.
    """
    file = inspect_data(data)
    layout = file.places
    layout.check_complete(file, "latitude", "longitude")
    with file.table.open_reader() as reader:
        reader.fetch_rows(f"SELECT * FROM {file.table.relation_sql(bool(layout.header))}")
        rows = len(file.rows) + sum(times for _, times, _, _ in reader.rejected_rows())
    found = file.first_places(layout).tolist()
    require(
        len(found) == rows <= POINTS_MAX,
        f"Points must be up to {POINTS_MAX} rows with a latitude and a longitude each, got "
        f"{count_text(rows, 'row', 'rows')}, {len(found)} with both; quote names with commas.",
    )
    named = {name: at for at, name in enumerate(file.names) if not file.is_numeric(at)}
    used = {layout.latitude, layout.longitude}
    texts = [{name: row[at] for name, at in named.items() if at not in used} for row in file.rows]
    key = name_key(texts)
    names = [f",{text[key][:OWN_NAME_MAX].strip()}" if key else "" for text in texts]
    return tuple(f"{y},{x}{name}" for (y, x), name in zip(found, names, strict=True))
