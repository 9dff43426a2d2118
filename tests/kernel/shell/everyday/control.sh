#### if and its conditions
n=7
if [ "$n" -gt 5 ] && [ "$n" -lt 10 ]; then echo between; elif [ "$n" -eq 5 ]; then echo five; else echo other; fi
if ! false; then echo not; fi
if (( n % 2 )); then echo odd; else echo even; fi
if grep -q b <<< abc; then echo match; fi
if [ -n "$n" -a "$n" != 8 ]; then echo both; fi
if [[ $n -ge 7 && ( $n == 7 || $n == 8 ) ]]; then echo group; fi
if :; then :; fi; echo $?
[ "$n" = 7 ] && echo yes || echo no
if test -f nosuch -o -d .; then echo dir; fi
if false; then :; fi; echo $?

#### case and its patterns
kind() {
  case "$1" in
    '') echo empty ;;
    [0-9]) echo digit ;;
    [0-9]*) echo number-like ;;
    -*) echo option ;;
    *.txt | *.md) echo text ;;
    [Yy]es|[Yy]) echo yes ;;
    /*) echo absolute ;;
    *' '*) echo spaced ;;
    "*") echo star ;;
    ?) echo char ;;
    *) echo other ;;
  esac
}
for x in '' 7 42x -v a.txt README.md Yes y /etc 'a b' '*' q abc; do printf '%s: ' "$x"; kind "$x"; done
case abc in a*) echo one ;;& *c) echo two ;;& x*) echo no ;; *) echo last ;; esac
case x in x) echo a ;& y) echo b ;; z) echo c ;; esac
shopt -s extglob
case file.tar.gz in *.@(tar.gz|zip)) echo archive ;; esac
case $((3 > 2)) in 1) echo true;; esac

#### loops over numbers
for i in 1 2 3; do printf '%s ' "$i"; done; echo
for i in {1..10..3}; do printf '%s ' "$i"; done; echo
for i in $(seq 5 -2 1); do printf '%s ' "$i"; done; echo
for ((i = 0; i < 10; i += 4)); do printf '%s ' "$i"; done; echo
for ((i = 0, j = 10; i < j; i += 3, j -= 2)); do printf '%s,%s ' "$i" "$j"; done; echo
i=3; while ((i--)); do printf '%s ' "$i"; done; echo
i=0; until [ "$i" -ge 3 ]; do i=$((i + 1)); printf '%s ' "$i"; done; echo
n=5; for i in $(seq "$n"); do printf '%02d ' "$i"; done; echo
for i in {a..e}; do printf %s "$i"; done; echo
for ((;;)); do ((++k > 3)) && break; done; echo "$k"
for i in; do echo never; done; echo $?

#### breaking and continuing
for i in 1 2 3 4 5; do
  [ "$i" -eq 2 ] && continue
  [ "$i" -eq 4 ] && break
  echo "$i"
done
for i in a b; do for j in 1 2 3; do
  [[ $i$j == a2 ]] && continue 2
  [[ $i$j == b3 ]] && break 2
  echo "$i$j"
done; done
while true; do while true; do break 2; done; done; echo out
for i in 1 2 3; do case $i in 2) continue ;; esac; echo "c$i"; done
until false; do break; done; echo $?
for f in x; do (break; echo in sub); done 2>/dev/null; echo $?

#### reading a file line by line
printf 'first line\n  indented\nback\\slash\n\nlast without newline' > in.txt
while IFS= read -r line; do echo "[$line]"; done < in.txt
echo --
while IFS= read -r line || [ -n "$line" ]; do echo "[$line]"; done < in.txt
echo --
n=0; while read line; do n=$((n + 1)); echo "$n: $line"; done < in.txt
total=0; while read -r x; do total=$((total + x)); done <<< $'1\n2\n3'; echo "$total"
lines=0; cat in.txt | while read -r l; do lines=$((lines + 1)); done; echo "$lines"
lines=0; while read -r l; do lines=$((lines + 1)); done < <(cat in.txt); echo "$lines"
exec 3< in.txt; read -r a <&3; read -r b <&3; exec 3<&-; echo "$a|$b"
while read -r -u 4 l; do echo "fd4 $l"; break; done 4< in.txt

#### reading fields of lines
cat > passwd <<'P'
root:x:0:0:Super User:/root:/bin/bash
# comment
daemon:x:1:1::/:/sbin/nologin

P
while IFS=: read -r user _ uid gid name home shell; do
  [[ -z $user || $user == \#* ]] && continue
  printf '%-8s %3d %-10s %s\n' "$user" "$uid" "${name:-none}" "${shell##*/}"
