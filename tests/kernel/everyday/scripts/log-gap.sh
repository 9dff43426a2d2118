# Seconds between lines of a log.
prev=
while read -r d t rest; do
  [[ $d =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] || continue
  now=$(date -u -d "$d ${t%.*}" +%s)
  [[ -n $prev ]] && (( now - prev > 3600 )) && echo "gap of $((now - prev)) s before $d $t"
  prev=$now
done < logs/app.log
