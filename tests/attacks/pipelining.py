"""More than 128 KiB of requests sent ahead of an answer that is delayed, and of answers that nobody reads.

    python3 tests/attacks/pipelining.py BINARY
"""

import threading
import time

from standin import Server, Table, binary

SCENARIO = """standin: 1
businesses: [{number: 100, name: One}]
faults: [{name: slow, operation: reviews, then: {delay: 1s}}]
"""
SLOW = b"POST /v1/review/businessId/100 HTTP/1.1\r\nhost: x\r\nx-api-key: k\r\ncontent-length: 0\r\n\r\n"
FAST = b"GET /nope HTTP/1.1\r\nhost: x\r\nx-filler: " + b"f" * 100 + b"\r\n\r\n"
UNREAD = 20_000


def count(stream, expected):
    """The number of answers that come until there are as many, or until nothing comes for 5 seconds."""
    answers, rest = 0, b""
    stream.settimeout(5)
    try:
        while answers < expected and (more := stream.recv(1 << 20)):
            rest += more
            answers += rest.count(b"HTTP/1.1 ")
            rest = rest[-8:]
    except TimeoutError:
        pass
    return answers


def spent(server, seconds):
    before = server.cpu()
    time.sleep(seconds)
    return server.cpu() - before


table = Table()
with Server(binary(), {"a.yaml": SCENARIO}, "--workers", "1") as server:
    with server.connect() as stream:
        # The second piece arrives when the first one is decoded already.
        stream.sendall(SLOW + FAST * 500)
        time.sleep(0.2)
        stream.sendall(FAST * 700)
        busy = spent(server, 0.5)
        answered = count(stream, 1201)
    table.row(
        "1,200 requests (170 KiB) sent ahead of an answer that is delayed by 1 s", "all are answered, and waiting costs no processor time",
        f"{answered} of 1201 answered, {busy:.2f} s of processor time in 0.5 s", answered == 1201 and busy < 0.1,
    )
    with server.connect() as stream:
        sender = threading.Thread(target=lambda: stream.sendall(FAST * UNREAD))
        sender.start()
        time.sleep(5)
        busy, memory = spent(server, 2), server.resident() >> 20
        answered = count(stream, UNREAD)
        sender.join()
    table.row(
        f"{UNREAD:,} requests sent ahead of answers that nobody reads for 7 s", "all are answered, and waiting costs no processor time",
        f"{answered} answered, {busy:.2f} s of processor time in 2 s, {memory} MiB resident", answered == UNREAD and busy < 0.2,
    )
table.end()
