"""The page of secrecy that fades with distance, beside blocks."""
