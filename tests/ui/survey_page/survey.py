"""Survey answers: how many people gave which, and what an onlooker learns."""

import streamlit as st

from caldp_ui.app.navigation import enter
from caldp_ui.compute import runs
from caldp_ui.controls import common
from caldp_ui.parts import promises
from caldp_ui.session import jobs, notices
from caldp_ui.words.vocabulary import VALUES
from tests.ui.survey_page.slot import SLOT

enter()
SLOT.follow_link()
notices.show()
SLOT.write_link()
common.epsilon(SLOT)
st.number_input(
    "Answer", 0, 9, **SLOT.bind("answer", SLOT.now().answer, lambda record, v: record.at(v))
)
promises.shield(VALUES, runs.setup(SLOT.now().scenario))
counted = jobs.offered(
    SLOT.key("count"),
    "count",
    lambda progress: sum(range(4)),
    jobs.Offer("Count", ":material/calculate:"),
    lambda job: f"{job.share:.0%}",
)
st.text(f"counted {counted}")
