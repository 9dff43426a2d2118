#### parts of paths
f=/usr/local/lib/libfoo.so.1.2
echo "${f##*/}" "${f%/*}" "${f%%.*}" "${f#*.}" "${f##*.}" "${f%.*}"
name=${f##*/}; base=${name%%.*}; ext=${name#"$base"}
echo "$base$ext" "$base" "$ext"
for p in a.tar.gz noext .hidden dir/ 'with space.txt' a/b.c/d; do
  b=${p##*/}
  case $b in *.*) e=${b##*.} ;; *) e= ;; esac
  echo "[$p] dir=[${p%/*}] base=[$b] ext=[$e]"
done

#### replacing
s="the cat sat on the mat"
echo "${s/the/a}" "${s//the/a}" "${s/#the/A}" "${s/%mat/rug}" "${s/ /_}" "${s// /_}" "${s//[aeiou]/}"
path=/a/b/c
echo "${path//\//-}" "${path////.}" "${path/\//}" "${path//'/'/:}"
x='a.b.c'; echo "${x//./ }" "${x//.}" "${x/%.c/.d}" "${x/%/.txt}" "${x/#/pre-}"
list="1,2,3"; echo "${list//,/$'\n'}"
old=b; new='[&]'; echo "${x//$old/$new}" "${x//"$old"/"$new"}"
var='$HOME/x'; echo "${var/\$HOME/~}" "${var/'$HOME'/home}"
t='a*b*c'; echo "${t//\*/x}" "${t//'*'/y}" "${t/\**/z}"

#### changing case
s="Hello World"
echo "${s^^}" "${s,,}" "${s^}" "${s,}" "${s~~}" "${s^^[lo]}" "${s,,[HW]}"
words=(alpha beta gamma)
echo "${words[@]^}" "${words[*]^^}"
declare -u up=mixed; declare -l low=MIXED; echo "$up $low"
up+=more; echo "$up"
cap() { echo "${1:0:1}" | tr a-z A-Z | tr -d '\n'; echo "${1:1}"; }
cap word
title=; for w in $s again; do title+="${w^} "; done; echo "${title% }"

#### parts by position
s=0123456789
echo "${s:3}" "${s:3:2}" "${s: -3}" "${s: -3:2}" "${s:0:-2}" "${s:2:-3}" "${s:20}" "[${s:10}]"
n=4; echo "${s:n:2}" "${s:$((n+1)):1}" "${s:n-1:n/2}" "${s:0:1}${s: -1}"
echo "${#s}"
u='héllo wörld'; echo "${#u}" "${u:1:4}" "${u^^}"

#### trimming white space
trim() {
  local s="$*"
  s="${s#"${s%%[![:space:]]*}"}"
  s="${s%"${s##*[![:space:]]}"}"
  printf '%s' "$s"
}
printf '[%s]\n' "$(trim '   hello  world   ')" "$(trim $'\t x \n')" "$(trim '')" "$(trim '   ')"
s='  spaces  '
read -r t <<< "$s"; echo "[$t]"
echo "[$(echo $s)]" "[$(sed 's/^ *//; s/ *$//' <<< "$s")]" "[$(echo "$s" | xargs)]"
shopt -s extglob
echo "[${s##+([[:space:]])}]" "[${s%%+([[:space:]])}]"

#### splitting by IFS
line='a:b::d'
IFS=: read -r -a parts <<< "$line"
echo "${#parts[@]}" "${parts[@]}" "[${parts[2]}]"
IFS=: read -r first rest <<< "$line"; echo "$first | $rest"
old_ifs=$IFS; IFS=:; set -- $line; IFS=$old_ifs
echo "$# $1 $4"
csv='one,"two",three,'
IFS=, read -ra f <<< "$csv"; echo "${#f[@]} ${f[1]}"
while IFS='=' read -r k v; do echo "$k -> $v"; done <<< $'a=1\nb=x=y\nc='
date='2024-02-29'; IFS=- read -r y m d <<< "$date"; echo "$((10#$m))/$((10#$d))/$y"
IFS=' ' read -r a b <<< '  lead  trail  '; echo "[$a][$b]"
IFS=$'\t' read -r a b c <<< $'x\t\tz'; echo "[$a][$b][$c]"

#### joining
join_by() { local IFS="$1"; shift; echo "$*"; }
join_by , a b 'c d'
join_by / usr local bin
join_str() { local d=$1 f=$2; if shift 2; then printf %s "$f" "${@/#/$d}"; echo; fi; }
join_str ', ' a b c
join_str ' and ' one
a=(x y z); s=$(printf ', %s' "${a[@]}"); echo "${s:2}"
(IFS=+; echo "${a[*]}" "$(( ${#a[@]} ))")
printf -v joined '%s|' "${a[@]}"; echo "${joined%|}"

#### testing what a string has
s="error: file not found"
if [[ $s == *"file"* ]]; then echo has; fi
if [[ $s == error:* ]]; then echo starts; fi
if [[ $s == *found ]]; then echo ends; fi
case $s in *not*) echo case;; esac
[[ $s != *[0-9]* ]] && echo no digit
[ "${s#*:}" != "$s" ] && echo has colon
[[ -n $s && ! -z $s ]] && echo not empty
if grep -q 'not' <<< "$s"; then echo grep; fi
[[ "abc" < "abd" ]] && echo less
[[ a == A ]] || echo case matters
(shopt -s nocasematch; [[ a == A ]] && echo case does not)
expr "$s" : 'error: \(.*\)'
echo $(expr length "$s") $(expr index "$s" :)

#### regular expressions
re='^([a-z]+)://([^/:]+)(:([0-9]+))?(/.*)?$'
for url in http://example.com https://host:8080/path/x ftp://h/ not-a-url; do
  if [[ $url =~ $re ]]; then
    echo "scheme=${BASH_REMATCH[1]} host=${BASH_REMATCH[2]} port=${BASH_REMATCH[4]:-default} path=${BASH_REMATCH[5]-none}"
  else
    echo "no match: $url"
  fi
done
[[ "v1.22.333-rc1" =~ ([0-9]+)\.([0-9]+)\.([0-9]+)(-(.*))? ]] && echo "${BASH_REMATCH[@]:1:3}" "${BASH_REMATCH[5]}"
[[ "a b" =~ ^a\ b$ ]] && echo blank
[[ "a.b" =~ ^a"."b$ && ! "axb" =~ ^a"."b$ ]] && echo quoted
[[ "key = value" =~ ^[[:space:]]*([^=[:space:]]+)[[:space:]]*=[[:space:]]*(.*)$ ]] && echo "<${BASH_REMATCH[1]}> <${BASH_REMATCH[2]}>"
s='x1y22z333'; while [[ $s =~ [0-9]+ ]]; do echo "${BASH_REMATCH[0]}"; s=${s#*"${BASH_REMATCH[0]}"}; done
email='user@example.org'; [[ $email =~ ^[^@]+@[^@]+\.[a-z]{2,}$ ]] && echo valid

#### semantic versions
ver_cmp() {
  local IFS=. i
  local -a a=($1) b=($2)
  for ((i = 0; i < ${#a[@]} || i < ${#b[@]}; i++)); do
    if ((10#${a[i]:-0} > 10#${b[i]:-0})); then echo '>'; return; fi
    if ((10#${a[i]:-0} < 10#${b[i]:-0})); then echo '<'; return; fi
  done
  echo '='
}
ver_cmp 1.2.3 1.2.10; ver_cmp 2.0 1.9.9; ver_cmp 1.0 1.0.0; ver_cmp 1.08 1.9
printf '%s\n' 1.10 1.9 1.2.1 1.2 | sort -V
bump() { local v=$1; echo "${v%.*}.$((${v##*.} + 1))"; }
bump 1.4.9

#### repeating and padding
printf '=%.0s' {1..20}; echo
line=$(printf '%*s' 10 ''); echo "${line// /-}"
repeat() { local out; printf -v out '%*s' "$2" ''; echo "${out// /$1}"; }
repeat ab 3
printf '%-10s|%5s|%05d|%x|%o|%c\n' left right 42 255 8 xyz
printf '%s\n' "$(printf '%3d%%' 7)"
printf '%.3s|%8.3s|\n' abcdef abcdef
printf '%6.2f|%e|%g\n' 3.14159 12345.678 0.0001
printf '%b' 'a\tb\n' 'c\\d\n'
printf '%q\n' 'a b' "it's" '' '$x'
printf '%s %s\n' a b c
printf '%d %d\n' 0x1f 010
printf "%'d\n" 1234567 2>/dev/null
printf '%5s%%\n' 50

#### reversing
s=stressed; r=
for ((i = ${#s} - 1; i >= 0; i--)); do r+=${s:i:1}; done; echo "$r"
rev <<< "$s"
is_palindrome() { local t=${1,,}; t=${t//[^a-z]/}; [[ $t == "$(rev <<< "$t")" ]]; }
for w in "A man, a plan, a canal: Panama" hello; do is_palindrome "$w" && echo yes || echo no; done

#### encoding
urlencode() {
  local s=$1 i c
  for ((i = 0; i < ${#s}; i++)); do
    c=${s:i:1}
    case $c in
      [a-zA-Z0-9.~_-]) printf '%s' "$c" ;;
      *) printf '%%%02X' "'$c" ;;
    esac
  done
  echo
}
urldecode() { local s=${1//+/ }; printf '%b\n' "${s//%/\\x}"; }
urlencode 'a b&c=d/e?'
urldecode 'a%20b%26c+d'
echo -n secret | base64
echo c2VjcmV0 | base64 -d; echo
printf '%s' abc | od -An -tx1 | tr -d ' \n'; echo
printf '%d\n' "'A"; printf '\x41\n'; printf "\\$(printf '%03o' 66)\n"
json_escape() { local s=${1//\\/\\\\}; s=${s//\"/\\\"}; s=${s//$'\n'/\\n}; printf '"%s"\n' "$s"; }
json_escape $'say "hi"\nback\\slash'

#### templates
name=World count=3
template='Hello {{name}}, you have {{count}} messages. {{name}}!'
out=$template
for key in name count; do out=${out//"{{$key}}"/"${!key}"}; done
echo "$out"
eval "echo \"$(echo 'Dear ${name}: $((count * 2))')\""
while IFS= read -r line; do eval "echo \"$line\""; done <<'T'
name is ${name}
upper is ${name^^}
T

#### quoting for another shell
args=("a b" 'c"d' "e'f" '$g' '' 'h\i')
quoted=$(printf '%q ' "${args[@]}")
eval "set -- $quoted"
printf '[%s]' "$@"; echo
echo "${args[@]@Q}"
cmd="printf '<%s>' ${args[*]@Q}"; eval "$cmd"; echo
sh -c 'printf "(%s)" "$@"; echo' _ "${args[@]}"
v=$'line1\nline2\ttab'; echo "${v@Q}"; declare -p v
bash -c "echo $(printf %q "$v")"

#### escapes and quotes
echo 'single '\''quoted'\'' text' "double \"quoted\" \$x \\ \`t\`" $'ansi \'c\' \t|'
echo "a\nb" 'a\nb' $'a\nb'
echo -e 'x\ty\\z' -n
echo -n no newline; echo
echo "nested $(echo "inner $(echo "deep")")"
echo "a"'b'c"$(printf d)"`echo e`
x=5; echo "$x'$x'\"$x\"" '$x' \$x
echo "${x:+"quoted $x"}" ${y:-'single $x'} "${y:-'single $x'}"
echo a\
b "c\
d" 'e\
f'
echo {a,b}{1,2} "{a,b}" {1..5} {a..e..2} {01..03} x{,y}z
echo ~ | grep -c /
echo *nosuch* "*" \*

#### counting characters and words
text="the quick brown fox jumps over the lazy dog the end"
for w in $text; do echo "$w"; done | sort | uniq -c | sort -rn | head -n 3 | sed 's/^ *//'
echo "$text" | wc -w | tr -d ' '
v=${text//[^aeiou]/}; echo "${#v} vowels"
declare -A freq
for ((i = 0; i < ${#text}; i++)); do
  c=${text:i:1}
  [[ $c == ' ' ]] || freq[$c]=$((${freq[$c]:-0} + 1))
done
for c in "${!freq[@]}"; do echo "$c ${freq[$c]}"; done | sort -k2,2nr -k1,1 | head -n 4
fold -w 10 <<< "$text" | head -n 2
echo "$text" | tr ' ' '\n' | sort -u | paste -sd, -

#### numbers as text
n=1234567
echo "$n" | sed ':a;s/\B[0-9]\{3\}\>/,&/;ta'
commas() { local s=$1 out=; while ((${#s} > 3)); do out=,${s: -3}$out; s=${s:0:${#s}-3}; done; echo "$s$out"; }
commas 1234567; commas 999; commas 1000
printf '%d\n' $((16#ff)) $((2#1010)) $((8#17))
hex=$(printf '%x' 3735928559); echo "0x$hex $((0x$hex))"
bin() { local n=$1 b=; while ((n)); do b=$((n & 1))$b; ((n >>= 1)) || true; done; echo "${b:-0}"; }
bin 10; bin 255; bin 0
human() { local b=$1 u=(B K M G) i=0; while ((b >= 1024 && i < 3)); do b=$((b / 1024)); i=$((i+1)); done; echo "$b${u[i]}"; }
human 500; human 2048; human 5000000; human 9999999999
echo $((7 / 2)).$((7 * 10 / 2 % 10))
