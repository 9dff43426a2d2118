# Makes SQL, shell variables and YAML of JSON with the right quotes.
jq -r '.[] | "INSERT INTO users VALUES (\(.id), \(.name | gsub("'\''"; "'\'''\''") | "'\''\(.)'\''"), \(.email // "NULL" | if . == "NULL" then . else "'\''\(.)'\''" end));"' data/users.json
eval "$(jq -r '.[3] | "NAME=\(.name | @sh)\nROLES=(\(.roles | @sh))"' data/users.json)"
echo "$NAME has ${#ROLES[@]} roles: ${ROLES[*]}"
jq -r 'def yaml($i): if type == "object" then to_entries[] | ("  " * $i) + .key + ":" + (if (.value | type) == "object" then "" else " " + (.value | tojson) end), (.value | select(type == "object") | yaml($i + 1)) else empty end; yaml(0)' config/default.json
jq -r 'paths(scalars) as $p | ($p | map(tostring) | join("_") | ascii_upcase) + "=" + (getpath($p) | tostring)' config/default.json | sort
