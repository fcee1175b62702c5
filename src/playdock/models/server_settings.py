"""Settings that administrators have changed on the settings page."""

from sqlalchemy.orm import Mapped, mapped_column

from playdock.models.base import Base


class StoredSetting(Base):
    """The text of a setting, as an environment variable would have it; encrypted if it is a secret."""

    __tablename__ = "stored_settings"

    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]
