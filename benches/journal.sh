#!/usr/bin/env bash
# What the journal costs: the instructions of one call with and without it, the ratio of the throughputs as the median of alternating slices, and what
# the journal holds after a million calls. The instructions are counted by valgrind's callgrind, as the difference between a short and a long run, so
# that start and stop do not count. Needs bash, curl, python3, taskset, valgrind, wrk, and two CPUs.
#
#   benches/journal.sh                builds with `cargo build --release`
#   benches/journal.sh PATH/standin   measures that program
# ROUNDS (10) is the number of slices of each, SECONDS_EACH (2) the length of one; CALLS (1000000) is the number of calls at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -ge 1 ]; then
    program=$1
else
    cargo build --release --locked
    program=${CARGO_TARGET_DIR:-target}/release/standin
fi
work=$(mktemp -d)
servers=()
stop() {
    for server in "${servers[@]}"; do kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; done
    servers=()
}
trap 'stop; rm -rf "$work"' EXIT
score=/v1/insight/sentiment/scoreBenchmark
reviews=/v1/review/businessId/100

# Starts a program with a journal of $journal; sets $url and $pid.
start() {
    rm -f "$work/out"
    "$@" serve benches/load.yaml --port 0 --log json --quiet --workers 1 --journal "$journal" >"$work/out" &
    pid=$!
    servers+=("$pid")
    until [ -s "$work/out" ]; do sleep 0.05; done
    url=$(head -n 1 "$work/out" | python3 -c 'import json, sys; print(json.load(sys.stdin)["baseUrl"].rstrip("/"))')
}

cat >"$work/calls.py" <<'END'
import socket, sys
from urllib.parse import urlsplit
url, path, calls = urlsplit(sys.argv[1]), sys.argv[2], int(sys.argv[3])
stream = socket.create_connection((url.hostname, url.port))
answers = stream.makefile("rb")
for number in range(calls):
    query = f"?sindex={number * 7 % 900}&count=25" if "/review/" in path else ""
    body = f'{{"businessNumbers":[1,2],"startDate":"01/{1 + number % 31:02}/2026","endDate":"06/{1 + number // 31 % 30:02}/2026"}}' if not query else ""
    stream.sendall((f"POST {path}{query} HTTP/1.1\r\nhost: {url.netloc}\r\naccept: */*\r\nuser-agent: bench\r\ncontent-type: application/json\r\n"
                    f"x-api-key: bench-key\r\nx-business-number: 100\r\ncontent-length: {len(body)}\r\n\r\n{body}").encode())
    assert b" 200 " in answers.readline()
    length = 0
    while (line := answers.readline().strip()):
        name, _, value = line.partition(b":")
        length = int(value) if name.lower() == b"content-length" else length
    answers.read(length)
END

# The instructions of so many calls, with start and stop. A journal of 1 MiB is full before the first thousand are over, so that removing old entries
# counts, too.
instructions() {
    start valgrind --tool=callgrind --callgrind-out-file="$work/count" 2>/dev/null "$program"
    python3 "$work/calls.py" "$url" "$1" "$2"
    stop
    awk '/^(summary|totals):/ { count = $2 } END { print count }' "$work/count"
}
for path in $score $reviews; do
    for journal in 0 1MiB; do
        short=$(instructions $path 2000)
        long=$(instructions $path 6000)
        echo $(((long - short) / 4000)) >"$work/$journal"
    done
    python3 - $path "$(cat "$work/0")" "$(cat "$work/1MiB")" <<'END'
import sys
path, off, on = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
print(f"{path}: {off} instructions a call without the journal, {on} with it: {100 * (on / off - 1):.1f} % more")
END
done

slice() {
    taskset -c 1 wrk -t 1 -c 16 -d "${SECONDS_EACH:-2}s" -s benches/calls.lua "$1$score" | awk '/^DONE/ { print $2 / $3 * 1e6 }'
}
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
    sent=$((sent + $(taskset -c 1 wrk -t 1 -c 16 -d 5s -s benches/calls.lua "$with$score" | awk '/^DONE/ { print $2 }')))
done
held=$(curl -sSf "$with/metrics" | awk '/^standin_journal_bytes / { print $2 }')
echo "after $sent more calls: $held bytes in the journal of 8 MiB, $(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status") KiB resident"
