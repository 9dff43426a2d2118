# Translate, delete and squeeze.
echo 'Hello   World' | tr -s ' '
echo 'Hello World' | tr -d aeiou
echo 'abc123' | tr -cd '[:digit:]'; echo
echo 'hello' | tr 'a-y' 'b-z'
tr '[:upper:]' '[:lower:]' < README.md | head -1
printf 'a\tb\n' | tr '\t' '|'
tr -s '\n' < text/poem.txt | wc -l
