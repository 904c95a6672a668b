"""A scenario: everything that a run depends on, as a record, a file and a link."""
