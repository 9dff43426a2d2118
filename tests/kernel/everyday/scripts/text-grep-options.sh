# Options of grep.
grep -c apple text/words.txt
grep -n -m1 fig text/words.txt
grep -v -e apple -e fig text/words.txt | paste -sd' '
grep -rl --include='*.md' TODO . | sort
grep -oE '[0-9]+\.[0-9]+\.[0-9]+' package.json | sort -V | head -2
grep -q nothing README.md; echo $?
grep x missing.txt 2> /dev/null; echo $?
grep -L TODO docs/*.md
grep -w -i 'the' text/poem.txt | wc -l
grep -A1 -n '^$' text/poem.txt
grep -xF fig text/words.txt | head -1
