# Exit codes of jq.
jq -e '.missing' package.json; echo "missing: $?"
jq -e '.private' package.json; echo "true: $?"
echo 'not json' | jq . 2> /dev/null; echo "parse: $?"
jq '.[' package.json 2> /dev/null; echo "syntax: $?"
jq . nowhere.json 2> /dev/null; echo "file: $?"
