#!/usr/bin/env bash
# What `standin explore` costs: how long 200 runs of a command of 50 ms take with four side by side, and the processor time that
# Standin itself needs for each (its world, its calls, judging it). Needs bash, Linux and python3.
#
#   benches/explore.sh                builds with `cargo build --release`
#   benches/explore.sh PATH/standin   measures that program
# JOBS (4) is how many take place side by side.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -ge 1 ]; then
    program=$(realpath "$1")
else
    cargo build --release --locked
    program=$(realpath "${CARGO_TARGET_DIR:-target}/release/standin")
fi

python3 - "$program" "${JOBS:-4}" <<'END'
import json, os, statistics, subprocess, sys, tempfile, time

program, jobs = sys.argv[1], sys.argv[2]
os.chdir(tempfile.mkdtemp())
with open("small.yaml", "w") as file:
    file.write("standin: 1\nkeys: [{key: k}]\nbusinesses: [{number: 100, name: One, locations: [{number: 1001, name: A}]}]\n")
# Stores thirteen contacts, gives up at the first failure, and ends 50 ms after its start. It waits for no answer for long.
with open("client.py", "w") as file:
    file.write('''
import os, socket, sys, time
host, _, path = os.environ["STANDIN_BASE_URL"].removeprefix("http://").partition("/")
name, port = host.split(":")
code = 0
for number in range(int(os.environ.get("CALLS", "13"))):
    body = '{"email": "c%d@mail.test", "businessIds": [1001]}' % number
    head = "POST /%s/v1/contact/external/preferences/saveCustomer HTTP/1.1\\r\\nhost: %s\\r\\nconnection: close\\r\\nx-api-key: k\\r\\nx-business-number: 100\\r\\ncontent-type: application/json\\r\\ncontent-length: %d\\r\\n\\r\\n"
    try:
        with socket.create_connection((name, int(port)), timeout=0.25) as connection:
            connection.sendall((head % (path, host, len(body)) + body).encode())
            if not connection.recv(65536).startswith(b"HTTP/1.1 200"):
                code = 1
    except OSError:
        code = 1
    if code:
        break
with open("/proc/self/stat") as stat:
    began = int(stat.read().rpartition(") ")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
time.sleep(max(0, began + 0.05 - time.clock_gettime(time.CLOCK_BOOTTIME)))
sys.exit(code)
''')
command = [sys.executable, "-I", "-S", "client.py"]

alone = []
for _ in range(21):
    started = time.perf_counter()
    subprocess.run(command, env={"STANDIN_BASE_URL": "http://127.0.0.1:9/w/x", "CALLS": "0"}, check=True)
    alone.append((time.perf_counter() - started) * 1000)

flags = ["explore", "small.yaml", "--jobs", jobs, "--runs", "200", "--json", "out.json", "--"]
started = time.perf_counter()
child = subprocess.Popen([program, *flags, *command], stdout=subprocess.DEVNULL)
# Of a process that has ended and was not waited for, the times are still there.
os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
took = time.perf_counter() - started
with open(f"/proc/{child.pid}/stat") as stat:
    user, system = map(int, stat.read().rpartition(") ")[2].split()[11:13])
child.wait()
with open("out.json") as file:
    made = json.load(file)["made"]
own = (user + system) / os.sysconf("SC_CLK_TCK") * 1000 / made["runs"]
seconds = took * 200 / made["runs"]
calls = sum(run["calls"] or 0 for run in json.load(open("out.json"))["runs"])
print(f"the command by itself        {statistics.median(alone):8.1f} ms")
print(f"{made['runs']} runs, {made['planned']} of them planned, {calls} calls, took {took:.1f} s with --jobs {jobs}")
print(f"200 runs                     {seconds:8.1f} s    < 20   {'ok' if seconds < 20 else 'OVER'}")
print(f"own processor time of a run  {own:8.1f} ms   < 5    {'ok' if own < 5 else 'OVER'}")
END
