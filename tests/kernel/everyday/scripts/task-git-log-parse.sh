# Statistics of a saved git log.
cat > log.txt <<'EOF'
3f2a1 2024-01-02 anna feat(api): list users
9bc01 2024-01-03 bob fix: typo
77de2 2024-02-10 anna fix(db)!: drop the pool
0aa91 2024-02-11 carla chore: update deps
EOF
cut -d' ' -f3 log.txt | sort | uniq -c | sort -k1,1nr -k2 | awk '{ print $2 "=" $1 }' | paste -sd' '
while read -r hash date who msg; do
  [[ $msg =~ ^([a-z]+)(\(([a-z]+)\))?(!)?:\ (.*)$ ]] || continue
  printf '%-6s %-4s %s%s\n' "${BASH_REMATCH[1]}" "${BASH_REMATCH[3]:--}" "${BASH_REMATCH[5]}" "${BASH_REMATCH[4]:+ (breaking)}"
done < log.txt
