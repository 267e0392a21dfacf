import pytest


@pytest.mark.standin(faults=[{"name": "busy", "operation": "reviews", "then": {"error": 89}}])
def test_this_fails(world, reviews):
    reviews(world.base_url)
    assert False
