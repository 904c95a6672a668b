"""What the dashboard changes in Streamlit, and what it keeps for each visit, in one place.

Nothing else uses private parts of Streamlit. Each change is a `Patch` with its reason (`guard.py`),
in the module of its subject. What a visit brings is in its vault (`vault.py`, `files.py`).
"""
