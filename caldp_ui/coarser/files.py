"""Exports of the page beside the estimate: the tables of all treatments as one file."""

from caldp_core.domain.grid import GridDomain
from caldp_ui.coarser import words
from caldp_ui.coarser.page_state import STATE, TreatmentData
from caldp_ui.compute import exports
from caldp_ui.parts import sharing


def buttons(data: TreatmentData) -> None:
    """The hint for saving the maps, and the button for the file of tables."""
    if isinstance(data.domain, GridDomain):
        sharing.show_map_save_hint()
    sharing.true_file(
        STATE.key("tables-csv"), "treatments.csv", lambda: tables_csv(data), data.record.scenario
    )


def tables_csv(data: TreatmentData) -> bytes:
    """One row per cell with people or a hidden count: what each treatment publishes, in people."""
    columns: dict[str, object] = {}
    listed = (data.counts > 0) | data.table.hidden
    cells = listed.nonzero()[0].tolist()
    domain = data.domain
    if isinstance(domain, GridDomain):
        rows, places = domain.row_column(cells)
        columns["latitude"] = domain.latitudes()[rows].round(6).tolist()
        columns["longitude"] = domain.wrapped_longitudes()[places].round(6).tolist()
    else:
        columns["answer"] = [domain.name_of(cell) for cell in cells]
    columns["larger cell"] = data.labels[cells].tolist()
    for name, each in data.treatments.items():
        columns[words.TITLES[name]] = each.release.estimate[cells].round(3).tolist()
    columns["hidden"] = data.table.hidden[cells].tolist()
    return exports.csv(columns)
