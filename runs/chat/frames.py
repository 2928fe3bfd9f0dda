"""What a browser may say over its socket: which parts it shows, and that it is still there. Nothing else.

No frame does anything: messages, answers and decisions are HTTP posts. A frame that is not exactly one of
these is ignored.
"""

from collections.abc import Mapping
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from runs.chat.updates import Seen

MAX_CHARACTERS = 200_000
_MOST_RUNS = 1_000
_Digest = Annotated[str, Field(max_length=16)]


class _Frame(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Shown(_Frame):
    """One run on the page: the number of its last event there, and the digests of its parts."""

    version: int = Field(ge=0, lt=2**31)
    digests: dict[Annotated[str, Field(max_length=80)], _Digest] = Field(max_length=12)


class Hello(_Frame):
    """Sent on every connect: everything newer than this is sent back."""

    type: Literal["hello"]
    runs: dict[UUID, Shown] = Field(max_length=_MOST_RUNS)
    composer: _Digest

    def seen(self) -> Mapping[UUID, Seen]:
        return {run_id: Seen(shown.version, shown.digests) for run_id, shown in self.runs.items()}


class Ping(_Frame):
    """The heartbeat."""

    type: Literal["ping"]


Frame = Hello | Ping
_ADAPTER: TypeAdapter[Frame] = TypeAdapter(Annotated[Frame, Field(discriminator="type")])


def read_frame(text: str) -> Frame | None:
    """Return the frame in `text`, or None for anything else."""
    if len(text) > MAX_CHARACTERS:
        return None
    try:
        return _ADAPTER.validate_json(text)
    except ValidationError:
        return None
