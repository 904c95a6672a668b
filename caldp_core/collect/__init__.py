"""A real collection: devices draw and send reports, a collector estimates from them.

A `Protocol` is all that both sides share. `client.py` and `js/client.js` draw reports by it,
`collector.py` adds them up, file by file (`report_files.py`).
"""
