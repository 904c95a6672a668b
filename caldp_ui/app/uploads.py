"""Files on their way in: in memory alone, so many bytes at a time, and let go once they are read.

A visit's files may be as large together as one may be: a form can take several.

Streamlit keeps every file that a visit sends until the visit ends, and what it parses goes to the
disk from a megabyte on.
"""

import asyncio
from typing import Final

from starlette.formparsers import MultiPartParser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import config, runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

TOTAL_BYTES_MAX: Final = 800 * 2**20
"""Bytes of files that come in or wait to be read, of all visits together."""
_PATIENCE_S: Final = 600.0
"""Room is kept for a file no longer: a sender of a byte now and then would keep all others out."""
_ADDRESS: Final = "_stcore/upload_file/"
_BUSY_TEXT: Final = "Others send files at this moment: please try again in a minute."


class Uploads:
    """Lets files in while there is room for them; a visit's earlier ones make room for the next."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._coming = 0
        # What is longer is written to a shared folder before anybody has looked at it.
        MultiPartParser.spool_max_size = (config.get_option("server.maxUploadSize") + 2) * 2**20

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is no upload, or has room; answer 429 to an upload that has none (ASGI)."""
        path = str(scope.get("path", "")).partition(_ADDRESS)[2]
        if scope["type"] != "http" or scope.get("method") != "PUT" or not path:
            await self._app(scope, receive, send)
            return
        size = _size(scope)
        manager = _file_manager()
        visit = path.partition("/")[0]
        if manager is not None and size + _visit_bytes(manager, visit) > _max_bytes():
            manager.remove_session_files(visit)
        if self._coming + size + _stored_bytes(manager) > TOTAL_BYTES_MAX:
            await PlainTextResponse(_BUSY_TEXT, 429)(scope, receive, send)
            return
        self._coming += size
        try:
            async with asyncio.timeout(_PATIENCE_S):
                await self._app(scope, receive, send)
        finally:
            self._coming -= size


def release(file_id: str) -> None:
    """Remove a file of this visit from memory once it has been read."""
    run = get_script_run_ctx(suppress_warning=True)
    if run is not None and isinstance(run.uploaded_file_mgr, MemoryUploadedFileManager):
        run.uploaded_file_mgr.remove_file(run.session_id, file_id)


def _file_manager() -> MemoryUploadedFileManager | None:
    if not runtime.exists():
        return None
    manager = runtime.get_instance().uploaded_file_mgr
    return manager if isinstance(manager, MemoryUploadedFileManager) else None


def _stored_bytes(manager: MemoryUploadedFileManager | None) -> int:
    if manager is None:
        return 0
    files = [file for each in list(manager.file_storage.values()) for file in list(each.values())]
    return sum(len(file.data) for file in files)


def _visit_bytes(manager: MemoryUploadedFileManager, visit: str) -> int:
    files = list(manager.file_storage.get(visit, {}).values())
    return sum(len(file.data) for file in files)


def _max_bytes() -> int:
    """Bytes of a file, and of all files of a visit."""
    return int(config.get_option("server.maxUploadSize")) * 2**20


def _size(scope: Scope) -> int:
    """Bytes of a request's body; the most that are allowed where its length is not given."""
    length = dict(scope["headers"]).get(b"content-length", b"")
    most = _max_bytes()
    return min(int(length), most) if length.isdigit() else most
