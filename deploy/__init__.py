"""How the dashboard is served to many; docs/deploy.md tells the whole."""