done < passwd
cut -d: -f1,7 passwd | grep -v '^#' | sort
while read -r a b rest; do echo "$b/$a/$rest"; done <<< 'one two three four'

#### functions and what they give back
add() { echo $(($1 + $2)); }
is_even() { (($1 % 2 == 0)); }
result=$(add 2 3); echo "$result"
if is_even 4; then echo even; fi
is_even 3 || echo "odd $?"
status() { return "${1:-0}"; }
status 42; echo $?
status; echo $?
status 256; echo $?
last() { false; true; (exit 9); }
last; echo $?
noreturn() { false; return; }
noreturn; echo $?
pair() { printf -v "$1" '%s' "$2"; }
pair out value; echo "$out"
two() { REPLY=both; return 3; }
two || echo "$? $REPLY"
function keyword { echo keyword "$@"; }
keyword a
function with_parens() { echo "$#"; }
with_parens 1 2
f() ( cd / && x=inner; echo "$x" ); x=outer; f; echo "$x"

#### local variables
x=global
f() { local x=f; g; echo "f: $x"; }
g() { echo "g sees $x"; x=changed; }
f; echo "$x"
h() { local a b=2 c; c=$((b + 1)); echo "${a-unset} $b $c"; }
h; echo "${b-none}"
r() { local n=$1; ((n == 0)) && { echo end; return; }; r $((n - 1)); echo "$n"; }
r 3
local_status() { local v=$(false); echo $?; local w; w=$(false); echo $?; }
local_status
i() { local IFS=,; echo "$*"; }; i a b; echo a,b | { read -r p; echo "$p"; }
u() { local x=1; unset x; echo "${x-unset}"; }; u; echo "$x"
e() { local -x EXPORTED=yes; sh -c 'echo ${EXPORTED:-no}'; }; e; echo "${EXPORTED-none}"

#### recursion
fact() { if (($1 <= 1)); then echo 1; else echo $(($1 * $(fact $(($1 - 1))))); fi; }
fact 10
fib() { local n=$1; ((n < 2)) && { echo "$n"; return; }; echo $(($(fib $((n-1))) + $(fib $((n-2))))); }
fib 8
hanoi() { (($1 == 0)) && return; hanoi $(($1 - 1)) "$2" "$4" "$3"; echo "$2->$3"; hanoi $(($1 - 1)) "$4" "$3" "$2"; }
hanoi 2 A C B
gcd() { (($2)) && gcd "$2" $(($1 % $2)) || echo "$1"; }
gcd 48 36
tree() { local d=$1 p=$2 f; for f in "$d"/*; do [ -e "$f" ] || continue; echo "$p${f##*/}"; [ -d "$f" ] && tree "$f" "$p  "; done; return 0; }
mkdir -p t/a/b t/c; touch t/a/f t/a/b/g; tree t ''

#### select menus
PS3='choose: '
select x in alpha "beta gamma" quit; do
  case $x in
    quit) echo bye; break ;;
    '') echo "invalid: $REPLY" ;;
    *) echo "you chose $x ($REPLY)" ;;
  esac
done <<'IN'
1
2
9

3
IN
select y in one; do echo "$y"; done < /dev/null; echo $?

#### a menu with read
show_menu() { echo '1) start'; echo '2) stop'; }
while :; do
  show_menu
  read -rp 'option? ' opt || break
  case $opt in
    1) echo starting ;;
    2) echo stopping; break ;;
    *) echo "bad: $opt" ;;
  esac
done <<< $'1\nx\n2\n1'

#### answers of yes and no
confirm() {
  local reply
  while true; do
    read -r -p "$1 [y/N] " reply || return 2
    case ${reply:-n} in
      [Yy]|[Yy][Ee][Ss]) return 0 ;;
      [Nn]*) return 1 ;;
    esac
  done
}
confirm 'go?' <<< yes && echo went
confirm 'go?' <<< '' || echo "stayed $?"
confirm 'go?' <<< $'what\nY' && echo again
confirm 'go?' < /dev/null; echo $?
read -r -n 1 c <<< xyz; echo "$c"
read -r -t 1 v <<< timely; echo "$v"
IFS= read -r -d ';' part <<< 'up to;the rest'; echo "$part"

