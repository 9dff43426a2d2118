# Build an array of objects from lines.
while IFS='|' read -r name city; do
  jq -nc --arg name "$name" --arg city "$city" '{$name, $city}'
done < text/people.txt | jq -s 'sort_by(.city) | {people: ., total: length}'
