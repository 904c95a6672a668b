"""What the dashboard's pages share: state, controls, cached compute, charts, maps and words.

Between `pages/` (thin files that read like a table of contents) and `caldp_core`.
"""
