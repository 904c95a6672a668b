"""The page that asks a room full of phones: each throws its own coin and sends only a report."""
