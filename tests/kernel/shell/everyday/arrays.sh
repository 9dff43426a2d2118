#### making and looking at arrays
a=(one "two words" three)
echo "${a[0]}" "${a[1]}" "${#a[@]}" "${#a[1]}" "${a[-1]}" "${!a[@]}"
a[5]=six; a+=(seven)
echo "${!a[@]}" "${#a[@]}"
for x in "${a[@]}"; do printf '<%s>' "$x"; done; echo
for i in "${!a[@]}"; do printf '%s=%s;' "$i" "${a[$i]}"; done; echo
declare -p a
unset 'a[1]'; echo "${a[@]}" "${#a[@]}"
a=("${a[@]}"); echo "${!a[@]}"
unset a; echo "${#a[@]}" "${a[@]-none}"

#### slices and patterns
a=(a b c d e f)
echo "${a[@]:2}" "${a[@]:1:3}" "${a[@]: -2}" "${a[@]:0:${#a[@]}-1}"
files=(x.c y.h z.c)
echo "${files[@]%.c}" "${files[@]/.c/.o}" "${files[@]/#/src/}" "${files[@]/%/.bak}" "${files[@]##*.}"
echo "${files[@]/*.h/}" "${#files[@]}"
b=("${files[@]/#/-I}"); printf '%s\n' "${b[@]}"
echo "${a[*]}" "$(IFS=-; echo "${a[*]}")"
copy=("${a[@]}"); copy[0]=z; echo "${a[0]} ${copy[0]}"
echo "${a[@]^^}" "${a[@]@Q}"

