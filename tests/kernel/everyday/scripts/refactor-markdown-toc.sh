# A table of contents of a markdown file.
grep -E '^#{2,3} ' README.md docs/guide.md | while IFS=: read -r file title; do
  level=${title%% *}
  text=${title#* }
  slug=$(echo "$text" | tr 'A-Z ' 'a-z-')
  printf '%*s- [%s](%s#%s)\n' $(( (${#level} - 2) * 2 )) '' "$text" "$file" "$slug"
done
