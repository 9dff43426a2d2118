# A stack and a queue of arrays.
stack=(); push() { stack+=("$1"); }; pop() { REPLY=${stack[-1]}; unset 'stack[-1]'; }
push a; push b; push c; pop; echo "$REPLY ${#stack[@]}"
queue=(1 2 3); queue=("${queue[@]:1}" 4); echo "${queue[*]}"
rev=(); for ((i = ${#queue[@]} - 1; i >= 0; i--)); do rev+=("${queue[i]}"); done; echo "${rev[@]}"
sorted=($(printf '%s\n' "${rev[@]}" 10 1 | sort -n)); echo "${sorted[@]}"
