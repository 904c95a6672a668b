"""What the page exports beside the estimate: all treatments' tables, as one file."""

from caldp_core.domain.grid import GridDomain
from caldp_ui.coarser import words
from caldp_ui.coarser.slot import SLOT
from caldp_ui.coarser.treated import PageData
from caldp_ui.compute import exports
from caldp_ui.parts import sharing


def buttons(what: PageData) -> None:
    """How the pictures and the tables are saved."""
    if isinstance(what.domain, GridDomain):
        sharing.by_the_maps()
    sharing.file(SLOT.key("tables-csv"), "treatments.csv", lambda: tables_csv(what))


def tables_csv(what: PageData) -> bytes:
    """One row a cell with people in any treatment: what each publishes, in people."""
    columns: dict[str, object] = {}
    seen = (what.counts > 0) | what.table.hidden
    cells = seen.nonzero()[0].tolist()
    domain = what.domain
    if isinstance(domain, GridDomain):
        rows, places = domain.place(cells)
        columns["latitude"] = domain.latitudes()[rows].round(6).tolist()
        columns["longitude"] = domain.meridians()[places].round(6).tolist()
    else:
        columns["answer"] = [domain.name_of(cell) for cell in cells]
    columns["larger cell"] = what.labels[cells].tolist()
    for name, each in what.by.items():
        columns[words.TITLES[name]] = each.release.estimate[cells].round(3).tolist()
    columns["hidden"] = what.table.hidden[cells].tolist()
    return exports.csv(columns)
