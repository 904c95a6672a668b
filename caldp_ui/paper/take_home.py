"""Results with sliders as offline files: the region of errors, and sizes of sensitive sets."""

from caldp_ui.offline import boards, offer
from caldp_ui.offline.records import Part
from caldp_ui.paper import region, sensitive_sets
from caldp_ui.paper.page_state import STATE, Paper
from caldp_ui.parts.films import ChartPage


def show(record: Paper) -> None:
    """The button of the offline file, where a result has sliders."""
    if record.view in ("figure-1", "sensitive-sets"):
        offer.offer_page(STATE, part)


def part(record: Paper) -> Part:
    """The record's result as a part of an offline file."""
    if record.view == "figure-1":
        return boards.part(
            "region",
            "Figure 1: the region of errors",
            "What a rule can do lies above the lines. Move how well either answer is hidden.",
            region.PAGE,
            record,
            sliders=dict(zip(("ε(x, x′)", "ε(x′, x)"), region.SLIDERS, strict=True)),
        )
    titles = ("Privacy level ε", "People with a sensitive value", "Values in all")
    return boards.part(
        "sensitive-sets",
        "Methods beside the best, by the sensitive set",
        "People that each method takes, as a multiple of what the best would take.",
        ChartPage(STATE, sensitive_sets.render),
        record,
        sliders=dict(zip(titles, sensitive_sets.SLIDERS, strict=True)),
    )
