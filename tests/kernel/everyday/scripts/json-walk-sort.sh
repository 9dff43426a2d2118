# Compare two JSON files without regard to key order.
echo '{"b":1,"a":{"d":[1,2],"c":null}}' > x.json
echo '{"a":{"c":null,"d":[1,2]},"b":1}' > y.json
if diff <(jq -S . x.json) <(jq -S . y.json); then echo same; else echo differ; fi
jq -S -c . x.json
