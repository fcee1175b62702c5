"""Flow control of a connection with requests that wait for the response to another one."""

import asyncio
from collections.abc import Sized

from uvicorn.protocols.http.flow_control import FlowControl


class PipelineFlow(FlowControl):
    """uvicorn's flow control, which reads no more while requests are queued, even if the application wants a body."""

    def __init__(self, transport: asyncio.Transport, pipeline: Sized) -> None:
        super().__init__(transport)
        self._pipeline = pipeline

    def resume_reading(self) -> None:
        if not self._pipeline:
            super().resume_reading()
