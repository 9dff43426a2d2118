# Replace personal data by stable codes.
declare -A code; n=0
while IFS= read -r line; do
  if [[ $line =~ ([0-9]+\.[0-9]+\.[0-9]+\.[0-9]+) ]]; then
    ip=${BASH_REMATCH[1]}
    [[ -v code[$ip] ]] || code[$ip]=$(printf 'host-%02d' $((++n)))
    line=${line/"$ip"/${code[$ip]}}
  fi
  echo "${line%% - *} ${line#*\"}" | cut -d' ' -f1-3
done < logs/access.log | sort | uniq -c | sort -k1,1nr -k2,4 | head -4
sed -E 's/[A-Za-z0-9.]+@([a-z.]+)/***@\1/g' data/users.json | grep -o '\*\*\*@[a-z.]*' | sort | uniq -c
