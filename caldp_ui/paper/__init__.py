"""The paper's results, recomputed beside what is printed."""
