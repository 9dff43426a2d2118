# Arrays: append, slice, remove, join.
list=(one two three)
list+=(four "five six")
echo "${#list[@]} ${list[@]:1:2}"
unset 'list[0]'
for i in "${!list[@]}"; do echo "$i=${list[$i]}"; done
(IFS=,; echo "${list[*]}")
list=("${list[@]/three/3}")
printf '<%s>' "${list[@]}"; echo
[[ " ${list[*]} " == *" 3 "* ]] && echo found
