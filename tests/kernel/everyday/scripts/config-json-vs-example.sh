# Keys that one configuration has and the other lacks.
keys() { jq -r 'paths | map(tostring) | join(".")' "$1" | sort; }
comm -3 <(keys config/default.json) <(keys config/production.json) | sed 's/^\t/+ /; t; s/^/- /'
