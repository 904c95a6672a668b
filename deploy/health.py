"""`python -m deploy.health`: ends with 0 if this container's worker answers, else with 1.

It asks as visitors do, by a name that is let in and below the path that is set.
"""

import os
import sys
from collections.abc import Mapping
from urllib.error import URLError
from urllib.request import Request, urlopen


def request(environment: Mapping[str, str]) -> Request:
    """The question, for a worker of this environment."""
    base = environment.get("STREAMLIT_SERVER_BASE_URL_PATH", "").strip("/")
    port = environment.get("STREAMLIT_SERVER_PORT", "8501")
    names = environment.get("STREAMLIT_SERVER_ALLOWED_HOSTS", "localhost").split()
    path = f"/{base}/_stcore/health" if base else "/_stcore/health"
    host = names[0].removeprefix("*.") if names else "localhost"
    return Request(f"http://127.0.0.1:{port}{path}", headers={"Host": host})


def answers(question: Request) -> bool:
    """Whether the worker says that it is well."""
    try:
        with urlopen(question, timeout=2) as found:
            return bool(found.status == 200)
    except (URLError, OSError):
        return False


if __name__ == "__main__":
    sys.exit(not answers(request(os.environ)))
