#!/usr/bin/env bash
# Throughput and CPU per call, compared with a bare actix-web server (benches/reference) that parses the same body and answers bytes that were ready
# before. Both are loaded in one run, in alternating slices, so that a machine that changes its speed changes both: read the ratios. The calls are
# 8,100 different ones in turn (benches/calls.lua), and equal ones for comparison. The servers run on CPU 0, wrk on CPU 1. The run takes five minutes.
# Needs bash, curl, python3, taskset, wrk, and two CPUs.
#
#   benches/load.sh                builds both with `cargo build --release`
#   benches/load.sh PATH/standin   measures that program, and builds the reference alone
# ROUNDS (9) is the number of slices of each server, SECONDS_EACH (2) the length of one.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
if [ $# -ge 1 ]; then
    program=$1
else
    cargo build --release --locked
    program=$target/release/standin
fi
cargo build --release --locked --manifest-path benches/reference/Cargo.toml --target-dir "$target/reference"
work=$(mktemp -d)
servers=()
stop() {
    for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; done
    rm -rf "$work"
}
trap stop EXIT

# Waits for the first line that a server prints.
first_line() {
    for _ in $(seq 200); do
        if [ -s "$1" ]; then head -n 1 "$1"; return; fi
        sleep 0.05
    done
    echo "the server printed nothing: $1" >&2
    exit 1
}

taskset -c 0 "$program" serve benches/load.yaml --port 0 --log json --quiet --workers 1 >"$work/standin.out" &
servers+=($!)
standin=$!
url=$(first_line "$work/standin.out" | python3 -c 'import json, sys; print(json.load(sys.stdin)["baseUrl"].rstrip("/"))')
# The answers of the reference are those of two such calls.
ask() {
    curl -sSf -H 'x-api-key: bench-key' -H 'x-business-number: 100' -H 'content-type: application/json' \
        -d '{"businessNumbers":[1,2],"startDate":"01/01/2026","endDate":"06/30/2026"}' "$url$1"
}
ask /v1/insight/sentiment/scoreBenchmark >"$work/score.json"
ask '/v1/review/businessId/100?count=25' >"$work/reviews.json"
taskset -c 0 "$target/reference/release/reference" "$work/score.json" "$work/reviews.json" >"$work/reference.out" &
servers+=($!)
reference=$!
bare=http://127.0.0.1:$(first_line "$work/reference.out")

python3 - "$standin" "$url" "$reference" "$bare" "$work" "${ROUNDS:-9}" "${SECONDS_EACH:-2}" <<'END'
import os, statistics, subprocess, sys
standin, url, reference, bare, work, rounds, seconds = sys.argv[1:]
servers = {"reference": (reference, bare), "standin": (standin, url)}

def cpu_time(pid):
    """Run time of all threads in ns. Unlike /proc/PID/stat it is exact, and includes the network work done in them."""
    tasks = f"/proc/{pid}/task"
    return sum(int(open(f"{tasks}/{task}/schedstat").read().split()[0]) for task in os.listdir(tasks))

def load(name, path, equal, seconds):
    pid, base = servers[name]
    before = cpu_time(pid)
    out = subprocess.run(["taskset", "-c", "1", "wrk", "-t1", "-c32", f"-d{seconds}s", "-s", "benches/calls.lua", base + path],
                         env={**os.environ, "EQUAL": equal}, check=True, capture_output=True, text=True).stdout
    requests, took, failed, slow = map(int, next(line for line in out.splitlines() if line.startswith("DONE")).split()[1:])
    assert failed == 0, f"{name}: {failed} calls failed\n{out}"
    return {"rps": requests / took * 1e6, "cpu": (cpu_time(pid) - before) / requests / 1e3, "p99": slow / 1e3}

def median(rows, figure):
    return statistics.median(row[figure] for row in rows)

print(f"{'medians of ' + rounds + ' slices':34} {'calls/s':>10} {'us CPU/call':>12} {'p99 ms':>8}")
for title, path, file in (("score benchmark", "/v1/insight/sentiment/scoreBenchmark", "score.json"),
                          ("page of 25 reviews", "/v1/review/businessId/100", "reviews.json")):
    for equal, calls in (("0", "different calls"), ("1", "equal calls")):
        rows = {name: [] for name in servers}
        for name in servers:
            load(name, path, equal, 1)
        for turn in range(int(rounds)):
            for name in list(servers) if turn % 2 == 0 else reversed(servers):
                rows[name].append(load(name, path, equal, seconds))
        print(f"{title}, {os.path.getsize(os.path.join(work, file))} bytes, {calls}")
        for name in servers:
            print(f"  {name:32} {median(rows[name], 'rps'):10.0f} {median(rows[name], 'cpu'):12.2f} {median(rows[name], 'p99'):8.2f}")
        pairs = list(zip(rows["standin"], rows["reference"]))
        rps = statistics.median(ours["rps"] / bare["rps"] for ours, bare in pairs)
        cpu = statistics.median(ours["cpu"] / bare["cpu"] for ours, bare in pairs)
        print(f"  {'standin / reference':32} {rps:10.2f} {cpu:12.2f}")
for name, (pid, _) in servers.items():
    status = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status"))
    print(f"resident after load: {name} {int(status['VmRSS'].split()[0]) / 1024:.1f} MiB")
END
