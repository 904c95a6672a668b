"""Files that people bring: read, understood and counted within bounds; only counts are kept."""
