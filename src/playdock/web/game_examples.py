"""Examples of what is told of games."""

from typing import Any

_ID = "3f1f0c52-8b0e-4c39-9b54-6a2f6e0c1d77"
_OTHER_ID = "9c0b5d7e-27a1-4a9b-8d2e-51f4c7e3aa10"
_NOW = "2026-11-20T05:38:00.000Z"

RELEASED = {"date": "2006-09-08", "precision": "day"}
COMPANY = {"id": _ID, "name": "SuperTuxKart Team"}
TAG = {"id": _ID, "kind": "genre", "name": "Racing"}
RATING: dict[str, Any] = {
    "source": "IGDB",
    "score": 0.79,
    "count": 37,
    "url": "https://example.org/games/supertuxkart",
}
AGE_RATING = {"board": "PEGI", "value": "3", "descriptors": []}
WEBSITE = {"kind": "official", "url": "https://supertuxkart.example.org"}
_RENDITION: dict[str, Any] = {
    "size": "grid",
    "mediaType": "image/webp",
    "width": 320,
    "height": 480,
    "objectId": _OTHER_ID,
}
PICTURE: dict[str, Any] = {
    "id": _OTHER_ID,
    "source": "IGDB",
    "credit": "",
    "renditions": [_RENDITION],
    "placeholder": "HqQ+9ygI9wiIh4hwj3CI+AiIcH/4CIgA",
    "colour": "#7928ca",
}
VERSION: dict[str, Any] = {
    "id": _ID,
    "name": "1.4",
    "platform": "Linux",
    "delta": False,
    "baseId": None,
    "size": 743_006_930,
    "installedSize": 743_006_930,
    "created": _NOW,
    "onlySetup": False,
    "launch": "usr/games/supertuxkart",
    "launchArgs": "",
    "setup": "",
    "setupArgs": "",
    "compatId": None,
    "damaged": None,
}
GAME: dict[str, Any] = {
    "id": _ID,
    "metadataSource": "IGDB",
    "metadataId": "3262",
    "created": _NOW,
    "mName": "SuperTuxKart",
    "mShortDescription": "Karts. Nitro. Action!",
    "mDescription": "A kart racer with **many** tracks.",
    "mReleased": "2006-09-08T00:00:00.000Z",
    "mIconObjectId": "",
    "mBannerObjectId": "",
    "mCoverObjectId": _OTHER_ID,
    "mImageCarouselObjectIds": [],
    "mImageLibraryObjectIds": [_OTHER_ID],
    "featured": False,
    "libraryId": _OTHER_ID,
    "libraryPath": "SuperTuxKart",
    "type": "Game",
}
_COMPANY: dict[str, Any] = {**COMPANY, "website": "https://supertuxkart.example.org", "games": 1, "created": _NOW}
_GAME_NAME = {"id": _ID, "name": "SuperTuxKart"}
_TAG = {**TAG, "games": 41, "created": _NOW}
_GAME_PICTURE = {**PICTURE, "uses": ["cover"], "address": "", "created": _NOW}
_SOURCES = {"name": "IGDB", "shortDescription": "Manual", "description": "IGDB", "released": "IGDB", "cover": "IGDB"}

GAMES: dict[str, Any] = {
    "AgeRatingAnswer": AGE_RATING,
    "AgeRatingDraft": AGE_RATING,
    "CompanyAnswer": _COMPANY,
    "CompanyChanges": {"website": "https://supertuxkart.example.org"},
    "CompanyDetails": {
        **_COMPANY,
        "description": "They made **SuperTuxKart**.",
        "developed": [_GAME_NAME],
        "published": [],
    },
    "CompanyDraft": {"name": "SuperTuxKart Team", "website": "https://supertuxkart.example.org"},
    "CompanyMerge": {"into": _OTHER_ID},
    "CompanyName": COMPANY,
    "CompanyPage": {"companies": [_COMPANY], "total": 312, "next": "supertuxkart team"},
    "GameAnswer": GAME,
    "GameChanges": {"shortDescription": "Karts. Nitro. Action!", "released": RELEASED, "featured": True},
    "GameDetails": {
        **GAME,
        "name": "SuperTuxKart",
        "shortDescription": "Karts. Nitro. Action!",
        "description": "A kart racer with **many** tracks.",
        "released": RELEASED,
        "developers": [COMPANY],
        "publishers": [],
        "tags": [TAG],
        "rating": 0.79,
        "ratings": [RATING],
        "ageRatings": [AGE_RATING],
        "websites": [WEBSITE],
        "externalIds": {"IGDB": "3262"},
        "sources": _SOURCES,
        "cover": _OTHER_ID,
        "banner": None,
        "icon": None,
        "logo": None,
        "carousel": [],
        "pictures": [_GAME_PICTURE],
        "versions": [VERSION],
        "updated": _NOW,
        "refreshed": _NOW,
    },
    "GameName": _GAME_NAME,
    "GamePicture": _GAME_PICTURE,
    "GamePictureId": {"gameId": _ID, "imageId": _OTHER_ID},
    "PictureAnswer": PICTURE,
    "RatingAnswer": RATING,
    "RefreshDraft": {"sourceId": "IGDB", "id": "3262", "overwrite": ["shortDescription"]},
    "ReleaseAnswer": RELEASED,
    "ReleaseDraft": RELEASED,
    "RenditionAnswer": _RENDITION,
    "TagAnswer": _TAG,
    "TagChanges": {"name": "Racing"},
    "TagDraft": {"kind": "genre", "name": "Racing"},
    "TagMerge": {"into": _OTHER_ID},
    "TagName": TAG,
    "TagWord": {"kind": "genre", "name": "Racing"},
    "VersionAnswer": VERSION,
    "VersionChanges": {"launch": "usr/games/supertuxkart", "launchArgs": "--fullscreen"},
    "WebsiteAnswer": WEBSITE,
    "WebsiteDraft": WEBSITE,
}