#### stack and queue
stack=()
push() { stack+=("$@"); }
pop() { [[ ${#stack[@]} -gt 0 ]] || return 1; popped=${stack[-1]}; unset 'stack[-1]'; }
push 1 2; push 'three 3'
while pop; do echo "$popped"; done
queue=(a b c)
while ((${#queue[@]})); do
  head=${queue[0]}; queue=("${queue[@]:1}")
  echo "$head (${#queue[@]} left)"
  [[ $head == a ]] && queue+=(d)
done

#### whether something is in it
contains() { local x=$1 e; shift; for e; do [[ $e == "$x" ]] && return 0; done; return 1; }
list=(apple "big pear" fig)
contains "big pear" "${list[@]}" && echo yes
contains pear "${list[@]}" || echo no
[[ " ${list[*]} " == *" fig "* ]] && echo found
printf '%s\n' "${list[@]}" | grep -qx apple && echo grep
index_of() { local i; for i in "${!list[@]}"; do [[ ${list[i]} == "$1" ]] && { echo "$i"; return; }; done; echo -1; }
index_of fig; index_of nope

#### sorting and uniqueness
nums=(10 9 2 33 1)
IFS=$'\n' sorted=($(sort -n <<< "${nums[*]}")); unset IFS
echo "${sorted[@]}"
mapfile -t desc < <(printf '%s\n' "${nums[@]}" | sort -rn); echo "${desc[@]}"
dups=(b a b c a)
mapfile -t uniq < <(printf '%s\n' "${dups[@]}" | sort -u); echo "${uniq[@]}"
declare -A seen=(); out=()
for d in "${dups[@]}"; do [[ -n ${seen[$d]+x} ]] || out+=("$d"); seen[$d]=1; done; echo "${out[@]}"
bubble=(5 3 8 1); n=${#bubble[@]}
for ((i = 0; i < n; i++)); do for ((j = 0; j < n - i - 1; j++)); do
  if ((bubble[j] > bubble[j+1])); then t=${bubble[j]}; bubble[j]=${bubble[j+1]}; bubble[j+1]=$t; fi
done; done; echo "${bubble[@]}"
max=${nums[0]}; for n in "${nums[@]}"; do ((n > max)) && max=$n; done; echo "$max"
sum=0; for n in "${nums[@]}"; do ((sum += n)); done; echo "$sum $((sum / ${#nums[@]}))"

#### associative arrays
declare -A age=([alice]=30 [bob]=25)
age[carol]=41; age["dave jones"]=19
echo "${age[alice]} ${#age[@]} ${age[nobody]-unknown}"
for k in "${!age[@]}"; do echo "$k=${age[$k]}"; done | sort
((age[bob]++)); age[bob]+=0; echo "${age[bob]}"
[[ -v age[alice] ]] && echo has; [[ -v age[zed] ]] || echo has not
unset 'age[alice]'; echo "${#age[@]}"
k="dave jones"; echo "${age[$k]}"; unset 'age[$k]'; echo "${#age[@]}"
k=bob; unset "age[$k]"; echo "${!age[@]}"
[[ -n ${age[carol]+set} ]] && echo set
declare -A empty=(); echo "${#empty[@]}" "${!empty[@]}"

#### counting with an associative array
declare -A count
while read -r word; do
  ((count[$word]++)) || true
done < <(tr -s ' ' '\n' <<< "to be or not to be that is the question to")
for w in "${!count[@]}"; do printf '%d %s\n' "${count[$w]}" "$w"; done | sort -k1,1nr -k2 | head -n 3
declare -A group
while IFS=, read -r name team; do group[$team]+="${group[$team]:+ }$name"; done <<'X'
ann,red
bob,blue
cid,red
X
for t in blue red; do echo "$t: ${group[$t]}"; done

#### keys that are hard
declare -A m
m['a b']=1; m["c'd"]=2; m[e]=3; m[x.y-z]=4; m["[k]"]=5
for k in 'a b' "c'd" e x.y-z '[k]'; do echo "$k: ${m[$k]}"; done
key='a b'; m[$key]=changed; echo "${m['a b']} ${m["a b"]} ${m[$key]}"
m[$key$key]=double; echo "${m[a ba b]}"
i=e; echo "${m[$i]} ${m["$i"]}"
printf -v 'm[$key]' '%s' printed; echo "${m[$key]}"
read -r 'm[$key]' <<< 'was read'; echo "${m[$key]}"
test -v 'm[$key]' && echo is set
unset 'm[$key]'; test -v 'm[$key]' || echo unset; echo "${#m[@]}"

#### arrays by name
show() { local -n ref=$1; echo "$1 has ${#ref[@]}: ${ref[*]}"; }
nums=(1 2 3); show nums
append() { local -n target=$1; shift; target+=("$@"); }
append nums 4 5; show nums
declare -A conf=([k]=v); get() { local -n map=$1; echo "${map[$2]}"; }; get conf k
fill() { local -n out=$1; out=(); local i; for i in 3 2 1; do out+=("$i"); done; }
fill result; echo "${result[@]}"
name=nums; indirect="$name[@]"; echo "${!indirect}"; one="$name[1]"; echo "${!one}"
swap() { local -n x=$1 y=$2; local t=$x; x=$y; y=$t; }
p=1 q=2; swap p q; echo "$p $q"
declare -n alias=p; alias=9; echo "$p ${!alias}"; unset -n alias; echo "$p"

#### mapfile
mapfile -t lines < <(printf 'one\ntwo words\n\nfour')
echo "${#lines[@]}"; printf '[%s]' "${lines[@]}"; echo
mapfile -t -n 2 some < <(seq 5); echo "${some[@]}"
mapfile -t -s 3 some < <(seq 5); echo "${some[@]}"
readarray -t -d , parts < <(printf 'a,b,c'); echo "${#parts[@]} ${parts[@]}"
mapfile -t -d '' names < <(printf 'x y\0z\0'); echo "${#names[@]} [${names[0]}] ${#names[0]}"
mapfile -d '' keep < <(printf 'ab\0cd\0'); echo "${#keep[0]} ${#keep[1]}"
mapfile raw <<< $'a\nb'; printf '%q ' "${raw[@]}"; echo
mapfile -t -O 2 off <<< x; echo "${!off[@]}"
while IFS= read -r -d '' f; do echo "<$f>"; done < <(printf 'n 1\0n 2\0')

#### words read into arrays
read -ra w <<< "  the quick  brown fox "; echo "${#w[@]} ${w[2]}"
IFS=, read -ra c <<< "a,,b"; echo "${#c[@]}"
w=($(echo a b c)); echo "${#w[@]}"
IFS=: p=($PATH_LIKE); PATH_LIKE=/a:/b:/c; IFS=: p=($PATH_LIKE); unset IFS; echo "${#p[@]} ${p[1]}"
echo "x y z" | { read -r a b; echo "$b"; }
read -r one two three <<< "1 2"; echo "[$one][$two][$three]"
set -f; pat='*.sh ?'; arr=($pat); set +f; echo "${#arr[@]} ${arr[0]}"

#### two dimensions
declare -A grid
for ((y = 0; y < 3; y++)); do for ((x = 0; x < 3; x++)); do grid[$y,$x]=$((y * 3 + x)); done; done
for ((y = 0; y < 3; y++)); do
  row=(); for ((x = 0; x < 3; x++)); do row+=("${grid[$y,$x]}"); done
  echo "${row[*]}"
done
echo "${grid[1,1]} ${#grid[@]}"
m=("1 2 3" "4 5 6"); for r in "${m[@]}"; do read -ra c <<< "$r"; echo "${c[2]}"; done

#### set operations
a=(1 2 3 4); b=(3 4 5)
comm -12 <(printf '%s\n' "${a[@]}" | sort) <(printf '%s\n' "${b[@]}" | sort) | tr '\n' ' '; echo
comm -23 <(printf '%s\n' "${a[@]}" | sort) <(printf '%s\n' "${b[@]}" | sort) | tr '\n' ' '; echo
printf '%s\n' "${a[@]}" "${b[@]}" | sort -u | tr '\n' ' '; echo
diff=(); for x in "${a[@]}"; do for y in "${b[@]}"; do [[ $x == "$y" ]] && continue 2; done; diff+=("$x"); done; echo "${diff[@]}"

#### local arrays
f() {
  local -a list=("$@")
  local -A map=([n]=${#list[@]})
  list+=(extra)
  echo "${list[*]} ${map[n]}"
}
list=outer
f a 'b c'
echo "$list" "${map[n]-none}"
g() { local list=("${list[@]}" more); echo "${list[@]}"; }
g; echo "$list"
h() { local i; for i in 1 2; do local inner=$i; done; echo "$inner"; }; h; echo "${inner-unset}"

#### arithmetic on elements
a=(1 2 3); i=1
((a[i] += 10)); ((a[i+1]++)); a[0]=$((a[0] * 5))
echo "${a[@]}" $((a[0] + a[1])) "$((${#a[@]} - 1))"
declare -i n; n=2+3; n+=4; echo $n
declare -ai nums=(1+1 2*3); nums[0]+=5; echo "${nums[@]}"
a[${#a[@]}]=next; echo "${a[3]}"
for ((i = ${#a[@]} - 1; i >= 0; i--)); do printf '%s ' "${a[i]}"; done; echo
echo "${a[i+1]}" "${a[$((1+1))]}"
fib=(0 1); while ((${#fib[@]} < 10)); do fib+=($((fib[-1] + fib[-2]))); done; echo "${fib[*]}"

#### constants and read-only arrays
readonly -a COLORS=(red green blue)
declare -r LIMIT=5
readonly NAME=fixed
echo "${COLORS[1]} $LIMIT"
(COLORS[0]=x) 2>/dev/null; echo $?
(LIMIT=6); echo $?
declare -p COLORS LIMIT
for c in "${COLORS[@]}"; do printf '%s ' "${c^^}"; done; echo
NAME=other
echo "not reached in a script"
