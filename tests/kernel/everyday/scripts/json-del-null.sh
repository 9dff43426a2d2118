# Remove nulls and secrets.
jq -c '.[] | del(.address, .roles) | with_entries(select(.value != null))' data/users.json
jq -c 'map(del(.email))[0] | keys' data/users.json
