# The most frequent words of the documentation.
cat README.md docs/*.md | tr -cs 'A-Za-z' '\n' | tr 'A-Z' 'a-z' | grep -E '.{3,}' | sort | uniq -c | sort -k1,1nr -k2,2 | head -5
