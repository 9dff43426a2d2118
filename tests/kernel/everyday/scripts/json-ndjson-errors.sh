# Report the errors of an event stream.
jq -r 'select(.type == "error") | "\(.ts) \(.user): \(.code) \(.message)"' data/events.ndjson
count=$(jq -s 'map(select(.type == "error")) | length' data/events.ndjson)
[ "$count" -gt 1 ] && echo "too many errors: $count" && exit 3
