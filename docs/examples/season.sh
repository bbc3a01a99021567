#!/bin/sh
# A season of two recorders, from their cards to a table of species by day and site, and a report.
#
#   docs/examples/season.sh RECORDINGS FOLDER
#
# The cards are generated from a folder of short recordings: two recorders with clocks on UTC, at sites in Berlin's time zone, over the
# night when summer time ends (25 October 2026). One recorder stops for three days, and one of its files is damaged. With your own cards,
# start at "From here on".
set -eu
recordings=$(cd "$1" && pwd)
chiffchaff=$(cd "$(dirname "$0")/../.." && pwd)/chiffchaff
mkdir -p "$2"
cd "$2"

mkdir -p cards/mill cards/pond
list=$(mktemp)
trap 'rm -f "$list"' EXIT
find "$recordings" -type f \( -name 'turdus-merula*' -o -name 'erithacus-rubecula*' -o -name 'parus-major*' -o -name 'strix-aluco*' \
  -o -name 'fringilla-coelebs*' -o -name 'troglodytes*' -o -name 'sturnus-vulgaris*' -o -name 'corvus-corone*' \) | sort > "$list"
count=$(wc -l < "$list")
made=0
record() { # card, name: a minute of audio
  made=$((made + 1))
  source=$(sed -n "$((made * 7 % count + 1))p" "$list")
  ffmpeg -nostdin -loglevel error -y -stream_loop -1 -i "$source" -t 60 -ar 48000 -ac 1 -map_metadata -1 "cards/$1/$2.wav" < /dev/null
}
for day in 20261018 20261019 20261020 20261021 20261022 20261023 20261024 20261025 20261026 20261027 20261028 20261029 20261030 20261031; do
  for time in 043000 053000 155930 215930; do record mill "SMM00001_${day}_$time"; done
  case $day in 20261021 | 20261022 | 20261023) ;; *) for time in 050000 160000; do record pond "SMM00002_${day}_$time"; done ;; esac
done
# The minute when the clocks go back: it starts at 2:59:30 and ends at 2:00:30.
record mill SMM00001_20261025_005930
head -c 1000 /dev/zero > cards/pond/SMM00002_20261030_170000.wav

# From here on, as with your own cards.
cat > sites.csv <<'SITES'
site,recorder,latitude,longitude,time zone,clock
Mill,SMM00001,52.45,13.30,Europe/Berlin,UTC
Pond,SMM00002,52.40,13.10,Europe/Berlin,UTC
SITES
# Ends with status 1 because of the damaged file.
"$chiffchaff" identify cards --sites sites.csv --format csv --out birds.csv --overwrite || [ $? -eq 1 ]
"$chiffchaff" summarise birds.csv --sites sites.csv --title "Mill and pond, autumn 2026" --out season --overwrite
