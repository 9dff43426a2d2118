#### functions within functions
outer() {
  inner() { echo "inner of $1"; }
  inner "$1"
  helper() { local x=$1; deep() { echo "deep $x"; }; deep; }
  helper z
}
inner 2>/dev/null || echo "not yet"
outer a; inner b; deep 2>/dev/null; x=top deep
f() { f() { echo second; }; echo first; }; f; f
unset -f inner; inner 2>/dev/null; echo $?
g() { unset -f g; echo gone; }; g; g 2>/dev/null; echo $?
h() { if [[ $1 ]]; then h; else echo "end ${#FUNCNAME[@]} $*"; fi; }; h x

#### dynamic scope
a() { local v=a; b; echo "a:$v"; }
b() { c; echo "b:$v"; }
c() { v=c; local v=local; echo "c:$v"; }
v=global; a; echo "global:$v"; b; echo "$v"
show() { echo "${v-unset}"; }
d() { local v; show; v=1; show; unset v; show; }
d; echo "$v"
e() { local v=$v$v; echo "$v"; }; v=x e; v=y; e; echo "$v"
k() { local v=1; k2; echo "k:$v"; }; k2() { unset v; echo "k2:${v-unset}"; v=2; }; k; echo "$v"
m() { declare -g made=here; local made2=no; }; m; echo "${made-none} ${made2-none}"
n() { declare x=1; typeset y=2; echo $x$y; }; n; echo "${x-none}${y-none}"

#### names that refer to others
declare -n r=target; r=1; echo $target; target=2; echo $r; unset r; echo "${target-unset}"
target=(a b); unset -n r; declare -n r=target; r+=(c); echo "${target[@]} ${#r[@]} ${r[1]}"
f() { local -n out=$1; out=set; }; f dest; echo $dest
f2() { local -n arr=$1; local i; for i in "${!arr[@]}"; do arr[i]+=!; done; }; list=(x y); f2 list; echo "${list[@]}"
declare -A map=([k]=1); f3() { local -n m=$1; m[new]=2; echo "${#m[@]}"; }; f3 map; echo "${map[new]}"
declare -n el='list[1]'; echo $el; el=changed; echo "${list[@]}"; declare -n mk='map[k]'; echo $mk; mk=9; echo ${map[k]}
declare -n loop1=loop2 loop2=x3; x3=ok; echo $loop1; for_ref() { local -n ref; for ref in p q; do ref=$1; done; }; for_ref v; echo "$p$q"
[[ -R el ]] && echo reference; echo ${!el}

#### exported, integer and read-only variables
export A=1; B=2; sh -c 'echo "${A-no} ${B-no}"'; export B; sh -c 'echo $B'; export -n B; sh -c 'echo ${B-no}'
declare -x C=3; sh -c 'echo $C'; declare +x C; sh -c 'echo ${C-no}'; unset A; sh -c 'echo ${A-gone}'
declare -i n=5; n+=3; echo $n; n=n*2; echo $n; n="1 + 1"; echo $n; n=abc; echo $n; declare +i n; n+=3; echo $n
readonly r=1; (r=2) 2>/dev/null; echo $?; (unset r) 2>/dev/null; echo $?; declare -p r
declare -l low=ABC; low+=DEF; echo $low; declare -u up; up=abc; echo $up
declare -p A 2>/dev/null || echo none; x=; declare -p x; declare y; declare -p y; declare -a z=(); declare -p z
export E='a "b"'; export -p | grep ' E='; readonly -p | grep ' r='; unset E; set | grep -c '^E='
typeset -i k=0x10 j=010; echo $k $j; declare -ir const=2+3; echo $const; declare -rx both=1; declare -p both

