"""Planning a move, moving, and undoing it."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial

import msgspec
from msgspec import Struct
from sqlalchemy.orm import Session

from playdock.auth.passwords import Passwords
from playdock.db.database import Database
from playdock.db.failures import on_rollback
from playdock.db.retrying import retry_conflicts
from playdock.domain.game_folders import queries as folder_queries
from playdock.domain.game_metadata.service import GameMetadataService
from playdock.domain.libraries import queries as library_queries
from playdock.domain.libraries.rules import MAX_IGNORED
from playdock.domain.libraries.schemas import BackendKind
from playdock.domain.libraries.service import base_dir_of, base_dir_path
from playdock.domain.objects.rules import INTERNAL
from playdock.domain.objects.service import Objects
from playdock.features.accounts import queries as account_queries
from playdock.features.accounts.errors import UsernameTaken
from playdock.features.accounts.queries import NewUser
from playdock.features.accounts.rules import RESET_LIFETIME, display_name, normalize
from playdock.features.game_collections import queries as collection_queries
from playdock.features.invitations.rules import InvitationInfo
from playdock.features.invitations.service import Invitations
from playdock.features.libraries.schemas import FolderOptions, LibraryCreate, RulesRequest
from playdock.features.libraries.service import Libraries
from playdock.features.moving_in import queries, rules
from playdock.features.moving_in.counting import counts_of_dependents
from playdock.features.moving_in.errors import MoveRunning
from playdock.features.moving_in.games import GameMoves
from playdock.features.moving_in.played import MovedPlayRecords
from playdock.features.moving_in.reporting import MoveReport
from playdock.features.moving_in.rules import Count, MovedKind, PlannedGame, PlannedLibrary, PlannedUser, Remark, Step
from playdock.features.moving_in.save_rules import missing_saves, saves_option
from playdock.features.moving_in.saved import MovedSaves
from playdock.features.moving_in.tokens import MovedTokens
from playdock.features.moving_in.versions import MovedVersions, VersionState, states_of
from playdock.features.version_import.service import VersionImports
from playdock.kit.clock import Clock
from playdock.kit.errors import InvalidInput
from playdock.kit.identifiers import digest, new_id, new_secret
from playdock.kit.s3_location import is_s3_url
from playdock.kit.security_log import SecurityEvent, record
from playdock.models import Collection, Library
from playdock.other_servers.model import SourceCollection, SourceServer, SourceUser
from playdock.other_servers.objects import ObjectFolder
from playdock.pictures.images import MEDIA_TYPE, UnusablePicture
from playdock.pictures.operations import default_avatar, profile_picture
from playdock.settings import Settings
from playdock.storage.library_policy import LocationUnusable, place_of

Progress = Callable[[str, int, int], None]

_NO_OBJECTS = Remark("Images", "are not moved without --objects.")


class Plan(Struct, frozen=True):
    """What will be moved."""

    source: SourceServer
    users: Sequence[PlannedUser]
    libraries: Sequence[PlannedLibrary]
    games: Sequence[PlannedGame]
    dependents: Sequence[Count]
    remarks: Sequence[Remark]

    @property
    def counts(self) -> list[Count]:
        return [
            Count.of("users", [each.step for each in self.users]),
            Count.of("libraries", [each.step for each in self.libraries]),
            Count.of("games", [each.step for each in self.games]),
            *(each for each in self.dependents if each.found),
        ]


class MovingIn(Struct, frozen=True):
    """Moves from one kind of server, which is its ``server``; for the server's command line only."""

    server: str
    db: Database
    clock: Clock
    passwords: Passwords
    objects: Objects
    libraries: Libraries
    invitations: Invitations
    game_metadata: GameMetadataService
    version_imports: VersionImports
    files: ObjectFolder
    saves: ObjectFolder
    settings: Settings
    progress: Progress = lambda _kind, _done, _total: None

    def plan(self, source: SourceServer, *, mapped: Mapping[str, str]) -> Plan:
        """Return what will be moved. This reads the folders of libraries."""
        with self.db.read() as session:
            moved = {kind: queries.targets(session, self.server, kind) for kind in MovedKind}
            names = {normalize(user.username): user.id for user in account_queries.list_users(session)}
            rows = library_queries.list_all(session)
            folders = (*folder_queries.folders_beside(session), *folder_queries.game_folders(session))
            places = {(each.library_id, each.path): each.game_id for each in folders}
        users = rules.plan_users(source.users, moved=moved[MovedKind.USER], present=names)
        present = {row.id: (base_dir_of(row), row.backend == BackendKind.FLAT_FILESYSTEM) for row in rows}
        libraries = rules.plan_libraries(
            source.libraries, mapped=mapped, moved=moved[MovedKind.LIBRARY], present=present, place_of=place_of
        )
        listed, libraries = self._listed(libraries, {row.id: row for row in rows})
        games = rules.plan_games(
            source.games,
            moved=moved[MovedKind.GAME],
            present=places,
            listed=listed,
            targets={each.source.key: each.target for each in libraries},
        )
        remarks = [
            *([_NO_OBJECTS] if self.files.folder is None else []),
            *missing_saves(source, self.saves.folder, option=saves_option(self.server)),
            *rules.unlinked(source.users),
            *rules.remarks_on_users(users),
            *(Remark(f"Library {each.source.name}", f"{each.reason}.") for each in libraries if each.reason),
            *(Remark(f"Game {each.source.facts.name}", f"{each.reason}.") for each in games if each.reason),
        ]
        dependents = counts_of_dependents(source, users, games, moved=moved, now=self.clock())
        return Plan(source, users, libraries, games, dependents, remarks)

    def move(self, plan: Plan) -> MoveReport:
        """Move what was planned. It can be interrupted at any moment, and repeated."""
        report = MoveReport()
        users = self._move_users(plan.users, report)
        libraries = self._move_libraries(plan.libraries, report)
        games = self._move_games(plan.games, libraries, report)
        self._move_collections(plan.source.collections, users, games, report)
        played = MovedPlayRecords(self.server, self.db, self.clock).move(plan.source, users, games)
        report.added |= {"play sessions": played.sessions, "statuses and notes": played.notes}
        if moved := self._moved_saves(report).move(plan.source, users, games):
            report.added["saved games"] = moved
        self._move_invitations(plan.source, report)
        tokens = MovedTokens(self.server, self.db, self.clock, self.settings, report.remark)
        if moved := tokens.move(plan.source, users):
            report.added["API tokens"] = moved
        self._import_versions(plan.games, games, report)
        self._reset_passwords(plan.users, users, report)
        return report

    def _moved_saves(self, report: MoveReport) -> MovedSaves:
        settings, files = self.settings, self.saves
        return MovedSaves(self.server, self.db, self.clock, settings, self.objects, files, report.remark)

    def _listed(
        self, planned: Sequence[PlannedLibrary], rows: Mapping[str, Library]
    ) -> tuple[dict[str, set[str]], list[PlannedLibrary]]:
        """Return what the libraries list here, and the libraries; those that cannot be read are left out."""
        listed, checked = {}, []
        for each in planned:
            if each.step is Step.OMIT:
                checked.append(each)
                continue
            try:
                row = rows.get(each.target) or self.libraries.prepare(_library_of(each, managed=False))
                if each.source.managed and each.step is Step.ADD:
                    self.libraries.backends.policy.require_writable_place(base_dir_path(row))
                listed[each.source.key] = set(self.libraries.backends.of(row).games())
                checked.append(each)
            except (InvalidInput, LocationUnusable) as error:
                reason = error.field_errors[0].detail if isinstance(error, InvalidInput) else error.message
                text = f"its folder {each.base_dir} cannot be used here: {reason} Use --map OLD=NEW"
                checked.append(msgspec.structs.replace(each, step=Step.OMIT, reason=text))
        return listed, checked

    def _move_users(self, planned: Sequence[PlannedUser], report: MoveReport) -> dict[str, str]:
        """Return the ids of users here by key."""
        ids = {each.source.key: each.target for each in planned if each.step in (Step.MOVED, Step.PRESENT)}
        new = [each for each in planned if each.step is Step.ADD]
        for number, each in enumerate(new):
            ids[each.source.key] = retry_conflicts(partial(self._add_user, each))
            report.count("users")
            self.progress("users", number + 1, len(new))
        return ids

    def _add_user(self, planned: PlannedUser) -> str:
        source, user_id = planned.source, new_id()
        # A random one that nobody knows stands for a password that cannot be moved.
        hashed = source.password if planned.has_password else self.passwords.hash(new_secret("none"))
        picture = self.objects.write(self._avatar(source, user_id), media_type=MEDIA_TYPE)
        new = NewUser(
            id=user_id,
            username=planned.username,
            display_name=display_name(source.display_name[:128], username=planned.username),
            email=rules.email_of(source.email),
            picture_id=picture.id,
            admin=source.admin,
        )
        with on_rollback(lambda: self.objects.discard(picture.id)), self.db.write() as session:
            if account_queries.add_user(session, new, at=self.clock()) is None:
                raise UsernameTaken(new.username)
            account_queries.change(session, user_id, rules.user_values(source))
            linked = bool(source.identity) and account_queries.link_identity(session, user_id, source.identity)
            if planned.has_password or not linked:
                account_queries.set_password(session, user_id, hashed)
            self.objects.adopt(session, picture, reader=INTERNAL)
            self._record(session, MovedKind.USER, source.key, user_id)
            if not planned.has_password and not linked:
                self._record(session, MovedKind.RESET, source.key, hashed)
        record(SecurityEvent.SIGNED_UP, user=user_id, admin=source.admin)
        return user_id

    def _avatar(self, source: SourceUser, user_id: str) -> bytes:
        data = self.files.read(source.picture)
        if data is not None:
            with suppress(UnusablePicture):
                return profile_picture(data)
        return default_avatar(user_id)

    def _move_libraries(self, planned: Sequence[PlannedLibrary], report: MoveReport) -> dict[str, str]:
        """Return the ids of libraries here by key."""
        ids = {each.source.key: each.target for each in planned if each.step in (Step.MOVED, Step.PRESENT)}
        for each in planned:
            if each.step is Step.ADD:
                row = self.libraries.prepare(_library_of(each, managed=each.source.managed))
                with self.db.write() as session:
                    library_queries.add(session, row)
                    self._record(session, MovedKind.LIBRARY, each.source.key, row.id)
                ids[each.source.key] = row.id
                report.count("libraries")
        return ids

    def _move_games(
        self, planned: Sequence[PlannedGame], libraries: Mapping[str, str], report: MoveReport
    ) -> dict[str, str]:
        """Return the ids of games here by key."""
        ids = {each.source.key: each.target for each in planned if each.step in (Step.MOVED, Step.PRESENT)}
        new = [each.source for each in planned if each.step is Step.ADD and each.source.library in libraries]
        moved = GameMoves(
            self.server, self.db, self.clock, self.libraries.backends, self.game_metadata, self.files, report
        )
        for number, game in enumerate(new):
            ids[game.key] = retry_conflicts(partial(moved.add, game, libraries[game.library]))
            report.count("games")
            self.progress("games", number + 1, len(new))
        for each in planned:
            if each.step is Step.MOVED and each.source.images and self.files.folder is not None:
                retry_conflicts(partial(moved.add_images, each.source, each.target))
        return ids

    def _move_collections(
        self,
        collections: Sequence[SourceCollection],
        users: Mapping[str, str],
        games: Mapping[str, str],
        report: MoveReport,
    ) -> None:
        with self.db.read() as session:
            made, entries = (
                queries.targets(session, self.server, kind) for kind in (MovedKind.COLLECTION, MovedKind.ENTRY)
            )
        for each in collections:
            wanted = {
                f"{each.key}:{key}": games[key]
                for key in each.games
                if key in games and f"{each.key}:{key}" not in entries
            }
            if each.user in users and (wanted or each.key not in made):
                retry_conflicts(partial(self._add_entries, each, users[each.user], made.get(each.key), wanted, report))

    def _add_entries(
        self, source: SourceCollection, user_id: str, made: str | None, wanted: Mapping[str, str], report: MoveReport
    ) -> None:
        """Add games, by their keys as entries, to a collection, which is created unless it is the default or was."""
        with self.db.write() as session:
            if source.is_default:
                collection_queries.create_default(session, user_id=user_id, at=self.clock())
                row = collection_queries.find_default(session, user_id=user_id)
            elif made is not None:
                row = collection_queries.find(session, made, user_id=user_id)
            else:
                name = source.name or collection_queries.DEFAULT_NAME
                row = Collection(id=new_id(), user_id=user_id, name=name, is_default=False, created=self.clock())
                collection_queries.add(session, row)
                self._record(session, MovedKind.COLLECTION, source.key, row.id)
            if row is None:
                return
            known = collection_queries.games_in(session, row.id)
            new = {key: game_id for key, game_id in wanted.items() if game_id not in known}
            for key, game_id in new.items():
                added = source.added.get(key.partition(":")[2], self.clock())
                collection_queries.add_game(session, row.id, game_id, at=added)
                self._record(session, MovedKind.ENTRY, key, f"{row.id}:{game_id}")
        if made is None and not source.is_default:
            report.count("collections")
        report.added["games in collections"] = report.added.get("games in collections", 0) + len(new)

    def _move_invitations(self, source: SourceServer, report: MoveReport) -> None:
        with self.db.read() as session:
            moved = queries.targets(session, self.server, MovedKind.INVITATION)
        for each in source.invitations:
            if digest(each.key) in moved or each.expires <= self.clock():
                continue
            if not rules.is_username(each.username):
                report.remark(f"Invitation for {each.username}", "this is not a valid user name here.")
                continue
            info = InvitationInfo(each.key, each.admin, each.username, each.email or None, each.expires)
            with self.db.write() as session:
                self.invitations.add(session, info)
                # The id is the secret of the link.
                self._record(session, MovedKind.INVITATION, digest(each.key), self.invitations.stored_id(each.key))
            report.count("invitations")

    def _import_versions(self, planned: Sequence[PlannedGame], games: Mapping[str, str], report: MoveReport) -> None:
        """Start the imports of versions of moved games; the tasks run in the service."""
        versions = MovedVersions(self.server, self.clock, self.version_imports)
        with self.db.read() as session:
            started = queries.targets(session, self.server, MovedKind.VERSION)
        moved = [each.source for each in planned if each.step is not Step.PRESENT and each.source.key in games]
        for number, game in enumerate(moved):
            with self.db.read() as session:
                states = states_of(session, game, games[game.key], started)
            for version in versions.start(game, games[game.key], states):
                if version.remark:
                    report.remark(f"Version {version.name} of {game.facts.name}", version.remark)
                if version.is_started:
                    report.count("imports of versions")
            if VersionState.WAITING in states.values():
                with self.db.write() as session:
                    versions.start_later(session, game, games[game.key], states)
            self.progress("versions", number + 1, len(moved))

    def _reset_passwords(self, planned: Sequence[PlannedUser], users: Mapping[str, str], report: MoveReport) -> None:
        """Make reset links for the moved users who have no password yet; former links become invalid."""
        names = {each.source.key: each.username for each in planned}
        with self.db.read() as session:
            waiting = queries.targets(session, self.server, MovedKind.RESET)
        for key, unset in waiting.items():
            if key not in users:
                continue
            secret = new_secret("pdr")
            with self.db.write() as session:
                user = account_queries.lock_user(session, users[key])
                if user is None or account_queries.password_hash(session, user.id) != unset:
                    continue
                expires = self.clock() + RESET_LIFETIME
                account_queries.add_reset(session, user.id, digest=digest(secret), expires=expires)
            record(SecurityEvent.RESET_CREATED, user=users[key])
            report.resets[names[key]] = secret

    def _record(self, session: Session, kind: MovedKind, key: str, target: str) -> None:
        if not queries.add(session, self.server, kind, key, target=target, at=self.clock()):
            raise MoveRunning


def _library_of(planned: PlannedLibrary, *, managed: bool) -> LibraryCreate:
    """Return a library to add; preparing a managed one makes its folder."""
    source = planned.source
    return LibraryCreate(
        name=(source.name or "Library")[:128],
        backend=BackendKind.S3 if is_s3_url(planned.base_dir) else source.layout,
        options=FolderOptions(base_dir=planned.base_dir, managed=managed),
        rules=RulesRequest(source.import_games, source.import_versions, list(source.ignore[:MAX_IGNORED])),
    )
