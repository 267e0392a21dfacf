import http.client
import json
import time
from urllib.parse import urlsplit

import pytest


@pytest.fixture
def post():
    """Calls the API: the status and the body."""

    def send(base_url, path, body=None, key="demo-key"):
        parts = urlsplit(base_url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
        headers = {"x-api-key": key, "x-business-number": "100", "content-type": "application/json"}
        connection.request("POST", parts.path + path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text.startswith((b"[", b"{")) else text

    return send


@pytest.fixture
def reviews(post):
    return lambda base_url, key="demo-key": post(base_url, "/v1/review/businessId/100?count=1", key=key)


@pytest.fixture
def is_gone():
    """Waits until nobody listens at an address."""

    def wait(base_url):
        parts = urlsplit(base_url)
        for _ in range(200):
            try:
                connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=5)
                connection.request("POST", "/")
                connection.getresponse()
            except OSError:
                return True
            time.sleep(0.05)
        return False

    return wait
