"""A server that a program starts."""

import signal
import subprocess
import sys

import standin

STARTS = "import standin, sys, time; server = standin.start('demo'); print(server.base_url, flush=True)"


def test_the_seed_of_a_server_decides_the_data_of_its_default_world(post):
    def body(seed):
        with standin.start("demo", seed=seed, now="2026-06-30T17:00:00Z") as server:
            assert server.world().seed == seed
            return post(server.base_url, "/v1/review/businessId/100?count=500")

    assert body(1) == body(1)
    assert body(1) != body(2)


def test_a_server_ends_with_its_process_also_if_that_is_killed(is_gone, reviews):
    for rest in ("; time.sleep(60)", ""):
        child = subprocess.Popen([sys.executable, "-c", STARTS + rest], stdout=subprocess.PIPE, text=True)
        url = child.stdout.readline().strip()
        if rest:
            assert reviews(url)[0] == 200
            child.kill()
        assert child.wait() == (-signal.SIGKILL if rest else 0)
        assert is_gone(url)


def test_a_server_that_is_stopped_is_gone(is_gone):
    server = standin.start("demo")
    server.stop()
    assert is_gone(server.base_url)
