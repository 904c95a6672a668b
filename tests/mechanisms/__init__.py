"""What is particular to each mechanism; the contract does the rest."""
