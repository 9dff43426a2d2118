# Turns events into metrics in the text format.
jq -rs '
  group_by(.type)[] | .[0].type as $t
  | "# TYPE events_\($t)_total counter", "events_\($t)_total \(length)",
    (map(.ms // empty) | select(length > 0) | "events_\($t)_ms_sum \(add)", "events_\($t)_ms_max \(max)")
' data/events.ndjson
jq -r '[.ts[11:16], .user, .type, (.page // "-")] | @tsv' data/events.ndjson | column -t -s $'\t' | head -5
jq -n 'reduce inputs as $e ({}; .[$e.user] += 1) | to_entries | sort_by(-.value, .key)[] | "\(.key)=\(.value)"' -r data/events.ndjson
jq -c 'select(.type == "error") | {user, at: (.ts | fromdate), msg: (.message | ascii_upcase)}' data/events.ndjson
