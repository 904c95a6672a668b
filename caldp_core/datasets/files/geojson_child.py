"""A program of its own: JSON on standard input becomes a table or areas on standard output.

Arguments: megabytes of memory, "points", "areas" or "records", the file's name as JSON.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import asdict

from caldp_core.basics.files import run_reader
from caldp_core.datasets.files.geojson import areas_of, table_of
from caldp_core.datasets.files.table import plain_records


def main() -> int:
    """Read, write, and return the exit code."""
    kind, name = sys.argv[2], json.loads(sys.argv[3])
    readers: dict[str, Callable[[bytes], bytes]] = {
        "points": lambda data: table_of(data, name),
        "areas": lambda data: json.dumps(asdict(areas_of(data, name))).encode(),
        "records": plain_records,
    }
    return run_reader(readers[kind])


if __name__ == "__main__":
    sys.exit(main())
