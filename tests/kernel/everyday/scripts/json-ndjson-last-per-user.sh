# The last event of each user.
jq -rs 'group_by(.user)[] | max_by(.ts) | [.user, .type, .ts] | @tsv' data/events.ndjson | column -t -s $'\t'
