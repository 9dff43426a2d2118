# Sizes and counts of a tree, by extension and by folder, without du.
find src config data -type f -printf '%s %p\n' | awk '{ n = split($2, p, "."); e = n > 1 ? p[n] : "-"; split($2, d, "/"); s[e] += $1; c[e]++; f[d[1]] += $1 } END { for (e in s) printf "%-8s %3d files %6d bytes\n", e, c[e], s[e] | "sort"; close("sort"); for (k in f) print k, f[k] | "sort -k2,2nr" }'
find . -path ./node_modules -prune -o -type f -size -200c -printf '%-32p %5s\n' | sort -k2,2n -k1 | head -4
for d in src/*/; do printf '%s %d\n' "$d" "$(find "$d" -type f | wc -l)"; done
shopt -s globstar nullglob; js=(**/*.js); echo "${#js[@]} ${js[0]}"; printf '%s\n' src/**/*.py none*
find . -type d -empty; mkdir e; find . -type d -empty; ls -d .*[!.] | head -3
tree -I node_modules -d --noreport; tree src/lib --noreport
