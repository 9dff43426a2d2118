# List the dependencies with their kind.
for kind in dependencies devDependencies; do
  jq -r --arg kind "$kind" '.[$kind] | to_entries[] | "\($kind)\t\(.key)@\(.value)"' package.json
done | column -t
