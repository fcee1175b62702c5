"""The maintenance tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from playdock.features.accounts import queries as account_queries
from playdock.features.artwork import queries as artwork_queries
from playdock.features.artwork.service import Artwork
from playdock.features.devices import queries as device_queries
from playdock.features.games import queries as game_queries
from playdock.features.installations.service import Installations
from playdock.features.invitations import queries as invitation_queries
from playdock.features.links import queries as link_queries
from playdock.features.objects.service import Objects
from playdock.features.openid import queries as openid_queries
from playdock.features.patches.service import Patches
from playdock.features.sessions import queries as session_queries
from playdock.features.statistics import queries as statistics_queries
from playdock.features.tasks import maintenance
from playdock.features.tokens import queries as token_queries
from playdock.features.version_import import queries as import_queries
from playdock.jobs import queries
from playdock.jobs.work import Work
from playdock.metadata import queries as metadata_queries
from playdock.models import Picture
from playdock.throttle import queries as throttle_queries

_YOUNG = timedelta(days=1)
_KEPT = timedelta(days=30)
_DOWNLOADS_KEPT = timedelta(days=90)
_PICTURES_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class CleanInvitations:
    """Deletes expired invitations."""

    group: str = maintenance.INVITATIONS

    def run(self, work: Work) -> None:
        with work.complete() as session:
            invitation_queries.forget_expired(session, at=work.clock())


@dataclass(frozen=True, slots=True)
class CleanSessions:
    """Deletes expired sessions, sign-ins under way, waiting devices, tokens, links and counted failures."""

    group: str = maintenance.SESSIONS

    def run(self, work: Work) -> None:
        now = work.clock()
        with work.complete() as session:
            session_queries.forget_expired(session, at=now)
            openid_queries.forget_expired(session, at=now)
            device_queries.forget_expired(session, at=now)
            token_queries.forget_expired(session, at=now)
            link_queries.forget_expired(session, at=now)
            account_queries.forget_resets(session, before=now)
            throttle_queries.forget(session, before=now - _YOUNG)


@dataclass(frozen=True, slots=True)
class CleanObjects:
    """Deletes stored bytes that belong to nothing, what abandoned imports have learned, and providers' old answers.

    Young bytes may belong to something that is just being made, so they are left alone.
    """

    objects: Objects
    installations: Installations
    patches: Patches
    group: str = maintenance.OBJECTS

    def run(self, work: Work) -> None:
        def records() -> set[str]:
            with work.db.read() as session:
                return game_queries.record_names(session)

        before = work.clock() - _YOUNG
        swept = self.objects.sweep(before=before) + self.installations.sweep(before=before, known=records)
        swept += self.patches.sweep(before=before)
        work.log(f"Deleted {swept} objects.")
        with work.complete() as session:
            import_queries.forget_old_checkpoints(session, before=work.clock() - _KEPT)
            metadata_queries.forget_answers(session, before=work.clock())


@dataclass(frozen=True, slots=True)
class CleanTasks:
    """Deletes tasks that ended a month ago."""

    group: str = maintenance.TASKS

    def run(self, work: Work) -> None:
        with work.complete() as session:
            queries.forget_ended(session, before=work.clock() - _KEPT)


@dataclass(frozen=True, slots=True)
class CleanStatistics:
    """Deletes who downloaded what on days that are three months ago; the numbers of the dashboard are younger."""

    group: str = maintenance.STATISTICS

    def run(self, work: Work) -> None:
        with work.complete() as session:
            statistics_queries.forget(session, before=(work.clock() - _DOWNLOADS_KEPT).date())


@dataclass(frozen=True, slots=True)
class TintPictures:
    """Computes the tints of pictures that came before there were any, some at a time."""

    artwork: Artwork
    group: str = maintenance.TINTS

    def run(self, work: Work) -> None:
        tinted, after = 0, ""
        while pictures := self._untinted(work, after=after):
            tints = self.artwork.tints(pictures)
            with work.checkpoint() as session:
                artwork_queries.set_tints(session, tints)
            tinted, after = tinted + len(tints), pictures[-1].id
        work.log(f"Found the colours of {tinted:,} pictures.")

    def _untinted(self, work: Work, *, after: str) -> Sequence[Picture]:
        with work.db.read() as session:
            return artwork_queries.untinted(session, after=after, most=_PICTURES_AT_ONCE)
