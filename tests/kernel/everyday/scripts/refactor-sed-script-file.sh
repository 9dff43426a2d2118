# A longer sed program in a file: joins continued lines, numbers headings, folds blank lines.
cat > fmt.sed <<'SED'
:join
/\\$/{
  N
  s/\\\n[[:space:]]*//
  b join
}
/^$/{
  N
  /^\n$/D
}
s/^\(#\{1,3\}\) \(.*\)/\1 [\2]/
s/\t/    /g
SED
printf '# One\n\n\n\ntext \\\n   goes on \\\n\ton\n## Two\n\ttabbed\n\n\nend\n' > in.md
sed -f fmt.sed in.md
echo ---
sed -n '/^```/,/^```/{/^```/!p}' README.md
sed '/^## Usage/,/^## /{/^## /!s/^/> /}' README.md | sed -n '8,16p'
sed -E ':a;s/^([0-9]+)([0-9]{3})/\1,\2/;ta' <<< 1234567
sed '$!{h;d};x;G' text/words.txt | head -3
sed -n 'H;${x;s/\n/,/g;s/^,//;p}' text/words.txt
