#!/usr/bin/env bash
# What a process costs: the time from its start to its first answer, and its resident memory, for the demo, the folder of all scenarios, and a million
# generated reviews. Needs bash, curl and python3.
#
#   benches/start.sh                builds with `cargo build --release`
#   benches/start.sh PATH/standin   measures that program
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -ge 1 ]; then
    program=$1
else
    cargo build --release --locked
    program=${CARGO_TARGET_DIR:-target}/release/standin
fi
work=$(mktemp -d)
server=
stop() {
    if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; server=; fi
}
trap 'stop; rm -rf "$work"' EXIT

python3 - "$work/million.yaml" <<'END'
import sys
with open(sys.argv[1], "w") as out:
    out.write("standin: 1\nname: million\nseed: 1\nclock: {start: 2026-06-30T00:00:00Z, mode: frozen}\n"
              "keys: [{key: bench-key, accounts: [1000000]}]\nbusinesses:\n  - number: 1000000\n    name: Bench\n    locations:\n")
    for number in range(1, 1001):
        out.write(f"      - {{number: {number}, name: Place {number}, reviews: [{{generate: 1000}}]}}\n")
END

# figure NAME VALUE UNIT AIM
figure() {
    awk -v name="$1" -v value="$2" -v unit="$3" -v aim="$4" 'BEGIN {
        printf "%-62s %8.1f %-3s  < %-6s %s\n", name, value, unit, aim, value < aim ? "ok" : "OVER" }'
}

# Starts the program on a free port and asks for one review. Prints milliseconds, address and process id.
first_answer() { # SCENARIO BUSINESS KEY
    python3 - "$program" "$@" <<'END'
import json, socket, subprocess, sys, time
program, scenario, business, key = sys.argv[1:]
started = time.perf_counter()
server = subprocess.Popen([program, "serve", scenario, "--port", "0", "--log", "json", "--quiet"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
ready = json.loads(server.stdout.readline())
assert ready["event"] == "listening", ready
host, port = ready["baseUrl"].split("//")[1].rstrip("/").rsplit(":", 1)
request = (f"POST /v1/review/businessId/{business}?count=1 HTTP/1.1\r\nhost: {host}:{port}\r\nx-api-key: {key}\r\n"
           "content-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}").encode()
with socket.create_connection((host, int(port))) as stream:
    stream.sendall(request)
    answer = b"".join(iter(lambda: stream.recv(65536), b""))
took = (time.perf_counter() - started) * 1000
assert answer.startswith(b"HTTP/1.1 200"), answer[:300]
print(f"{took:.2f} http://{host}:{port} {server.pid}")
END
}

# Resident memory of the running server in MiB, now or at most (VmHWM).
resident() { awk -v name="${1:-VmRSS}:" '$1 == name { printf "%.1f", $2 / 1024 }' "/proc/$server/status"; }

# Sets $median to the median time to the first answer. The last server keeps running.
started() { # TIMES SCENARIO BUSINESS KEY
    local times=$1 all=()
    shift
    for _ in $(seq "$times"); do
        stop
        read -r took url server < <(first_answer "$@")
        all+=("$took")
    done
    median=$(printf '%s\n' "${all[@]}" | sort -n | sed -n "$(((times + 1) / 2))p")
}

# Calls of every kind, twenty of them at once.
load() {
    local reviews="$url/v1/review/businessId/1000000" days='"startDate":"01/01/2025","endDate":"06/30/2026"'
    local headers=(-H 'x-api-key: bench-key' -H 'x-business-number: 1000000' -H 'content-type: application/json')
    local info="$url/v1/insight/sentiment/locationInfo" score="$url/v1/insight/sentiment/scoreBenchmark"
    for round in $(seq 0 24); do
        local calls=() start body
        add() { # URL BODY
            [ ${#calls[@]} -eq 0 ] || calls+=(--next)
            calls+=(-sS -o /dev/null -w '%{http_code}\n' "${headers[@]}" -d "$2" "$1")
        }
        for at in $(seq 0 19); do
            start=$((round * 4000 + at * 150))
            add "$reviews?sindex=$start&count=100" '{"statuses":["all"]}'
            add "$reviews?count=100" "{\"ratings\":[$((at % 5 + 1))],\"subBusinessIds\":[$((start % 1000 + 1))]}"
        done
        add "$reviews" '{"searchStr":"zzzz"}'
        add "$info" "{\"businessNumbers\":[1000000],\"userEmail\":\"a@b.test\",$days}"
        add "$info" "{\"businessNumbers\":[1000000],\"userEmail\":\"a@b.test\",\"ratings\":[1,2],$days}"
        add "$score" "{\"businessNumbers\":[1000000],\"ratings\":[5],$days}"
        # The progress meter of curl has no other switch. A failed call is counted as 000.
        curl --parallel --parallel-max 20 "${calls[@]}" 2>/dev/null || true
    done | sort | uniq -c | sed 's/^ */  answers: /'
}

started 21 scenarios/demo.yaml 1001 demo-key
figure "serve scenarios/demo.yaml: start to first answer" "$median" ms 50
figure "  resident" "$(resident)" MiB 25
started 21 scenarios 1001 demo-key
figure "serve scenarios/: start to first answer" "$median" ms 300
figure "  resident" "$(resident)" MiB 25
started 5 "$work/million.yaml" 1000000 bench-key
figure "a million reviews: start to first answer" "$median" ms 3000
figure "  resident" "$(resident)" MiB 150
load
figure "  resident after load" "$(resident)" MiB 200
figure "  resident at most" "$(resident VmHWM)" MiB 200
