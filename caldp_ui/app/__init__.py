"""Around every page: settings and navigation, theme and style, errors as sentences."""
