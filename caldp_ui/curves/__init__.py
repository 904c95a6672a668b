"""Error curves: any methods, estimates and protections against what the error depends on."""
