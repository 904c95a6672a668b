"""A bare Streamlit page with a slider and a picture: what the map page's pace is held against."""

import numpy as np
import streamlit as st

level = st.slider("level", 1, 100, 1, key="level")
picture = np.random.default_rng(level).integers(0, 256, (250, 700), dtype=np.uint8)
st.image(picture)
