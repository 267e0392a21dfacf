#!/usr/bin/env bash
# Load that compares: Standin against a bare actix-web server (benches/reference) that parses the same body and answers
# the very bytes that Standin answers. Both are loaded in one run, in alternating slices, so that a machine that changes
# its speed changes both: read the ratios. Server on CPU 0, wrk on CPU 1. Less than three minutes once both are built.
# Needs bash, curl, python3, taskset, wrk, and two CPUs.
#
#   benches/load.sh                builds both with `cargo build --release`, then loads them
#   benches/load.sh PATH/standin   builds the reference alone, and loads it and that program
# ROUNDS (9) and SECONDS_EACH (2) say how many slices of each there are, and how long one takes.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
if [ $# -ge 1 ]; then
    program=$1
else
    cargo build --release
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

cat >"$work/bench.yaml" <<'END'
standin: 1
name: bench
seed: 1
clock: {start: 2026-06-30T00:00:00Z, mode: running}
keys: [{key: bench-key, accounts: [100]}]
businesses:
  - number: 100
    name: Bench
    industry_score: 68.2
    locations:
      - {number: 1, name: One, reviews: [{generate: 500}]}
      - {number: 2, name: Two, reviews: [{generate: 500}]}
END
cat >"$work/call.lua" <<'END'
wrk.method = "POST"
wrk.body = '{"businessNumbers":[1,2],"startDate":"01/01/2026","endDate":"06/30/2026"}'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["X-Api-Key"] = "bench-key"
wrk.headers["X-Business-Number"] = "100"
function done(summary, latency, requests)
    local errors = summary.errors
    local bad = errors.connect + errors.read + errors.write + errors.status + errors.timeout
    io.write(string.format("DONE %d %d %d %d\n", summary.requests, summary.duration, bad, latency:percentile(99)))
end
END
body='{"businessNumbers":[1,2],"startDate":"01/01/2026","endDate":"06/30/2026"}'
score=/v1/insight/sentiment/scoreBenchmark
reviews=/v1/review/businessId/100

# Waits for the first line that a server prints.
first_line() {
    for _ in $(seq 200); do
        if [ -s "$1" ]; then head -n 1 "$1"; return; fi
        sleep 0.05
    done
    echo "no server: $1" >&2
    exit 1
}

taskset -c 0 "$program" serve "$work/bench.yaml" --port 0 --log json --quiet --workers 1 >"$work/standin.out" &
servers+=($!)
standin=$!
url=$(first_line "$work/standin.out" | python3 -c 'import json, sys; print(json.load(sys.stdin)["baseUrl"].rstrip("/"))')
ask() {
    curl -sSf -H 'x-api-key: bench-key' -H 'x-business-number: 100' -H 'content-type: application/json' -d "$body" "$url$1"
}
ask $score >"$work/score.json"
ask $reviews >"$work/reviews.json"
taskset -c 0 "$target/reference/release/reference" "$work/score.json" "$work/reviews.json" >"$work/reference.out" &
servers+=($!)
reference=$!
bare=http://127.0.0.1:$(first_line "$work/reference.out")

python3 - "$work/call.lua" "$standin" "$url" "$reference" "$bare" "$work" "${ROUNDS:-9}" "${SECONDS_EACH:-2}" <<'END'
import os, statistics, subprocess, sys
lua, standin, url, reference, bare, work, rounds, seconds = sys.argv[1:]
servers = {"reference": (reference, bare), "standin": (standin, url)}

def ran(pid):
    """Run time of all threads in ns: unlike the ticks of /proc/PID/stat, exact, and with the network work done in them."""
    tasks = f"/proc/{pid}/task"
    return sum(int(open(f"{tasks}/{task}/schedstat").read().split()[0]) for task in os.listdir(tasks))

def loaded(name, path, seconds):
    pid, base = servers[name]
    before = ran(pid)
    out = subprocess.run(["taskset", "-c", "1", "wrk", "-t1", "-c32", f"-d{seconds}s", "-s", lua, base + path],
                         check=True, capture_output=True, text=True).stdout
    requests, took, bad, slow = map(int, next(l for l in out.splitlines() if l.startswith("DONE")).split()[1:])
    assert bad == 0, f"{name}: {bad} calls failed\n{out}"
    return {"rps": requests / took * 1e6, "cpu": (ran(pid) - before) / requests / 1e3, "p99": slow / 1e3}

def middle(rows, figure):
    return statistics.median(row[figure] for row in rows)

print(f"{'medians of ' + rounds + ' slices':24} {'calls/s':>10} {'us CPU/call':>12} {'p99 ms':>8}")
for call, path in (("score benchmark", "/v1/insight/sentiment/scoreBenchmark"), ("page of 25 reviews", "/v1/review/businessId/100")):
    rows = {name: [] for name in servers}
    for name in servers:
        loaded(name, path, 1)
    for turn in range(int(rounds)):
        for name in list(servers) if turn % 2 == 0 else reversed(servers):
            rows[name].append(loaded(name, path, seconds))
    size = os.path.getsize(os.path.join(work, "score.json" if call.startswith("score") else "reviews.json"))
    print(f"{call}, {size} bytes")
    for name in servers:
        print(f"  {name:22} {middle(rows[name], 'rps'):10.0f} {middle(rows[name], 'cpu'):12.2f} {middle(rows[name], 'p99'):8.2f}")
    pairs = list(zip(rows["standin"], rows["reference"]))
    rps = statistics.median(ours["rps"] / bare["rps"] for ours, bare in pairs)
    cpu = statistics.median(ours["cpu"] / bare["cpu"] for ours, bare in pairs)
    print(f"  {'standin / reference':22} {rps:10.2f} {cpu:12.2f}")
for name, (pid, _) in servers.items():
    status = dict(line.split(":", 1) for line in open(f"/proc/{pid}/status"))
    print(f"resident after load: {name} {int(status['VmRSS'].split()[0]) / 1024:.1f} MiB")
END
