# Join orders with users by id.
jq -r --slurpfile users data/users.json '
  ($users[0] | map({key: (.id | tostring), value: .name}) | from_entries) as $names
  | .orders[] | "\(.id) \($names[.user | tostring])"' data/orders.json
