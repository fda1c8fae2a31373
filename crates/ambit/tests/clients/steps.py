"""What the programs beside this one share: the things of `clients.world` that they ask for, and how they go on and end.

Environment: KEY, an API key of somebody who may do everything.
"""

import hashlib
import os
import sys
import time
import traceback

KEY = os.environ["KEY"]

DOMAIN = "acme.test"
NAMES = ["files.acme.test", "mail.acme.test", "ns1.acme.test", "shop.acme.test", "www.acme.test"]
ADDRESS = "203.0.113.10"
SITE = "https://www.acme.test/"
# Leads to the site.
OTHER_SITE = "http://www.acme.test/"

# A pack of rules that the server has loaded calls it malicious.
BAD = b"a file that rules call bad"
BAD_ID = hashlib.sha256(BAD).hexdigest()

# Seconds within which the engine beside the server has looked at what waits for it.
SOON = 60


def equal(got, wanted):
    assert got == wanted, f"{got!r} instead of {wanted!r}"


def fails(error, call):
    """The error that a call raises."""
    try:
        result = call()
    except error as raised:
        return raised
    raise AssertionError(f"{result!r} instead of an error")


def eventually(read, is_there=bool):
    """What `read` answers once it is what is waited for."""
    end = time.monotonic() + SOON
    while True:
        answer = read()
        if is_there(answer):
            return answer
        assert time.monotonic() < end, f"still {answer!r} after {SOON} s"


def go(*steps):
    """Does the steps in their order; what fails is named, with how it went wrong, and the program ends with 1."""
    os.dup2(1, 2)
    failed = 0
    for step in steps:
        name = step.__name__.replace("_", " ")
        try:
            step()
            print(f"done: {name}", flush=True)
        except Exception:
            failed += 1
            print(f"failed: {name}")
            traceback.print_exc(file=sys.stdout)
    print(f"{len(steps) - failed} of {len(steps)} steps done", flush=True)
    sys.exit(1 if failed else 0)
