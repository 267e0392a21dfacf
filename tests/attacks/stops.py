"""Ends of processes: clients killed in the middle of an answer, and the program stopped under load."""

import http.client
import os
import signal
import subprocess
import sys
import threading
import time

from standin import KEY, Server, Table, binary

SCENARIO = {"stops.yaml": """standin: 1
keys: [{key: demo-key, accounts: [100]}]
businesses: [{number: 100, name: Stops, locations: [{number: 1001, name: One, reviews: [{generate: 5000, dates: {from: 2025-07-01, to: 2026-06-28}}]}]}]
faults:
  - {name: late, when: {query: {count: "7"}}, then: {delay: 1s}}
  - {name: drip, when: {query: {count: "9"}}, then: {body: {drip: 100 per 100ms}}}
"""}

# A client that opens 25 connections, reads a little of each answer, and then waits for its end.
CLIENT = """
import socket, sys, time
port, open_ones = int(sys.argv[1]), []
kinds = [b"POST /v1/review/businessId/100?count=5000", b"POST /v1/review/businessId/100?count=9", b"POST /v1/review/businessId/100?count=7", b"GET /__admin/worlds/default/stream", b"GET /__admin/worlds/default/reviews?limit=10000"]
for number in range(25):
    connection = socket.create_connection(("127.0.0.1", port))
    length = b"" if b"GET" in kinds[number % 5] else b"content-length: 0\\r\\n"
    connection.sendall(kinds[number % 5] + b" HTTP/1.1\\r\\nhost: localhost\\r\\nx-api-key: demo-key\\r\\n" + length + b"\\r\\n")
    if number % 5 != 2:
        connection.recv(100)
    open_ones.append(connection)
print("ready", flush=True)
time.sleep(60)
"""


def killed_clients(table, rounds=6, clients=10):
    with Server(binary(), SCENARIO, "--idle", "never") as server:
        server.call("POST", "/v1/review/businessId/100?count=5000", None, KEY)
        time.sleep(0.5)
        descriptors, sizes, most = server.descriptors(), [], 0
        for _ in range(rounds):
            processes = [subprocess.Popen([sys.executable, "-c", CLIENT, str(server.port)], stdout=subprocess.PIPE) for _ in range(clients)]
            for process in processes:
                process.stdout.readline()
            most = max(most, server.descriptors())
            for process in processes:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
                process.stdout.close()
            server.call("POST", "/v1/review/businessId/100?count=1", None, KEY)     # told to the streams that are gone
            deadline = time.monotonic() + 20
            while (left := server.descriptors()) > descriptors and time.monotonic() < deadline:
                time.sleep(0.1)
            sizes.append(server.resident() / 2**20)
        table.row(
            f"{rounds * clients} clients with 25 connections each (pages of 5,000 reviews, slow bodies, delays, streams, admin lists) are killed in the middle of their answers",
            "all descriptors are given back within 20 s, resident memory falls under 300 MiB after each round, nothing panics",
            f"up to {most} descriptors in use, {descriptors} before, {left} afterwards; resident after each round {', '.join(f'{size:.0f}' for size in sizes)} MiB",
            left <= descriptors and max(sizes) < 300 and server.alive() and not server.panics(),
        )


def accepted_ones(table, count=300):
    """Calls whose answers are delayed are all under way when the program is asked to stop."""
    with Server(binary(), SCENARIO, "--grace", "5") as server:
        request = b"POST /v1/review/businessId/100?count=7 HTTP/1.1\r\nhost: localhost\r\nx-api-key: demo-key\r\ncontent-length: 0\r\n\r\n"
        server.call("POST", "/v1/review/businessId/100?count=1", None, KEY)
        connections = [server.connect() for _ in range(count)]
        for connection in connections:
            connection.sendall(request)
        while int(server.call("GET", "/__admin/worlds/default/requests?limit=1")[1]["x-total-count"]) < count + 1:
            time.sleep(0.01)
        started = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        complete = 0
        for connection in connections:
            answer = http.client.HTTPResponse(connection, method="POST")
            try:
                answer.begin()
                complete += answer.status == 200 and len(answer.read()) == int(answer.headers["content-length"])
            except (OSError, http.client.HTTPException):
                pass
            answer.close(), connection.close()
        code = server.process.wait(30)
        took = time.monotonic() - started
        table.row(
            f"SIGTERM while {count} calls wait for a delayed answer", "all get their complete answer; exit code 0 within the grace time of 5 s",
            f"{complete} complete; exit code {code} after {took:.1f} s", complete == count and code == 0 and took < 5.5,
        )


