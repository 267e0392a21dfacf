"""200 `standin run` at once, each with a daemon; commands that start processes for ever; all of it killed in the middle.

    python3 tests/attacks/many_runs.py BINARY
"""

import os
import signal
import subprocess
import sys
import tempfile
import time

from standin import Table, binary

RUNS = 200
SCENARIO = """standin: 1
keys: [{key: k, accounts: [1]}]
businesses: [{number: 1, name: One, locations: [{number: 11, name: A}]}]
"""
# Leaves a daemon, stores a contact of its own, and tells which contacts there are when all the others have theirs.
CLIENT = """
import json, os, subprocess, sys, time, urllib.request
daemon = "import os, time; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); time.sleep(10000)"
subprocess.run([sys.executable, "-S", "-c", daemon])
def call(url, body=None):
    headers = {"x-api-key": os.environ["STANDIN_API_KEY"], "x-business-number": os.environ["STANDIN_BUSINESS_NUMBER"]}
    headers["content-type"] = "application/json"
    return urllib.request.urlopen(urllib.request.Request(url, body and json.dumps(body).encode(), headers)).read()
number, folder = sys.argv[1:]
call(os.environ["STANDIN_BASE_URL"] + "/v1/contact/external/preferences/saveCustomer", {"email": f"c{number}@mail.test", "businessIds": [11]})
open(f"{folder}/stored-{number}", "w").close()
while not os.path.exists(f"{folder}/go"):
    time.sleep(0.1)
print(os.environ["STANDIN_BASE_URL"], [contact["email"] for contact in json.loads(call(os.environ["STANDIN_ADMIN_URL"] + "/worlds/default/contacts"))])
"""
# Each process starts the next one and ends at once, for ever.
CHAINS = """
import os, sys, time
for _ in range(30):
    if os.fork() == 0:
        os.setsid()
        while True:
            if os.fork():
                os._exit(0)
time.sleep(1)
"""
# Doubles nine times, four times over.
BOMB = """
import os, time
for _ in range(4):
    if os.fork() == 0:
        for _ in range(9):
            os.fork()
        time.sleep(10000)
time.sleep(1)
"""


def left(marker):
    """The processes with that marker in their environment."""
    found = []
    for process in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{process}/environ", "rb") as environment, open(f"/proc/{process}/cmdline", "rb") as line:
                if f"MANY_RUNS={marker}".encode() in environment.read().split(b"\0") and line.read():
                    found.append(int(process))
        except OSError:
            pass
    return found


def wait_until(holds, seconds=120):
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    return holds()


def start(marker, *command):
    arguments = [binary(), "run", "--allow-no-calls", f"{folder}/small.yaml", "--", sys.executable, "-S", "-c", *command]
    environment = {**os.environ, "MANY_RUNS": marker}
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)


folder = tempfile.mkdtemp(prefix="standin-attack-")
with open(f"{folder}/small.yaml", "w") as file:
    file.write(SCENARIO)
table = Table()

for end in ("they end", "they are killed with SIGKILL"):
    marker = f"{os.getpid()}-{end.split()[-1]}"
    began = time.monotonic()
    for name in os.listdir(folder):
        if name != "small.yaml":
            os.remove(f"{folder}/{name}")
    runs = [start(marker, CLIENT, str(number), folder) for number in range(RUNS)]
    ready = wait_until(lambda: len(os.listdir(folder)) == RUNS + 1)
    started = time.monotonic() - began
    daemons = len(left(marker))
    if end == "they end":
        open(f"{folder}/go", "w").close()
        lines = [run.communicate()[0].strip() for run in runs]
        codes = {run.returncode for run in runs}
        own = all(line.endswith(f"['c{number}@mail.test']") for number, line in enumerate(lines))
        ports = len({line.split()[0] for line in lines if line})
        remain = len(left(marker))
        measured = f"started in {started:.1f} s with {daemons} processes, exit {codes}, {ports} ports, only own contacts: {own}, {remain} left"
        good = ready and codes == {0} and ports == RUNS and own and remain == 0
        table.row(f"{RUNS} runs at once, each with a daemon", "each has its own server, and nothing of any is left when it ends", measured, good)
    else:
        for run in runs:
            run.kill()
        killed = time.monotonic()
        gone = wait_until(lambda: not left(marker))
        for run in runs:
            run.communicate()
        measured = f"{daemons} processes, all gone after {time.monotonic() - killed:.1f} s: {gone}"
        table.row("the same, and all are killed with SIGKILL", "nothing is left", measured, gone)

for name, code in (("30 chains of processes that start the next one and end, for ever", CHAINS), ("2,048 processes", BOMB)):
    for end in ("ends", "is killed with SIGKILL"):
        marker = f"{os.getpid()}-{name[0]}-{end.split()[-1]}"
        run = start(marker, code)
        if end == "ends":
            run.communicate()
            began = time.monotonic()
            gone = not left(marker)
        else:
            time.sleep(0.7)
            began = time.monotonic()
            run.send_signal(signal.SIGKILL)
            run.communicate()
            gone = wait_until(lambda: not left(marker))
        table.row(f"a command leaves {name}, and the run {end}", "nothing is left", f"gone after {time.monotonic() - began:.1f} s: {gone}", gone)
        for process in left(marker):
            os.kill(process, signal.SIGKILL)
table.end()
