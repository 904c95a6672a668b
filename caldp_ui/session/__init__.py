"""What a visit remembers: one slot a page, its link, notices, and jobs beside the page."""
