# Turn a .env file into JSON.
grep -v '^#' .env | grep . | sed -E "s/[\"']//g" |
  jq -R 'split("=") | {(.[0]): (.[1:] | join("="))}' | jq -s add
