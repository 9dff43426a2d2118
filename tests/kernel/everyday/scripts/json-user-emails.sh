# Print the addresses of active users.
jq -r '.[] | select(.active and .email != null) | "\(.name) <\(.email)>"' data/users.json
echo "---"
jq -r '[.[] | select(.email == null) | .name] | join(", ")' data/users.json
