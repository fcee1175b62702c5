"""Examples are composed of the examples of fields."""

from enum import StrEnum
from typing import Annotated, Literal

import pytest
from msgspec import UNSET, Meta, Struct, UnsetType

from playdock.kit.examples import NoExample, example_of


class Color(StrEnum):
    RED = "red"
    BLUE = "blue"


class Wheel(Struct, rename="camel"):
    inch_wide: Annotated[int, Meta(examples=[17, 18])]


class Car(Struct, kw_only=True):
    name: Annotated[Annotated[str, Meta(min_length=1, examples=["a car"])], Meta(examples=["Beetle"])]
    colour: Color
    fuel: Literal["diesel", "petrol"]
    wheels: list[Wheel]
    spare: Wheel | None
    owner: str | None
    electric: bool
    sold: Annotated[Wheel | None, Meta(examples=[None])]
    price: Annotated[int, Meta(examples=[900])] | UnsetType = UNSET
    remark: str = ""
    dent: str | None = None


class Nameless(Struct):
    name: str


class Garage(Struct):
    cars: dict[str, Nameless]


def test_an_example_is_composed_from_the_examples_of_its_fields() -> None:
    assert example_of(Car) == {
        "name": "Beetle",
        "colour": "red",
        "fuel": "diesel",
        "wheels": [{"inchWide": 17}],
        "spare": {"inchWide": 17},
        "owner": None,
        "electric": False,
        "sold": None,
        "price": 900,
    }


def test_an_example_list_has_one_item() -> None:
    assert example_of(list[Wheel]) == [{"inchWide": 17}]


def test_the_first_type_of_a_union_with_an_example_is_used() -> None:
    assert example_of(str | Wheel | None) == {"inchWide": 17}


@pytest.mark.parametrize("kind", [Nameless, Garage, str, list[int]])
def test_a_required_field_without_an_example_is_an_error(kind: type) -> None:
    with pytest.raises(NoExample):
        example_of(kind)
