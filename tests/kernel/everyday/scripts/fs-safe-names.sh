# Names with spaces, newlines, dashes and quotes survive every step.
mkdir odd && cd odd || exit
touch -- '-n' 'two words' $'new\nline' "it's" 'a*b' '$HOME' 'tab	x' '#hash' 'end '
printf '%s\0' * | sort -z | xargs -0 -n1 printf '<%s>\n'
find . -type f -print0 | while IFS= read -r -d '' f; do g=${f#./}; g=${g//[^a-zA-Z0-9._-]/_}; [[ $g == -* ]] && g=_$g; mv -- "$f" "./$g"; done
ls -1; rm -f ./*; ls -A | wc -l
for n in 'x y' 'z'; do : > "$n.txt"; done; for f in *.txt; do mv "$f" "${f%.txt}.md"; done; ls -Q
find . -name '* *' -exec sh -c 'for p; do echo "got $p"; done' sh {} +
ls *.txt 2>/dev/null || echo none; echo *.md
