"""The dashboard's entry: page settings and navigation, nothing else."""

import streamlit as st

st.set_page_config(page_title="caldp", page_icon="caldp_ui/icon.png", layout="wide")
st.navigation(
    {
        "Start": [st.Page("pages/start.py", title="Start here", icon=":material/flag:")],
        "Explore": [
            st.Page("pages/places.py", title="Places on a map", icon=":material/map:", default=True)
        ],
    },
    position="top",
).run()
