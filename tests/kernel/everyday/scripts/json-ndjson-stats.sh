# Average time by type of event.
jq -s 'group_by(.type) | map({type: .[0].type, n: length, avg: (map(.ms) | add / length), max: (map(.ms) | max)}) | sort_by(-.max)' data/events.ndjson
