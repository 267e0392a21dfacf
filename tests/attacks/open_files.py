"""Too few open files: at the start, and while connections take them all.

    python3 tests/attacks/open_files.py BINARY
"""

import resource
import subprocess
import time

from standin import DEMO, Server, Table, binary

LIMIT = 128
CONNECTIONS = 1000


def wait_until(holds, seconds):
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.2)
    return holds()


table = Table()
codes, texts = set(), set()
for limit in (8, 20, 30, 40):
    def prepare():
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

    run = subprocess.run(
        [binary(), DEMO, "--port", "0"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, preexec_fn=prepare,
    )
    codes.add(run.returncode)
    texts.add(run.stderr)
advised = all("ulimit -n 1024" in text and "panicked" not in text for text in texts)
table.row("a start with `ulimit -n` 8, 20, 30 and 40", "exit 3 with advice", f"exit {codes}, advice: {advised}", codes == {3} and advised)

resource.setrlimit(resource.RLIMIT_NOFILE, (2 * CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
with Server(binary(), DEMO, "--workers", "2", limits=[(resource.RLIMIT_NOFILE, LIMIT)]) as server:
    silent = [server.connect() for _ in range(CONNECTIONS)]
    time.sleep(1)
    before, taken = server.cpu(), server.descriptors()
    time.sleep(3)
    busy = server.cpu() - before
    table.row(
        f"{CONNECTIONS:,} connections to a server with {LIMIT} files, all silent", "it waits without spinning",
        f"{taken} files open, {busy:.2f} s of processor time in 3 s", taken >= LIMIT - 2 and busy < 0.5,
    )
    began = time.monotonic()
    answers = wait_until(server.alive, 120)
    table.row(
        "the same, while they stay open", "silent connections are closed after 5 s, and others answered",
        f"answered after {time.monotonic() - began:.0f} s", answers,
    )
    for stream in silent:
        stream.close()
    answers = wait_until(server.alive, 30)
    code = server.stop()
    table.row(
        "the same, when they are closed", "all is as before, no panic",
        f"answers: {answers}, exit code {code}, {server.last_log.count('panicked at')} panics",
        answers and code == 0 and "panicked at" not in server.last_log,
    )
table.end()
