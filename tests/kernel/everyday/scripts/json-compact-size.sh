# Compact the JSON files and report the saving.
for f in data/users.json data/orders.json; do
  before=$(wc -c < "$f")
  after=$(jq -c . "$f" | wc -c)
  echo "$(basename "$f") saves $((before - after)) bytes"
done
