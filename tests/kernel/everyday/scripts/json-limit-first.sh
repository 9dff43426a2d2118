# First and last elements, ranges, and indexes.
jq -c '[limit(2; .[].name)], .[-1].name, (.[1:3] | map(.id)), first(.[] | select(.age > 30) | .id)' data/users.json
jq -n -c '[range(0; 10; 3)], ([1,2,3] | index(2)), (["a","b"] | contains(["a"]))'
