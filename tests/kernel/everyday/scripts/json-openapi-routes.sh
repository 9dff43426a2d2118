# List the routes of an OpenAPI document.
jq -r '.paths | to_entries[] | .key as $path | .value | to_entries[] | "\(.key | ascii_upcase) \($path) \(.value.operationId)\(if .value.deprecated then " (deprecated)" else "" end)"' data/openapi.json | sort -k2,2 -k1,1
