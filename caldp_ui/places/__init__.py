"""The page “Places on a map”: its record, controls, maps and tabs."""
