"""``playdock doctor`` with objects in an S3 server."""

import pytest

from s3_server import ACCESS_KEY, running_s3

from .conftest import Prompt


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({}, "ok     Object storage s3://games/play"),
        ({"OBJECTS_URL": "s3://another/play"}, "The bucket of the object storage does not exist."),
        ({"OBJECTS_ACCESS_KEY_ID": "another"}, "refuses the service's access key."),
        ({"OBJECTS_ENDPOINT": "http://127.0.0.1:1"}, "Check that the object storage is running"),
    ],
    ids=str,
)
def test_objects_in_s3_are_checked(settled: Prompt, wanted: dict[str, str], said: str) -> None:
    with running_s3() as server:
        given = {
            "OBJECTS_URL": "s3://games/play",
            "OBJECTS_ENDPOINT": server.address,
            "OBJECTS_ACCESS_KEY_ID": ACCESS_KEY,
            "OBJECTS_SECRET_ACCESS_KEY": "hunter2",
        }
        examined = settled.run("doctor", **{**given, **wanted})
    assert said in examined.out
    assert examined.status == (1 if wanted else 0)
    assert "hunter2" not in examined.out
