# Finds the next version from a list of commits, and updates three files.
cat > commits.txt <<'C'
feat(api): add search
fix: escape names
docs: say more
feat!: drop v1
C
current=$(jq -r .version package.json)
IFS=. read -r major minor patch <<< "$current"
if grep -qE '^[a-z]+(\([a-z]+\))?!:' commits.txt; then next=$((major + 1)).0.0
elif grep -q '^feat' commits.txt; then next=$major.$((minor + 1)).0; else next=$major.$minor.$((patch + 1)); fi
echo "$current -> $next"
tmp=$(mktemp); jq --arg v "$next" '.version = $v' package.json > "$tmp" && cat "$tmp" > package.json; rm "$tmp"
{ echo "# $next"; for kind in feat fix docs; do grep -E "^$kind" commits.txt | sed -E "s/^$kind(\(([a-z]+)\))?!?: (.*)/- \3 [\2]/; s/ \[\]//" | sed "1i\\
## $kind"; done; } > CHANGELOG.md
cat CHANGELOG.md; grep version package.json; sort -V <<< $'1.10.0\n1.9.1\n2.0.0-rc1\n2.0.0' | paste -sd' '
