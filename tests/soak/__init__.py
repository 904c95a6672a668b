"""Quick pairs of messages from many visits at once: what is lost, and how late the rest is."""
