"""Numbers, terms and sentences as people read them."""
