"""Which birds are in a recording? Prints scientific name, common name and confidence, one bird a line.

CHIFFCHAFF_URL=https://birds.example.org CHIFFCHAFF_TOKEN=cct_… python3 identify.py morning.wav
Needs Python 3.9 and nothing else.
"""
import hashlib
import json
import os
import sys
import urllib.error
import urllib.request
import uuid
from pathlib import Path


def ask(recording: Path, **fields: object) -> dict:
    """Return the server's prediction for a recording. `fields`: see docs/http-api.md. Raises OSError with the server's code and message."""
    boundary = uuid.uuid4().hex
    parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()]
    parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="recording"\r\n\r\n')
    sound = recording.read_bytes()
    body = "".join(parts).encode() + sound + f"\r\n--{boundary}--\r\n".encode()
    headers = {
        "Authorization": f"Bearer {os.environ['CHIFFCHAFF_TOKEN']}",
        "Content-Type": f"multipart/form-data; boundary={boundary}",
        # The same request always has the same key, so that a retry after a lost connection returns the same prediction.
        "Idempotency-Key": hashlib.sha256(sound + repr(fields).encode()).hexdigest(),
    }
    request = urllib.request.Request(f"{os.environ['CHIFFCHAFF_URL']}/get_prediction", body, headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        problem = json.load(error)
        raise OSError(f"{problem['code']}: {problem['detail']}") from None


if __name__ == "__main__":
    try:
        prediction = ask(Path(sys.argv[1]), latitude=50.8, longitude=12.9, date="2026-05-01")
    except OSError as error:
        sys.exit(str(error))
    for bird in prediction["candidates"]:
        print(bird["scientificName"], bird["commonName"], bird["confidence"], sep="\t")
