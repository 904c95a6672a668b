"""Parts that several pages share: numbers, promises, long work, things to take along."""
