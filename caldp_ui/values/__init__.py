"""The page “Sensitive answers”: its record, picture, controls and tabs."""
