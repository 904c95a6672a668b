"""The state of a visit: one slot per page, its link, notices, and jobs beside the page."""
