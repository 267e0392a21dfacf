"""What the attacks share: start the program, call it, look at its process, stop it, and print rows of the table.

    from standin import Server, Table, binary

    table = Table()
    with Server(binary(), {"small.yaml": "standin: 1\n..."}, "--grace", "2") as server:
        status, headers, body = server.call("GET", "/__admin/health")
        table.row("what is done to it", "what is promised", f"{server.resident() >> 20} MiB", status == 200)
    table.end()
"""

import http.client
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEMO = os.path.join(PROJECT, "scenarios")
KEY = {"x-api-key": "demo-key", "content-type": "application/json"}


def binary():
    """The program to attack: the first argument of the attack."""
    if len(sys.argv) < 2 or not os.access(sys.argv[1], os.X_OK):
        sys.exit(f"usage: python3 {sys.argv[0]} BINARY")
    return os.path.abspath(sys.argv[1])


def examples(found):
    """The first two of what was found, in brackets."""
    return f" ({'; '.join(str(one) for one in found[:2])[:300]})" if found else ""


class Table:
    """Prints a row for each attack. `end` ends the process with 1 if a promise was broken."""

    def __init__(self):
        self.broken = 0

    def row(self, attack, promised, measured, ok):
        self.broken += not ok
        cells = (str(cell).replace("|", "\\|").replace("\n", " ") for cell in (attack, promised, measured))
        print(f"| {' | '.join(cells)} | {'yes' if ok else 'NO'} |", flush=True)

    def end(self):
        sys.exit(1 if self.broken else 0)


class Server:
    """A running program on a free port. `files` maps names to texts, or is the path of a scenario or folder."""

    def __init__(self, program, files=DEMO, *flags, limits=(), stdout=None, stderr=None, env=None, ready=True):
        """`limits` are pairs like `(resource.RLIMIT_NOFILE, 256)`. `stdout` and `stderr` replace the files that the log goes to.
        Returns when it is ready; not with `ready=False` or another `stdout`, and then `port` is None."""
        self.temporary = tempfile.mkdtemp(prefix="standin-attack-")
        path = files
        if isinstance(files, dict):
            self.folder = path = os.path.join(self.temporary, "scenarios")
            os.mkdir(path)
            for name, text in files.items():
                self.write(name, text)
        self.outputs = [os.path.join(self.temporary, name) for name in ("stdout", "stderr")]
        out, err = (open(output, "wb") for output in self.outputs)

        def prepare():
            for what, limit in limits:
                resource.setrlimit(what, (limit, limit))

        environment = {name: value for name, value in os.environ.items() if not name.startswith("STANDIN_")}
        command = [program, "serve", path, "--port", "0", "--log", "json", "--quiet", *flags]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=stdout or out, stderr=stderr or err, preexec_fn=prepare,
            env={**environment, **(env or {})},
        )
        out.close(), err.close()
        self.pid = self.process.pid
        self.port = self._ready() if ready and not stdout else None

    def _ready(self):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            for line in self.log(0).splitlines():
                if '"listening"' in line:
                    return int(json.loads(line)["baseUrl"].rsplit(":", 1)[1])
            time.sleep(0.01)
        code = self.process.poll()
        self.stop()
        raise RuntimeError(f"the program did not start (exit code {code}): {self.last_log[-2000:]}")

    def write(self, name, text):
        """Saves a scenario file, as an editor does."""
        path = os.path.join(self.folder, name)
        with open(path + ".new", "w" if isinstance(text, str) else "wb") as file:
            file.write(text)
        os.replace(path + ".new", path)

    def connect(self, timeout=30):
        return socket.create_connection(("127.0.0.1", self.port), timeout)

    def raw(self, data, timeout=30):
        """Sends bytes on a connection of its own, and reads until it is closed, or silent for that time."""
        with self.connect(timeout) as connection:
            answer = b""
            try:
                connection.sendall(data)
                while chunk := connection.recv(1 << 16):
                    answer += chunk
            except OSError:
                pass
            return answer

    def call(self, method, path, body=None, headers=None, timeout=60):
        """One call on a connection of its own: status, headers (lower case), body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            if isinstance(body, (dict, list)):
                body = json.dumps(body)
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()

    def admin(self, method, path, body=None):
        """One admin call: status, and the answer parsed."""
        status, _, answer = self.call(method, f"/__admin/{path}", body)
        return status, json.loads(answer) if answer else None

    def alive(self):
        """Whether it runs and answers."""
        try:
            return self.process.poll() is None and self.call("GET", "/__admin/health", timeout=10)[0] == 200
        except OSError:
            return False

    def resident(self):
        """Resident memory in bytes."""
        with open(f"/proc/{self.pid}/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize()

    def peak(self):
        """The most resident memory that it ever had, in bytes."""
        with open(f"/proc/{self.pid}/status") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def cpu(self):
        """Seconds of processor time that it has used."""
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def log(self, *which):
        """What it has printed: 0 is standard output, 1 is standard error; both without a number."""
        text = ""
        for output in which or (0, 1):
            with open(self.outputs[output], errors="replace") as file:
                text += file.read()
        return text

    def panics(self):
        return self.log().count("panicked at")

    def stop(self, patience=30):
        """Asks it to stop. Returns its exit code, or None if it had to be killed."""
        killed = False
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                killed = True
                self.process.kill()
                self.process.wait()
        if os.path.isdir(self.temporary):
            self.last_log = self.log()
            shutil.rmtree(self.temporary)
        return None if killed else self.process.returncode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
