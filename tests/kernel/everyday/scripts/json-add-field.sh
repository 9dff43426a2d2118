# Add a field to each user and write the file back.
set -e
tmp=$(mktemp)
jq 'map(. + {domain: (if .email then (.email | split("@")[1]) else null end)})' data/users.json > "$tmp"
mv "$tmp" data/users.json
jq -c '.[] | {id, domain}' data/users.json
