"""The HTTP client of the JDK, which offers an upgrade to HTTP/2 with every call. Needs a JDK, and says so if there is none.

    python3 tests/attacks/java_client.py BINARY
"""

import os
import re
import shutil
import subprocess
import sys

from standin import Server, Table, binary

CALLS = 10_000
PROGRAM = """
import java.net.URI;
import java.net.http.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class Calls {
    public static void main(String[] arguments) throws Exception {
        HttpClient client = HttpClient.newHttpClient();
        URI uri = URI.create(arguments[0]);
        int calls = Integer.parseInt(arguments[1]);
        AtomicInteger answered = new AtomicInteger();
        ConcurrentMap<String, AtomicInteger> failures = new ConcurrentHashMap<>();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        for (int call = 0; call < calls; call++) {
            threads.submit(() -> {
                try {
                    HttpRequest request = HttpRequest.newBuilder(uri).header("x-api-key", "k").header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{}")).build();
                    if (client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode() == 200) answered.incrementAndGet();
                } catch (Exception failure) {
                    failures.computeIfAbsent(failure.toString(), key -> new AtomicInteger()).incrementAndGet();
                }
            });
        }
        threads.shutdown();
        threads.awaitTermination(10, TimeUnit.MINUTES);
        System.out.println("answered " + answered + " failures " + failures);
    }
}
"""

if not shutil.which("java"):
    sys.exit("there is no JDK: apt-get install openjdk-17-jdk-headless")
table = Table()
with Server(binary(), {"a.yaml": "standin: 1\nbusinesses: [{number: 100, name: One}]\n"}) as server:
    path = os.path.join(server.temporary, "Calls.java")
    with open(path, "w") as file:
        file.write(PROGRAM)
    url = f"http://127.0.0.1:{server.port}/v1/review/businessId/100"
    run = subprocess.run(["java", path, url, str(CALLS)], capture_output=True, text=True, timeout=900)
    print(run.stderr, file=sys.stderr)
    answered = int((re.search(r"answered (\d+)", run.stdout) or ["", "0"])[1])
    failures = run.stdout.partition("failures ")[2].strip()
    table.row(
        f"{CALLS:,} calls of Java's HttpClient, 8 threads", "all are answered with 200",
        f"{answered} answered, failures {failures}", answered == CALLS,
    )
table.end()
