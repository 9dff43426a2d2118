# Follows pages of an API (files here), merges them, retries what fails.
mkdir api; for p in 1 2 3; do jq -n --argjson p $p '{page: $p, next: (if $p < 3 then "api/\($p + 1).json" else null end), items: [range(3) | {id: ($p * 10 + .), name: "item \(.)"}]}' > api/$p.json; done
tries=0
fetch() { ((++tries % 2)) && return 22; cat "$1"; }
fetch_retry() { local i; for i in 1 2 3; do fetch "$1" > body.json && return; echo "retry $i of $1" >&2; done; return 1; }
url=api/1.json; : > all.ndjson
while [[ $url != null ]]; do
  fetch_retry "$url" || exit 1
  jq -c '.items[]' body.json >> all.ndjson
  url=$(jq -r .next body.json)
done
jq -s 'length, (map(.id) | add), .[-1]' -c all.ndjson
jq -s 'INDEX(.id) | keys | length' all.ndjson
jq -r '"\(.id)\t\(.name | @uri)"' all.ndjson | tail -2
