# How often is each role used?
jq -r '.[].roles[]' data/users.json | sort | uniq -c | sort -rn | awk '{ print $2 ": " $1 }'
jq -c '[.[].roles[]] | group_by(.) | map({(.[0]): length}) | add' data/users.json
