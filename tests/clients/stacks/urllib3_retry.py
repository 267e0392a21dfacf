"""requests with urllib3's Retry: it waits from the second retry on."""

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from job import HEADERS, RETRIES, work

retry = Retry(
    total=RETRIES,
    backoff_factor=0.2,
    backoff_jitter=0.2,
    status_forcelist=[429, 500, 502, 503, 504],
    allowed_methods=None,
    respect_retry_after_header=True,
)
session = requests.Session()
session.mount("http://", HTTPAdapter(max_retries=retry, pool_maxsize=10))


def send(url: str, body: dict) -> str:
    answer = session.post(url, json=body, headers=HEADERS, timeout=5)
    answer.raise_for_status()
    return answer.text


work(send)
