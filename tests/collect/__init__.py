"""Of collections: protocol, devices, reports, collector."""
