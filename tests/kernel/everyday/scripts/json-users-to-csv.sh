# Make a CSV of the users.
set -euo pipefail
mkdir -p out
jq -r '["id","name","city"], (.[] | [.id, .name, .address.city]) | @csv' data/users.json > out/users.csv
cat out/users.csv
wc -l < out/users.csv
