"""Settings: defaults, sources, and errors."""

from pathlib import Path

import pytest

from playdock.configuration import CONFIG, load, read
from playdock.kit.environment import SettingsUnusable, descriptions
from playdock.settings import Settings

_NO_FILE = Path("/nowhere/.env")


def _load(**values: str) -> Settings:
    return load(values, dotenv=_NO_FILE)


def _faults(**values: str) -> dict[str, str]:
    with pytest.raises(SettingsUnusable) as refused:
        _load(**values)
    return {error.name: error.detail for error in refused.value.errors}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("external_url", ""),
        ("address", "http://localhost:3000"),
        ("data_dir", Path("data")),
        ("objects_dir", Path("data/objects")),
        ("database", f"sqlite:///{Path.cwd() / 'data' / 'playdock.sqlite3'}"),
        ("library", ""),
        ("trusted_proxies", ""),
        ("secure", False),
    ],
)
def test_defaults(name: str, value: object) -> None:
    assert getattr(_load(), name) == value


def test_a_number_consists_of_digits() -> None:
    assert _load(UNPACKED_MAX_BYTES="1000").unpacked_max_bytes == 1000


@pytest.mark.parametrize(
    ("name", "value"),
    [("NODE", "games:1"), ("NODE", "n" * 65), ("CPU_TASKS_PER_NODE", "0"), ("CPU_TASKS_PER_NODE", "65")],
)
def test_an_invalid_name_or_limit_of_a_node_is_refused(name: str, value: str) -> None:
    with pytest.raises(SettingsUnusable, match=name):
        _load(**{name: value})


@pytest.mark.parametrize("name", ["SESSION_IDLE_DAYS", "TOKEN_MAX_DAYS"])
def test_lifetimes_are_from_a_day_to_a_century(name: str) -> None:
    assert getattr(_load(**{name: "1"}), name.lower()) == 1
    for wrong in ("36501", "9" * 18):
        with pytest.raises(SettingsUnusable, match=name):
            _load(**{name: wrong})


def test_an_empty_setting_is_unset() -> None:
    assert _load(EXTERNAL_URL="", DATA_DIR="", DATABASE_URL="") == Settings()


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("postgresql://ada@db/playdock", "postgresql+psycopg://ada@db/playdock"),
        ("postgres://ada@db/playdock", "postgresql+psycopg://ada@db/playdock"),
        ("postgresql+psycopg://ada@db/playdock", "postgresql+psycopg://ada@db/playdock"),
        ("sqlite:////srv/playdock.sqlite3", "sqlite:////srv/playdock.sqlite3"),
        (
            "postgresql://ada:p,w@one:5433,two/playdock?x=1",
            "postgresql+psycopg://ada:p,w@/playdock?host=one%2Ctwo&port=5433,5432&target_session_attrs=read-write&x=1",
        ),
        (
            "postgres://[::1]:7,[::2]/playdock?target_session_attrs=any",
            "postgresql+psycopg:///playdock?host=%3A%3A1%2C%3A%3A2&port=7,5432&target_session_attrs=any",
        ),
    ],
)
def test_database_urls_are_normalized(given: str, address: str) -> None:
    assert _load(DATABASE_URL=given).database == address


@pytest.mark.parametrize("given", ["/srv/objects", "file:///srv/objects"])
def test_objects_are_stored_in_a_folder(given: str) -> None:
    assert _load(OBJECTS_URL=given).objects_dir == Path("/srv/objects")


@pytest.mark.parametrize(
    ("given", "bucket", "prefix", "url"),
    [
        ("s3://games", "games", "", "s3://games"),
        ("s3://games/", "games", "", "s3://games"),
        ("s3://games/play/dock/", "games", "play/dock", "s3://games/play/dock"),
    ],
)
def test_objects_are_stored_in_s3(given: str, bucket: str, prefix: str, url: str) -> None:
    location = _load(OBJECTS_URL=given, OBJECTS_ENDPOINT="http://127.0.0.1:9000").objects_in_s3
    assert location is not None
    assert (location.bucket, location.prefix, location.url) == (bucket, prefix, url)
    assert location.endpoint == "http://127.0.0.1:9000"


