"""Sentences of the map page: a box and notes on its numbers."""

from caldp_core.domain.grid import Area
from caldp_core.estimation.estimators import ESTIMATORS
from caldp_core.experiments.regions import RegionReport
from caldp_core.scenarios.scenario import Scenario
from caldp_ui.words import formats


def region_sentences(report: RegionReport, scenario: Scenario) -> list[str]:
    """Notes on a region's numbers: an estimate below 0, whole blocks, the sum of its cells."""
    sentences = []
    if round(report.estimate) < 0:
        sentences.append(
            "An estimate below 0: noise outweighs the people here. It is not cut off at 0, so that "
            "it is right on average."
        )
    if report.exact_blocks:
        sentences.append(
            f"{formats.count(report.exact_blocks, 'block lies', 'blocks lie')} in the box as a "
            "whole. No block hides how many people it holds, so they add no privacy noise."
        )
    estimator = ESTIMATORS[scenario.estimator]
    sentences.append(
        "The cells of the map of this protection add up to "
        f"{formats.people(report.processed_estimate)} here: "
        f"they show “{estimator.title}”, {estimator.sentence}. The estimate above is made for the "
        "box as a whole and is right on average."
    )
    return sentences


def describe_area(area: Area) -> str:
    """A box in words."""
    edges = (area.south, area.west, area.north, area.east)
    cell = 0.2 if all(abs(10 * edge - round(10 * edge)) < 1e-6 for edge in edges) else 0.02
    corner = formats.degrees(area.south, area.west, cell)
    return f"{corner} to {formats.degrees(area.north, area.east, cell)}"
