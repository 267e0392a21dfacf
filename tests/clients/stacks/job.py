"""What each client of a Python library does: some reads at the same time, some one after the other, and a contact."""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

BASE_URL, KEY, BUSINESS = (os.environ[f"STANDIN_{name}"] for name in ("BASE_URL", "API_KEY", "BUSINESS_NUMBER"))
HEADERS = {"x-api-key": KEY, "x-business-number": BUSINESS}
RETRIES = int(os.environ.get("RETRIES", "2"))
READS = [(f"/v1/review/businessId/{BUSINESS}?sindex=0&count={count}", {}) for count in range(1, 21)]
CONTACT = ("/v1/contact/external/preferences/saveCustomer", {"externalId": "s-1", "firstName": "Sam", "businessIds": [int(BUSINESS)]})


def work(send) -> None:
    """`send` gets a URL and a body, and returns the text of a 200, or raises. Ends with 1 if one of the calls failed."""

    def one(call) -> bool:
        path, body = call
        try:
            json.loads(send(BASE_URL + path, body))
            return True
        except Exception as error:  # noqa: BLE001  Whatever a library raises.
            print(f"{path}: {type(error).__name__}: {error}", file=sys.stderr)
            return False

    with ThreadPoolExecutor(10) as threads:
        together = list(threads.map(one, READS[:10]))
    in_turn = [one(call) for call in [*READS[10:], CONTACT]]
    sys.exit(0 if all(together + in_turn) else 1)
