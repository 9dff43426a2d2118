# Copy only what is new or changed.
mkdir mirror; cp docs/api.md mirror/; echo extra > mirror/gone.md
for f in docs/*; do
  b=$(basename "$f")
  if ! cmp -s "$f" "mirror/$b"; then cp "$f" "mirror/$b"; echo "copied $b"; fi
done
for f in mirror/*; do [ -e "docs/${f##*/}" ] || { rm "$f"; echo "removed ${f##*/}"; }; done
diff -r docs mirror && echo "in sync"
