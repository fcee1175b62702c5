"""Moving into a running service from a Drop server."""

from world import World

from .conftest import Outcome, Prompt


def prompt_of(world: World) -> Prompt:
    """Return a prompt on the machine of a running service."""
    settings = world.services.settings
    data = {"DATA_DIR": str(settings.data_dir), "DATABASE_URL": settings.database_url}
    return Prompt(world.folder, {**data, "EXTERNAL_URL": world.address})


def migrate(prompt: Prompt, address: str, *options: str) -> Outcome:
    return prompt.run("migrate", "drop", "--from", address, "--map", f"/library={prompt.folder}/games", *options)
