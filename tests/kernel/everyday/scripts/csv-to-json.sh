# Make JSON of a CSV by jq.
jq -R -s -c 'split("\n") | map(select(. != "") | split(",")) | .[0] as $h | .[1:][] | [$h, .] | transpose | map({(.[0]): .[1]}) | add' data/employees.csv
