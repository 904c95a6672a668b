"""A real collection: what devices run and send, and what a collector makes of it.

A `Protocol` is all that both sides share. `client.py` and `js/client.js` draw reports by it,
`collector.py` adds them up.
"""
