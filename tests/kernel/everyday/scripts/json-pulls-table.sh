# A table of open pull requests.
printf '%-4s %-20s %-6s %s\n' NR TITLE BY LABELS
jq -r '.[] | select(.draft | not) | [.number, .title, .user.login, ([.labels[].name] | join(","))] | @tsv' data/pulls.json |
while IFS=$'\t' read -r nr title by labels; do
  printf '%-4s %-20s %-6s %s\n' "#$nr" "$title" "$by" "${labels:--}"
done
