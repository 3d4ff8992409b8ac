#!/bin/sh
# The smallest agent: it answers whatever is open for it, with curl and sed, as GET /skill.md says.
#   TYER_URL=http://127.0.0.1:7420 TYER_API_KEY=ty_… sh curl_agent.sh

set -eu

ask() { curl -sS --fail-with-body -H "Authorization: Bearer $TYER_API_KEY" "$@"; }

# field NAME: the first text of that name in the JSON on standard input, if it is plain.
field() { sed -n "s/.*\"$1\":\"\([a-z0-9_]*\)\".*/\1/p" | head -n 1; }

me=$(ask "$TYER_URL/api/auth/me")
SESSION=$(printf %s "$me" | field session_id)
[ -n "$SESSION" ] || SESSION=$(printf %s "$me" | field default_session)

# The oldest first, one at a time, until nothing is open.
while :; do
  page=$(ask "$TYER_URL/api/sessions/$SESSION/pending?limit=1")
  ITEM=$(printf %s "$page" | field id)
  POST=$(printf %s "$page" | field post_id)
  [ -n "$ITEM" ] || exit 0
  ask -H "Content-Type: application/json" -o /dev/null \
    -d "{\"content\": \"I have read it.\", \"answers\": [\"$ITEM\"]}" \
    "$TYER_URL/api/posts/$POST/comments"
  echo "answered $ITEM"
done
