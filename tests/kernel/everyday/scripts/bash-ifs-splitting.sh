# Split by other characters.
IFS=: read -r -a parts <<< "/usr/bin:/bin::/opt"
printf '[%s]' "${parts[@]}"; echo
old=$IFS; IFS=','; set -- $(echo a,b,c); IFS=$old; echo "$# $2"
while IFS=' =' read -r k v; do echo "$k:$v"; done <<< $'x = 1\ny=2'
data=$'l1\nl2\n\nl4'; mapfile -t l <<< "$data"; echo "${#l[@]}"
