"""A thousand worlds that 32 clients make, use and remove at the same time."""

import json
import threading
import time

from standin import KEY, Server, Table, binary, examples

SCENARIO = {"small.yaml": """standin: 1
keys: [{key: demo-key, accounts: [100]}]
businesses: [{number: 100, name: Small, locations: [{number: 1001, name: One, reviews: [{generate: 100, dates: {from: 2026-01-01, to: 2026-06-28}}]}]}]
"""}
WORLDS, CLIENTS, ROUNDS = 1_000, 32, 3


def use(server, name, wrong):
    """Makes a world, writes to it, and looks whether it holds that and nothing else."""
    status, made = server.admin("POST", "worlds", {"name": name, "faults": [{"name": "first", "operation": "reviews", "hits": 1, "then": {"error": 89}}]})
    if status != 201:
        wrong.append(f"making {name}: {status} {made}")
        return
    at = f"/w/{name}/v1"
    statuses = [server.call("POST", f"{at}/review/businessId/100?count=1", None, KEY)[0] for _ in range(2)]
    contact = {"email": f"{name}@mail.test", "businessIds": [1001]}
    statuses.append(server.call("POST", f"{at}/contact/external/preferences/saveCustomer", contact, {**KEY, "x-business-number": "100"})[0])
    contacts = [contact["email"] for contact in server.admin("GET", f"worlds/{name}/contacts")[1]]
    calls = len(server.admin("GET", f"worlds/{name}/requests")[1])
    if (statuses, contacts, calls) != ([429, 200, 200], [contact["email"]], 3):
        wrong.append(f"{name}: {statuses} {contacts} {calls}")


def remove(server, name, wrong):
    status = server.call("DELETE", f"/__admin/worlds/{name}")[0]
    gone = server.call("POST", f"/w/{name}/v1/review/businessId/100", None, KEY)[0]
    if (status, gone) != (204, 404):
        wrong.append(f"removing {name}: {status}, afterwards {gone}")


def same_name(server, _, wrong):
    """All clients make and remove one world, in any order."""
    for _ in range(WORLDS // CLIENTS):
        statuses = server.call("POST", "/__admin/worlds", {"name": "shared"})[0], server.call("DELETE", "/__admin/worlds/shared")[0]
        if statuses[0] not in (201, 409) or statuses[1] not in (204, 404):
            wrong.append(f"shared: {statuses}")


def all_clients(action, server, wrong):
    """Runs an action for each world, on all clients at the same time. Returns the seconds."""
    def client(first):
        for number in range(first, WORLDS, CLIENTS):
            try:
                action(server, f"w{number}", wrong)
            except (OSError, ValueError) as error:
                wrong.append(repr(error))

    threads = [threading.Thread(target=client, args=(first,)) for first in range(CLIENTS)]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.monotonic() - started


table = Table()
with Server(binary(), SCENARIO) as server:
    wrong, sizes, took = [], [], 0
    for _ in range(ROUNDS):
        took += all_clients(use, server, wrong)
        if server.call("GET", "/__admin/worlds")[1]["x-total-count"] != str(WORLDS + 1):
            wrong.append("not all worlds are listed")
        took += all_clients(remove, server, wrong)
        sizes.append(server.resident() / 2**20)
    left = [world["name"] for world in json.loads(server.call("GET", "/__admin/worlds")[2])]
    table.row(
        f"{CLIENTS} clients make, use and remove {WORLDS:,} worlds, {ROUNDS} times",
        "each world holds what was written to it and nothing else; removed ones are gone, and so is their memory",
        f"{WORLDS * ROUNDS:,} worlds in {took:.1f} s, {len(wrong)} wrong{examples(wrong)}, {len(left)} left; resident after each round {', '.join(f'{size:.1f}' for size in sizes)} MiB",
        not wrong and left == ["small"] and sizes[-1] < sizes[0] * 1.1 + 1 and not server.panics(),
    )
    wrong = []
    started = time.monotonic()
    threads = [threading.Thread(target=same_name, args=(server, None, wrong)) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.monotonic() - started
    table.row(
        f"{CLIENTS} clients make and remove one world of the same name", "each answer is 201 or 409, and 204 or 404",
        f"{WORLDS // CLIENTS * CLIENTS * 2:,} calls in {took:.1f} s, {len(wrong)} others{examples(wrong)}", not wrong and not server.panics(),
    )
table.end()
