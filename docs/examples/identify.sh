#!/bin/sh
# Which birds are in a recording? Prints the server's answer as JSON. On a problem, prints the problem as JSON and ends with status 22.
#   CHIFFCHAFF_URL=https://birds.example.org CHIFFCHAFF_TOKEN=cct_… sh identify.sh morning.wav
# Needs curl 7.76 or newer. With jq, `| jq '.candidates[] | [.scientificName, .confidence]'` picks the birds.
set -eu
curl --fail-with-body --silent --show-error \
  --header "Authorization: Bearer $CHIFFCHAFF_TOKEN" \
  --form "file=@$1" --form latitude=50.8 --form longitude=12.9 --form date=2026-05-01 \
  "$CHIFFCHAFF_URL/get_prediction"
