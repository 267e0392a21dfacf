"""Run with `pytest -n 4`: one server, and a world per test."""

import os
import re
from pathlib import Path

import pytest

SAVE = "/v1/contact/external/preferences/saveCustomer"


@pytest.mark.parametrize("number", range(60))
def test_nothing_of_another_test_is_seen(number, world, standin, post, reviews):
    email = f"visitor-{number}@example.test"
    if number % 3 == 0:
        world.faults.put("down", {"operation": "reviews", "then": {"status": 503}})
    assert post(world.base_url, SAVE, {"firstName": "Ann", "email": email, "businessIds": [100]})[0] == 200
    assert reviews(standin.base_url, world.api_key)[0] == (503 if number % 3 == 0 else 200)
    assert [call["operation"] for call in world.calls()] == ["contact", "reviews"]
    visitors = [contact["email"] for contact in world.stored("contacts") if str(contact.get("email")).startswith("visitor-")]
    assert visitors == [email]
    assert world.verify([{"requests": {"operation": "contact", "body": {"/email": email}}, "count": 1}]).passed
    assert world.report()["calls"] == 2
    # The test of the shared server, below, reads these.
    with open(os.environ["SERVERS"], "a", encoding="utf-8") as servers:
        servers.write(f"{standin.base_url}\n")


@pytest.mark.standin(scenario="rate-limited", seed=7)
def test_a_marker_names_a_scenario_of_the_program(world, reviews):
    assert world.seed == 7
    assert reviews(world.base_url)[0] == 429
    world.advance("3s")
    assert reviews(world.base_url)[0] == 200
    assert [call["code"] for call in world.calls(code=89)] == [89]
    assert world.verify([{"name": "waits", "after": {"error": 89}, "wait": "retry-after"}])


@pytest.mark.parametrize("number", range(8))
@pytest.mark.standin(scenario="small.yaml", faults=[{"operation": "qna", "then": {"status": 503}}])
def test_a_marker_names_a_file(number, world, reviews):
    assert reviews(world.base_url, "small-key") == (200, [])
    assert [fault["name"] for fault in world.faults.list()] == ["fault-1"]


@pytest.mark.standin(scenario="standin: 1\nname: of-text\nbusinesses: [{number: 100, name: A, locations: []}]\n")
def test_a_marker_has_the_text_of_a_scenario(world, reviews):
    assert reviews(world.base_url, "any")[0] == 200


def test_a_wrong_fault_is_said_in_the_loaders_own_words(standin):
    from standin import StandinError

    with pytest.raises(StandinError, match=re.escape("did you mean `reviews`")):
        standin.world(faults=[{"operation": "review", "then": {"status": 503}}])


def test_a_broken_scenario_is_said_in_the_loaders_own_words(standin):
    from standin import StandinError, start

    Path("broken.yaml").write_text("standin: 1\nname: broken\nbusinesses:\n  - {number: 1, nane: x}\n")
    with pytest.raises(StandinError, match=r"broken\.yaml:4"):
        start("broken.yaml")
    with pytest.raises(StandinError, match="nane"):
        standin.put_scenario("broken", "standin: 1\nnane: x\n")
