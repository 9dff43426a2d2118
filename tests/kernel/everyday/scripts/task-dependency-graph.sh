# Imports between files as a graph: an order, cycles, and who uses what.
grep -rnoE 'require\("\./?[^"]*"\)|require\("\.\./[^"]*"\)' src --include='*.js' | sed -E 's/^([^:]+):[0-9]+:require\("(.*)"\)/\1 \2/' | sort | while read -r f r; do
  t=$(realpath -m --relative-to=. "$(dirname "$f")/$r"); [[ -e $t.js ]] && t=$t.js; echo "$t $f"
done | tee edges
tsort edges | tail -1
cut -d' ' -f1 edges | sort | uniq -c | sort -k1,1nr -k2 | sed 's/^ *//' | head -2
printf 'a b\nb c\nc a\n' | tsort 2>/dev/null; echo "tsort $?"
awk '{ print "  \"" $2 "\" -> \"" $1 "\";" } BEGIN { print "digraph {" } END { print "}" }' edges | head -3
comm -23 <(find src -name '*.js' | sort) <(cut -d' ' -f1 edges | sort -u)
