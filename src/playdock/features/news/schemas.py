"""Wire types of news. Those of an article are Drop's, and more."""

from typing import Annotated, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from playdock.domain.game_metadata.schemas import TagName
from playdock.features.news.queries import ListedArticle
from playdock.kit.bodies import Query, RequestBody, ResponseBody
from playdock.kit.clock import timestamp
from playdock.kit.fields import GameTitle, Id, Timestamp, VersionTitle
from playdock.kit.forms import Files, Form, FormLimits
from playdock.kit.texts import Name
from playdock.models import NewsFeed
from playdock.pictures.images import MAX_UPLOAD_BYTES

# A long article; together with the other fields it fits into the body of a request.
MAX_CONTENT = 15_000
_Title = Annotated[Name, Meta(examples=["Game night on Friday"])]
_Description = Annotated[
    str, Meta(max_length=300, description="One or two sentences.", examples=["We play SuperTuxKart."])
]
_Content = Annotated[
    str,
    Meta(max_length=MAX_CONTENT, description="The text, in Markdown.", examples=["We play **SuperTuxKart**."]),
]
_Reference = Annotated[Id, Meta(max_length=64)]


class ArticleCreate(RequestBody):
    """A new article. With `versionId` it is the release notes of that version, and concerns its game."""

    title: _Title
    description: _Description = ""
    content: _Content = ""
    game_id: _Reference | None = None
    version_id: _Reference | None = None


class ArticleChanges(RequestBody):
    """The fields to change. Omitted fields are unchanged."""

    title: _Title | UnsetType = UNSET
    description: _Description | UnsetType = UNSET
    content: _Content | UnsetType = UNSET


class ArticleImageForm(Form):
    """The image of an article: one PNG, JPEG or WebP image.

    It has at most 40 million pixels, and 16,384 on each side.
    """

    limits: ClassVar[FormLimits] = FormLimits(files=1, file_bytes=MAX_UPLOAD_BYTES, bytes=MAX_UPLOAD_BYTES)

    files: Files


class NewsQuery(Query):
    """Which articles to return, with the parameters of Drop."""

    order: Literal["asc", "desc"] = "desc"
    skip: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    limit: Annotated[int, Meta(ge=1, le=100)] = 10
    search: Annotated[str, Meta(max_length=256, description="A text in the title or the description.")] = ""
    game: Annotated[str, Meta(max_length=64, description="The id of a game.")] | None = None


class AuthorName(ResponseBody):
    """The author of an article."""

    id: Id
    display_name: Annotated[str, Meta(examples=["Ada"])]


class ArticleResponse(ResponseBody):
    """An article. `gameId` and `gameName` are null unless it concerns a game; `versionId` if it is no release notes."""

    id: Id
    title: _Title
    description: _Description
    content: _Content
    published_at: Timestamp
    changed: Timestamp
    image_object_id: Id | None
    tags: Annotated[list[TagName], Meta(description="Always empty.")]
    author: AuthorName | None
    game_id: Id | None
    game_name: GameTitle | None
    version_id: Id | None
    version_name: VersionTitle | None

    @classmethod
    def of(cls, listed: ListedArticle) -> "ArticleResponse":
        article = listed.article
        has_author = article.author_id is not None and listed.author is not None
        return cls(
            id=article.id,
            title=article.title,
            description=article.description,
            content=article.content,
            published_at=timestamp(article.published),
            changed=timestamp(article.changed),
            image_object_id=article.image_id,
            tags=[],
            author=AuthorName(id=article.author_id or "", display_name=listed.author or "") if has_author else None,
            game_id=article.game_id,
            game_name=listed.game,
            version_id=article.version_id,
            version_name=listed.version,
        )


class NewsFeedResponse(ResponseBody):
    """Whether you have a feed, and since when."""

    created: Timestamp | None

    @classmethod
    def of(cls, row: NewsFeed | None) -> "NewsFeedResponse":
        return cls(created=timestamp(row.created) if row else None)


class NewNewsFeed(ResponseBody):
    """The URL of a new feed, which is shown only once."""

    url: Annotated[str, Meta(examples=["https://games.example.org/api/v1/news/feed/pdf_…"])]
