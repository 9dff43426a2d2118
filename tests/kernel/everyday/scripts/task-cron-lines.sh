# Explain lines of a crontab.
while read -r min hour dom mon dow cmd; do
  [[ $min == \#* || -z $cmd ]] && continue
  when="at $hour:$(printf %02d "$min" 2> /dev/null)"
  [[ $dow != '*' ]] && when+=" on day $dow"
  [[ $dom != '*' ]] && when+=" of each ${dom}th"
  echo "$when: $cmd"
done <<'EOF'
# backups
0 3 * * * /opt/backup --all
30 4 1 * * report monthly
15 22 * * 5 echo "week end"
EOF
