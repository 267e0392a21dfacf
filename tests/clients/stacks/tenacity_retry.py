"""requests with tenacity: full jitter, and as long as Retry-After says."""

import requests
from tenacity import retry, retry_if_exception, stop_after_attempt, wait_random_exponential

from job import HEADERS, RETRIES, work

random_wait = wait_random_exponential(multiplier=0.4, max=10)


def wait(state) -> float:
    answer = getattr(state.outcome.exception(), "response", None)
    asked = answer.headers.get("retry-after") if answer is not None else None
    return float(asked) if asked else random_wait(state)


def is_temporary(error: BaseException) -> bool:
    answer = getattr(error, "response", None)
    if answer is not None:
        return answer.status_code == 429 or answer.status_code >= 500
    return isinstance(error, requests.RequestException)


@retry(wait=wait, stop=stop_after_attempt(1 + RETRIES), retry=retry_if_exception(is_temporary), reraise=True)
def send(url: str, body: dict) -> str:
    answer = requests.post(url, json=body, headers=HEADERS, timeout=5)
    answer.raise_for_status()
    answer.json()
    return answer.text


work(send)
