# Functions that fill the variables of a caller.
fill() { local -n out=$1; out=("$2" "$3"); }
fill pair a b
echo "${pair[1]}${pair[0]}"
split() { local IFS=$2; read -ra "$3" <<< "$1"; }
split "a:b:c" : parts
echo "${#parts[@]} ${parts[2]}"
name=counter; declare "$name=5"; echo "${!name}"
