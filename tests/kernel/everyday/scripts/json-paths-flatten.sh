# Flatten a configuration to key=value.
jq -r 'paths(scalars) as $p | "\($p | map(tostring) | join("."))=\(getpath($p))"' config/default.json
