#!/bin/sh
# A reader of a hub's stream made of curl: it comes back with Last-Event-ID until it has seen a
# comment "the end", and prints the ids it got.
#   sh curl_reader.sh URL FIRST_ID

set -eu
last=$2
seen=$(mktemp)
trap 'rm -f "$seen"' EXIT

while :; do
  # Each connection ends after a second, wherever the stream is. An event counts once it is whole.
  curl -sN --max-time 1 -H "Last-Event-ID: $last" "$1" |
    awk '/^id: / { id = substr($0, 5) }
         /^data: / { data = $0 }
         /^$/ { last = data ~ /"content":"the end"/
                if (data != "") print id, last
                if (last) exit
                data = "" }' >"$seen"
  cut -d " " -f 1 "$seen"
  [ ! -s "$seen" ] || last=$(tail -n 1 "$seen" | cut -d " " -f 1)
  ! grep -q " 1$" "$seen" || exit 0
done
