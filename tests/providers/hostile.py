"""Hostile responses."""

from collections.abc import Callable

from playdock.fetching.requests import Deadline
from providers import standin as answers
from providers.standin import Answer

CLOUD = "169.254.169.254"

# Each must cause an error before the deadline.
HOSTILE: dict[str, Callable[[], Answer]] = {
    "a page": answers.html,
    "a failure": lambda: answers.status(500),
    "no content": lambda: answers.status(204),
    "too many": lambda: answers.too_many("3600"),
    "too many, oddly": lambda: answers.too_many("soon"),
    "a redirect to a cloud's secrets": lambda: answers.redirect(f"http://{CLOUD}/latest/meta-data/"),
    "a redirect to another server here": lambda: answers.redirect("http://127.0.0.1:9/"),
    "a circle": lambda: answers.redirect("?"),
    "bytes without end": answers.endless,
    "a byte now and then": answers.drip,
    "nothing for a minute": lambda: answers.slow(60),
    "a large body": answers.large,
    "half a body": answers.cut,
    "rubbish": answers.garbage,
    "a small body that unpacks to a large one": answers.gzip_bomb,
    "a body that is not packed as it says": answers.bad_gzip,
    "deep JSON": answers.deep,
    "a number": lambda: answers.other_json("7"),
    "nothing": lambda: answers.other_json("null"),
    "lists of lists": answers.other_json,
}
# Responses that end only with the deadline.
_HANGING = frozenset(("a byte now and then", "nothing for a minute"))


def deadline_for(name: str, *, hanging: float) -> Deadline:
    """Return a deadline after ``hanging`` seconds for a response that hangs, else one that a busy machine can meet."""
    return Deadline.after(hanging if name in _HANGING else 120)
