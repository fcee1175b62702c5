"""Uploading and listing saved games through the API."""

import hashlib
from typing import Any

import httpx2

from world import Caller

PATH = "/api/v1/user/saves"


def upload(caller: Caller, game: str, content: bytes, based_on: str = "", **wanted: Any) -> httpx2.Response:
    sha256 = hashlib.sha256(content).hexdigest()
    params = {"basedOn": based_on, "sha256": sha256, **wanted}
    return caller.request("POST", f"/api/v1/user/games/{game}/saves", params=params, content=content)


def uploaded(caller: Caller, game: str, content: bytes, based_on: str = "", **wanted: Any) -> str:
    made = upload(caller, game, content, based_on, **wanted)
    assert made.status_code == 201, made.text
    save_id: str = made.json()["id"]
    return save_id


def saves(caller: Caller, game: str | None = None) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = caller.get(PATH, params={"game": game} if game else {}).json()["saves"]
    return listed


def content_of(caller: Caller, save_id: str) -> bytes:
    return caller.get(f"{PATH}/{save_id}/content").content
