# Licences of the dependencies.
find node_modules -name package.json -not -path '*/test/*' | sort | while read -r p; do
  jq -r '[.name, .version, (.license // "UNKNOWN")] | join(" ")' "$p"
done | column -t