def test_a_folder_of_objects_is_not_in_s3() -> None:
    assert _load(OBJECTS_URL="/srv/objects").objects_in_s3 is None


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ("OBJECTS_ACCESS_KEY_ID", "OBJECTS_SECRET_ACCESS_KEY"),
        ("OBJECTS_SECRET_ACCESS_KEY", "OBJECTS_ACCESS_KEY_ID"),
    ],
)
def test_an_access_key_and_its_secret_are_set_together(given: str, missing: str) -> None:
    assert list(_faults(OBJECTS_URL="s3://games", **{given: "hunter2"})) == [missing]


def test_the_secret_of_an_access_key_is_not_printed() -> None:
    settings = _load(OBJECTS_URL="s3://games", OBJECTS_ACCESS_KEY_ID="id", OBJECTS_SECRET_ACCESS_KEY="hunter2")
    assert "hunter2" not in repr(settings.objects_in_s3)


def test_database_and_objects_are_in_the_data_folder() -> None:
    settings = _load(DATA_DIR="/srv/playdock")
    assert settings.database == "sqlite:////srv/playdock/playdock.sqlite3"
    assert settings.objects_dir == Path("/srv/playdock/objects")


@pytest.mark.parametrize(
    "given", ["https://play.example.org", "https://play.example.org/", "https://play.example.org//"]
)
def test_a_trailing_slash_is_tolerated(given: str) -> None:
    settings = _load(EXTERNAL_URL=given)
    assert settings.page("/auth/register?id=1") == "https://play.example.org/auth/register?id=1"
    assert settings.secure


@pytest.mark.parametrize(
    ("given", "origin", "path"),
    [
        ("https://example.org/", "https://example.org", ""),
        ("https://example.org:8443/games/", "https://example.org:8443", "/games"),
        ("http://[::1]:3000/a/b-c_d.e~f", "http://[::1]:3000", "/a/b-c_d.e~f"),
    ],
)
def test_the_external_url_may_have_a_path(given: str, origin: str, path: str) -> None:
    settings = _load(EXTERNAL_URL=given)
    assert (settings.origin, settings.url_path) == (origin, path)
    assert settings.page("/device") == f"{origin}{path}/device"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("EXTERNAL_URL", "play.example.org"),
        ("EXTERNAL_URL", "ftp://play.example.org"),
        ("EXTERNAL_URL", "https://"),
        ("EXTERNAL_URL", "HTTPS://play.example.org"),
        ("EXTERNAL_URL", "https://play.example.org/a//b"),
        ("EXTERNAL_URL", "https://play.example.org/a/../b"),
        ("EXTERNAL_URL", "https://play.example.org/a%20b"),
        ("EXTERNAL_URL", "https://play.example.org/a;b"),
        ("EXTERNAL_URL", "https://play.example.org/games?store=1"),
        ("EXTERNAL_URL", "https://play.example.org/games#store"),
        ("EXTERNAL_URL", "https://play.example.org?store=1"),
        ("EXTERNAL_URL", "https://play.example.org:port"),
        ("EXTERNAL_URL", "https://[::1"),
        ("DATABASE_URL", "mysql://ada@db/playdock"),
        ("DATABASE_URL", "playdock.sqlite3"),
        ("DATABASE_URL", "postgresql://ada:hunter2@db:port/playdock"),
        ("DATABASE_URL", "sqlite:///"),
        ("DATABASE_URL", "sqlite:///:memory:"),
        ("DATABASE_URL", "sqlite:///?mode=ro"),
        ("OBJECTS_URL", "s3://"),
        ("OBJECTS_URL", "s3:///prefix"),
        ("OBJECTS_URL", "s3://b"),
        ("OBJECTS_URL", "s3://key:hunter2@host/bucket"),
        ("OBJECTS_URL", "s3://bucket/a/../b"),
        ("OBJECTS_URL", "s3://bucket/a//b"),
        ("OBJECTS_URL", "https://s3.example.org/bucket"),
        ("OBJECTS_ENDPOINT", "s3.example.org"),
        ("OBJECTS_ENDPOINT", "https://s3.example.org/bucket"),
        ("OBJECTS_CACHE_MAX_BYTES", "10G"),
        ("UNPACKED_MAX_BYTES", "10G"),
        ("DOWNLOAD_RATE", "2.5"),
        ("X_ACCEL_PREFIX", "playdock-files"),
        ("X_ACCEL_PREFIX", "/playdock files"),
        ("X_ACCEL_PREFIX", "/playdock-files/"),
        ("UNPACKED_MAX_BYTES", "-1"),
        ("UNPACKED_MAX_BYTES", "1" * 50),
    ],
)
def test_an_invalid_setting_is_named(name: str, value: str) -> None:
    field_errors = _faults(**{name: value})
    assert list(field_errors) == [name]
    assert field_errors[name].endswith(".")
    assert "hunter2" not in field_errors[name]


