"""Uploads stay in memory, within a number of bytes of all visits, until they are read."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from os import SEEK_END
from time import monotonic
from typing import Final

from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config, runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import DeletedFile, UploadedFile

from caldp_ui.server.guard import Patch
from caldp_ui.server.pace import Bucket
from caldp_ui.server.vault import current_vault

TOTAL_BYTES_MAX: Final = 800 * 2**20
"""Bytes of files that come in or wait to be read, of all visits together."""
_PATIENCE_S: Final = 600.0
"""Room is kept for a file no longer: a sender of a byte now and then would keep all others out."""
_BYTES_A_SECOND: Final = 16 * 2**20
"""Of all files that come in: they take time of the thread that answers all visits."""
_AT_ONCE_BYTES: Final = 4 * 2**20
"""Files that are taken in faster, where nothing came in before."""
_ADDRESS: Final = "_stcore/upload_file/"
_BUSY_TEXT: Final = "Others send files at this moment: please try again in a minute."


class Uploads:
    """Lets files in while there is room for them; a visit's earlier ones make room for the next."""

    def __init__(
        self,
        app: ASGIApp,
        clock: Callable[[], float] = monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._app, self._sleep = app, sleep
        self._bucket = Bucket(_AT_ONCE_BYTES, _BYTES_A_SECOND, clock)
        self._coming = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is not an upload, or has room; answer 429 to other uploads (ASGI)."""
        path = str(scope.get("path", "")).partition(_ADDRESS)[2]
        if scope["type"] != "http" or scope.get("method") != "PUT" or not path:
            await self._app(scope, receive, send)
            return
        size = _size(scope)
        visit = path.partition("/")[0]
        stored = 0
        manager = _file_manager()
        if manager is not None:
            if size + _visit_bytes(manager, visit) > _max_bytes():
                manager.remove_session_files(visit)
            for holder in list(manager.file_storage):
                stored += _visit_bytes(manager, holder)
        if self._coming + size + stored > TOTAL_BYTES_MAX:
            await PlainTextResponse(_BUSY_TEXT, 429)(scope, receive, send)
            return
        self._coming += size
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await self._app(scope, partial(self._receive_in_turn, receive), send)
        finally:
            self._coming -= size

    async def _receive_in_turn(self, receive: Receive) -> Message:
        """The next message of an upload, once all uploads together are within their pace."""
        message = await receive()
        await self._sleep(self._bucket.take(len(message.get("body", b""))))
        return message


def take_content(file: UploadedFile) -> bytes:
    """The content of an upload of this visit, which neither Streamlit nor its widget then holds."""
    current_vault().holds_data = True
    data = file.getvalue()
    file.truncate(0)
    run = get_script_run_ctx(suppress_warning=True)
    if run is not None and isinstance(run.uploaded_file_mgr, MemoryUploadedFileManager):
        run.uploaded_file_mgr.remove_file(run.session_id, file.file_id)
    return data


def was_taken(file: UploadedFile | DeletedFile | None) -> bool:
    """Whether `take_content` has had an upload, which its widget still lists."""
    if file is None:
        return False
    if isinstance(file, DeletedFile):
        return True
    # To ask for its buffer would copy it.
    return file.seek(0, SEEK_END) < file.size


def _file_manager() -> MemoryUploadedFileManager | None:
    """Streamlit's store of uploads; None where no server is at work, or it keeps them elsewhere."""
    if not runtime.exists():
        return None
    manager = runtime.get_instance().uploaded_file_mgr
    if isinstance(manager, MemoryUploadedFileManager):
        return manager
    return None


def _visit_bytes(manager: MemoryUploadedFileManager, visit: str) -> int:
    return sum(len(file.data) for file in list(manager.file_storage.get(visit, {}).values()))


def _max_bytes() -> int:
    """Bytes of a file, and of all files of a visit."""
    return int(config.get_option("server.maxUploadSize")) * 2**20


def _size(scope: Scope) -> int:
    """Bytes of a request's body; the most that are allowed where its length is not given."""
    length = dict(scope["headers"]).get(b"content-length", b"")
    most = _max_bytes()
    return min(int(length), most) if length.isdigit() else most


def keep_uploads_in_memory() -> None:
    """Have forms keep files of any size in memory: 0 is "no limit" to Python's spooled files."""
    MultiPartParser.spool_max_size = 0


PATCH: Final = Patch(
    name="uploads in memory",
    reason="Starlette writes uploads of 1 MB and more to a folder that all programs share.",
    upstream="starlette PR 3190",
    without="what visitors bring is written to the disk",
    rests_on={
        "starlette.formparsers.MultiPartParser.spool_max_size": "",
        "starlette.formparsers.MultiPartParser.on_headers_finished"
        ":SpooledTemporaryFile(max_size=self.spool_max_size)": "",
    },
    apply=keep_uploads_in_memory,
    is_needed=True,
)
