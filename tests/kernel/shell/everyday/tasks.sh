#### deploy with a dry run
#!/usr/bin/env bash
set -euo pipefail
DRY_RUN=false ENVIRONMENT=staging
log() { echo "[deploy] $*"; }
run() { if [[ $DRY_RUN == true ]]; then log "would run: $*"; else "$@"; fi; }
deploy() {
  local -r target=$1; shift
  local -a steps=("$@")
  for step in "${steps[@]}"; do
    log "step $((++n))/${#steps[@]}: $step"
    run mkdir -p "out/$target/$step"
  done
}
n=0
while [[ ${1:-} == -* ]]; do shift; done
DRY_RUN=true deploy "$ENVIRONMENT" build test
n=0; deploy "$ENVIRONMENT" build
find out -type d | sort

#### a build with dependencies
declare -A deps=([app]="lib util" [lib]="core" [util]="core" [core]="")
declare -A built=()
build() {
  local t=$1 d
  [[ -n ${built[$t]:-} ]] && return 0
  for d in ${deps[$t]}; do build "$d"; done
  echo "building $t"
  built[$t]=1
}
build app
echo "${#built[@]} built"

#### incremental builds by time
newer() { [[ ! -e $2 || $1 -nt $2 ]]; }
echo 'int main;' > main.c; touch -d '2020-01-01' main.c
compile() { if newer "$1" "${1%.c}.o"; then echo "CC $1"; cp "$1" "${1%.c}.o"; else echo "up to date: $1"; fi; }
compile main.c; compile main.c
touch -d '2099-01-01' main.c; compile main.c
for f in *.c; do [ "${f%.c}.o" -ot "$f" ] && echo stale; done

#### log analysis
cat > access.log <<'L'
10.0.0.1 - - [01/Jan/2024:10:00:00] "GET /index.html HTTP/1.1" 200 512
10.0.0.2 - - [01/Jan/2024:10:00:01] "GET /api/users HTTP/1.1" 500 87
10.0.0.1 - - [01/Jan/2024:10:01:00] "POST /api/login HTTP/1.1" 200 40
10.0.0.3 - - [01/Jan/2024:11:00:00] "GET /index.html HTTP/1.1" 404 0
10.0.0.1 - - [01/Jan/2024:11:00:30] "GET /api/users HTTP/1.1" 500 87
L
echo "by address:"; cut -d' ' -f1 access.log | sort | uniq -c | sort -rn | while read -r n ip; do printf '%-10s %d\n' "$ip" "$n"; done
echo "by status:"; sed -E 's/.*" ([0-9]{3}) .*/\1/' access.log | sort | uniq -c | sed 's/^ *//'
declare -A bytes; total=0
while read -r ip _ _ _ _ _ _ status size; do bytes[$ip]=$((${bytes[$ip]:-0} + size)); ((total += size)) || true; done < access.log
for ip in "${!bytes[@]}"; do echo "$ip ${bytes[$ip]}"; done | sort; echo "total $total"
grep -oE '"[A-Z]+ [^ ]+' access.log | tr -d '"' | sort | uniq -c | sort -k1,1nr -k2 | head -n 2 | sed 's/^ *//'
errors=$(grep -cE '" 5[0-9]{2} ' access.log); ((errors > 1)) && echo "ALERT: $errors errors"
re='\[([^:]+):([0-9]+):'; while read -r l; do [[ $l =~ $re ]] && echo "${BASH_REMATCH[2]}h"; done < access.log | uniq -c | sed 's/^ *//'

