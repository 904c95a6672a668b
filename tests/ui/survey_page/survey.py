"""Survey answers: how many people gave which, and what an onlooker learns."""

import streamlit as st

from caldp_ui.compute import runs
from caldp_ui.controls import common
from caldp_ui.parts import comparison
from caldp_ui.session import jobs
from caldp_ui.session.page_state import begin_page
from caldp_ui.words.formats import VALUES
from tests.ui.survey_page.page_state import STATE

record = begin_page(STATE)
common.epsilon(STATE)
st.number_input(
    "Answer", 0, 9, **STATE.bind("answer", record.answer, lambda record, v: record.at(v))
)
comparison.shield(VALUES, runs.setup(record.scenario))
counted = jobs.run_on_click(
    STATE.key("count"),
    "count",
    lambda progress: sum(range(4)),
    jobs.StartButton("Count", ":material/calculate:"),
    lambda job: f"{job.share:.0%}",
)
st.text(f"counted {counted}")
