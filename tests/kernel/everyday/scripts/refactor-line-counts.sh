# Lines of code by extension.
find . -path ./node_modules -prune -o -type f -print | grep -E '\.(js|py|md|json)$' | while read -r f; do
  echo "${f##*.} $(wc -l < "$f")"
done | awk '{ n[$1]++; l[$1] += $2 } END { for (e in n) print e, n[e], l[e] }' | sort
