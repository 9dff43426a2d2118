# Dates in jq.
jq -nr '1709251200 | todate, (strftime("%Y/%m/%d %H:%M"))'
jq -nr '"2024-05-01T08:00:00Z" | fromdateiso8601'
jq -r '.ts[0:13]' data/events.ndjson | sort | uniq -c | sed 's/^ *//'
