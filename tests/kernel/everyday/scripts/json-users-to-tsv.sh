# Show the users as an aligned table.
jq -r '.[] | [.id, .name, (.email // "-"), .age] | @tsv' data/users.json |
  while IFS=$'\t' read -r id name email age; do
    printf '%3d %-14s %-20s %3d\n' "$id" "$name" "$email" "$age"
  done
