"""Prints the browser tests that failed in pytest's last run, one a line.

None if any other test failed, or more than three.
"""

import json
import sys
from pathlib import Path

LATE_MAX = 3
RECORD = Path(".pytest_cache/v/cache/lastfailed")

failed = sorted(json.loads(RECORD.read_text("utf-8"))) if RECORD.is_file() else []
if len(failed) <= LATE_MAX and all(test.startswith("tests/browser/") for test in failed):
    sys.stdout.writelines(f"{test}\n" for test in failed)
