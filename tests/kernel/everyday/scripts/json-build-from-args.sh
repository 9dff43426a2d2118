# Build a JSON object of shell variables.
name="O'Brien \"Bo\""
tags=(red "light blue" green)
jq -n --arg name "$name" --argjson count 3 --args '{name: $name, count: $count, tags: $ARGS.positional}' "${tags[@]}"
