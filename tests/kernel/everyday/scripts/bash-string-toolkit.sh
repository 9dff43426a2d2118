# Functions of strings that scripts carry around.
trim() { local s=$1; s=${s#"${s%%[![:space:]]*}"}; s=${s%"${s##*[![:space:]]}"}; printf '%s' "$s"; }
join_by() { local IFS=$1; shift; echo "$*"; }
repeat() { local s; printf -v s '%*s' "$2" ''; echo "${s// /$1}"; }
slug() { local s=${1,,}; s=${s//[^a-z0-9]/-}; while [[ $s == *--* ]]; do s=${s//--/-}; done; s=${s#-}; echo "${s%-}"; }
contains() { [[ $1 == *"$2"* ]]; }
echo "[$(trim $'  \t two  words \n ')]"
join_by , a 'b c' d; join_by ' | ' a b
repeat =- 5
slug "  Hello, World! It's 2024 "
contains "foo*bar" '*' && echo star
s=abcdefghij
echo "${s:2:3} ${s: -3} ${s:(-4):2} ${s::-7} ${#s}"
echo "${s/[c-e]/X} ${s//[aeiou]/_} ${s/#abc/^} ${s/%hij/$} ${s/xyz/}"
p=/usr/local/lib/file.tar.gz
echo "${p##*/} ${p%/*} ${p%.*} ${p%%.*} ${p#*/} ${p##*.}"
u=; echo "${u:-default} ${u:+set} ${u-unset} [${u}]"
echo "${s^^[a-e]} ${s^} ${s~~}"
[[ 2024-03-05 =~ ^([0-9]{4})-([0-9]{2})-([0-9]{2})$ ]] && echo "${BASH_REMATCH[@]:1}"
printf '%s\n' {a..e..2} {01..03} x{1,2}{a,b} | paste -sd' '
printf '%q ' 'a b' "c'd" $'e\tf' ''; echo
