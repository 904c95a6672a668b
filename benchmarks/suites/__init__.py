"""What asv times: the core at work, families, accuracy, and files of reports.

`bars` of a class: by name of a benchmark the most that it may take (seconds, bytes or its own
unit), or a function of its parameters that returns that, or None without a bar.
`python -m benchmarks` runs them and reports every bar that is missed.
"""
