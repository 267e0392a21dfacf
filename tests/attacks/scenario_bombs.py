"""Small scenarios that could use up memory, stack or time: by `standin check`, by file and by PUT, with 1 GiB of address space.

Nothing ends the program, nothing takes long, and what was served is served on. Times are those of a release build. `-v` prints a line for each
bomb, `-k WORDS` takes only those with these words in their name.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time

from standin import Server, Table, binary

GIB = 1 << 30
LONGEST = 10  # seconds of processor time for one bomb; most take a tenth
BOMBS = {}


def bomb(function):
    """A function that gives files: `a.yaml` is the scenario, the others are beside it."""
    BOMBS[function.__name__.replace("_", " ")] = function
    return function


# Templates


def payload(text):
    return {"a.yaml": f"standin: 1\nwebhooks:\n  events:\n    e.x:\n      payload: |-\n        {text}\n"}


for name, text in {
    "indent": "{{ 'a' | indent(1000000000000) }}",
    "repetition": "{{ 'a' * 99999999 * 99 }}",
    "repetition of a list": "{{ ([1] * 99999999) | list }}",
    "doubling": "{% set a = 'aaaaaaaa' %}" + "{% set a = a ~ a %}" * 60 + "{{ a }}",
    "doubling by +": "{% set a = 'aaaaaaaa' %}" + "{% set a = a + a %}" * 60 + "{{ a }}",
    "doubling in loops": "{% for a in ['aa'] %}" + "{% for a in [a ~ a] %}" * 60 + "{{ a }}" + "{% endfor %}" * 61,
    "doubling in with": "{% with a = 'aa' %}" + "{% with a = a ~ a %}" * 60 + "{{ a }}" + "{% endwith %}" * 61,
    "doubling in blocks": "{% set a = 'a' %}" + "{% set a %}{{ a }}{{ a }}{% endset %}" * 60,
    "doubling of lists": "{% set a = [1] %}" + "{% set a = [a, a] %}" * 60 + "{{ a | tojson }}",
    "doubling of pairs": "{% set a = data.messages %}" + "{% set a = a | zip(a) | list %}" * 60 + "{{ a | tojson }}",
    "doubling of groups": "{% set a = data.messages %}" + "{% set a = a | groupby(1) %}" * 60 + "{{ a | string }}",
    "doubling of chains": "{% set a = data.messages %}" + "{% set a = a | chain(a) %}" * 60 + "{{ a | list | length }}",
    "doubling in a namespace": "{% set n = namespace(a='aa') %}{% for i in range(60) %}{% set n.a = n.a ~ n.a %}{% endfor %}",
    "doubling of escapes": "{% set a = '\\\\\\\\' | tojson %}" + "{% set a = a | tojson %}" * 60 + "{{ a }}",
    "doubling of escapes at once": "{{ '\\\\' " + "| tojson " * 90 + "}}",
    "escapes in lists": "{{ " + "(" * 8 + "'\\\\'" + " | list | string)" * 8 + " }}",
    "a recursive loop": "{% for a in [1] recursive %}{{ loop([1]) }}{{ loop([1]) }}{% endfor %}",
    "join": "{{ range(100000) | join(range(100000) | join('aaaaaaaa')) }}",
    "replace": "{{ ('a,' ~ range(100000) | join(',')) | replace(',', range(100000) | join('aaaaaaaaa')) }}",
    "batch": "{{ [1] | batch(999999999, 1) | list }}",
    "slice": "{{ [1] | slice(999999999) | list }}",
    "format": "{{ '%099999999d' | format(1) }}",
    "pretty JSON": "{{ data | tojson(indent=999999999) }}",
    "sums of texts": "{{ range(100000) | map('string') | list | sum(start='') }}",
    "the default of map": "{{ range(100000) | map(attribute='x', default=range(100000) | list) | list | tojson }}",
    "many lists": "".join(f"{{% set a{i} = range(100000) | list %}}" for i in range(1000)),
    "endless loops": "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}",
    "long loops of text": "{% for i in range(99999) %}" + "x" * 50000 + "{% endfor %}",
    "lists compared in loops": "{% for i in range(9999) %}{% if range(99999) == range(99999) %}{% endif %}{% endfor %}",
    "lists as text in loops": "{% for i in range(9999) %}{% if range(99999) ~ range(99999) %}{% endif %}{% endfor %}",
    "slices in loops": "{% for i in range(9999) %}{% if range(99999)[99990:] | length %}{% endif %}{% endfor %}",
    "searches in loops": "{% for i in range(9999) %}{% if range(99999) | select('in', range(99998)) | list %}{% endif %}{% endfor %}",
    "8,000 operators": "{{ 1" + " - 1" * 8000 + " }}",
    "8,000 negations": "{{ " + "not " * 8000 + "1 }}",
    "8,000 minus signs": "{{ " + "-" * 8000 + "1 }}",
    "8,000 filters": "{{ 1" + "|e" * 8000 + " }}",
    "8,000 members": "{{ data" + ".a" * 8000 + " }}",
    "8,000 calls": "{{ data" + "()" * 8000 + " }}",
    "8,000 conditions": "{{ 1" + " if 1 else 1" * 3000 + " }}",
    "100,000 parentheses": "{{ " + "(" * 100_000 + "1" + ")" * 100_000 + " }}",
    "20,000 brackets": "{{ " + "[" * 20_000 + "1" + "]" * 20_000 + " }}",
    "20,000 braces": "{{ " + "{1:" * 15_000 + "1" + "}" * 15_000 + " }}",
    "nested blocks": "{% if 1 %}" * 2000 + "x" + "{% endif %}" * 2000,
    "nested set blocks": "{% set a %}" * 2000 + "x" + "{% endset %}" * 2000,
    "many elif": "{% if 1 %}" + "{% elif 1 %}" * 5000 + "{% endif %}",
    "a long template": "x" * 3_000_000,
}.items():
    BOMBS[f"template: {name}"] = lambda text=text: payload(text)


@bomb
def route_templates():
    json = '{a: "{{ 1' + " - 1" * 8000 + ' }}", b: "{{ ' + "(" * 100_000 + ' }}"}'
    return {"a.yaml": f"standin: 1\nroutes: [{{name: r, request: {{method: GET, path: /x}}, response: {{json: {json}}}}}]\n"}


@bomb
def many_templates():
    loop = "{% for i in range(40000) %}{% endfor %}"
    return {"a.yaml": "standin: 1\nwebhooks:\n  events:\n" + "".join(f"    e{i}: {{payload: '{loop}'}}\n" for i in range(12_000))}


# YAML


def scenario(text):
    return {"a.yaml": "standin: 1\n" + text}


@bomb
def aliases_of_a_long_text():
    return scenario(f"summary: &x {'y' * 500_000}\nfaults: [{'*x, ' * 100_000}]\n")


@bomb
def aliases_of_aliases():
    levels = (f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 40))
    return scenario("a0: &a0 [x]\n" + "".join(levels))


@bomb
def aliases_in_keys():
    return scenario(f"x: &x {'y' * 500_000}\nz: {{{', '.join(f'? *x : {i}' for i in range(20_000))}}}\n")


@bomb
def anchors_within_anchors():
    return scenario("x: " + "".join(f"&a{i} [" for i in range(60)) + "y" * 900_000 + "]" * 60 + "\n")


@bomb
def many_anchors():
    return scenario("x: [" + ", ".join(f"&a{i} y" for i in range(300_000)) + "]\n")


@bomb
def deep_lists():
    return scenario("x: " + "[" * 500_000)


@bomb
def deep_blocks():
    return scenario("x:\n" + "- " * 500_000)


@bomb
def deep_maps():
    return scenario("".join(" " * i + "a:\n" for i in range(1400)))


@bomb
def deep_complex_keys():
    return scenario("? " * 500_000)


@bomb
def unclosed_quotes_and_brackets():
    return scenario("x: [" + "{a: '" * 200_000)


@bomb
def two_million_values():
    return scenario("businesses: [{number: 1, name: a, contacts: [{id: 1, tags: [" + "a," * 2_000_000 + "]}]}]\n")


@bomb
def two_million_empty_values():
    return scenario("x: [" + "[]," * 1_300_000 + "]\n")


@bomb
def a_wide_map():
    return scenario("".join(f"k{i}: 1\n" for i in range(300_000)))


@bomb
def duplicate_keys():
    return scenario("a: 1\n" * 700_000)


@bomb
def a_long_line():
    return scenario("keys: [" + "{key: '', nam: 1}, " * 200_000 + "]\n")


@bomb
def long_names():
    return scenario(f"? {'k' * 1_000_000}\n: 1\nname: {'n' * 1_000_000}\nclock: {{mode: {'x' * 1_000_000}}}\n")


@bomb
def long_names_everywhere():
    return scenario("faults:\n" + "".join(f"  - {{name: {'x' * 20_000}{i}, operation: {'y' * 20_000}}}\n" for i in range(90)))


@bomb
def suggestions_from_long_names():
    names = "".join(f"  - {{name: {'x' * 30_000}{i}, then: {{error: 89}}}}\n" for i in range(60))
    expect = "".join(f"  - {{name: e{i}, after: {{fault: y}}, retries: 0}}\n" for i in range(1000))
    return scenario(f"faults:\n{names}expect:\n{expect}")


@bomb
def a_hundred_thousand_errors():
    return scenario("keys:\n" + "  - {kye: 1}\n" * 250_000)


@bomb
def comments_and_blank_lines():
    return scenario("#\n\n" * 1_300_000)


# JSON Patch and faults


def patch(changes):
    return scenario(f"faults: [{{name: f, operation: reviews, then: {{body: {{patch: [{changes}]}}}}}}]\n")


@bomb
def copies_of_the_root():
    return patch(", ".join(f"{{op: copy, from: '', path: /{i}}}" for i in range(60)))


@bomb
def copies_by_turns():
    turns = (f"{{op: copy, from: /0, path: /1/a{i}}}, {{op: copy, from: /1, path: /0/b{i}}}" for i in range(60))
    return patch("{op: add, path: /0, value: {}}, {op: add, path: /1, value: {}}, " + ", ".join(turns))


@bomb
def many_changes():
    return patch("{op: add, path: /0/a, value: 1}, " * 80_000)


@bomb
def forty_thousand_faults():
    return scenario("faults:\n" + "".join(f"  - {{name: f{i}, when: {{header: {{x: {i}}}}}, then: {{error: 89}}}}\n" for i in range(40_000)))


@bomb
def faults_with_long_lists():
    values = ", ".join(f"k{i}" for i in range(900))
    keys = "".join(f"  - {{key: k{i}}}\n" for i in range(900))
    faults = "".join(f"  - {{name: f{i}, when: {{key: [{values}], header: {{x: {i}}}}}, then: {{error: 89}}}}\n" for i in range(500))
    return scenario(f"keys:\n{keys}faults:\n{faults}")


@bomb
def faults_with_many_keys():
    keys = "".join(f"  - {{key: k{i}}}\n" for i in range(60_000))
    faults = "".join(f"  - {{name: f{i}, when: {{key: [{', '.join(f'k{59_999 - j}' for j in range(900))}]}}, then: {{delay: 1s}}}}\n" for i in range(200))
    return scenario(f"keys:\n{keys}faults:\n{faults}")


@bomb
def a_wide_condition():
    return scenario("faults: [{name: f, then: {error: 89}, when: {header: {" + ", ".join(f"h{i}: 1" for i in range(200_000)) + "}}}]\n")


@bomb
def a_wide_condition_of_an_expectation():
    return scenario("expect: [{name: f, count: 1, requests: {header: {" + ", ".join(f"h{i}: 1" for i in range(200_000)) + "}}}]\n")


@bomb
def many_header_changes():
    names = ", ".join(f"h{i}" for i in range(150_000))
    return scenario(f"faults: [{{name: f, then: {{headers: {{remove: [{names}], set: {{{names.replace(',', ': 1,')}: 1}}}}}}}}]\n")


@bomb
def many_hits():
    return scenario("faults: [{name: f, then: {error: 89}, hits: [" + "1," * 500_000 + "]}]\n")


# All with all


@bomb
def own_worlds():
    return scenario("keys:\n" + "".join(f"  - {{key: k{i}, name: n{i}, world: own}}\n" for i in range(80_000)))


@bomb
def own_worlds_on_one_line():
    return scenario("keys: [" + ", ".join(f"{{key: k{i}, name: n{i}, world: own}}" for i in range(9_000)) + "]\n")


@bomb
def keys_with_accounts():
    businesses = "".join(f"  - {{number: {i}, name: b}}\n" for i in range(1, 20_000))
    accounts = ", ".join(str(i) for i in range(1, 20_000))
    return scenario(f"businesses:\n{businesses}keys:\n" + "".join(f"  - {{key: k{i}, accounts: [{accounts}]}}\n" for i in range(20)))


@bomb
def unknown_references():
    businesses = "".join(f"  - {{number: {i}, name: b}}\n" for i in range(1, 40_000))
    accounts = ", ".join(str(i) for i in range(100_000, 200_000))
    condition = ", ".join(str(i) for i in range(100_000, 100_900))
    return scenario(f"businesses:\n{businesses}keys: [{{key: k, accounts: [{accounts}]}}]\nfaults: [{{name: f, then: {{error: 89}}, when: {{business: [{condition}]}}}}]\n")


@bomb
def businesses_with_competitors():
    competitors = ", ".join(str(i) for i in range(2, 30_000))
    return scenario("businesses:\n" + f"  - {{number: 1, name: b, competitors: [{competitors}]}}\n" + "".join(f"  - {{number: {i}, name: b, competitors: [1, 1, 1, 1, 1]}}\n" for i in range(2, 30_000)))


@bomb
def a_chain_of_parents():
    return scenario("businesses:\n" + "".join(f"  - {{number: {i}, name: b, type: reseller, parent: {i + 1}}}\n" for i in range(1, 60_000)) + "  - {number: 60000, name: b, type: reseller, parent: 1}\n")


@bomb
def levels():
    names = ", ".join(f"l{i}" for i in range(100_000))
    return scenario(f"businesses: [{{number: 1, name: b, levels: [{names}], locations: [{{number: 2, name: l, levels: {{{names.replace(',', ': x,')}: x}}}}]}}]\n")


@bomb
def users():
    return scenario("businesses: [{number: 1, name: b, users: [" + ", ".join(f"u{i}@x.test" for i in range(250_000)) + "]}]\n")


@bomb
def contacts():
    return scenario("businesses:\n  - number: 1\n    name: b\n    contacts:\n" + "".join(f"      - {{id: {i}, email: a@x.test}}\n" for i in range(1, 100_000)))


@bomb
def expectations():
    return scenario("expect:\n" + "".join(f"  - {{name: e{i}, after: {{error: 89}}, retries: 0}}\n" for i in range(70_000)))


@bomb
def routes():
    return scenario("routes:\n" + "".join(f"  - {{name: r{i}, request: {{method: GET, path: /x, query: {{a: {i}}}}}, response: {{}}}}\n" for i in range(40_000)))


@bomb
def a_timeline():
    entries = "".join(f"    - {{at: {i}s, event: message.added, business: 1, conversation: c}}\n" for i in range(60_000))
    return scenario(f"businesses: [{{number: 1, name: b}}]\nwebhooks:\n  timeline:\n{entries}")


@bomb
def delivery_faults():
    return scenario("webhooks:\n  events: {" + ", ".join(f"e{i}" for i in range(400)) + "}\n  faults:\n" + "".join(f"    - {{event: e{i % 400}, then: drop}}\n" for i in range(60_000)))


@bomb
def sources():
    return scenario("dialect: {sources: {" + ", ".join(f"s{i}: {{name: n{i}}}" for i in range(100_000)) + "}}\n")


# Includes and seed data


@bomb
def a_diamond_of_includes():
    files = {f"p{i}.yaml": f"standin: 1\npart: true\ninclude: [p{i + 1}.yaml, p{i + 1}.yaml]\n" for i in range(60)}
    return {**files, "p60.yaml": "standin: 1\npart: true\n", "a.yaml": "standin: 1\ninclude: [p0.yaml]\n"}


@bomb
def includes_of_a_large_file():
    large = "standin: 1\npart: true\nkeys:\n" + "".join(f"  - {{key: k{i}}}\n" for i in range(200_000))
    return {"p.yaml": large, "a.yaml": f"standin: 1\ninclude: [{'p.yaml, ' * 190}]\n"}


@bomb
def includes_into_a_large_base():
    large = "standin: 1\npart: true\nkeys:\n" + "".join(f"  - {{key: k{i}}}\n" for i in range(200_000))
    small = "standin: 1\npart: true\nkeys: [{key: x}]\n"
    return {"p.yaml": large, "s.yaml": small, "a.yaml": f"standin: 1\ninclude: [p.yaml, {'s.yaml, ' * 190}]\n"}


@bomb
def many_includes():
    return {"a.yaml": f"standin: 1\ninclude: [{', '.join(f'p{i}.yaml' for i in range(200_000))}]\n"}


def seed(kind, name, text, times=1):
    key = "contacts" if kind == "contacts" else "locations: [{number: 2, name: l, reviews"
    end = "}]" if kind != "contacts" else ""
    return {name: text, "a.yaml": f"standin: 1\nbusinesses:\n  - {{number: 1, name: b, {key}: [{f'{{file: {name}}}, ' * times}]{end}}}\n"}


@bomb
def seed_tags_in_csv():
    return seed("contacts", "s.csv", "id,tags\n1," + "a;" * 5_000_000 + "\n")


@bomb
def seed_tags_in_many_records():
    return seed("contacts", "s.csv", "id,tags\n" + "".join(f"{i}," + "a;" * 5_000 + "\n" for i in range(1, 1_000)))


@bomb
def seed_tags_in_json():
    return seed("contacts", "s.json", '[{"id":1,"tags":[' + '"a",' * 2_500_000 + '"a"]}]')


@bomb
def seed_tags_in_jsonl():
    return seed("contacts", "s.jsonl", '{"id":1,"tags":[' + '"",' * 3_300_000 + '"a"]}')


@bomb
def seed_tags_in_yaml():
    return seed("contacts", "s.yaml", "- {id: 1, tags: [" + "a," * 5_000_000 + "]}\n")


@bomb
def records_in_a_yaml_file():
    return seed("contacts", "s.yaml", "".join(f"- {{id: {i}}}\n" for i in range(1, 700_000)))


@bomb
def seed_commas():
    return seed("reviews", "s.csv", "rating,date\n" + "," * 10_000_000)


@bomb
def seed_columns():
    return seed("reviews", "s.csv", "rating,date," + ",".join(f"extra.a{i}" for i in range(900_000)) + "\n")


@bomb
def seed_quotes():
    return seed("reviews", "s.csv", "rating,date\n" + '"' * 10_000_001)


@bomb
def seed_bytes_that_are_not_text():
    return seed("reviews", "s.csv", b"rating,date\n" + b"\xff" * 10_000_000)


@bomb
def seed_errors():
    return seed("reviews", "s.csv", "rating,date\n" + "9,x\n" * 2_500_000)


@bomb
def seed_nesting():
    return seed("reviews", "s.json", "[" * 10_000_000)


@bomb
def a_seed_file_many_times():
    return seed("reviews", "s.csv", "rating,date\n" + "5,2026-01-01\n" * 40_000, 5_000)


@bomb
def a_broken_seed_file_many_times():
    return seed("reviews", "s.csv", "rating,date\n" + "9,x\n" * 1_000, 50_000)


@bomb
def missing_seed_files():
    return seed("reviews", "none.csv", "", 0) | {"a.yaml": "standin: 1\nbusinesses:\n  - {number: 1, name: b, locations: [{number: 2, name: l, reviews: [" + ", ".join(f"{{file: f{i}.csv}}" for i in range(150_000)) + "]}]}\n"}


# Files

SECRET = "secret-of-the-environment"


@bomb
def links_out_of_the_folder():
    return {
        "a.yaml": "standin: 1\ninclude: [env.yaml, out/p.yaml]\nbusinesses: [{number: 1, name: b, contacts: [{file: env.csv}]}]\n",
        "env.yaml": ("link", "/proc/self/environ"), "env.csv": ("link", "/proc/self/environ"), "out": ("link", "/etc"),
    }


@bomb
def pipes_and_devices():
    return {
        "a.yaml": "standin: 1\ninclude: [pipe.yaml, zero.yaml]\nbusinesses: [{number: 1, name: b, contacts: [{file: pipe.csv}, {file: zero.csv}]}]\n",
        "pipe.yaml": ("pipe",), "pipe.csv": ("pipe",), "zero.yaml": ("link", "/dev/zero"), "zero.csv": ("link", "/dev/zero"),
    }


@bomb
def a_maze_of_links():
    links = {f"d{i}/to{j}": ("link", f"../d{j}") for i in range(12) for j in range(12) if i != j}
    return {"a.yaml": "standin: 1\n", **links}


@bomb
def many_scenarios_of_one_name():
    return {f"{i}.yaml": "standin: 1\nname: same\n" for i in range(3_000)} | {"a.yaml": "standin: 1\nname: same\n"}


def write(folder, files):
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if isinstance(content, tuple):
            os.symlink(content[1], path) if content[0] == "link" else os.mkfifo(path)
        else:
            with open(path, "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())


def check(program, folder):
    """Runs `standin check`: its exit code, seconds of processor time, peak memory, and what it printed."""
    limit = lambda: (resource.setrlimit(resource.RLIMIT_AS, (GIB, GIB)), resource.setrlimit(resource.RLIMIT_CPU, (60, 60)))
    with tempfile.TemporaryFile() as out:
        environment = {**os.environ, "SOME_SECRET": SECRET}
        process = subprocess.Popen([program, "check", folder], stdout=out, stderr=out, preexec_fn=limit, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10, out.read()


GOOD = "standin: 1\nname: good\nbusinesses: [{number: 100, name: Good}]\n"


def is_served(server):
    """Whether the good scenario is served and the program runs."""
    status, worlds = server.admin("GET", "scenarios")
    return status == 200 and any(one["name"] == "good" and one["businesses"] == 1 for one in worlds)


def main():
    program, verbose, table = binary(), "-v" in sys.argv, Table()
    only = sys.argv[sys.argv.index("-k") + 1] if "-k" in sys.argv else ""
    ended, slow, told, seconds, memory, ratio = [], [], [], 0, 0, 0
    bombs = {name: make for name, make in BOMBS.items() if only in name}
    _, _, base, _ = check(program, os.path.dirname(os.path.abspath(__file__)))
    for name, make in bombs.items():
        with tempfile.TemporaryDirectory(prefix="standin-bomb-") as folder:
            files = make()
            write(folder, files)
            code, took, peak, text = check(program, folder)
            seconds, memory = max(seconds, took), max(memory, peak)
            if verbose:
                print(f"{took:6.2f} s {peak >> 20:5} MiB  {code}  {name}: {text[:150]!r}", file=sys.stderr)
            if code not in (0, 1):
                ended.append(f"{name} ({code})")
            if took > LONGEST:
                slow.append(f"{name} ({took:.0f} s)")
            if SECRET.encode() in text:
                told.append(name)
            if name.startswith("seed") and "bytes" not in name:
                size = sum(len(content) for content in files.values())
                ratio = max(ratio, (peak - base) / size)
                if verbose:
                    print(f"       {(peak - base) / size:.1f} times its file", file=sys.stderr)
    table.row(f"{len(bombs)} small scenarios that explode, `check` with 1 GiB of address space", f"none ends the program, none takes {LONGEST} s of processor time",
              f"{'; '.join(ended + slow) or 'none did'}; longest {seconds:.1f} s, most {memory >> 20} MiB", not ended and not slow)
    table.row("links to `/proc/self/environ`, pipes, devices", "not read, not waited for, and nothing of them is shown", ", ".join(told) or "nothing was shown", not told)
    table.row("seed data of 10 MB made of tiny values", "at most 20 times the file in memory", f"{ratio:.1f} times", ratio <= 20)

    lost, refused = [], 0
    with Server(program, {"good.yaml": GOOD}, limits=[(resource.RLIMIT_AS, GIB)]) as server:
        for name, make in bombs.items():
            files = make()
            text = files["a.yaml"]
            try:
                if len(text) < 1 << 20:
                    status, _, _ = server.call("PUT", "/__admin/scenarios/a", text, timeout=120)
                    refused += status == 400
                before = server.cpu()
                write(os.path.join(server.folder, "bomb"), files)
                time.sleep(0.8)  # the watcher takes up the folder
                while server.cpu() - before > 0.05 and time.sleep(0.5) is None:
                    before = server.cpu()
                served = is_served(server)
            except OSError as error:
                served = False
                print(f"{name}: {error!r}", file=sys.stderr)
            subprocess.run(["rm", "-rf", os.path.join(server.folder, "bomb")], check=True)
            if not served:
                lost.append(name)
            if not server.alive():
                break
        alive, peak = server.alive(), server.peak()
    table.row(f"the same as files in the served folder, and those under 1 MiB as `PUT`, with 1 GiB of address space", "the last good scenario is served on",
              f"{', '.join(lost) or 'it was'}; {refused} `PUT` were 400; most {peak >> 20} MiB", alive and not lost)
    table.end()


main()
