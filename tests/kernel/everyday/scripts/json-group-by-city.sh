# Group users by city and count them.
jq 'group_by(.address.city) | map({city: .[0].address.city, count: length, names: map(.name)})' data/users.json
