"""Verifies webhooks with the library of the specification: one request a line on standard input, one verdict a line out."""

import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

for line in sys.stdin:
    asked = json.loads(line)
    try:
        told = Webhook(asked["secret"]).verify(asked["body"], asked["headers"])
        print(f"verified {told['type']}", flush=True)
    except WebhookVerificationError:
        print("refused", flush=True)
