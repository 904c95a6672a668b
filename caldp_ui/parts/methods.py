"""All registered methods side by side, with the protection and the people of the page.

A method that is registered is listed here without this file being changed.
"""

import pandas as pd
import streamlit as st

from caldp_core.experiments.run import Setup
from caldp_core.mechanisms import FAMILIES
from caldp_ui.compute import runs as compute
from caldp_ui.words import formats


def table(setup: Setup) -> None:
    """How many people and how many bits each method takes, and which one is best here and why."""
    compared = compute.compare_methods(setup.scenario)
    least = min(compared.best.l2_squared.values())
    chosen = setup.mechanism_name
    st.markdown("**Methods, with this protection**")
    st.table(
        pd.DataFrame(
            {
                "people for the same accuracy": {
                    _title(name, chosen): _times(loss, least)
                    for name, loss in compared.best.l2_squared.items()
                },
                "bits per report": {
                    _title(name, chosen): formats.integer(bits)
                    for name, bits in compared.report_bits.items()
                },
            }
        ).rename_axis("method")
    )
    st.caption(
        f"{compared.best.reason} Accuracy: expected squared error of the unbiased estimate, exact. "
        "Post-processing can change the order."
    )


def _title(name: str, chosen: str) -> str:
    return f"{FAMILIES[name].title}{' (chosen)' if name == chosen else ''}"


def _times(loss: float, least: float) -> str:
    # Nothing hidden: nobody's report is noise, and all methods are one.
    factor = loss / least if least > 0 else 1.0
    return "the fewest" if factor < 1.005 else f"{formats.times(factor)} as many"
