#!/usr/bin/env bash
# What faults cost a request where a scenario has none, in instructions.
#
# Two programs are built from the same sources: as they are, and with everything that faults add to a request cut out:
# the decision, the shaping of the answer, the look for `x-standin-trace`, and the check whether the reply goes out
# plainly. Each serves the same calls under callgrind, in a short run and in a long one; the difference of the two runs
# over the difference of their calls is the cost of one call without starting and stopping. What is counted is every
# instruction of the program in user space (the whole request: HTTP, routing, the operation), none of the kernel's, which
# would make the share smaller. Fails where faults cost 2% or more.
#
# Needs bash, cargo, python3 and valgrind. The builds take minutes, the runs less than one.
#   CALLS (2000) says how many calls lie between the short run and the long one.
set -euo pipefail
cd "$(dirname "$0")/.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}/deciding")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for variant in with without; do
    mkdir "$work/$variant"
    cp -r Cargo.toml Cargo.lock benches seed-data src tests "$work/$variant/"
done
python3 - "$work/without/src" <<'END'
import pathlib, sys

def cut(file, old, new):
    path = pathlib.Path(sys.argv[1], file)
    text = path.read_text()
    assert text.count(old) == 1, f"{file} has changed: say here again what faults add to a request"
    path.write_text(text.replace(old, new))

route = "    let route = Operation::at(call.path);\n"
cut("pipeline.rs", route + "    let verdict =", route + """    if true {
        let operation = route.map(|(operation, _)| operation);
        let reply = match answer(located, dataset, route, call) {
            Ok(Answer(body)) => Reply::json(200, body),
            Err(refusal) => refused(snapshot, operation, &refusal),
        };
        return cors::dressed(reply, &snapshot.dialect.cors, call).into();
    }
    let verdict =""")
cut("server/exchange.rs", "wire::perform(&request, sending, response(reply)).await", "{ drop(sending); response(reply) }")
END
for variant in with without; do
    # One folder for both, so that the dependencies are built once.
    rm -rf "$work/tree"
    mv "$work/$variant" "$work/tree"
    find "$work/tree/src" -name '*.rs' -exec touch {} +
    cargo build --release --locked --quiet --manifest-path "$work/tree/Cargo.toml" --target-dir "$target" 2>"$work/log" ||
        { cat "$work/log" >&2; exit 1; }
    cp "$target/release/standin" "$work/standin-$variant"
done

cat >"$work/bench.yaml" <<'END'
standin: 1
name: bench
seed: 1
clock: {start: 2026-06-30T00:00:00Z, mode: frozen}
keys: [{key: bench-key, accounts: [100]}]
businesses:
  - number: 100
    name: Bench
    industry_score: 68.2
    locations:
      - {number: 1, name: One, reviews: [{generate: 500}]}
      - {number: 2, name: Two, reviews: [{generate: 500}]}
END
python3 - "$work" "${CALLS:-2000}" <<'END'
import http.client, json, re, signal, subprocess, sys, urllib.parse
work, calls = sys.argv[1], int(sys.argv[2])
body = '{"businessNumbers":[1,2],"startDate":"01/01/2026","endDate":"06/30/2026"}'
headers = {"content-type": "application/json", "x-api-key": "bench-key", "x-business-number": "100"}

def instructions(variant, path, count):
    """Of a program that answers so many calls, one after the other over one connection."""
    server = subprocess.Popen(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={work}/out", f"{work}/standin-{variant}", "serve",
         f"{work}/bench.yaml", "--port", "0", "--log", "json", "--quiet", "--workers", "1"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    url = urllib.parse.urlparse(json.loads(server.stdout.readline())["baseUrl"])
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    answers = set()
    for _ in range(count):
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        answers.add((answer.status, answer.read()))
    assert len(answers) == 1 and next(iter(answers))[0] == 200, answers
    connection.close()
    server.send_signal(signal.SIGTERM)
    told = server.communicate(timeout=120)[1]
    return int(re.search(r"Collected : (\d+)", told)[1])

def per_call(variant, path):
    short = instructions(variant, path, 100)
    return (instructions(variant, path, 100 + calls) - short) / calls

worst = 0.0
for name, path in (("questions, none there", "/v1/qna/unanswered/get?businessId=100"),
                   ("score benchmark", "/v1/insight/sentiment/scoreBenchmark"),
                   ("page of 25 reviews", "/v1/review/businessId/100")):
    there, gone = per_call("with", path), per_call("without", path)
    share = (there - gone) / there * 100
    worst = max(worst, share)
    print(f"{name:22} {there:9.0f} instructions a call, {gone:9.0f} with faults cut out: {there - gone:6.0f}, {share:.2f}%")
print(f"Without faults in the scenario, they cost at most {worst:.2f}% of a request.")
sys.exit(worst >= 2)
END
