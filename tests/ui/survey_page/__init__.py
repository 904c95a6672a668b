"""A page more, as CONTRIBUTING.md says how: `test_rooms` puts it beside the others."""