#### default values and their quotes
unset u; e=; s=set
show() { printf '%d' $#; printf '[%s]' "$@"; echo; }
show ${u:-a b}; show "${u:-a b}"; show ${u:-"a b"}; show ${u:-'a b'}; show "${u:-'a b'}"; show ${u:-a "b c" d}
show ${e:-x}; show ${e-x}; show ${s:+y}; show ${u:+y}; show "${u:+y}"; show ${s:+"a b"}; show "${s:+a  b}"
show ${u:-$s}; show ${u:-${e:-deep}}; show "${u:-"inner quoted"}"; show ${u:-*.nosuch}; show "${u:-\}}"; show ${u:-\$x}
show ${u:=assigned value}; show "$u"; unset u; show "${u:=  kept  }"; show $u; : "${new:=$(echo sub)}"; show $new
set --; show "${@:-none}"; show "${1:-first}"; show ${1+set}; set -- ''; show "${1:-empty}" "${1-unset}"
show "${s:-}" "${nosuch-}" ${nosuch-}; arr=(); show "${arr[@]:-none}"; show ${arr[@]+"${arr[@]}"}; arr=(a 'b c'); show ${arr[@]+"${arr[@]}"}
IFS=:; show ${nosuch:-a:b}; show "${nosuch:-a:b}"; v=x:y; show ${nosuch:-$v}; unset IFS; show ${s:?}; (: ${nosuch:?told}) 2>&1 | sed 's/.*nosuch/nosuch/'

#### brace expansion
echo {a,b,c} x{1,2}y {1..5} {5..1} {a..e} {0..10..5} {10..0..-5} {01..03} {-2..2} {a,b}{1,2} {a,{b,c},d}
echo {} {a} {,} a{,}b {a,b}{c,d}{e,f} {1..3}{x,y} {x,y}.{txt,md} "{a,b}" \{a,b\} {a\,b,c} {'a b',c} {$HOME,x} | sed "s|$HOME|H|"
echo {1..a} {a..3} {1.5..2} {..} {1..} {a,b {a,b}} a{b}c ${x}{1,2} {a..c..2} {001..10..4} {z..x} {A..c} | tr -d '\\`'
x=3; echo {1..$x} $(eval echo {1..$x}); mkdir -p d/{a,b}/{1,2}; find d -type d | sort | xargs; echo d/{a,b}/*; for i in {1..3}{a,b}; do printf '%s ' $i; done; echo
v={a,b}; echo $v; a=({x,y}{1,2}); echo ${#a[@]}; echo --{foo,bar}=1 pre{fix,}-{,post}; cp script.sh{,.bak} && ls script.sh.bak

#### arithmetic in corners
echo $((1?2:3?4:5)) $((1,2,3)) $((2**3**2)) $((-2**2)) $((!0+1)) $((~5)) $((5%-3)) $((-5%3)) $((-5/2)) $((1<<62)) $((1<<64)) $((-1>>1))
echo $((010)) $((0x1F)) $((2#101)) $((36#z)) $((64#_)) $((16#AB)) $((1==1)) $((1&&0||1)) $((3&5|2^1)) $((1<2<3)) $((a=b=4)) $a $b
i=1; echo $((i+++i)) $i $((i---i)) $i $((- -3)) $((+-+3)) $((i+=i*=2)) $i; ((i<<=2)); echo $i; ((i>>=1,i|=1)); echo $i; ((i^=3)); echo $i; ((i%=4)); echo $i
x='1+2'; echo $((x*2)) $(($x*2)); y=x; echo $((y)); z='y*y'; echo $((z)); arr=(5 6 7); echo $((arr[1]+arr[-1])) $((arr)) $((arr[i=2])) $i
echo $((9223372036854775807)) $((9223372036854775807+1)) $((-9223372036854775808)) $((9223372036854775808)) $((0x7fffffffffffffff))
for e in '1+' '1 2' '08' '2#3' '1/0' '1%0' '2**-1' 'a b' '++' '(1' '08#7' '1=2' '37#z' '65#1' '1#0' '@' '5 $'; do (echo "$e: $((e))") 2>/dev/null || echo "$e: error"; done
echo $(( ( 1 + 2 ) * 3 )) $((
 4 +
 5 )) $(( "3" + 4 )) $((${#HOME}>0)) $(($(echo 6)*7)) $((${none:-8})); let 'q = 3' r=q+1 && echo $q $r; let 0; echo $?; ((5)); echo $?

#### traps in subshells
trap 'echo outer' EXIT; trap 'echo usr1' USR1; trap '' USR2
(echo sub; trap); (trap 'echo inner' EXIT; echo in); (kill -USR2 $BASHPID; echo ignored)
(trap -p EXIT; trap - USR2; kill -0 $$ && echo alive); x=$(trap 'echo from subst' EXIT; echo body); echo "$x"
{ trap 'echo group' USR1; }; kill -USR1 $$; f() { trap 'echo function' USR1; }; f; kill -USR1 $$
{ (kill -USR1 $BASHPID; echo survived); echo $?; } 2>/dev/null; echo piped | { trap 'echo pipe exit' EXIT; cat; }
bash -c 'trap "echo child" EXIT; kill -USR2 $$; echo still'; (exit 3); trap 'echo "last $?"' EXIT; (exit 4)

#### reads and their options
printf 'a\\tb\n' | { read x; echo "$x"; }; printf 'a\\tb\n' | { read -r x; echo "$x"; }; printf 'one\\\ntwo\n' | { read x; echo "$x"; }
printf 'abcdef\n' | { read -n 3 a; read b; echo "$a $b"; }; printf 'ab\ncd\n' | { read -N 4 a; printf '%q\n' "$a"; }; printf 'x:y' | { read -d : a; echo "$a $?"; read b; echo "$b $?"; }
read -r a b c <<< 'only'; echo "[$a][$b][$c]"; read -r <<< '  keep  '; echo "[$REPLY]"; read -r x <<< '  trim  '; echo "[$x]"; IFS= read -r x <<< '  keep  '; echo "[$x]"
IFS=, read -r a b <<< 'x,y,z,'; echo "[$a][$b]"; IFS=', ' read -r a b c <<< 'p , q,  r'; echo "[$a][$b][$c]"; IFS=: read -ra f <<< ':a::'; echo ${#f[@]}; read -a w <<< 'a\ b c'; echo "${#w[@]} ${w[0]}"
while read -r k v; do printf '%s=%s;' "$k" "$v"; done <<< $'a 1\nb 2 3\n\nc'; echo; { read -r h; cat; } <<< $'head\nrest'; read x < /dev/null; echo $? "[$x]"; printf 'no newline' | { read x; echo "$? $x"; }
read -r -u 5 x 5<<< five; echo $x; exec 6<<< $'s1\ns2'; read -r a <&6; read -r b <&6; exec 6<&-; echo $a $b; read -p prompt x <<< y; echo $x; read -s x <<< secret; echo $x; echo 1 2 | { read a[0] a[1]; echo ${a[1]}; }

#### printf in corners
printf '%s\n'; printf '%d\n'; printf '%s-%s\n' a; printf '[%5s][%-5s][%.2s][%5.1s]\n' abc abc abc abc; printf '%*d|%-*d|\n' 5 42 5 42; printf '%03d %+d % d %x %X %#x %o %#o\n' 5 5 5 255 255 255 8 8
printf '%c%c%c\n' abc def ''; printf '%b|%s\n' 'a\nb' 'a\nb'; printf '%%|%5%|\n' 2>/dev/null; printf '\x41\101\u00e9\n'; printf '%q %q %q\n' 'a b' $'t\tb' "q'q"; printf -v v '%s+' a b c; echo "$v"
printf '%s %s %s\n' 1 2 3 4 5; printf '%d %s\n' 1 a 2; printf 'plain\n' extra args; printf '%i %u\n' -3 3; printf '%.3f %8.2f %-8.2f| %e\n' 3.14159 2.5 2.5 1234.5; printf '%g %G\n' 1e-10 1e20
printf '%d\n' "'a" '"b' 0x10 010 ' 5'; printf '%d\n' abc 2>/dev/null; echo $?; printf '%d\n' 3x 2>/dev/null; echo $?; printf -- '--%s\n' x; printf '%s' ''; printf 'a\cb\n'; echo; printf '%b' 'x\cy' z; echo
printf -v 'arr[2]' %s el; echo "${arr[2]} ${#arr[@]}"; printf '%5d|%-5d|%05d\n' -7 -7 -7; printf '%s\n' "${arr[@]}" ''; printf '%(%Y-%m-%d)T %(%H)T\n' 0 3600; printf '%.5d %+.2f\n' 42 1.005; printf '%x\n' -1
