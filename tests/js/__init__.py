"""The browser's side without a browser: what its modules compute, beside what Python says."""
