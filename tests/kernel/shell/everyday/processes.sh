#### background jobs and wait
for i in 3 1 2; do (sleep "0.0$i"; echo "job $i" > "out.$i") & done
wait; cat out.1 out.2 out.3
pids=(); for c in 0 3 7; do (exit $c) & pids+=($!); done
for p in "${pids[@]}"; do wait "$p"; echo "status $?"; done
sleep 0.01 & pid=$!; wait $pid && echo ok
(exit 5) & wait $!; echo $?
wait 999999 2>/dev/null; echo $?
{ sleep 0.5; echo late; } & echo early; wait
sleep 5 & kill $!; wait $! 2>/dev/null; echo $?

#### a pool of workers
work() { sleep 0.0"$1"; echo "done $1"; }
max=2 running=0
for i in 1 2 3 4; do
  work $i >> pool.log &
  ((++running >= max)) && { wait -n; ((running--)); }
done
wait
sort pool.log
results=(); for i in 1 2 3; do results[i]=$(mktemp); (echo $((i * i)) > "${results[i]}") & done; wait; cat "${results[@]}" | xargs

#### how many failed
fails=0
for c in 0 1 0 2; do (exit $c) & pids="$pids $!"; done
for p in $pids; do wait $p || fails=$((fails + 1)); done
echo "$fails failed"
if ! (exit 1); then echo sub failed; fi
(exit 300); echo $?
sh -c 'exit 12'; echo $?; sh -c 'kill -9 $$'; echo $?; sh -c 'kill -9 $$' 2>/dev/null; echo $?
nosuch-command 2>/dev/null; echo $?; touch f; ./f 2>/dev/null; echo $?

