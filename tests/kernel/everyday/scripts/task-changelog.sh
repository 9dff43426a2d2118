# Put a new section on top of a changelog.
printf '# Changelog\n\n## 1.4.2\n\n- old\n' > CHANGELOG.md
version=1.5.0
notes=$(jq -r '.[] | select(.draft | not) | "- \(.title)"' data/pulls.json)
awk -v v="$version" -v notes="$notes" '/^## / && !done { print "## " v "\n\n" notes "\n"; done = 1 } { print }' CHANGELOG.md > c && mv c CHANGELOG.md
cat CHANGELOG.md
