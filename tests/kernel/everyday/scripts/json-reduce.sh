# A running total with reduce and foreach.
jq -n -c '[foreach (3, 5, 7) as $x (0; . + $x)]'
jq -c 'reduce .[] as $u ({}; .[$u.address.city] += [$u.name])' data/users.json
