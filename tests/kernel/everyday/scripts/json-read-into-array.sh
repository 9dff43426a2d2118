# Read JSON values into a bash array.
mapfile -t names < <(jq -r '.[].name' data/users.json)
echo "${#names[@]} names, the last is ${names[-1]}"
declare -A city
while IFS=$'\t' read -r n c; do city[$n]=$c; done < <(jq -r '.[] | [.name, .address.city] | @tsv' data/users.json)
echo "Bob lives in ${city[Bob Chen]}"
