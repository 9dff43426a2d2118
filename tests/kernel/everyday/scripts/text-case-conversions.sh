# camelCase, snake_case, kebab-case and Title Case of many names.
printf '%s\n' getUserById HTTPServer user_name long-kebab-name 'plain words here' XMLHttpRequest > names
sed -E 's/([a-z0-9])([A-Z])/\1_\2/g; s/([A-Z]+)([A-Z][a-z])/\1_\2/g; s/[- ]/_/g' names | tr A-Z a-z | tee snake
sed -E 's/_([a-z])/\U\1/g' snake
sed -E 's/(^|_)([a-z])/\U\2/g' snake | paste -sd' '
tr _ - < snake | tail -1
awk -F_ '{ for (i = 1; i <= NF; i++) $i = toupper(substr($i, 1, 1)) substr($i, 2) } 1' OFS=' ' snake
while read -r n; do w=(${n//_/ }); printf '%s ' "${w[@]^}"; echo "(${#w[@]})"; done < snake
sed 's/.*/\L\u&/' names | head -2; sed -E 's/(.)(.*)/\l\1\U\2/' names | head -1
