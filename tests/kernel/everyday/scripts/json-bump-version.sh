# Raise the patch version in package.json.
set -euo pipefail
old=$(jq -r .version package.json)
IFS=. read -r major minor patch <<< "$old"
new="$major.$minor.$((patch + 1))"
jq --arg v "$new" '.version = $v' package.json > package.json.tmp && mv package.json.tmp package.json
echo "$old -> $new"
grep '"version"' package.json
