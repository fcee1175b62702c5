"""The reference pages in ``docs/``, made from the code: settings, rights, errors and commands.

`reference_docs.py` writes them; a test fails while they are not what this makes.
"""

import importlib
import pkgutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

import playdock
from playdock.auth.acls import Acl
from playdock.cli.main import app
from playdock.http.routing import contract_of, rights_in
from playdock.kit.errors import PlaydockError
from playdock.settings import Settings, describe
from playdock.web.problems import PLAIN
from playdock.web.routes import ROUTES

DOCS = Path(__file__).parents[1] / "docs"
_NOTE = "<!-- Made by tools/reference_docs.py. Change the code, then run that. -->"


def pages() -> dict[str, str]:
    """Give the text of each page by its file name."""
    return {
        "settings.md": _page("Settings", _SETTINGS, _settings()),
        "rights.md": _page("Rights", _RIGHTS, _rights()),
        "errors.md": _page("Errors", _ERRORS, _errors()),
        "commands.md": _page("Commands", _COMMANDS, _commands()),
    }


_SETTINGS = (
    "Settings come from the environment and from an `.env` file in the working folder; the environment wins. A setting "
    "may also come from a file: `NAME_FILE=/run/secrets/name` names it. A setting that cannot be used is refused at "
    "the start, with the reason."
)
_RIGHTS = (
    "A session has all the rights of its user: every `user:` right, and for an admin every `system:` right. An API "
    "token has those it was given, as far as its owner still has them; a device of the player's client has every "
    "`user:` right and no other, a signed link `user:content:read` for one path. Calls that need no single right, such "
    "as those on the own sessions and tokens, are not in these tables. A right that has no call yet allows nothing so "
    "far; a token may be given it nevertheless, and can do more after an update."
)
# Open to anybody, but not to a credential without the right, or not for everything.
_ASKED_WITHIN = {
    Acl.USER_READ: "`GET /api/v1/user`",
    Acl.OBJECT_READ: "`GET /api/v1/object/{object_id}`",
}
_ERRORS = (
    "Errors are problem documents (RFC 9457). `type` is the code in these tables and never changes its meaning; "
    "`detail` says what is wrong and what to do; `requestId` is what the server's log has for faults of its own. Below "
    "`/oauth/` errors have OAuth's form: the code is `error`, and `error_description` says what to do."
)
_COMMANDS = (
    "`playdock COMMAND --help` says the same at the prompt. What goes wrong is told in a sentence on standard error, "
    "with status 1; options that cannot be read end with status 2."
)


def error_kinds() -> list[type[PlaydockError]]:
    """Give every error that can reach somebody, by code: what has no subclass of its own and is no bare family."""
    for module in pkgutil.walk_packages(playdock.__path__, "playdock."):
        importlib.import_module(module.name)
    kinds = (kind for kind in _below(PlaydockError) if PlaydockError not in kind.__bases__)
    return sorted(kinds, key=lambda kind: kind.code())


def commands() -> list[str]:
    return [name for name in app if not name.startswith("-")]


def _below(kind: type[PlaydockError]) -> Iterator[type[PlaydockError]]:
    for child in kind.__subclasses__():
        yield child
        yield from _below(child)


def _settings() -> Iterator[str]:
    defaults = Settings()
    rows = [(f"`{name}`", _default(getattr(defaults, name.lower())), meaning) for name, meaning in describe().items()]
    yield _table(("Setting", "Default", "Meaning"), rows)


def _default(value: object) -> str:
    return f"`{value}`" if str(value) else ""


def _rights() -> Iterator[str]:
    calls: dict[Acl, list[str]] = defaultdict(list, {acl: [call] for acl, call in _ASKED_WITHIN.items()})
    for route in ROUTES:
        for right in rights_in(contract_of(route).needs):
            path = next(iter(route.paths)).replace(":str}", "}")
            calls[right] += [f"`{method} {path}`" for method in sorted(route.http_methods) if method != "HEAD"]
    rows = [(f"`{acl.value}`", acl.description, "<br>".join(calls[acl]) or "none yet") for acl in Acl]
    yield _table(("Right", "Lets somebody", "Calls"), rows)


def _errors() -> Iterator[str]:
    by_status: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for status, plain in PLAIN.items():
        by_status[int(status)].append((f"`{plain.code}`", plain.detail))
    for kind in error_kinds():
        by_status[kind.status].append((f"`{kind.code()}`", _first_line(kind)))
    for number, rows in sorted(by_status.items()):
        yield f"## {number}"
        yield _table(("Code", "Meaning"), sorted(rows))


def _first_line(kind: type[PlaydockError]) -> str:
    return (kind.__doc__ or "").strip().splitlines()[0]


def _commands() -> Iterator[str]:
    for name in commands():
        command = app[name]
        yield f"## playdock {name}"
        yield (command.help or "").strip().splitlines()[0]
        if rows := list(_options(name)):
            yield _table(("Option", "Default", "Meaning"), rows)


def _options(name: str) -> Iterator[tuple[str, str, str]]:
    for argument in app[name].assemble_argument_collection(parse_docstring=True):
        spelled = ", ".join(f"`{option}`" for option in argument.names if not option.startswith("--empty-"))
        default = "required" if argument.required else _shown(argument.field_info.default)
        yield spelled, default, argument.parameter.help or ""


def _shown(value: object) -> str:
    return "" if value is None else f"`{msgspec.to_builtins(value)}`"


def _page(title: str, about: str, parts: Iterable[str]) -> str:
    return "\n\n".join([f"# {title}", _NOTE, about, *parts]) + "\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    for name, text in pages().items():
        (DOCS / name).write_text(text)


if __name__ == "__main__":
    main()