#### a report in columns
items=("widget:4:3.50" "gadget:10:12.25" "thing:1:100.00")
printf '%-10s|%5s|%10s\n' Item Qty Price
printf '%s\n' "----------+-----+----------"
total=0
for item in "${items[@]}"; do
  IFS=: read -r name qty price <<< "$item"
  cents=${price/./}; ((total += qty * 10#$cents))
  printf '%-10s|%5d|%10.2f\n' "$name" "$qty" "$price"
done
printf 'Total: %d.%02d\n' $((total / 100)) $((total % 100))

#### a to-do list
todo=todo.txt; : > "$todo"
add() { echo "[ ] $*" >> "$todo"; }
list() { local n=0; while IFS= read -r l; do printf '%2d. %s\n' $((++n)) "$l"; done < "$todo"; }
finish() { sed -i "${1}s/\[ \]/[x]/" "$todo"; }
remove() { local tmp; tmp=$(mktemp); sed "${1}d" "$todo" > "$tmp" && mv "$tmp" "$todo"; }
add buy milk; add write code; add 'sleep & rest'
finish 2; list; remove 1; list
grep -c '^\[x\]' "$todo"

#### key and value storage
db=store.db
put() { local k=$1 v=$2; { grep -v "^$k=" "$db" 2>/dev/null || true; echo "$k=$v"; } > "$db.tmp"; mv "$db.tmp" "$db"; }
get() { local line; line=$(grep "^$1=" "$db" 2>/dev/null | tail -n1) || return 1; echo "${line#*=}"; }
put a 1; put b 'two words'; put a 3
get a; get b; get c || echo "none $?"
wc -l < "$db" | tr -d ' '; sort "$db"

#### json by hand
json='{"name": "tool", "version": "1.2.3", "tags": ["a", "b"], "count": 42}'
field() { sed -nE "s/.*\"$1\": *\"?([^\",}]*)\"?.*/\1/p" <<< "$json"; }
echo "$(field name) $(field version) $(field count)"
[[ $json =~ \"version\":\ *\"([^\"]+)\" ]] && echo "${BASH_REMATCH[1]}"
to_json() { local first=1 k; printf '{'; for k in "$@"; do ((first)) || printf ', '; first=0; printf '"%s": "%s"' "$k" "${!k}"; done; printf '}\n'; }
user=ann role=admin; to_json user role
grep -o '"[a-z]*":' <<< "$json" | tr -d '":' | paste -sd, -
tags=$(sed -E 's/.*\[([^]]*)\].*/\1/; s/[" ]//g' <<< "$json"); IFS=, read -ra t <<< "$tags"; echo "${#t[@]} ${t[1]}"

#### health checks
check() { local name=$1; shift; if "$@" > /dev/null 2>&1; then printf '%-8s OK\n' "$name"; else printf '%-8s FAIL (%d)\n' "$name" "$?"; ((failed++)); fi; }
failed=0
check root test -d /
check missing test -e /nosuch
check grep grep -q x <<< x
check exit sh -c 'exit 7'
echo "failed: $failed"; ((failed == 0)) || echo unhealthy
status=$((failed > 2 ? 2 : failed)); (exit $status); echo "exit $?"

#### rotating files
f=app.log
rotate() { local i; for ((i = 3; i > 0; i--)); do [ -e "$f.$((i - 1))" ] && mv "$f.$((i - 1))" "$f.$i"; done; [ -e "$f" ] && mv "$f" "$f.0"; : > "$f"; }
for k in 1 2 3 4 5; do echo "gen $k" > "$f"; rotate; done 2>/dev/null
for x in "$f".*; do echo "$x: $(cat "$x")"; done; [ -e "$f" ] && [ ! -s "$f" ] && echo fresh

#### checksums of a tree
mkdir -p t/d; echo a > t/x; echo b > t/d/y; echo a > t/d/z
(cd t && find . -type f | sort | xargs md5sum) | tee sums | cut -c1-8
(cd t && md5sum -c ../sums 2>/dev/null | sort)
echo changed > t/x; (cd t && md5sum -c --quiet ../sums 2>/dev/null) || echo mismatch
find t -type f -exec md5sum {} + | sort | cut -d' ' -f1 | uniq -d | wc -l | tr -d ' '
sha256sum < t/d/y | cut -c1-16; [ "$(md5sum < t/d/y)" = "$(md5sum < <(echo b))" ] && echo same

#### a menu from an array of functions
menu=("Show date:show_date" "Count files:count_files" "Quit:quit")
show_date() { date -u -d @0 +%F; }; count_files() { ls | wc -l | tr -d ' '; }; quit() { echo bye; exit 0; }
run_choice() { local n=$1; ((n >= 1 && n <= ${#menu[@]})) || { echo "invalid: $n"; return 1; }; "${menu[n-1]#*:}"; }
for i in "${!menu[@]}"; do echo "$((i + 1))) ${menu[i]%%:*}"; done
run_choice 1; run_choice 2; run_choice 9; run_choice 3; echo no

#### plugins from a folder
mkdir plugins
for p in 10-first 20-second 99-broken; do echo "plugin_$((++k))() { echo 'plugin $p'; }; registered+=(plugin_$k)" > "plugins/$p.sh"; done
echo 'this is (not valid' > plugins/99-broken.sh
registered=()
for p in plugins/*.sh; do
  if bash -n "$p" 2>/dev/null; then source "$p"; else echo "skipping ${p##*/}"; fi
done
for f in "${registered[@]}"; do "$f"; done

#### a tiny test framework
pass=0 fail=0
assert_eq() { if [[ $1 == "$2" ]]; then ((++pass)); else ((++fail)); echo "FAIL ${FUNCNAME[1]}: expected '$1', got '$2'"; fi; }
test_upper() { assert_eq ABC "$(tr a-z A-Z <<< abc)"; }
test_sum() { assert_eq 5 $((2 + 2)); }
test_array() { local a=(x y); assert_eq 2 "${#a[@]}"; }
for t in $(declare -F | sed -n 's/^declare -f \(test_.*\)/\1/p' | sort); do "$t"; done
echo "passed $pass, failed $fail"; exit $((fail > 0))

#### guards for a script that runs once
pidfile=run.pid
if [[ -e $pidfile ]] && kill -0 "$(cat "$pidfile")" 2>/dev/null; then echo already; exit 1; fi
echo $$ > "$pidfile"; trap 'rm -f "$pidfile"; echo removed' EXIT
[[ $(<"$pidfile") == "$$" ]] && echo mine
(kill -0 "$(cat "$pidfile")" && echo "is running")
echo 999999 > stale.pid; kill -0 "$(cat stale.pid)" 2>/dev/null || { echo stale; rm stale.pid; }

#### matrix of builds
oses=(linux mac) archs=(x64 arm) skip="mac-x64"
for os in "${oses[@]}"; do for arch in "${archs[@]}"; do
  id="$os-$arch"; [[ " $skip " == *" $id "* ]] && { echo "skip $id"; continue; }
  name="tool_${id//-/_}"; printf '%s -> %s.%s\n' "$id" "$name" "$([[ $os == linux ]] && echo tar.gz || echo zip)"
done; done
printf '%s\n' {dev,prod}-{eu,us}; echo v{1..3}.{0,1} | tr ' ' '\n' | sort -Vr | head -n 1

#### waiting with a deadline
wait_until() { local deadline=$((SECONDS + $1)); shift; until "$@"; do ((SECONDS >= deadline)) && return 1; sleep 0.01; done; }
(sleep 0.05; : > flag) &
wait_until 5 test -e flag && echo ready
wait_until 0 test -e never || echo "gave up"; wait
backoff=1; for try in 1 2 3; do echo "try $try, next in ${backoff}s"; ((backoff *= 2)); done

#### numbers with units
parse_size() { local s=${1^^}; [[ $s =~ ^([0-9]+)([KMG]?)B?$ ]] || { echo "bad: $1" >&2; return 1; }; local n=${BASH_REMATCH[1]}; case ${BASH_REMATCH[2]} in K) ((n <<= 10)) ;; M) ((n <<= 20)) ;; G) ((n <<= 30)) ;; esac; echo "$n"; }
for s in 10 2k 3MB 1G; do parse_size "$s"; done; parse_size x 2>&1
duration() { local t=$1; printf '%02d:%02d:%02d\n' $((t / 3600)) $((t % 3600 / 60)) $((t % 60)); }
duration 3661; duration 59; duration 86399
roman() { local n=$1 o= i; local v=(10 9 5 4 1) r=(X IX V IV I); for i in "${!v[@]}"; do while ((n >= v[i])); do o+=${r[i]}; ((n -= v[i])); done; done; echo "$o"; }
roman 14; roman 9; roman 3

#### diff of two lists
printf '%s\n' a b c d > old; printf '%s\n' b c e > new
echo "added: $(comm -13 old new | xargs)"; echo "removed: $(comm -23 old new | xargs)"; echo "kept: $(comm -12 old new | xargs)"
diff old new | grep '^[<>]' | sed 's/^</-/; s/^>/+/'; diff -q old new > /dev/null || echo differ; diff old old && echo same
grep -Fxvf old new; while IFS= read -r l; do grep -Fxq "$l" new || echo "missing $l"; done < old

#### text blocks
wrap() { fold -s -w "${1:-20}"; }
indent() { sed "s/^/$(printf '%*s' "$1" '')/"; }
echo "the quick brown fox jumps over the lazy dog" | wrap 16 | indent 2
box() { local s=" $* "; local l=${s//?/-}; printf '+%s+\n|%s|\n+%s+\n' "$l" "$s" "$l"; }
box hello world
center() { local w=$1 s=$2 p; p=$(((w - ${#s}) / 2)); printf '%*s%s\n' "$p" '' "$s"; }
center 11 abc | sed 's/ /./g'
cat <<EOF2 | tac | nl -w2 -s'. '
one
two
EOF2

#### secrets are not shown
mask() { local s=$1; printf '%s%s\n' "${s:0:2}" "$(printf '%*s' $((${#s} - 2)) '' | tr ' ' '*')"; }
mask hunter2
read -rs pass <<< topsecret; echo "${#pass} characters"
token=abc123; cmd=(curl -H "Authorization: $token" url); echo "${cmd[@]/$token/***}"
unset token; echo "${token:-cleared}"; gen() { LC_ALL=C tr -dc 'a-z0-9' < /dev/urandom | head -c "$1"; }; x=$(gen 12); echo "${#x}"; [[ $x =~ ^[a-z0-9]+$ ]] && echo clean

#### calendar arithmetic
leap() { (($1 % 4 == 0 && ($1 % 100 || $1 % 400 == 0))); }
for y in 1900 2000 2023 2024; do leap $y && echo "$y leap" || echo "$y common"; done
days=(31 28 31 30 31 30 31 31 30 31 30 31); y=2024; leap $y && days[1]=29; s=0; for d in "${days[@]}"; do ((s += d)); done; echo $s
dow() { local y=$1 m=$2 d=$3 t=(0 3 2 5 0 3 5 1 4 6 2 4); ((m < 3)) && ((y--)); echo $(((y + y/4 - y/100 + y/400 + t[m-1] + d) % 7)); }
dow 2024 2 29; date -d 2024-02-29 +%u; for i in 0 1 2; do date -u -d "2024-02-28 +$i day" +%m-%d; done; date -d '2024-12-30' +%G-W%V

#### words of a configuration
config='
host   = example.org
  port=8080   
# comment
path = /a b/c
'
while IFS= read -r line; do
  line=${line%%#*}; [[ $line =~ ^[[:space:]]*([A-Za-z_]+)[[:space:]]*=[[:space:]]*(.*[^[:space:]])[[:space:]]*$ ]] || continue
  declare "cfg_${BASH_REMATCH[1]}=${BASH_REMATCH[2]}"
done <<< "$config"
echo "$cfg_host:$cfg_port [$cfg_path]"; for v in "${!cfg_@}"; do echo "$v"; done
set -- $(compgen -v 2>/dev/null | grep '^cfg_' | wc -l); echo "${1// /}"

#### a coprocess
coproc CALC { while read -r a op b; do echo $((a $op b)); done; }
ask() { echo "$*" >&"${CALC[1]}"; read -r reply <&"${CALC[0]}"; echo "$* = $reply"; }
ask 6 '*' 7; ask 10 - 4
[[ -n $CALC_PID && ${#CALC[@]} == 2 ]] && echo running
(: <&"${CALC[0]}") 2>/dev/null || echo "not in subshells"
kill "$CALC_PID"

#### aliases in a script
shopt -s expand_aliases
alias say='echo says:' sudo='sudo ' up='cd ..'
say hello
sudo() { echo "as root: $*"; }
sudo say hi
mkdir -p d/e && cd d/e && up && basename "$PWD"
alias greet='echo "hi, $USER_NAME";'
USER_NAME=ann
greet
if true; then say inside; fi | cat
unalias say; say gone 2>/dev/null || echo "no alias $?"
\sudo x; type -t greet; alias nosuch 2>/dev/null || echo "unknown"

#### a queue in a file
q=queue; printf '%s\n' job1 job2 'job 3' > $q
pop_line() { local l; IFS= read -r l < "$q" || return 1; sed -i 1d "$q"; echo "$l"; }
while item=$(pop_line); do echo "doing $item"; [[ $item == job2 ]] && echo 'job 2b' >> "$q"; done; wc -c < $q | tr -d ' '

#### variables by pattern
export APP_NAME=x APP_PORT=1 APPLE=no
for v in "${!APP_@}"; do echo "$v=${!v}"; done; env | grep '^APP_' | sort | cut -d= -f1 | xargs
unset "${!APP_@}"; echo "${APP_NAME-gone} $APPLE"
while IFS='=' read -r -d '' k v; do [[ $k == APPLE ]] && echo "$k is $v"; done < <(env -0 2>/dev/null || printf 'APPLE=no\0')
prefix=db; declare "${prefix}_host=h" "${prefix}_port=5"; n=${prefix}_host; echo "${!n}"; for k in host port; do n=${prefix}_$k; printf '%s ' "${!n}"; done; echo

#### numbered steps with colours off
NO_COLOR=1; c() { [[ ${NO_COLOR:-} ]] && printf '%s' "$2" || printf '\e[%sm%s\e[0m' "$1" "$2"; }
step() { printf '%s %s... ' "$(c 34 "[$((++STEP))/$TOTAL]")" "$1"; shift; if "$@" &>/dev/null; then c 32 ok; else c 31 "failed ($?)"; fi; echo; }
TOTAL=3 STEP=0; step 'make dir' mkdir x; step 'again' mkdir x; step 'true' true

#### a script with embedded data
data() { sed '1,/^__DATA__$/d' "$0"; }
while IFS=, read -r a b; do echo "$b <- $a"; done < <(data)
lines=$(data | wc -l); echo "$((lines)) lines"
exit 0
__DATA__
one,1
two,2
