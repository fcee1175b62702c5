"""Looking at places that may hang, such as shares whose server is gone, without hanging with them."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

_Seen = TypeVar("_Seen")


class Lookout(Generic[_Seen]):
    """Looks in threads of its own: at each place one at a time, so a place that hangs costs one thread."""

    def __init__(self) -> None:
        self._looks: dict[str, Future[_Seen]] = {}
        self._lock = threading.Lock()

    def look(self, places: Mapping[str, Callable[[], _Seen]], *, seconds: float) -> dict[str, _Seen]:
        """Look at places all at once, and give what was seen within the time; raises what a look raises."""
        looks = {place: self._begun(place, look) for place, look in places.items()}
        wait(looks.values(), timeout=seconds)
        return {place: look.result() for place, look in looks.items() if look.done()}

    def _begun(self, place: str, look: Callable[[], _Seen]) -> "Future[_Seen]":
        """Begin a look, unless one at this place has not come back yet."""
        with self._lock:
            begun = self._looks.get(place)
            if begun is None or begun.done():
                begun = self._looks[place] = Future()
                # The service does not wait for it when it stops.
                threading.Thread(target=_carry_out, args=(look, begun), name="lookout", daemon=True).start()
            return begun


def _carry_out(look: Callable[[], _Seen], begun: "Future[_Seen]") -> None:
    try:
        begun.set_result(look())
    except BaseException as error:  # noqa: BLE001 - it is whoever waits who gets it
        begun.set_exception(error)