#### subshells
x=1; (x=2; cd /; echo "in: $x $PWD"); echo "out: $x"; [ "$PWD" != / ] && echo back
(exit 4); echo $?; ( set -e; false; echo no ); echo $?
v=$(x=3; echo "$x"; exit 6); echo "$v $? $x"
echo "$(echo a; echo b)" | { read -r a; read -r b; echo "$b$a"; }
( trap 'echo sub exit' EXIT; echo body ); echo after
(umask 077; umask); umask; a=(1 2); (a+=(3); echo ${#a[@]}); echo ${#a[@]}
echo $BASH_SUBSHELL $(echo $BASH_SUBSHELL) $( (echo $BASH_SUBSHELL) )
f() { (return 3); echo $?; }; f

#### redirections
echo out; echo err >&2
{ echo o; echo e >&2; } > both.txt 2>&1; cat both.txt
{ echo o; echo e >&2; } 2> e.txt > o.txt; cat o.txt e.txt
ls nosuch > all.txt 2>&1; grep -c nosuch all.txt; ls nosuch &> all2.txt; wc -l < all2.txt | tr -d ' '
echo more >> o.txt; wc -l < o.txt | tr -d ' '; echo x | tee -a o.txt > /dev/null; tail -n1 o.txt
exec 3>&1; v=$(echo captured; echo shown >&3); exec 3>&-; echo "$v"
swap() { "$@" 3>&1 1>&2 2>&3 3>&-; }; swap sh -c 'echo a; echo b >&2' 2>/dev/null
exec 5<> rw.txt; echo line >&5; exec 5>&-; cat rw.txt; : > o.txt; [ -s o.txt ] || echo truncated
{ echo a; echo b >&2; } 2>&1 >/dev/null | cat; echo gone > /dev/null; cat < o.txt | wc -c | tr -d ' '
exec {fd}> named.txt; echo via >&$fd; exec {fd}>&-; cat named.txt; (echo hidden) 2>&1 >&- ; echo end

#### logs in two places
exec 3>&1 4>&2
exec > >(sed 's/^/LOG /' > run.log) 2>&1
echo one; echo two >&2
exec 1>&3 2>&4 3>&- 4>&-
sleep 0.05; sort run.log
log() { printf '[%s] %-5s %s\n' "$(date +%Y | sed 's/..../YYYY/')" "$1" "${*:2}" >&2; }
log INFO starting up; log WARN careful 2>&1 | cut -d' ' -f2
die() { echo "fatal: $*" >&2; exit "${code:-1}"; }
(code=9 die 'broken thing'); echo $?

#### process substitution
diff <(printf 'a\nb\n') <(printf 'a\nc\n') | grep '^[<>]'
while read -r l; do echo "got $l"; done < <(printf '1\n2\n')
cat <(echo x) <(echo y); paste <(seq 2) <(seq 3 4)
n=0; while read -r; do ((n++)) || true; done < <(seq 7); echo $n
echo data | tee >(tr a-z A-Z > upper.txt) > /dev/null; sleep 0.05; cat upper.txt
sort -m <(printf '1\n3\n') <(printf '2\n4\n') | paste -sd' '
comm -12 <(printf '%s\n' a b c | sort) <(printf '%s\n' b c d | sort)
[[ -e <(:) || -p <(:) ]] && echo exists; mapfile -t m < <(echo q; echo r); echo "${m[1]}"

#### cleanup on exit
finish() { local s=$?; echo "finish $s"; rm -f work.tmp; }
trap finish EXIT
touch work.tmp
(exit 3) || true
echo working
exit 4

#### traps of signals
trap 'echo "got TERM"; exit 143' TERM
trap 'echo "got INT"' INT
trap 'echo exit' EXIT
kill -INT $$; echo "after INT"
trap - INT; trap '' HUP; kill -HUP $$; echo "HUP ignored"
trap | sed 's/^trap -- //'
kill -TERM $$
echo no

#### traps in functions and subshells
set -o errtrace
trap 'echo "ERR in ${FUNCNAME[0]:-main} line $LINENO"' ERR
f() {
  false
  return 0
}
f
(false; true)
false || true
if false; then :; fi
trap - ERR; false; echo quiet
trap 'echo return' RETURN; g() { :; }; g; h() { trap 'echo h returns' RETURN; }; h; trap - RETURN; h2() { :; }; h2; echo end

#### errors end the script
set -e
echo start
false || echo handled
if false; then echo no; else echo else; fi
! true
x=$(false) || echo "assignment failed"
while false; do :; done
false | true
echo "still here"
f() { false; echo "in condition"; }
f && echo 'f true'
f || echo no
set +e; false; echo "off"; set -e
(false; echo not) || echo "hidden: $?"
y=$(false; echo inherited); echo "$y"
false
echo never

#### errors in functions end the script
set -euo pipefail
trap 'echo "exit status $?"' EXIT
step() { echo "step $1"; [[ $1 != 3 ]]; }
for i in 1 2 3 4; do step "$i"; done
echo never

#### errors in pipelines and substitutions
set -e
echo a | false | cat
set -o pipefail
(echo b | false | cat) || echo "pipe $?"
v=$(echo c | grep d || true); echo "[$v]"
grep -q x <<< y || echo none
local_() { local v=$(false); echo "local hides $?"; }; local_
declare w=$(false); echo "declare hides"
z=$(false)
echo never

#### timeouts
timeout 0.05 sleep 5; echo $?
timeout 5 true; echo $?
trap 'echo alarm' USR1; ( sleep 0.02; kill -USR1 $$ ) & sleep 0.2; wait; echo on
start=$SECONDS; while ((SECONDS - start < 1)); do sleep 0.1; break; done; echo waited
read -r -t 0.05 x < <(sleep 0.3); echo $((${?} > 128))

#### signals to children
sh -c 'trap "echo child TERM; exit 3" TERM; kill -TERM $$; sleep 1'; echo $?
sleep 10 & p=$!; kill -0 $p && echo alive; kill -KILL $p; wait $p 2>/dev/null; echo $?; kill -0 $p 2>/dev/null || echo dead
(trap 'exit 7' TERM; : > ready; while :; do sleep 0.01; done) & p=$!; until [ -e ready ]; do sleep 0.01; done; kill $p; wait $p; echo $?
kill -l 15; kill -l TERM; trap 'echo usr1' USR1; kill -s USR1 $$; kill -USR1 $BASHPID
pkill_self() { kill -STOP 0; }; type pkill_self | head -n 1

#### names of commands
type -t echo; type -t if; type -t ls; f() { :; }; type -t f; command -v f; command -v echo; type -t nosuch || echo none
command echo plain; echo() { builtin echo "mine $*"; }; echo x; unset -f echo; echo y
command -v nosuch || echo "not found $?"; hash ls 2>/dev/null && echo hashed; command ls script.sh
if ! command -v nosuch &> /dev/null; then echo missing; fi; declare -F f
unset -f f; f 2>/dev/null; echo $?; command -p printf '%s\n' standard; \echo escaped; 'echo' quoted

#### a script that calls scripts
cat > child.sh <<'C'
#!/usr/bin/env bash
echo "child $# [$1] ${VAR:-unset} $(basename "$0")"
exit 5
C
chmod +x child.sh
./child.sh 'a b'; echo $?
VAR=set ./child.sh x; export VAR=exported; ./child.sh y; bash child.sh z; sh ./child.sh w
out=$(./child.sh q) || echo "failed: $out"
PATH="$PWD:$PATH" child.sh path
mkdir bin; printf '#!/bin/sh\necho tool "$@"\n' > bin/tool; chmod +x bin/tool
PATH="$PWD/bin:$PATH" sh -c 'tool 1'; PATH=$PWD/bin:$PATH; tool 2; export PATH; bash -c 'tool 3'
source child.sh sourced; echo no

#### prefixed variables
x=1; x="$x:2" printenv x; echo $x
LC_ALL=C sort <<< $'b\na' | head -n1; IFS=, read -r a b <<< 1,2; echo "$b$a"; echo "[$IFS]" | wc -c | tr -d ' '
f() { echo "f: $v"; v=inner; }; v=outer; v=given f; echo $v
A=1 B=$A env | grep -E '^[AB]=' | sort; A=set; A=new B=$A sh -c 'echo $A $B'; echo $A
HOME=/nowhere sh -c 'echo ~'; TZ=UTC date -d @0 +%H; n=5; n=$((n + 1)) sh -c 'echo $n'; echo $n
PS=1 eval 'echo $PS'; echo ${PS-gone}; X=2 : ; echo ${X-gone}; Y=$(echo sub) printenv Y

#### exit codes of lists
true; echo $?; false; echo $?; true && false; echo $?; false; true; echo $?
(exit 2); (exit 3) || (exit 4); echo $?; ! (exit 2); echo $?
{ (exit 8); }; echo $?; if (exit 3); then :; else echo $?; fi; f() { return 6; }; f; echo $?
: "$(exit 9)"; echo $?; v=$(exit 9); echo $?; [ 1 = 2 ]; echo $?; [[ a =~ [ ]]; echo $?
exit 256

#### progress and colours
red=$'\e[31m' reset=$'\e[0m'; printf '%sred%s\n' "$red" "$reset" | od -c | head -n1 | tr -s ' '
if [ -t 1 ]; then c=yes; else c=no; fi; echo "colour: $c"
bar() { local n=$1 w=10 f=$(($1 * 10 / 100)); printf '[%s%s] %d%%\n' "$(printf '#%.0s' $(seq 1 $f))" "$(printf '.%.0s' $(seq 1 $((w - f))))" "$n"; }
bar 30; bar 70; for s in '|' / - \\; do printf '\r%s' "$s"; done; printf '\rdone\n'
printf '\033[1mbold\033[0m\n' | sed 's/\x1b\[[0-9;]*m//g'

#### read from a pipe into variables
read -r a b < <(echo 1 2); echo "$a-$b"; echo 3 4 | (read -r a b; echo "$a-$b"); echo "$a"
{ read -r first; read -r second; } <<< $'l1\nl2'; echo "$second $first"
shopt -s lastpipe; echo lp | read -r v; echo "$v"; printf 'a b\nc d\n' | while read -r x y; do last=$y; done; echo "$last"
IFS= read -rd '' all < <(printf 'x\ny\n'); echo "$all" | wc -l | tr -d ' '; echo "in: $(cat)" <<< stdin
while read -rn1 ch; do printf '%s.' "$ch"; done <<< abc; echo; read -r _ second _ <<< 'a b c'; echo $second