def under_load(table, clients=40):
    """Clients that call without a pause: a call whose last byte was sent before the signal is answered, and no answer is cut."""
    with Server(binary(), SCENARIO, "--grace", "5") as server:
        results, asked_to_stop = [], threading.Event()

        def client():
            body = b'{"ratings": [5]}'
            request = b"POST /v1/review/businessId/100?count=50 HTTP/1.1\r\nhost: localhost\r\nx-api-key: demo-key\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)
            connection = server.connect()
            while True:
                try:
                    connection.sendall(request)
                except OSError:
                    return
                sent = time.monotonic()
                answer = http.client.HTTPResponse(connection, method="POST")
                try:
                    answer.begin()
                    whole = len(answer.read()) == int(answer.headers["content-length"])
                    results.append((sent, "whole" if whole else "cut"))
                    if answer.headers.get("connection") == "close":
                        return
                except http.client.IncompleteRead:
                    results.append((sent, "cut"))
                    return
                except (OSError, http.client.HTTPException):
                    results.append((sent, "none"))
                    return

        threads = [threading.Thread(target=client) for _ in range(clients)]
        for thread in threads:
            thread.start()
        time.sleep(2)
        asked = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        for thread in threads:
            thread.join(30)
        code = server.process.wait(30)
        took = time.monotonic() - asked
        before = [result for sent, result in results if sent < asked]
        after = [result for sent, result in results if sent >= asked]
        table.row(
            f"SIGTERM while {clients} clients call without a pause", "every call that was sent before it gets its complete answer, and no answer is cut; exit code 0",
            f"{len(before):,} sent before, {len(before) - before.count('whole')} of them not answered; {len(after)} sent after, {after.count('whole')} answered, {after.count('cut')} cut; exit code {code} after {took:.2f} s",
            before.count("whole") == len(before) and "cut" not in after and code == 0 and took < 5.5,
        )


def sent_while_it_stands(table, rounds=5, count=40):
    """The process does not run while calls are sent and the signal comes. So it has read none of them when it is asked to stop."""
    answered, codes = [], []
    request = b"POST /v1/review/businessId/100?count=1 HTTP/1.1\r\nhost: localhost\r\nx-api-key: demo-key\r\ncontent-length: 0\r\n\r\n"
    for number in range(rounds):
        with Server(binary(), SCENARIO, "--grace", "5") as server:
            connections = [server.connect(5) for _ in range(count)]
            for connection in connections:
                connection.sendall(request)
                connection.recv(1 << 16)
            server.process.send_signal(signal.SIGSTOP)
            # Every second round half of the calls come on connections that are not accepted yet.
            if number % 2:
                for connection in connections[::2]:
                    connection.close()
                connections[::2] = [server.connect(5) for _ in connections[::2]]
            for connection in connections:
                connection.sendall(request)
            server.process.send_signal(signal.SIGTERM)
            server.process.send_signal(signal.SIGCONT)
            answers = 0
            for connection in connections:
                try:
                    answers += connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
                except OSError:
                    pass
                connection.close()
            answered.append(answers)
            codes.append(server.process.wait(30))
    table.row(
        f"{count} calls are sent while the process stands, then SIGTERM, and it goes on; in every second round half of them on new connections",
        "all that were sent before the signal are answered; exit code 0",
        f"answered in each round {answered}; exit codes {sorted(set(codes))}", set(answered) == {count} and set(codes) == {0},
    )


table = Table()
for attack in (killed_clients, accepted_ones, under_load, sent_while_it_stands):
    attack(table)
table.end()
