"""What the server does beside Streamlit for each visit: its vault, and the files in it."""
