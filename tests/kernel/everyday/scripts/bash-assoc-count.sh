# Count words in an associative array.
declare -A count
while read -r w; do (( count[$w]++ )); done < text/words.txt
for w in "${!count[@]}"; do printf '%d %s\n' "${count[$w]}" "$w"; done | sort -k1,1nr -k2
[[ -v count[fig] ]] && echo "fig is there"
[[ -v count[kiwi] ]] || echo "kiwi is not"
unset 'count[fig]'
echo "${#count[@]}"
