"""``/api/v1/news``: articles for players, and private feeds; ``/api/v1/admin/news``: writing them."""

from litestar import Response

from playdock.auth.actor import Actor
from playdock.auth.permissions import Permission
from playdock.domain.games.errors import GameUnknown, VersionUnknown
from playdock.features.accounts.errors import PictureRefused
from playdock.features.news import rules
from playdock.features.news.errors import NewsArticleUnknown, NewsFeedUnknown, ReleaseNotesExist
from playdock.features.news.schemas import (
    ArticleChanges,
    ArticleCreate,
    ArticleImageForm,
    ArticleResponse,
    NewNewsFeed,
    NewsFeedResponse,
    NewsQuery,
)
from playdock.features.news.service import News
from playdock.features.server_profile.service import ServerProfiles
from playdock.kit.identifiers import digest
from playdock.server.conditional import unless_unchanged
from playdock.server.link_address import link_address
from playdock.server.request_rate import TooManyRequests
from playdock.server.routing import AnyRequest, Caller, delete, get, patch, post
from playdock.settings import Settings

_ADMIN = "/api/v1/admin/news"
_ONE = f"{_ADMIN}/{{article_id:str}}"
_FEED = "/api/v1/user/feed"


@get("/api/v1/news", requires=Permission.NEWS_READ)
def list_news(query: NewsQuery, actor: Actor, news: News) -> list[ArticleResponse]:
    """List articles, the newest first unless `order` is `asc`."""
    return [ArticleResponse.of(each) for each in news.list_all(actor, query)]


@get("/api/v1/news/{article_id:str}", requires=Permission.NEWS_READ, raises=[NewsArticleUnknown])
def show_article(article_id: str, actor: Actor, news: News) -> ArticleResponse:
    """Show an article."""
    return ArticleResponse.of(news.show(actor, article_id))


@post(
    _ADMIN,
    requires=Permission.NEWS_CREATE,
    status=201,
    raises=[GameUnknown, VersionUnknown, ReleaseNotesExist],
)
def create_article(data: ArticleCreate, actor: Actor, news: News) -> ArticleResponse:
    """Publish an article, or the release notes of a version."""
    return ArticleResponse.of(news.create(actor, data))


@patch(_ONE, requires=Permission.NEWS_CREATE, raises=[NewsArticleUnknown])
def change_article(article_id: str, data: ArticleChanges, actor: Actor, news: News) -> ArticleResponse:
    """Change an article."""
    return ArticleResponse.of(news.change(actor, article_id, data))


@delete(_ONE, requires=Permission.NEWS_DELETE, raises=[NewsArticleUnknown])
def delete_article(article_id: str, actor: Actor, news: News) -> None:
    """Delete an article."""
    news.delete(actor, article_id)


@post(
    f"{_ONE}/image",
    requires=Permission.NEWS_CREATE,
    status=204,
    raises=[NewsArticleUnknown, PictureRefused],
    processes_images=True,
)
def upload_article_image(article_id: str, form: ArticleImageForm, actor: Actor, news: News) -> None:
    """Replace the image of an article."""
    news.replace_image(actor, article_id, form.files[0].data)


@delete(f"{_ONE}/image", requires=Permission.NEWS_CREATE, raises=[NewsArticleUnknown])
def remove_article_image(article_id: str, actor: Actor, news: News) -> None:
    """Remove the image of an article."""
    news.remove_image(actor, article_id)


@get(_FEED, requires=Permission.NEWS_READ)
def show_feed(actor: Actor, news: News) -> NewsFeedResponse:
    """Show whether you have a feed, without its URL."""
    return NewsFeedResponse.of(news.own_feed(actor))


@post(_FEED, requires=Permission.NEWS_READ, status=201)
def create_feed(request: AnyRequest, actor: Actor, news: News, settings: Settings) -> NewNewsFeed:
    """Create your feed, which replaces an earlier one. Feed readers get the news at its URL, which is shown once."""
    return NewNewsFeed(url=f"{link_address(request, settings)}{news.create_feed(actor)}")


@delete(_FEED, requires=Permission.NEWS_READ)
def revoke_feed(actor: Actor, news: News) -> None:
    """Revoke your feed. Its URL is no longer valid."""
    news.revoke_feed(actor)


@get(
    "/api/v1/news/feed/{secret:str}",
    requires=Caller.ANYBODY,
    raises=[NewsFeedUnknown, TooManyRequests],
    media_type=rules.MEDIA_TYPE,
    response_type=bytes,
)
def read_feed(
    request: AnyRequest, secret: str, news: News, profiles: ServerProfiles, settings: Settings
) -> Response[bytes]:
    """Return the newest articles as an Atom feed. The secret in the URL is the credential."""
    body = rules.atom(news.feed(secret), name=profiles.show().name, address=link_address(request, settings))
    return unless_unchanged(
        request,
        digest(body.decode()),
        headers={"Cache-Control": "private, no-cache"},
        respond=lambda headers: Response(body, media_type=rules.MEDIA_TYPE, headers=headers),
    )


ROUTES = (
    list_news,
    read_feed,
    show_article,
    create_article,
    change_article,
    delete_article,
    upload_article_image,
    remove_article_image,
    show_feed,
    create_feed,
    revoke_feed,
)
