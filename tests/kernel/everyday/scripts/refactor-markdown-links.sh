# Broken links of the documentation.
status=0
for f in README.md docs/*.md; do
  dir=$(dirname "$f")
  while read -r link; do
    case $link in http*|'#'*) continue ;; esac
    [ -e "$dir/$link" ] || { echo "$f: $link is missing"; status=1; }
  done < <(grep -oE '\]\([^)]+\)' "$f" | sed 's/^](//; s/)$//')
done
exit $status
