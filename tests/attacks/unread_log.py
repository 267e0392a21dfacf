"""Standard output and standard error that nobody reads: full pipes, and a terminal that is stopped with Ctrl-S, before and
after the start.

    python3 tests/attacks/unread_log.py BINARY
"""

import http.client
import os
import pty
import signal
import socket
import subprocess
import tempfile
import time

from standin import Table, binary

CALLS = 5000
GOOD = "standin: 1\nbusinesses: [{number: 100, name: One, locations: [{number: 1, name: A, reviews: [{generate: 300000}]}]}]\n"
BAD = "standin: 1\n" + "".join(f"unknown-{number}: 1\n" for number in range(2000))


def full_pipe():
    """The two ends of a pipe that takes no more."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while os.write(writing, b"x" * 4096):
            pass
    except BlockingIOError:
        pass
    os.set_blocking(writing, True)
    return reading, writing


def stopped_terminal():
    """The two ends of a terminal on which Ctrl-S was pressed."""
    master, slave = pty.openpty()
    os.write(master, b"\x13")
    time.sleep(0.1)
    return master, slave


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def call(connection, path):
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    return answer.status


def attack(ends, folder):
    """Seconds to start, seconds for all calls, the slowest call in ms, seconds to stop, and the exit code."""
    _, end = ends
    port = free_port()
    began = time.monotonic()
    process = subprocess.Popen([binary(), folder, "--port", str(port), "--log", "json"], stdin=subprocess.DEVNULL, stdout=end, stderr=end)
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            if call(connection, "/__admin/health") == 200:
                break
        except ConnectionRefusedError:
            time.sleep(0.01)
        if time.monotonic() > began + 30:
            process.kill()
            return (99, 99, 99, 99, "no start")
    started = time.monotonic() - began
    # The first call waits until the data is built.
    call(connection, "/nope")
    slowest, began = 0, time.monotonic()
    for number in range(CALLS):
        before = time.monotonic()
        call(connection, f"/nope/{number}" + "/long" * 100)
        slowest = max(slowest, time.monotonic() - before)
    called, began = time.monotonic() - began, time.monotonic()
    connection.close()
    process.send_signal(signal.SIGTERM)
    try:
        code = process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        code = "killed"
    return started, called, 1000 * slowest, time.monotonic() - began, code


table = Table()
with tempfile.TemporaryDirectory() as folder:
    for name, text in (("demo.yaml", GOOD), ("bad.yaml", BAD)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    for name, make in (("pipes that nobody reads", full_pipe), ("a terminal stopped with Ctrl-S", stopped_terminal)):
        ends = make()
        started, called, slowest, stopped, code = attack(ends, folder)
        table.row(
            f"{name} for both outputs, full from before the start, {CALLS:,} calls that are logged", "starts, answers and stops as ever",
            f"started in {started:.1f} s, slowest call {slowest:.0f} ms, stopped in {stopped:.1f} s with exit code {code}",
            started < 15 and slowest < 2000 and stopped < 8 and code == 0,
        )
        for end in ends:
            os.close(end)
table.end()
