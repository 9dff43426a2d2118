# Arrays: slices, sparse indices, sorting, sets, and passing by name.
a=(5 3 9 1); a[10]=7
echo "${#a[@]} ${!a[@]} ${a[@]:1:2}"
unset 'a[2]'; echo "${a[*]}"
mapfile -t sorted < <(printf '%s\n' "${a[@]}" | sort -n); echo "${sorted[*]}"
b=("${a[@]/%/x}"); echo "${b[@]}"; c=("${sorted[@]::2}" end); declare -p c
declare -A seen; for w in $(tr -cs 'A-Za-z' '\n' < text/poem.txt | tr A-Z a-z); do ((seen[$w]++)); done
for k in "${!seen[@]}"; do echo "${seen[$k]} $k"; done | sort -k1,1nr -k2 | head -4
push() { local -n ref=$1; shift; ref+=("$@"); }
pop() { local -n ref=$1; printf -v "$2" '%s' "${ref[-1]}"; unset 'ref[-1]'; }
stack=(); push stack one two 'three 3'; pop stack top; echo "$top ${#stack[@]}"
IFS=: read -ra parts <<< "a:b::d"; echo "${#parts[@]} ${parts[2]:-empty}"
readarray -d, -t csv <<< "x,y,z"; printf '<%s>' "${csv[@]}"; echo
m=([2]=two [5]=five); m+=(six); declare -p m
[[ -v m[5] ]] && echo has5; [[ -v m[4] ]] || echo no4
declare -A cfg=([host]=db [port]=5432); for k in host port; do echo "$k=${cfg[$k]}"; done; unset 'cfg[host]'; echo "${!cfg[@]}"
x=(1 2 3); echo $(( ${x[@]/%/+} 0 )) "${x[@]: -2}"
printf '%s\n' "${x[@]}" | tac | tr '\n' ' '; echo
