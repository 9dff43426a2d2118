# Text functions of jq.
jq -n -r '"a-b_c d" | gsub("[-_ ]"; ".") , (split(" ") | length), ascii_upcase, test("b_"), (capture("(?<x>[a-z])-(?<y>[a-z])") | .x + .y)'
jq -n -c '"2024-03-05" | split("-") | map(tonumber)'
jq -rn '"hello world" | @base64, @uri, (@json | length)'
