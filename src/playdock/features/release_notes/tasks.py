"""The task that fetches the release notes of a version."""

from msgspec import Struct

from playdock.domain.games import queries as game_queries
from playdock.features.news import queries as news_queries
from playdock.features.release_notes.service import TASK_TYPE, VersionNotes, article_of
from playdock.kit.messages import Message
from playdock.metadata.errors import ProviderError
from playdock.stored_release_notes import FetchReleaseNotesArguments
from playdock.tasks.context import TaskContext


class FetchReleaseNotes(Struct, frozen=True):
    """Adds the release notes of a version, if a provider has them. What it cannot fetch is only logged."""

    version_notes: VersionNotes
    task_type: str = TASK_TYPE

    def run(self, context: TaskContext) -> None:
        with context.db.read() as session:
            version = game_queries.find_version(session, context.arguments(FetchReleaseNotesArguments).version)
            game = game_queries.find_game(session, version.game_id) if version else None
        source = self.version_notes.source_of(game, version) if game and version else None
        notes = None
        try:
            notes = self.version_notes.find(source) if source else None
        except ProviderError as error:
            context.log(error.message, level="warn")
        else:
            context.log(Message("release-notes-found", title=notes.title) if notes else Message("release-notes-none"))
        with context.complete() as session:
            if version and source and notes and game_queries.find_version(session, version.id):
                article = article_of(version, notes, provider=source.provider.name, at=context.clock())
                # Those that an administrator has written remain.
                news_queries.add(session, article)
