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
def test_a_marker_names_a_file_which_is_sent_once(number, world, standin, reviews):
    assert reviews(world.base_url, "small-key") == (200, [])
    (name,) = [served["name"] for served in standin.scenarios() if served["name"].startswith("small")]
    assert standin._admin.json("GET", f"/scenarios/{name}")["generation"] == 1
    assert [fault["name"] for fault in world.faults.list()] == ["fault-1"]


@pytest.mark.standin(scenario="standin: 1\nname: of-text\nbusinesses: [{number: 100, name: A, locations: []}]\n")
def test_a_marker_has_the_text_of_a_scenario(world, reviews):
    assert reviews(world.base_url, "any")[0] == 200


TEXTS = [
    "standin: 1\nname: demo\nkeys: [{key: own-0}]\nbusinesses: [{number: 100, name: A, locations: []}]\n",
    "standin: 1\nname: demo\nkeys: [{key: own-1}]\nbusinesses: [{number: 100, name: A, locations: []}]\n",
    "standin: 1\n'name':  \"demo\"  # not the server's\nkeys: [{key: own-2}]\nbusinesses:\n  - number: 100\n    name: A\n    locations: []\n",
    '{"standin": 1, "name": "demo", "keys": [{"key": "own-3"}],\n "businesses": [{"number": 100, "name": "A", "locations": []}]}',
    "standin: 1\r\nkeys: [{key: own-4}]\r\nbusinesses: [{number: 100, name: A, locations: []}]\r\n",
    "\ufeffname: demo\nstandin: 1\nkeys: [{key: own-5}]\nbusinesses: [{number: 100, name: A, locations: []}]\n",
]
MARKED = [pytest.param(number, marks=pytest.mark.standin(scenario=text)) for number, text in enumerate(TEXTS)]


@pytest.mark.parametrize("number", MARKED)
def test_texts_of_one_name_replace_neither_each_other_nor_what_the_server_serves(number, world, standin, reviews):
    assert reviews(world.base_url, f"own-{number}") == (200, [])
    with standin.world() as other:
        assert reviews(other.base_url)[0] == 200
        assert reviews(other.base_url, f"own-{number}")[0] == 401


@pytest.mark.standin(scenario="demo.yaml")
def test_a_file_with_the_name_of_the_servers_scenario_is_another_scenario(world, standin, reviews):
    assert reviews(world.base_url, "beside-key") == (200, [])
    with standin.world() as other:
        assert reviews(other.base_url)[0] == 200
        assert reviews(other.base_url, "beside-key")[0] == 401


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


WRONG_NAME = """\
The scenario is not served: line 2: this scenario was sent as `other`, but its name is `mine` (leave `name` out, or send the scenario under its own name).

error[wrong-name]: this scenario was sent as `other`, but its name is `mine`
 --> other.yaml:2:7
  |
2 | name: mine
  |       ^^^^
  |
  = help: leave `name` out, or send the scenario under its own name"""


def test_an_error_is_the_servers_sentence_and_below_it_each_finding(standin):
    from standin import StandinError

    with pytest.raises(StandinError) as caught:
        standin.put_scenario("other", "standin: 1\nname: mine\nbusinesses: [{number: 1, name: A, locations: []}]\n")
    assert str(caught.value) == WRONG_NAME
    with pytest.raises(StandinError) as caught:
        standin.world(scenario="nowhere")
    assert str(caught.value) == "No scenario is named nowhere: see /__admin/scenarios."


def test_the_answer_of_a_proxy_is_the_error_as_it_is():
    from standin._client import _refused

    assert str(_refused(502, "<h1>Bad gateway</h1>\n")) == "<h1>Bad gateway</h1>"
    assert str(_refused(502, "")) == "status 502"
    assert str(_refused(502, "[1]")) == "status 502"
