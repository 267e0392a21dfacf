"""Clients that stop in the middle of a body, that read no answer, and that watch a stream without reading it.

    python3 tests/attacks/stalled_clients.py BINARY
"""

import resource
import socket
import time

from standin import Server, Table, binary

LIMIT = 15
CLIENTS = 1000
SCENARIO = """standin: 1
businesses: [{number: 100, name: One, locations: [{number: 1, name: A, reviews: [{generate: 20000}]}]}]
"""
HEAD = "POST /v1/review/businessId/100?count={count} HTTP/1.1\r\nhost: x\r\nx-api-key: k\r\ncontent-length: {length}\r\n\r\n"
# Nearly the largest body that is accepted.
BODY = b"{" + b" " * ((1 << 20) - 4096)


def closed(streams, within):
    """How many of the connections are closed by then."""
    deadline, left = time.monotonic() + within, list(streams)
    while left and time.monotonic() < deadline:
        left = [stream for stream in left if not is_closed(stream)]
        time.sleep(0.05)
    return len(streams) - len(left)


def is_closed(stream):
    stream.setblocking(False)
    try:
        return stream.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


resource.setrlimit(resource.RLIMIT_NOFILE, (4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
table = Table()
with Server(binary(), {"a.yaml": SCENARIO}, "--stall", str(LIMIT)) as server:
    assert server.call("POST", "/v1/review/businessId/100", "{}", {"x-api-key": "k"})[0] == 200
    before = server.resident() >> 20

    streams = []
    head = HEAD.format(count=1, length=len(BODY) + 1).encode()
    for _ in range(CLIENTS):
        stream = server.connect()
        stream.sendall(head + BODY)
        streams.append(stream)
    held = server.peak() >> 20
    served = server.alive()
    ended = closed(streams, 2 * LIMIT)
    time.sleep(2)
    after = server.resident() >> 20
    table.row(
        f"{CLIENTS:,} bodies of nearly 1 MiB that stop before their last byte", f"under 400 MiB, closed after {LIMIT} s (`--stall`), the memory given back",
        f"{before} MiB before, {held} MiB at most, {after} MiB after; {ended} closed", served and held < 400 and after < before + 60 and ended == CLIENTS,
    )
    for stream in streams:
        stream.close()

    descriptors = server.descriptors()

    # One body moves a byte each second, for longer than the limit.
    moving = server.connect()
    moving.sendall(HEAD.format(count=1, length=LIMIT + 4).encode() + b"{")
    for _ in range(LIMIT + 2):
        time.sleep(1)
        moving.sendall(b" ")
    moving.sendall(b"}")
    answer = moving.recv(12)
    table.row(f"a body that comes a byte each second, for {LIMIT + 3} s", "is answered", answer.decode(), answer == b"HTTP/1.1 200")

    # Answers of 14 MB, more than the system's buffers hold.
    unread = []
    for _ in range(5):
        stream = server.connect()
        stream.sendall(HEAD.format(count=20000, length=0).encode())
        unread.append(stream)
    deadline = time.monotonic() + 60
    while server.descriptors() > descriptors and time.monotonic() < deadline:
        time.sleep(0.1)
    sizes = []
    for stream in unread:
        stream.settimeout(5)
        size = 0
        try:
            while more := stream.recv(1 << 20):
                size += len(more)
            sizes.append(size)
        except ConnectionResetError:
            sizes.append(size)
    table.row(
        "5 answers of 14 MB that nobody reads", f"cut after {LIMIT} s", f"{len(sizes)} cut after at most {max(sizes) / 1e6:.1f} MB",
        len(sizes) == 5 and max(sizes) < 13e6 and server.alive(),
    )
    # One is read slowly, for longer than the limit.
    stream = socket.socket()
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    stream.connect(("127.0.0.1", server.port))
    stream.sendall(HEAD.format(count=20000, length=0).encode())
    whole = len(server.call("POST", "/v1/review/businessId/100?count=20000", "{}", {"x-api-key": "k"})[2])
    size, began = 0, time.monotonic()
    stream.settimeout(5)
    while size < 10_000 or time.monotonic() < began + LIMIT + 3:
        size += len(stream.recv(1 << 18))
        time.sleep(0.2)
    # The head is counted with the body.
    while size <= whole and (more := stream.recv(1 << 20)):
        size += len(more)
    table.row(
        f"an answer of 14 MB that is read slowly for {LIMIT + 3} s", "is whole", f"{size / 1e6:.1f} MB, of which {(size - whole) / 1e3:.1f} KB are the head",
        whole < size < whole + 2000,
    )
    alive, code = server.alive(), server.stop()
    table.row("after all that", "answers, and stops", f"exit code {code}, {server.last_log.count('panicked at')} panics", alive and code == 0)
table.end()