#### retrying
attempt=0
flaky() { attempt=$((attempt + 1)); [ "$attempt" -ge 3 ]; }
retry() {
  local max=$1 delay=$2 n=1; shift 2
  until "$@"; do
    if ((n >= max)); then echo "failed after $n"; return 1; fi
    echo "attempt $n failed"; sleep "$delay"; ((n++))
  done
  echo "ok after $n"
}
retry 5 0 flaky
attempt=-9; retry 2 0.01 flaky; echo $?
for i in 1 2 3; do [ "$i" = 3 ] && { echo "done $i"; break; } || sleep 0; done
wait_for() { local i; for ((i = 0; i < 50; i++)); do [ -e "$1" ] && return 0; sleep 0.02; done; return 1; }
(sleep 0.05; touch ready) & wait_for ready && echo ready; wait

#### arithmetic
echo $((1 + 2 * 3)) $(((1 + 2) * 3)) $((7 / 2)) $((-7 / 2)) $((-7 % 3)) $((2 ** 10)) $((1 << 4 | 1))
a=5; echo $((a++)) $a $((++a)) $((a--)) $((a += 10)) $((a > 10 ? 1 : 0)) $((!a)) $((~a))
echo $((0x10 + 010 + 2#11 + 16#Ff)) $((10#08 + 1))
((a = 3, b = a * 2)); echo "$a $b"; ((b -= 6)); echo $?
let c=a+4 'd = c * 2'; echo "$c $d"
echo $((a < b || a == 3 && b == 0)) $((5 & 3)) $((5 ^ 3)) $((a == 3 ? a * 2 : a / 2))
x=y y=7; echo $((x)) $((x + 1)); unset z; echo $((z + 1))
echo "$((1 / 0))"
echo "next: $?"
i=10; while ((i > 0)); do ((i -= 3)); done; echo $i
printf '%d\n' $((9223372036854775807 + 1))
: $((n = 5)); echo "$n"; echo $[1 + 1]

#### floats by hand
div() { printf '%d.%02d\n' $(($1 / $2)) $((($1 * 100 / $2) % 100)); }
div 22 7; div 1 3; div 10 4
avg() { local s=0 n=$#; for v; do s=$((s + v * 100)); done; local a=$((s / n)); echo "$((a / 100)).$(printf %02d $((a % 100)))"; }
avg 1 2 2
printf '%.2f\n' 2.345 1e3 .5
pct() { echo "$((100 * $1 / $2))%"; }; pct 3 8
[ "$(printf '%.0f' 2.7)" -eq 3 ] && echo rounded

#### short circuits
true && echo a; false && echo b; false || echo c; true || echo d
true && false || echo e
{ false && echo x; } || echo f
[ -d . ] && { echo dir; false; } || echo 'and yet'
mkdir d && cd d && pwd | sed 's/.*\///' && cd ..
cmd() { echo "cmd $1"; return "$1"; }
cmd 0 && cmd 1 && cmd 0; echo $?
cmd 1 || cmd 2 || cmd 0; echo $?
! cmd 0; echo $?
! ! cmd 1; echo $?
true; echo $?; ! true; echo $?

#### eval and indirection
var=name; name=value
echo "${!var}" "$(eval echo "\$$var")"
for i in 1 2 3; do eval "v$i=\$((i * i))"; done; echo "$v1 $v2 $v3"
for i in 1 2; do n="v$i"; echo "$n=${!n}"; done
set_var() { declare -g "$1=$2"; }; set_var dyn 'a b'; echo "$dyn"
eval 'f() { echo made; }'; f
cmd='echo "a  b"'; eval "$cmd"; $cmd
echo ${!v*}
ref='arr[1]'; arr=(x y); echo "${!ref}"
eval "arr2=(${arr[*]} z)"; echo "${#arr2[@]}"
action=greet; greet_en() { echo hello; }; "${action}_en"

#### a state machine
state=start steps=0
while [[ $state != end ]]; do
  case $state in
    start) next=work ;;
    work) ((++steps >= 3)) && next=finish || next=work ;;
    finish) next=end ;;
  esac
  echo "$state -> $next"
  state=$next
done

#### fizzbuzz and primes
for i in {1..15}; do
  o=; ((i % 3 == 0)) && o+=Fizz; ((i % 5 == 0)) && o+=Buzz
  printf '%s ' "${o:-$i}"
done; echo
is_prime() { local n=$1 i; ((n < 2)) && return 1; for ((i = 2; i * i <= n; i++)); do ((n % i)) || return 1; done; }
for ((p = 2; p < 30; p++)); do is_prime "$p" && printf '%d ' "$p"; done; echo
collatz() { local n=$1 c=0; while ((n != 1)); do ((n = n % 2 ? 3 * n + 1 : n / 2, c++)); done; echo "$c"; }
collatz 27
