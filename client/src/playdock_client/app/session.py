"""The app's session with one server: what its pages can show and do on this machine."""

from datetime import datetime
from functools import partial

from playdock_client import __version__
from playdock_client.app.app_settings import SettingsFile
from playdock_client.app.changes import Changes
from playdock_client.app.client_updater import ClientUpdater
from playdock_client.app.game_details import GameLinks
from playdock_client.app.game_jobs import GameJobs
from playdock_client.app.holds import Hold, hold
from playdock_client.app.installed_games import InstalledGames
from playdock_client.app.job_queue import JobProgress, JobQueue
from playdock_client.app.jobs import CheckedFiles, Job, JobState
from playdock_client.app.operations import Operations
from playdock_client.app.preferences import Preferences
from playdock_client.app.server_watch import ServerWatch
from playdock_client.app.state import AgentState, folder_state, shown_job
from playdock_client.client_folders import folder_name
from playdock_client.errors import NotSignedIn
from playdock_client.playing.session_uploads import SessionUploads
from playdock_client.shell import Shell

# The player waits for the answer.
_RETRY_SECONDS = 3.0


class ServerSession:
    """The games, jobs and settings that the pages of one server show, and the watch on that server."""

    def __init__(self, shell: Shell, server: str, updater: ClientUpdater) -> None:
        self.changes = Changes()
        self.server = server
        self.updater = updater
        self._shell = shell
        self._connect = partial(shell.server, server, retry_seconds=_RETRY_SECONDS)
        self._settings = SettingsFile(shell.folders)
        links = GameLinks(shell)
        self.games = InstalledGames(shell, server, links, self.changes)
        self._operations = Operations(shell, self._settings, links)
        stored = shell.folders.data / "jobs" / f"{folder_name(server)}.json"
        self.queue = JobQueue(stored, self._run, hold=self._hold, changes=self.changes)
        self.jobs = GameJobs(
            server,
            self._connect,
            self.games,
            settings=self._settings,
            queue=self.queue,
            operations=self._operations,
            platforms=shell.machine.runs,
        )
        self.preferences = Preferences(self._settings, self.queue, updater, self.changes)
        uploads = SessionUploads(shell.folders, server)
        self.watch = ServerWatch(self._connect, self.games, self.jobs, uploads, self.changes)

    def start(self) -> None:
        self.games.refresh()
        self.queue.start()
        self.watch.start()

    def close(self) -> None:
        self.watch.close()
        self.queue.close()
        self.changes.close()

    @property
    def is_busy(self) -> bool:
        """Whether a game runs or something is being done with one."""
        return self.games.is_playing or any(job.state is JobState.RUNNING for job in self.queue.jobs())

    def state(self) -> AgentState:
        processes, machine = self.games.processes, self._shell.machine
        return AgentState(
            number=self.changes.number,
            version=__version__,
            server=self.server,
            platform=machine.platform,
            runs=machine.runs,
            online=self.watch.online,
            games=self.games.library.games(),
            jobs=[shown_job(job, self.queue.reading(job.id)) for job in self.queue.jobs()],
            hold=self.queue.hold,
            running=processes.running(),
            starting=processes.starting(),
            played=processes.played(),
            launch_problems=processes.problems(),
            settings=self._settings.read().app,
            client_update=self.updater.state,
            folders=[folder_state(each) for each in self._settings.game_folders()],
        )

    def check_updates_now(self) -> None:
        self.watch.check_now()
        self.updater.check()

    def sign_out(self) -> None:
        """Sign this device out, on the server and then here. What is installed stays. Raises ClientError."""
        try:
            with self._connect() as server:
                server.sign_out()
        except NotSignedIn:
            # The device was signed out elsewhere.
            pass
        self._shell.credentials.remove(self.server)

    def _run(self, job: Job, progress: JobProgress) -> CheckedFiles | None:
        try:
            return self._operations.run(job, progress)
        finally:
            self.games.refresh()

    def _hold(self) -> Hold | None:
        return hold(self._settings.read().app, playing=self.games.is_playing, now=datetime.now().astimezone())