def test_all_invalid_settings_are_named(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff")
    field_errors = _faults(
        EXTERNAL_URL="nowhere",
        DATABASE_URL_FILE=str(tmp_path / "missing"),
        OBJECTS_URL="s3://",
        LIBRARY_FILE=str(tmp_path / "binary"),
    )
    assert set(field_errors) == {"EXTERNAL_URL", "DATABASE_URL_FILE", "OBJECTS_URL", "LIBRARY_FILE"}


def test_several_invalid_settings_have_a_line_each() -> None:
    with pytest.raises(SettingsUnusable) as refused:
        _load(EXTERNAL_URL="nowhere", OBJECTS_URL="s3://")
    first, *lines = refused.value.detail.splitlines()
    assert first == "The settings are invalid:"
    assert sorted(line.partition(":")[0] for line in lines) == ["  EXTERNAL_URL", "  OBJECTS_URL"]


def test_an_error_does_not_contain_the_secret(tmp_path: Path) -> None:
    with pytest.raises(SettingsUnusable) as refused:
        _load(DATABASE_URL="mysql://ada:hunter2@db/playdock")
    assert "hunter2" not in refused.value.detail


def test_a_setting_can_be_read_from_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "database"
    secret.write_text("postgresql://ada:hunter2@db/playdock\n")
    assert _load(DATABASE_URL_FILE=str(secret)).database == "postgresql+psycopg://ada:hunter2@db/playdock"


def test_settings_can_be_in_an_env_file(tmp_path: Path) -> None:
    dotenv = tmp_path / ".env"
    dotenv.write_text("# mine\nLIBRARY=/srv/games\nexport EXTERNAL_URL='https://play.example.org/'\nDATA_DIR\n")
    settings = load({}, dotenv=dotenv)
    assert (settings.library, settings.external_url) == ("/srv/games", "https://play.example.org")
    assert settings.data_dir == Path("data")


def test_the_environment_takes_precedence_over_the_env_file(tmp_path: Path) -> None:
    dotenv = tmp_path / ".env"
    dotenv.write_text("LIBRARY=/srv/games\n")
    assert load({"LIBRARY": "/mnt/games"}, dotenv=dotenv).library == "/mnt/games"


def test_the_environment_takes_precedence_over_a_secret_file_of_the_env_file(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("/srv/games")
    dotenv = tmp_path / ".env"
    dotenv.write_text(f"LIBRARY_FILE={tmp_path / 'secret'}\n")
    assert load({"LIBRARY": "/mnt/games"}, dotenv=dotenv).library == "/mnt/games"
    assert load({}, dotenv=dotenv).library == "/srv/games"


def _config(tmp_path: Path, content: str) -> dict[str, str]:
    file = tmp_path / "playdock.toml"
    file.write_text(content)
    return {CONFIG: str(file)}


def test_settings_can_be_in_a_configuration_file(tmp_path: Path) -> None:
    secret, dotenv = tmp_path / "secret", tmp_path / ".env"
    secret.write_text("from a file\n")
    dotenv.write_text("LIBRARY=/env\nCONTACT=b@example.org\n")
    given = _config(
        tmp_path,
        f"""external_url = "https://example.org/games"
download_rate = 1000000  # bytes per second
lan_discovery = false
library = "/toml"
contact = "c@example.org"
giantbomb_api_key_file = "{secret}"
""",
    )
    configuration = read({**given, "CONTACT": "a@example.org"}, dotenv=dotenv)
    settings = configuration.settings
    assert (settings.address, settings.download_rate, settings.lan_discovery) == (
        "https://example.org/games",
        1_000_000,
        False,
    )
    assert (settings.giantbomb_api_key, settings.library, settings.contact) == ("from a file", "/env", "a@example.org")
    assert configuration.sources == {
        "EXTERNAL_URL": given[CONFIG],
        "DOWNLOAD_RATE": given[CONFIG],
        "LAN_DISCOVERY": given[CONFIG],
        "GIANTBOMB_API_KEY": given[CONFIG],
        "LIBRARY": str(dotenv),
        "CONTACT": "the environment",
    }


def test_all_errors_of_a_configuration_file_are_named_with_those_of_other_sources(tmp_path: Path) -> None:
    given = _config(
        tmp_path,
        """external_urll = "x"
EXTERNAL_URL = "https://example.org"
lan_discovery = "yes"
download_rate = true
library = 5
session_idle_days = 0
unrelated = 1
[section]
x = 1
""",
    )
    faults = _faults(**given, LOG_LEVEL="loud", METRICS_TOKEN="short", OBJECTS_URL="ftp://host")
    file = given[CONFIG]
    assert faults == {
        f"external_urll in {file}": "There is no such setting. Did you mean external_url?",
        f"EXTERNAL_URL in {file}": "There is no such setting. Did you mean external_url?",
        f"lan_discovery in {file}": "It must be true or false, without quotes.",
        f"download_rate in {file}": "It must be a whole number, without quotes.",
        f"library in {file}": 'It must be text in quotes, such as "a value".',
        f"unrelated in {file}": "There is no such setting.",
        f"section in {file}": "There are no sections. Remove the line in brackets.",
        "SESSION_IDLE_DAYS": "It must be from 1 to 36,500.",
        "LOG_LEVEL": "It must be info, warning or error.",
        "METRICS_TOKEN": "It must have at least 32 random characters.",
        "OBJECTS_URL": faults["OBJECTS_URL"],
    }


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"library = ", "not valid TOML"), (b'library = "\xff"', "not UTF-8"), (None, "No such file or directory")],
)
def test_an_unreadable_configuration_file_is_an_error(tmp_path: Path, content: bytes | None, reason: str) -> None:
    file = tmp_path / "playdock.toml"
    if content is not None:
        file.write_bytes(content)
    assert reason in _faults(**{CONFIG: str(file)})[str(file)]


def test_the_access_log_needs_its_level() -> None:
    assert _load(ACCESS_LOG="true").access_log
    assert set(_faults(ACCESS_LOG="true", LOG_LEVEL="warning", LOG_FORMAT="xml")) == {"ACCESS_LOG", "LOG_FORMAT"}


def test_every_setting_has_a_description() -> None:
    described = descriptions(Settings)
    assert list(described) == [name.upper() for name in Settings.__struct_fields__]
    assert all(meaning.endswith(".") for meaning in described.values())


@pytest.mark.parametrize("proxies", ["*,127.0.0.1", "127.0.0.1, *", "*,*"])
def test_all_addresses_are_no_entry_of_a_list_of_proxies(proxies: str) -> None:
    assert list(_faults(TRUSTED_PROXIES=proxies)) == ["TRUSTED_PROXIES"]
    assert _load(TRUSTED_PROXIES=" * ").trusted_proxies.strip() == "*"
