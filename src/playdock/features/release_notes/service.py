"""Finding the release notes of versions, and starting the tasks that do."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.content.layouts import shown_version
from playdock.db.database import Database
from playdock.domain.games import queries as game_queries
from playdock.domain.games.errors import VersionUnknown
from playdock.features.release_notes import rules
from playdock.features.release_notes.errors import NoReleaseNotes
from playdock.fetching.requests import Deadline
from playdock.kit.clock import Clock
from playdock.kit.identifiers import new_id
from playdock.kit.messages import Message
from playdock.metadata.providers import MetadataProvider, Providers
from playdock.metadata.release_notes import OffersReleaseNotes, ReleaseNotes
from playdock.models import Game, Version
from playdock.stored_release_notes import FetchReleaseNotesArguments
from playdock.tasks.enqueueing import enqueue
from playdock.tasks.new_task import NewTask, Queue

TASK_TYPE = "fetch:release-notes"
# The provider may make requests wait, because it limits their number.
_SECONDS = 60.0


class NotesSource(Struct, frozen=True):
    """A provider that may have release notes of a version: its id of the game, and the number of the version."""

    provider: MetadataProvider
    game_id: str
    number: str


class VersionNotes(Struct, frozen=True):
    """Operations on the release notes of versions from providers."""

    db: Database
    clock: Clock
    providers: Providers
    notify_runner: Callable[[], None]

    def follow(self, session: Session, game: Game, version: Version) -> None:
        """Look for the release notes of a version that has been imported, in a task, if there may be any."""
        if self.source_of(game, version) is not None:
            enqueue(session, _task(game, version), at=self.clock())

    def start(self, actor: Actor, version_id: str) -> str:
        """Start looking for the release notes of a version, and return the task's id.

        Raises:
            VersionUnknown: no version has this id.
            NoReleaseNotes: no provider can have any.
            TaskAlreadyRunning: they are being looked for.
        """
        actor.require(Permission.NEWS_CREATE)
        with self.db.write() as session:
            version = game_queries.find_version(session, version_id)
            game = game_queries.find_game(session, version.game_id) if version else None
            if version is None or game is None:
                raise VersionUnknown
            if self.source_of(game, version) is None:
                raise NoReleaseNotes
            task_id = enqueue(session, _task(game, version), at=self.clock())
        self.notify_runner()
        return task_id

    def source_of(self, game: Game, version: Version) -> NotesSource | None:
        """Return the first provider that may have release notes of a version."""
        number = rules.number_of(version.label or "", version.name)
        ids = {**game.external_ids, game.metadata_source: game.metadata_id}
        for provider in self.providers.all if number else ():
            if isinstance(provider, OffersReleaseNotes) and ids.get(provider.source_id):
                return NotesSource(provider, ids[provider.source_id], number or "")
        return None

    def find(self, source: NotesSource) -> ReleaseNotes | None:
        """Ask a provider for the release notes of a version. Raises ProviderError if that fails."""
        assert isinstance(source.provider, OffersReleaseNotes)
        announcements = source.provider.release_notes(source.game_id, within=Deadline.after(_SECONDS))
        return rules.about(source.number, announcements)


def article_of(version: Version, notes: ReleaseNotes, *, provider: str, at: datetime) -> dict[str, Any]:
    """Return the article with the release notes of a version. News are in the order in which they were published."""
    return {
        "id": new_id(),
        "title": notes.title,
        "description": "",
        "content": rules.content_of(notes, provider=provider),
        "author_id": None,
        "game_id": version.game_id,
        "version_id": version.id,
        "published": min(notes.published, at),
        "changed": at,
    }


def _task(game: Game, version: Version) -> NewTask:
    return NewTask(
        task_type=TASK_TYPE,
        name=Message("release-notes-fetch", game=game.name, version=shown_version(version.name, version.label)),
        subject=f"release-notes:{version.id}",
        queue=Queue.NETWORK,
        acls=(Permission.NEWS_CREATE, Permission.TASK_READ),
        arguments=FetchReleaseNotesArguments(version=version.id),
    )
