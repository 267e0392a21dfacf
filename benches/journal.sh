#!/usr/bin/env bash
# What the journal costs: instructions of one call with it and without (valgrind's callgrind, as the difference between
# two counts of calls, so that start and stop do not count), the ratio of the throughputs as the median of alternating
# slices, and what is held after a million calls. Needs bash, curl, python3, taskset, valgrind, wrk, and two CPUs.
#
#   benches/journal.sh                builds with `cargo build --release`, then measures
#   benches/journal.sh PATH/standin   measures that program
# ROUNDS (10) and SECONDS_EACH (2) say how many slices of each there are, and how long one takes; CALLS (1000000) how many
# calls there are at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -ge 1 ]; then
    program=$1
else
    cargo build --release
    program=${CARGO_TARGET_DIR:-target}/release/standin
fi
work=$(mktemp -d)
servers=()
stop() {
    for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; done
    servers=()
}
trap 'stop; rm -rf "$work"' EXIT

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
    locations: [{number: 1, name: One, reviews: [{generate: 500}]}, {number: 2, name: Two, reviews: [{generate: 500}]}]
END
body='{"businessNumbers":[1,2],"startDate":"01/01/2026","endDate":"06/30/2026"}'
score=/v1/insight/sentiment/scoreBenchmark
reviews=/v1/review/businessId/100

# Starts a program with those arguments; `url` and `pid` are its own.
start() {
    rm -f "$work/out"
    "$@" serve "$work/bench.yaml" --port 0 --log json --quiet --workers 1 --journal "$journal" >"$work/out" &
    pid=$!
    servers+=("$pid")
    until [ -s "$work/out" ]; do sleep 0.05; done
    url=$(head -n 1 "$work/out" | python3 -c 'import json, sys; print(json.load(sys.stdin)["baseUrl"].rstrip("/"))')
}

cat >"$work/calls.py" <<'END'
import socket, sys
from urllib.parse import urlsplit
url, path, body, calls = urlsplit(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
stream = socket.create_connection((url.hostname, url.port))
answers = stream.makefile("rb")
call = (f"POST {path} HTTP/1.1\r\nhost: {url.netloc}\r\naccept: */*\r\nuser-agent: bench\r\ncontent-type: application/json\r\n"
        f"x-api-key: bench-key\r\nx-business-number: 100\r\ncontent-length: {len(body)}\r\n\r\n{body}").encode()
for _ in range(calls):
    stream.sendall(call)
    assert b" 200 " in answers.readline()
    length = 0
    while (line := answers.readline().strip()):
        name, _, value = line.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    answers.read(length)
END

# Instructions of that many calls and everything else. A journal of 1 MiB is full before the first thousand are over, so
# that giving entries up is counted, too.
counted() {
    start valgrind --tool=callgrind --callgrind-out-file="$work/count" 2>/dev/null "$program"
    python3 "$work/calls.py" "$url" "$1" "$2" "$3"
    stop
    awk '/^(summary|totals):/ { count = $2 } END { print count }' "$work/count"
}
for path in $score $reviews; do
    sent=; if [ $path = $score ]; then sent=$body; fi
    for journal in 0 1MiB; do
        less=$(counted $path "$sent" 2000)
        more=$(counted $path "$sent" 6000)
        echo $(((more - less) / 4000)) >"$work/$journal"
    done
    python3 - $path "$(cat "$work/0")" "$(cat "$work/1MiB")" <<'END'
import sys
path, off, on = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
print(f"{path}: {off} instructions a call without the journal, {on} with it: {100 * (on / off - 1):.1f} % more")
END
done

cat >"$work/call.lua" <<END
wrk.method = "POST"
wrk.body = '$body'
wrk.headers["Content-Type"] = "application/json"
wrk.headers["X-Api-Key"] = "bench-key"
wrk.headers["X-Business-Number"] = "100"
function done(summary) io.write("DONE " .. summary.requests / summary.duration * 1e6 .. "\n") end
END
slice() { taskset -c 1 wrk -t 1 -c 16 -d "${SECONDS_EACH:-2}s" -s "$work/call.lua" "$1$score" | awk '/^DONE/ { print $2 }'; }
journal=0; start taskset -c 0 "$program"; without=$url
journal=8MiB; start taskset -c 0 "$program"; with=$url
slice "$without" >/dev/null; slice "$with" >/dev/null
for _ in $(seq "${ROUNDS:-10}"); do echo "$(slice "$without") $(slice "$with")"; done >"$work/slices"
python3 - "$work/slices" <<'END'
import statistics, sys
pairs = [tuple(map(float, line.split())) for line in open(sys.argv[1])]
ratio = statistics.median(on / off for off, on in pairs)
print(f"throughput with the journal / without: {ratio:.3f} (median of {len(pairs)} pairs; {statistics.median(p[1] for p in pairs):.0f} calls/s)")
END
sent=0
while [ "$sent" -lt "${CALLS:-1000000}" ]; do
    sent=$((sent + $(taskset -c 1 wrk -t 1 -c 16 -d 5s -s "$work/call.lua" "$with$score" | awk '/requests in/ { print $1 }')))
done
held=$(curl -sSf "$with/metrics" | awk '/^standin_journal_bytes / { print $2 }')
echo "after $sent calls more: $held bytes in the journal of 8 MiB, $(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status") KiB resident"
