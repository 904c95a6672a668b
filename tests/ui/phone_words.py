"""What a phone says of a question: the browser's own sentences, made in Node."""

import json
import subprocess
from functools import cache
from typing import Any

from caldp_ui.room import words
from caldp_ui.room.phone import WEB
from caldp_ui.room.question import Question
from tests.collect.test_javascript import NODE

TABLE = json.loads((WEB / "phone_words.json").read_text("utf-8"))
EXPLAIN = (WEB / "explain.js").read_text("utf-8")


@cache
def says(question: Question, language: str = "en", script: str = EXPLAIN) -> dict[str, Any]:
    """The `choices` of a phone before it sends, and the `explanations` of its report."""
    made = "explain(...JSON.parse((await import('node:fs')).readFileSync(0)))"
    code = f"{script}\nprocess.stdout.write(JSON.stringify({made}));"
    data = json.dumps([words.question_message(question), TABLE[language]])
    command = [str(NODE), "--input-type=module", "-e", code]
    done = subprocess.run(
        command, input=data, capture_output=True, text=True, check=True, timeout=120
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found
