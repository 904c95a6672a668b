"""Tests of the room lecture."""
