# Statistics of the JSON output of ripgrep.
rg --json TODO src/index.js | jq -c 'select(.type == "match") | .data | {path: .path.text, line: .line_number, text: (.lines.text | rtrimstr("\n"))}'
