#!/usr/bin/env bash
# What `standin run` adds to the time of a command: of it all, and of the supervisor of the command alone (Linux). Needs bash and python3.
#
#   benches/run.sh                builds with `cargo build --release`
#   benches/run.sh PATH/standin   measures that program
# TIMES (101) is how often each is run.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -ge 1 ]; then
    program=$1
else
    cargo build --release --locked
    program=${CARGO_TARGET_DIR:-target}/release/standin
fi

python3 - "$program" "${TIMES:-101}" <<'END'
import os, statistics, subprocess, sys, time

program, times = sys.argv[1], int(sys.argv[2])
commands = {
    "plain": ["true"],
    "supervisor": [program, "__supervise", str(os.getpid()), "-", "true"],
    "run": [program, "run", "--allow-no-calls", "demo", "--", "true"],
}
took = {name: [] for name in commands}
# In turn, so that what else the machine does is the same for all.
for _ in range(times):
    for name, command in commands.items():
        started = time.perf_counter()
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        took[name].append((time.perf_counter() - started) * 1000)
median = {name: statistics.median(all) for name, all in took.items()}
plain = median["plain"]
print(f"the command `true` by itself {plain:18.1f} ms")
for name, what, aim in [("supervisor", "the supervisor adds", 20), ("run", "standin run adds", 150)]:
    adds = median[name] - plain
    print(f"{what:28} {adds:18.1f} ms   < {aim:<4} {'ok' if adds < aim else 'OVER'}")
END
