# Days between each pull request and a fixed day.
jq -r '("2024-03-01T00:00:00Z" | fromdate) as $now | .[] | "\(.number) \((($now - (.created_at | fromdate)) / 86400) | floor)"' data/pulls.json
