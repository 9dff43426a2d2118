#### quotes within substitutions
echo "$(echo "a b" 'c "d"')" "$(printf '%s|' "x y" z)" "${x:-"$(echo "in $(echo "deep")")"}"
echo "`echo "bq \"q\" \\$HOME" | sed 's/\$HOME/H/'`" "$(echo 'it'"'"'s')" "$(echo \$x)" "$( (echo sub) )" "$((1+1))$(( (2) ))"
a='x"y'; echo "$(echo "$a")" "$(echo '$a')" "$(echo \"$a\")"; b=$(cat <<'E'
it's "quoted" $here `too` )
E
); echo "$b"
echo "$(case x in x) echo case;; (y) echo y;; esac)" "$(if true; then echo if; fi)" "$(# comment )
echo after)"
echo $(echo 'a  b') "$(echo 'a  b')" $(printf 'l1\nl2\n\n\n') "$(printf 'l1\nl2\n\n\n')|"

#### here-documents in corners
cat <<E1 <<E2
ignored
E1
used
E2
cat <<'A' - <<<"x" | cat
from doc
A
f() { cat <<E
in f: $1 $(echo "${2}")
E
}
f one 'two "q"'
for i in 1 2; do cat <<E
loop $i
E
done
cat <<E | tr a-z A-Z && echo ok
piped ${v:-default} \$no \\ \"
E
x=$(cat <<E
nested $(cat <<I
inner
I
)
E
); echo "$x"
while read -r l; do echo "<$l>"; done <<E
a\
b
c
E
cat <<-'T'
		tabs
	 and blank
	T
(cat) <<E; { cat; } <<E
sub
E
grp
E
cat <<E
${x#nested } $((1 + 2)) ${#x} "${x}" '${x}'
E

#### redirections in corners
{ echo 1; { echo 2 >&2; } 2>&1; } | sort; (echo a; echo b >&2) 2>&1 | wc -l | tr -d ' '
f() { echo out; echo err >&2; } > f.out 2> f.err; f; cat f.out f.err; g() { cat; } < f.out; g
for i in 1 2; do echo $i; done > loop.out; cat loop.out; while read -r x; do echo "r $x"; done < loop.out > r.out; cat r.out
if true; then echo t; fi > if.out; case x in x) echo c ;; esac >> if.out; cat if.out; { echo g; } >> if.out; (echo s) >> if.out; wc -l < if.out | tr -d ' '
echo x > 'a file'; cat 'a file'; n=name; echo y > $n.txt; cat name.txt; echo z >"$n 2"; ls | grep -c name
exec 3> three; echo to3 >&3; (echo sub3 >&3); sh -c 'echo child3 >&3'; exec 3>&-; cat three; (echo bad >&3) 2>/dev/null || echo closed
echo keep > k; cat < k > k2; cat k2; : < k; > empty; [ -f empty ] && echo made; < k cat; >> k echo appended; cat k
cat nosuch 2> e.txt || wc -l < e.txt | tr -d ' '; echo "a" 2>&1 > /dev/null; ls nosuch 2>&1 | grep -c nosuch; echo end >&1
{ read -r a; read -r b; } < loop.out; echo "$a$b"; exec 4< loop.out 5> five; read -r l <&4; echo "$l" >&5; exec 4<&- 5>&-; cat five; echo 6>&1 six

#### IFS in corners
show() { printf '%d' $#; printf '<%s>' "$@"; echo; }
IFS=:; v=a::b:; show $v; show "$v"; v=:a; show $v; v=; show $v; show "$v"
IFS=' :'; v=' a : b::c '; show $v; IFS=; v='a b'; show $v; set -- 1 2; show "$*"; unset IFS; v=' x  y '; show $v; show "$*"
IFS=ab; v=1a2b3; show $v; show $(echo 4a5); IFS=$'\n'; v=$'l 1\nl 2\n\n'; show $v; unset IFS; IFS=, read -ra p <<< ',a,,'; show "${p[@]}"
IFS=-; set -- a b 'c d'; echo "$*" $*; x="$*"; echo "$x"; y=$*; echo "$y"; a=(1 2 3); echo "${a[*]}" "${a[@]}"; z=${a[*]}; echo "$z"; unset IFS
f() { local IFS=/; echo "$*"; }; f usr bin; echo "$*"; IFS=. eval 'set -- $(echo 1.2.3)'; show "$@"; (IFS=x; v=axb; show $v); v=axb; show $v

#### patterns in corners
for p in '*' '?' '[a-c]' '[!a-c]' '[^a]' '[[:digit:]]' '[]]' '[a\]]' '\*' 'a*c' '*b*' '[-a]' '[a-]' '""' 'a?c' '[[:upper:][:digit:]]*'; do
  for s in a b 5 ']' '*' abc - '' A1; do [[ $s == $p ]] && printf '%s~%s ' "$s" "$p"; done
done; echo
x=aXbXc; echo ${x#*X} ${x##*X} ${x%X*} ${x%%X*} ${x/X/-} ${x//X/-} ${x#"*"} ${x#a?} ${x%[a-c]} ${x//[!X]/.}
p='*X'; echo ${x#$p} ${x#"$p"} ${x##$p}; y='a*b'; echo ${y%\**} ${y%'*'*} ${y#a\*}; z=/a/b/; echo ${z%/} ${z#/} ${z%%/*}- ${z##*/}-
case 'a b' in a\ b) echo esc ;; esac; case "a*" in a\*) echo star ;; esac; case x in "$nosuch"x) echo empty ;; esac; case - in [a-]) echo dash ;; esac; case é in ?) echo one ;; esac

#### extended patterns
shopt -s extglob nullglob
touch a.c b.c c.h main.o README test.tar.gz
echo *.@(c|h); echo !(*.c|*.h); echo *.+([a-z]); echo ?(a).c; echo @(main|test)*; echo *(a|b).c
x=aaabbb; echo ${x##+(a)} ${x%%*(b)} ${x/+(a)/-} ${x//@(a|b)/.}; [[ foobar == foo?(bar) ]] && echo opt; [[ foo == foo?(bar) ]] && echo opt; [[ abab == +(ab) ]] && echo rep
[[ 2024-01-05 == +([0-9])-+([0-9])-+([0-9]) ]] && echo date; v='  trim  '; v=${v##*( )}; echo "[${v%%*( )}]"; case $x in !(a*)) echo no ;; *) echo starts ;; esac
rm -f !(README); ls

#### assignments in corners
a=1 b=$a c=${b}2; echo $a$b$c; x= y=; echo "[$x$y]"; x=a\ b; echo "$x"; x="a"'b'$a; echo $x; x=~; [[ $x == "$HOME" ]] && echo home; x=a:~; [[ $x == "a:$HOME" ]] && echo colon
x=$(echo a; echo b); echo "$x" | wc -l | tr -d ' '; x=*; echo "$x"; x={a,b}; echo $x; x=a b=c 2>/dev/null; echo $x$b; x=1 y=2 true; echo "$x$y"; x+=2; echo $x; declare -i n=1; n+=2; echo $n
arr=(a [5]=f g [2]=c); echo "${!arr[@]}" "${arr[@]}"; arr+=([1]=b h); echo "${!arr[@]}"; arr=([0]=z); echo "${arr[@]}"; arr[2]+=x; arr[0]+=y; echo "${arr[@]}"; s=str; s[1]=el; echo "${s[@]}" "$s"
declare -A m=([a]=1 [b]="two words" ["c d"]=3); echo "${#m[@]} ${m[b]} ${m[c d]}"; m+=([e]=5); m[a]+=1; echo "${m[a]} ${#m[@]}"; unset m; m=x; echo $m; export p=1 q r=2; echo $p$q$r; readonly ro=5 && echo $ro
f() { local a=$1 b=${a}x; echo "$b"; }; f 1; x=5 y=$((x * 2)); echo $y; true && z=1 || z=2; echo $z; v=$(false) || echo "status kept"; w=ok$(true); echo "$? $w"

#### command lookup
f() { echo function; }; PATH_SAVE=$PATH; mkdir b; printf '#!/bin/sh\necho file\n' > b/f; chmod +x b/f; PATH=$PWD/b:$PATH
f; command f; \f; unset -f f; f; type -t f; PATH=$PATH_SAVE; hash -r; f 2>/dev/null; echo $?; ./b/f; b/f; "b/f"; $PWD/b/f
x=echo; $x var; "$x" quoted; e=''; $e echo empty; $nosuch echo unset; "" 2>/dev/null; echo $?; cmd=(printf '%s-' a b); "${cmd[@]}"; echo; c='echo a;echo b'; $c
builtin echo b; command -v cd; enable 2>/dev/null | head -n 0; echo() { command echo "wrapped $*"; }; echo x; unset -f echo; [ -x "$(command -v ls)" ] && echo exec; if=1; echo $if; true=x; true && echo t

#### exit traps everywhere
trap 'echo main' EXIT
f() { trap 'echo from f' EXIT; }; (f; echo sub); g() { (exit 3); return; }; g; echo $?
(trap 'echo a' EXIT; exit 2); echo $?; (trap 'exit 7' EXIT; exit 2); echo $?; (trap 'echo $?' EXIT; false); (trap 'echo x; trap - EXIT' EXIT); bash -c 'trap "echo c; exit 4" EXIT'; echo $?
$(trap 'echo echo substituted' EXIT); { trap 'echo group' EXIT; }; (trap - EXIT; echo none); (set -e; trap 'echo "e $?"' EXIT; false; echo no); sh -c 'trap "echo s" 0; exec true'; echo end

#### loops with redirections and pipes
seq 3 | while read -r i; do echo "a$i"; done | sed 's/a/b/' | while read -r j; do echo "$j!"; done
for f in x y; do echo "$f"; done | { n=0; while read -r l; do n=$((n + 1)); done; echo $n; }
while read -r a && read -r b; do echo "$a+$b"; done < <(seq 5); echo "left $a"; until read -r z; do :; done <<< zz; echo $z
i=0; while [ $i -lt 3 ]; do i=$((i + 1)); [ $i -eq 2 ] && continue; echo $i; done > o; cat o; while :; do echo once; break; done | cat; for i in 1 2 3; do [ $i = 2 ] && break; done; echo $i
seq 5 | while read -r n; do [ "$n" -eq 3 ] && break; echo $n; done; yes | for i in 1 2; do read -r x; echo $x; done; seq 10 | { head -n 2 > /dev/null; cat > /dev/null; }; echo done; printf 'a b\n' | while read x y; do echo $y; exit 3; done; echo $?

#### time and its output
{ time true; } 2>&1 | sed 's/[0-9.]/N/g'; { time -p true; } 2>&1 | sed 's/[0-9.]\{1,\}/N/'; time_it() { local s=$EPOCHREALTIME; "$@"; local e=$EPOCHREALTIME; ((${e/./} >= ${s/./})) && echo measured; }; time_it true
{ time (exit 3); } 2>/dev/null; echo $?; ! { time false; } 2>/dev/null; echo $?; TIMEFORMAT='%R'; { time sleep 0; } 2>&1 | grep -cE '^[0-9]+\.[0-9]{3}$'

#### set and its positional parameters
set -- a 'b c' ''; echo $# "$2" "[$3]"; set -- "$@" d; echo $#; set -- "${@:2}"; echo "$1"; set -- x "$@"; echo $#; set x y; echo $1; set -- -n; echo "$1"; set - z; echo $1; set --; echo $#
f() { set -- inner; echo $1; }; set -- outer; f; echo $1; set -f; echo *; set +f; set -- *.sh; echo $1; set -o noglob; echo *; set +o noglob; eval set -- "'a b' c"; echo $# "$1"
set -a; auto=1; set +a; sh -c 'echo $auto'; set -C; echo 1 > c; (echo 2 > c) 2>/dev/null || echo kept; set +C; set -u; (: $undef) 2>/dev/null || echo unset; set +u; echo $-  | tr -d hB; shift 9 2>/dev/null || echo "no shift"
local x 2>/dev/null || echo "no local"; while [ $# -gt 0 ]; do echo "$1"; shift; done; echo ${@:-none} "${*-unset}"

#### keys and values swapped, nested data
declare -A inv src=([a]=1 [b]=2); for k in "${!src[@]}"; do inv[${src[$k]}]=$k; done; echo "${inv[1]}${inv[2]}"
declare -A cfg; cfg[db.host]=h; cfg[db.port]=5; cfg[web.port]=80; for k in $(printf '%s\n' "${!cfg[@]}" | sort); do [[ $k == db.* ]] && echo "${k#db.}=${cfg[$k]}"; done
rows=('id=1;name=ann' 'id=2;name=bob'); for r in "${rows[@]}"; do declare -A rec=(); IFS=';' read -ra kv <<< "$r"; for p in "${kv[@]}"; do rec[${p%%=*}]=${p#*=}; done; echo "${rec[id]}:${rec[name]}"; done
copy() { local -n from=$1 to=$2; local k; for k in "${!from[@]}"; do to[$k]=${from[$k]}; done; }; declare -A c2; copy cfg c2; echo ${#c2[@]}; a=(1 2 3); b=(); copy a b; echo "${b[@]}"; eq() { [[ "$(declare -p "$1" | cut -d= -f2-)" == "$(declare -p "$2" | cut -d= -f2-)" ]]; }; eq a b && echo equal
[[ -v cfg[db.host] ]] && echo yes; [[ -v cfg[x] ]] || echo no; keys=("${!cfg[@]}"); echo ${#keys[@]}; unset 'cfg[db.host]'; echo ${#cfg[@]}; for i in "${!a[@]}"; do ((a[i] *= a[i])); done; echo "${a[*]}"; max=0; for x in "${a[@]}"; do ((x > max && (max = x))); done; echo $max

#### declare and what it shows
x=1; declare -p x; declare -a arr=(1 'b c'); declare -p arr; declare -A m=([k]='v w'); declare -p m; declare -i n=3; declare -p n; declare -r ro=1; declare -p ro; declare -x ex=1; declare -p ex
f() { echo body; }; declare -F f; declare -p nosuch 2>/dev/null || echo none; declare e=; declare -p e; declare u; declare -p u; y=$'a\nb'; declare -p y; z="q\"uo\$te"; declare -p z; declare -n ref=x; declare -p ref; unset -n ref
g() { local l=1; declare -p l; declare d=2; declare -g gl=3; }; g; echo "${d-none} $gl"; declare -a empty=(); declare -p empty; declare -A em=(); declare -p em; declare -l low=ABC; declare -p low; declare -ai ia=(1+1); declare -p ia; export -p | grep -c ' ex='

#### lists of options and their meaning
opts() { local OPTIND o s=; while getopts 'ab:c' o; do case $o in a|c) s+=$o ;; b) s+="b($OPTARG)" ;; *) s+='?' ;; esac; done; shift $((OPTIND - 1)); echo "$s [$*]"; }
opts -a -c x; opts -ac x; opts -bval; opts -b val -a; opts -ab val c; opts -- -a; opts -; opts x -a; opts -b '' y; opts -a - -c; opts -x 2>/dev/null; opts -b 2>/dev/null
OPTIND=1; set -- -a arg1 -c; while getopts ac o; do echo "$o $OPTIND"; done; shift $((OPTIND - 1)); echo "$1 $OPTIND"; OPTIND=1; while getopts :x o -x -y; do echo "$o ${OPTARG-}"; done

#### output and its failures
echo -e '\x41\u00e9\t|' '\\n'; echo -n a; echo -n; echo b; echo -- x; echo -x; echo -ne 'a\n'; echo -E 'a\n'; echo; echo ''; echo "-n"; echo - ; printf -- '-%s\n' a; printf '%s\n' -n; (echo x >&-) 2>/dev/null; echo $?
echo a > /dev/full 2>/dev/null; echo $?; printf x > /dev/full 2>/dev/null; echo $?; { echo a; echo b; } | head -n 1; seq 1000000 | head -n 1; echo ${PIPESTATUS[0]}; cat < /dev/null; echo $?; echo x | cat -; true | echo ignored; echo $(echo a; echo b)

#### unicode and bytes
s='naïve café ☕'; echo ${#s} "${s:2:3}" "${s^^}" "${s/ï/i}" "${s%% *}"; [[ $s == *é* ]] && echo has; [[ ☕ == ? ]] && echo one; case é in [é]) echo bracket ;; esac; printf '%s\n' "${s: -1}" | wc -c | tr -d ' '
printf '%-6s|\n' é; printf '\xe2\x98\x95\n'; printf '%q\n' 'é b'; echo $'\u2615' $'\xc3\xa9'; b=$(printf '\377'); echo ${#b}; printf %s "$b" | od -An -tx1 | tr -d ' '; for ((i = 0; i < ${#s}; i++)); do printf '%s.' "${s:i:1}"; done; echo; echo "${s//[^a-z]/_}"; rev <<< 'aé☕'

#### jobs and their numbers
sleep 5 & sleep 5 & jobs | sed 's/  *sleep.*//'; jobs -p | wc -l | tr -d ' '; kill %1; wait %1 2>/dev/null; echo $?; kill %2; wait %2 2>/dev/null; echo $?; jobs
sleep 0.3 & wait %sleep; echo $?; (sleep 0.3; exit 3) & wait %%; echo $?; wait %9 2>/dev/null; echo $?; disown -a; sleep 0.2 & disown; jobs; echo "none left"; (until [ -e go ]; do sleep 0.01; done; exit 6) & p=$!; (exit 5) & wait -n; echo $?; : > go; wait -n; echo $?; wait -n; echo $?; wait $p; echo $?

#### conditions that look alike
x='a b'; [ "$x" = 'a b' ] && echo 1; [[ $x = 'a b' ]] && echo 2; [[ $x == a\ b ]] && echo 3; [[ $x == "a b" && ! $x == ab ]] && echo 4; test -n "$x" -a "$x" != b && echo 5; [ $x = a ] 2>/dev/null || echo 6; [[ -z $unset && -z "" ]] && echo 7
n=05; [ $n -eq 5 ] && echo 8; [[ $n -eq 5 ]] && echo 9; [[ 5 == $n ]] || echo 10; ((n == 5)) && echo 11; [[ abc =~ b ]] && echo "12 ${BASH_REMATCH[0]}"; [[ abc =~ "b." ]] || echo 13; r='b.'; [[ abc =~ $r ]] && echo 14; [[ a.c =~ a\.c ]] && echo 15; [[ 'x y' =~ x[[:space:]]y ]] && echo 16
[[ 2 < 10 ]] || echo 17; ((2 < 10)) && echo 18; [ 2 -lt 10 ] && echo 19; [[ b > a ]] && echo 20; [ b \> a ] && echo 21; [[ -n $x || $(echo run >&2) ]] && echo 22; [[ ! ( a == b || c == d ) ]] && echo 23; [[ a == a ]] && [[ b == b ]] && echo 24; if [[ $x ]]; then echo 25; fi; [[ $x == *' '* ]] && echo 26; [[ "$x" == 'a'* ]] && echo 27; v=; [ -z $v ] && echo 28; [ -n $v ] && echo 29

#### eval in corners
a='$b' b='$c' c=d; eval "echo $a"; eval eval "echo $a"; eval 'eval "echo \$b"'; eval "x='it'\''s'"; echo "$x"; eval 'echo "a  b"'; eval echo "a  b"; eval; echo $?; eval ''; echo $?; eval false; echo $?; eval 'exit_code() { return 4; }'; exit_code; echo $?
eval 'if true; then
echo multi
fi'; eval 'for i in 1 2; do' 'echo $i;' done; v=$(eval 'echo sub'); echo $v; eval "f() { echo '$c'; }"; f; eval 'break' 2>/dev/null; for i in 1 2; do eval 'break'; done; echo $i; eval 'syntax (' 2>/dev/null; echo $?; eval 'true' && echo ok; name=dyn; eval "${name}_v=5"; eval "echo \$${name}_v \${${name}_v}"; set -- x y; eval 'echo $2'; eval "$(printf 'p=%q' "a'b c")"; echo "$p"

#### sourcing
echo 'echo "args: $# $*"; sv=1; return 5; echo no' > s.sh; . ./s.sh; echo $? $sv; . ./s.sh a b; echo $#; set -- k; . ./s.sh; echo $1; f() { . ./s.sh; echo "in f $?"; }; f z; source ./s.sh q | cat; (. ./s.sh; echo $sv)
. ./nosuch.sh 2>/dev/null; echo $?; echo 'set -- changed' > t.sh; . ./t.sh; echo $1; . ./t.sh arg; echo $1; mkdir lib; echo 'echo lib $1' > lib/l.sh; PATH=$PWD/lib:$PATH; . l.sh x; source /dev/stdin <<< 'echo from stdin'; . <(echo 'echo from process'); echo 'local v=1 2>/dev/null || echo nolocal' > v.sh; . ./v.sh; g() { . ./v.sh; echo "v=$v"; }; g; echo 'exit 3' > e.sh; (. ./e.sh; echo no); echo $?; echo 'false' > x.sh; . ./x.sh || echo failed; echo 'break' > b.sh; for i in 1 2; do . ./b.sh; done; echo $i

#### a calculator
calc() {
  local -a out=() ops=(); local t
  local -A prec=([+]=1 [-]=1 ['*']=2 [/]=2)
  for t; do
    if [[ $t =~ ^[0-9]+$ ]]; then out+=("$t")
    elif [[ $t == '(' ]]; then ops+=("$t")
    elif [[ $t == ')' ]]; then
      while [[ ${ops[-1]} != '(' ]]; do out+=("${ops[-1]}"); unset 'ops[-1]'; done
      unset 'ops[-1]'
    else
      while ((${#ops[@]})) && [[ ${ops[-1]} != '(' ]] && ((prec[${ops[-1]}] >= prec[$t])); do out+=("${ops[-1]}"); unset 'ops[-1]'; done
      ops+=("$t")
    fi
  done
  while ((${#ops[@]})); do out+=("${ops[-1]}"); unset 'ops[-1]'; done
  echo "${out[*]}"
  local -a st=()
  for t in "${out[@]}"; do
    if [[ $t =~ ^[0-9]+$ ]]; then st+=("$t"); else local b=${st[-1]} a=${st[-2]}; st=("${st[@]:0:${#st[@]}-2}" $((a $t b))); fi
  done
  echo "= ${st[0]}"
}
set -f
calc 1 + 2 '*' 3
calc '(' 1 + 2 ')' '*' 3 - 4 / 2

#### a game of life
declare -A g; W=5 H=5
for c in 1,2 2,2 3,2; do g[$c]=1; done
for gen in 0 1 2; do
  echo "gen $gen"
  for ((y = 0; y < H; y++)); do row=; for ((x = 0; x < W; x++)); do row+=${g[$x,$y]:+#}${g[$x,$y]:-.}; done; echo "${row//1/}"; done
  declare -A n=()
  for ((y = 0; y < H; y++)); do for ((x = 0; x < W; x++)); do
    c=0
    for dy in -1 0 1; do for dx in -1 0 1; do ((dx || dy)) && [[ ${g[$((x + dx)),$((y + dy))]:-} ]] && ((++c)); done; done
    if ((c == 3)) || { ((c == 2)) && [[ ${g[$x,$y]:-} ]]; }; then n[$x,$y]=1; fi
  done; done
  unset g; declare -A g; for k in "${!n[@]}"; do g[$k]=1; done
done

#### binary search and bits
bs() { local -n a=$1; local t=$2 lo=0 hi=$((${#a[@]} - 1)) m; while ((lo <= hi)); do m=$(((lo + hi) / 2)); if ((a[m] == t)); then echo "$m"; return; elif ((a[m] < t)); then lo=$((m + 1)); else hi=$((m - 1)); fi; done; echo -1; }
s=(1 3 5 7 9 11); bs s 7; bs s 1; bs s 4
flags=0; READ=$((1 << 0)) WRITE=$((1 << 1)) EXEC=$((1 << 2)); ((flags |= READ | EXEC)); ((flags & WRITE)) || echo "no write"; ((flags &= ~EXEC)); echo $flags; perm() { local m=$1 o=; for b in r w x; do ((m & 4)) && o+=$b || o+=-; ((m <<= 1)); done; echo "$o"; }; perm 5; perm 7; perm 2
crc() { local s=$1 c=0 i; for ((i = 0; i < ${#s}; i++)); do printf -v o %d "'${s:i:1}"; ((c = (c * 31 + o) & 0xffff)); done; printf '%04x\n' "$c"; }; crc hello; crc world

#### parsing a table
t='NAME   STATUS    AGE
web-1  Running   2d
web-2  Error     5h
db     Running   10d'
{ read -r; while read -r name status age; do [[ $status == Error ]] && echo "$name failing for $age"; done; } <<< "$t"
mapfile -t rows < <(tail -n +2 <<< "$t"); echo "${#rows[@]} rows"; for r in "${rows[@]}"; do set -- $r; printf '%s=%s ' "$1" "$3"; done; echo
running=$(grep -c Running <<< "$t"); echo "$running of ${#rows[@]}"; cut -c1-5 <<< "$t" | tail -n 1

#### versions of git tags
tags=$'v1.0.0\nv1.10.0\nv1.2.0\nv2.0.0-rc1\nnot-a-version'
latest=$(grep -E '^v[0-9]+\.[0-9]+\.[0-9]+$' <<< "$tags" | sort -V | tail -n 1); echo "$latest"
IFS=. read -r major minor patch <<< "${latest#v}"; echo "$major.$((minor + 1)).0 $((major + 1)).0.0 $major.$minor.$((patch + 1))"
while read -r t; do [[ $t =~ ^v([0-9]+)\. ]] && echo "major ${BASH_REMATCH[1]}"; done <<< "$tags" | sort | uniq -c | sed 's/^ *//'

#### exit codes with names
declare -rA EXIT=([ok]=0 [usage]=64 [data]=65)
die() { local code=${EXIT[$1]:-1}; shift; printf 'error: %s\n' "$*" >&2; exit "$code"; }
(die usage 'wrong flag'); echo $?; (die other 'unknown'); echo $?; (exit "${EXIT[ok]}"); echo $?
for k in data ok usage; do echo "$k=${EXIT[$k]}"; done

#### passing arrays to functions
sum() { local t=0 x; for x; do ((t += x)); done; echo "$t"; }
nums=(1 2 3 4); sum "${nums[@]}"; sum "${nums[@]:1:2}"; sum
map() { local f=$1; shift; local x; for x; do "$f" "$x"; done; }; double() { echo $(($1 * 2)); }; map double "${nums[@]}" | xargs
filter() { local p=$1 x; shift; for x; do "$p" "$x" && echo "$x"; done; return 0; }; odd() { (($1 % 2)); }; mapfile -t odds < <(filter odd "${nums[@]}"); echo "${odds[*]}"
reduce() { local acc=$2 f=$1 x; shift 2; for x; do acc=$("$f" "$acc" "$x"); done; echo "$acc"; }; mul() { echo $(($1 * $2)); }; reduce mul 1 "${nums[@]}"

#### strings in loops
s="a,b;c d"; while [[ $s ]]; do case $s in *[,\;\ ]*) head=${s%%[,; ]*}; s=${s#*[,; ]} ;; *) head=$s s= ;; esac; echo "$head"; done
word=mississippi; out=; while [[ $word ]]; do c=${word:0:1}; rest=${word//[^$c]/}; out+="$c${#rest} "; word=${word//$c/}; done; echo "$out"
n=0; for ((i = 0; i < ${#out}; i++)); do [[ ${out:i:1} == [0-9] ]] && ((n += ${out:i:1})); done; echo $n
rle() { local s=$1 o= c n; while [[ $s ]]; do c=${s:0:1}; n=${s%%[!"$c"]*}; o+=${#n}$c; s=${s#"$n"}; done; echo "$o"; }; rle aaabccd

#### a spinner, a countdown and a pause
countdown() { local i; for ((i = $1; i > 0; i--)); do printf '%d... ' "$i"; done; echo liftoff; }
countdown 3; frames=('-' '\' '|' '/'); for i in {0..5}; do printf '%s' "${frames[i % ${#frames[@]}]}"; done; echo
read -r -t 0.01 -n 1 key < <(sleep 0.1) || echo "no key"; printf '%s\n' "${frames[@]: -1}" "${frames[-2]}"

#### ANSI-C quotes in patterns and splits
IFS=$'\t' read -r a b <<< $'x\ty z'; echo "$b"; [[ $'a\nb' == *$'\n'* ]] && echo newline; v=$'l1\nl2'; echo "${v%%$'\n'*}" "${v#*$'\n'}" "${v//$'\n'/,}"
printf '%s\n' $'tab:\t|' $'q:\'' $'oct:\101' $'hex:\x42' $'u:\u43' $'bs:\\'; case $'a\tb' in a$'\t'b) echo tab ;; esac; declare -A m=([$'k\n']=v); echo "${m[$'k\n']}"; echo $'a' $'b''c'"d"

#### lists of options from a help text
help='Options:
  -a, --all        show all
  -q               be quiet
      --name NAME  set the name'
sed -nE 's/^ +(-[a-z])?,? *(--[a-z]+)?.*/\1 \2/p' <<< "$help" | while read -r s l; do echo "short=${s:-none} long=${l:-none}"; done
grep -oE -- '--[a-z]+' <<< "$help" | sort | xargs; grep -cE '^ ' <<< "$help"; sed -n '2,$p' <<< "$help" | cut -c3- | head -n 1

#### a trap of a function that calls another
f() { trap 'echo f-exit' RETURN; g; echo f; }; g() { echo g; }; set -T; f; trap - RETURN; set +T

#### operations on arrays
a=(1 2 3); echo "${a[@]:-x}" "${a[*]:+y}" "${#a[*]}" "${a[@]:$((1))}" "${a[@]: -2:1}"; b="${a[*]}"; echo ${b// /-}; echo "${a[@]/2/two}"; echo "${a[@]@A}"; echo "${a[*]@Q}"; declare -A m=([x]=1); echo "${m[@]@K}" "${m[@]@k}"; x='a b'; echo "${x@U} ${x@u} ${x@L} ${x@E} ${x@A} ${x@a}"

#### operations on indirect names
x=hello; y=x; echo "${!y:1:3}" "${!y^}" "${!y/l/L}" "${!y:-none}" "${#y}"; n=2; echo "${x:n}" "${x:$n:1}" "${x:(-2)}" "${x: -n}" "${x::2}" "${x:1:-1}"; set -- a b c; echo "${@:n}" "${*:1:2}" "${!n}" "${@: -1}"; echo "${x:0:1}${x:1}" "${x%%l*}" "${x##*l}"; unset z; echo "${z:0:1}|${z#x}|${z/a/b}|${z^^}|${#z}"

#### loops with their own IFS
while IFS=$' \t' read -r a b; do echo "[$a|$b]"; done <<< $'  x  y  z \n\tq\tr\n'; IFS= ; v='a b'; set -- $v; echo $#; unset IFS; set -- $v; echo $#; printf '%s\n' a b | while IFS= read -r l; do printf '<%s>' "$l"; done; echo; IFS=:; for d in $PATH; do :; done; echo "${d:+ok}"; unset IFS

#### statuses that leave loops and pipelines
(while read -r x; do [ "$x" = 2 ] && exit 5; echo "$x"; done < <(seq 3)); echo $?; seq 3 | (while read -r x; do [ $x = 2 ] && exit 6; done); echo $?; f() { while :; do return 7; done; }; f; echo $?; g() { for i in 1 2; do for j in 1 2; do [ $j = 2 ] && return $i$j; done; done; }; g; echo $?; h() { { return 3; }; echo no; }; h; echo $?; k() { (return 4); echo "k $?"; }; k; case x in x) false ;; esac; echo $?

#### arithmetic commands
((x = 5, x++ , x *= 2)); echo $x; for ((i = 10, j = 0; i > j; i -= 3, j++)); do echo $i $j; done; while ((x-- > 9)); do echo w$x; done; if ((x > 5 && x < 20)); then echo in; fi; ((!0)) && echo t; echo $((x > 3 ? x : -x)) $(( x == 8 )) $((x & 1 | 2)); let "y = x << 2" "z = y % 7"; echo $y $z; declare -i s=0; for k in 1 2 3; do s+=k; done; echo $s; echo $((RANDOM >= 0)) $((${x}1 + 1)) $((x$n)) 2>/dev/null

#### case in corners
x=Abc; case $x in [a-z]*) echo low ;; [[:upper:]]*) echo up ;;& *c) echo ends ;; esac; case "" in "") echo empty ;; esac; case 'a|b' in 'a|b') echo pipe ;; esac; case $'\n' in $'\n') echo nl ;; esac; case 5 in [0-9]|1[0-9]) echo num ;; esac; case x in (x) echo paren ;; esac; v='*'; case anything in "$v") echo lit ;; $v) echo glob ;; esac

#### here-strings
cat <<< "a $((1+1)) $(echo b)"; cat <<< 'no $x'; cat <<< a\ b; v='x  y'; cat <<< $v; cat <<< "$v"; cat <<< *; wc -c <<< "" | tr -d ' '; read -r a b <<< "1 2 3"; echo "$b"; tr a-z A-Z <<< abc | rev; cat - <<< one; cat <<< "l1
l2"; f() { cat; } <<< always; f; f

#### options and attributes of locals
f() { local a=1; local a; echo "${a-unset}"; local -r r=1; (r=2) 2>/dev/null || echo ro; local x y=2 z; echo "$x$y$z"; }; f; g() { local v; v=$(h); echo "$v"; }; h() { echo "${v-hidden}"; v=changed; }; v=outer; g; echo $v; p() { local IFS=,; set -- 1 2; echo "$*"; }; p; echo "$*"; q() { local -; set -e; set -f; }; q; echo $- | tr -d hBs; r() { local -i n=2+3; local -u s=low; local -a arr=(1 2); local -A m=([k]=v); echo $n $s ${arr[1]} ${m[k]}; }; r; t() { local "a=1 2" b="3 4"; echo "$a|$b"; }; t; n=x; w() { local $n=5 "${n}y=6"; echo $x $xy; }; w; echo ${x-none}

#### globs in various places
touch a1 a2 b1; echo a*; x=a*; echo $x "$x"; for f in [ab]1; do echo $f; done; case a1 in a*) echo m ;; esac; [[ a1 == a* ]] && echo mm; arr=(a*); echo ${#arr[@]}; echo "a"*; echo 'a'"*"; echo a\*; ls -d *1 | xargs; echo ?2; echo [!a]*; echo {a,b}*; v='[ab]?'; echo $v; set -- *; echo $#; cat < a1; echo x > b*1 2>/dev/null; cat b1; printf '%s,' *; echo; echo **; echo ./a*; echo .*/ | tr ' ' '\n' | head -n 0; rm a*; echo a*

#### set -u in corners
set -u; a=(); echo "${a[@]}" "${#a[@]}" "${a[*]}"; declare -A m; echo "${m[@]:-none}"; echo "${x:-d}" "${x-d}" "${x+s}"; f() { echo "${1-none} ${2:-two} $# $*"; }; f; echo "${@}" "${*}" "$#"; (echo "$1") 2>/dev/null || echo no1; (echo "${a[0]}") 2>/dev/null || echo noel; (echo "${m[k]}") 2>/dev/null || echo nokey; (echo $((nope + 1))) 2>/dev/null || echo noarith; (echo "${#nope}") 2>/dev/null || echo nolen; (echo ${nope#x}) 2>/dev/null || echo notrim; [[ -v nope ]] || echo notset; [[ ${nope:-} ]] || echo empty; (unset nope; local y=1) 2>/dev/null; unset nope; echo ok; n=; echo "${n}|${n:-e}|${n-u}"

#### the first job that ends
(exit 3) & (sleep 1; exit 4) & wait -n -p who; echo $?; [[ -n $who ]] && echo known; wait; echo $?

#### loops over several descriptors
while read -r a <&3 && read -r b <&4; do echo $a-$b; done 3<<< $'1\n2' 4<<< $'x\ny'; exec 3<<< $'q\nr'; while read -r l <&3; do echo $l; done; exec 3<&-; exec 8>&1 9>&2; echo to8 >&8; exec 8>&-; { echo a; echo b; } 7>&1 1>&7 | wc -l | tr -d ' '

#### set -e in deep conditions
set -e; f() { false; echo f-on; }; g() { f; echo g-on; }; if g; then echo then; fi; g && echo and; ! g; x=$(g) || true; echo "x=$x"; (g) && echo sub; h() { set -e; false; echo h-on; }; h || echo caught; { false; echo group; } || true; for i in 1; do false || continue; echo no; done; echo reached; while g2() { false; }; ! g2; do echo loop; break; done; case $(false) in *) echo case ;; esac; [[ $(false) == '' ]] && echo cond; v="$(echo a; false)" || echo "v=$v"; echo end; g; echo never

#### counting commands
trap 'n=$((n+1))' DEBUG; :; :; f() { :; :; }; f; trap - DEBUG; echo $n

#### parameters of the shell
set -- a b; echo "$#$*$@$?$-" | tr -d hBs; echo "${#@} ${#*} ${##} ${#?}"; echo "$$" | grep -cE '^[0-9]+$'; true; echo "$_"; ls /nosuch 2>/dev/null; echo "$? $_"; : arg1 arg2; echo $_; echo "${_}"; sleep 0 & [[ $! -gt 0 ]] && echo bang; wait; echo "$0" | sed 's/.*\///'; echo "${0##*/}" ${1:+one} "${@:0:1}" | sed 's/[^ ]*\/script/script/'

#### unsetting
f() { :; }; f2=1; unset f; f; echo $?; unset f2 nosuch; echo $? "${f2-gone}"; unset -f nosuch; echo $?; v=1; f() { :; }; v() { echo func; }; unset v; echo "${v-gone}"; v; unset v; v 2>/dev/null || echo nofunc; readonly R=1; unset R 2>/dev/null; echo $?; a=(1 2 3); unset a[1]; echo "${a[@]}"; unset 'a[@]'; echo ${#a[@]}; unset -v a; declare -A m=([x]=1); unset m[x]; echo ${#m[@]}; unset 1x 2>/dev/null; echo $?

#### shifting in functions
f() { shift; echo "$@"; g "$@"; echo "$#"; }; g() { shift 2; echo "g:$*"; }; f 1 2 3 4; echo "outer $#"; set -- 1 2 3; h() { set -- x; }; h; echo $#; shift 2; echo $1; k() { local a; for a; do echo "k$a"; shift; done; echo $#; }; k p q; while (($#)); do echo $1; shift || break; done

#### tables in associative arrays
declare -A t=([a,0]=1 [a,1]=2 [b,0]=3); for k in "${!t[@]}"; do IFS=, read -r r c <<< "$k"; echo "$r $c ${t[$k]}"; done | sort; rows=("x|1" "y|2"); for row in "${rows[@]}"; do echo "${row%|*}=${row#*|}"; done; printf '%s\n' "${rows[@]/|/:}" | sort -r; printf -v pad '%*s' 5; echo "[$pad]"; printf '|%-5s|%5s|\n' "${rows[@]%|*}"; declare -p rows | sed 's/declare -a //'

#### exec
(exec echo replaced; echo no); (exec -a name sh -c 'echo $0'); exec 3>f3; echo in >&3; exec 3>&-; cat f3; (exec > f4; echo hidden); cat f4; (exec 2>&1; ls /nosuch | wc -l | tr -d ' '); (exec nosuchcmd 2>/dev/null; echo no); echo $?; (exec < f3; cat); (shopt -s execfail 2>/dev/null; true); sh -c 'exec sh -c "exit 9"'; echo $?; (trap 'echo t' EXIT; exec true); echo end; exec 4>&1 > >(cat > f5); echo through; exec >&4 4>&-; until [ -s f5 ]; do sleep 0.01; done; cat f5
