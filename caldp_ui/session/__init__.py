"""The state of a visit: one state per page, its link, notices, and jobs beside the page."""
