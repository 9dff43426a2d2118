#### here-documents
name=World
cat <<EOT
Hello $name, \$name, $(echo sub), $((1 + 1)), \\ and "quotes" 'too'
EOT
cat <<'EOT'
Literal $name $(echo sub) \
EOT
cat <<-EOT
	tab stripped
	  two blanks stay
	EOT
cat <<A; cat <<B
first
A
second
B
wc -l <<< "one
two" | tr -d ' '
tr a-z A-Z <<EOT | rev
piped
EOT
f() { cat; }; f <<EOT
to a function: $name
EOT
while read -r l; do echo "loop: $l"; done <<EOT
$(printf 'x\ny')
EOT
cat <<"E O"
spaced delimiter $name
E O
x=$(cat <<EOT
in a substitution: ${name^^}
EOT
); echo "$x"
cat << EOT > out.txt
into a file
EOT
cat out.txt
if true; then
  cat <<-EOT
	in an if $name
	EOT
fi

#### writing files with here-documents
set -euo pipefail
mkdir -p conf
cat > conf/app.ini <<INI
[server]
port = ${PORT:-80}
path = /srv/\${user}
INI
cat >> conf/app.ini <<'INI'
; $not expanded
INI
cat conf/app.ini
{ echo '#!/bin/sh'; echo 'echo "args: $*"'; } > run.sh
chmod +x run.sh
./run.sh 1 2
tee copy.txt > /dev/null <<< 'via tee'
cat copy.txt
sed -n '/^\[server\]/,/^\[/p' conf/app.ini | grep -c =

#### reading an ini file
cat > c.ini <<'I'
; comment
[db]
host = localhost
port=5432

[web]
host=0.0.0.0
debug = true # trailing
I
declare -A cfg
section=
while IFS= read -r line; do
  line=${line%%[;#]*}
  line="${line#"${line%%[![:space:]]*}"}"; line="${line%"${line##*[![:space:]]}"}"
  [[ -z $line ]] && continue
  if [[ $line =~ ^\[(.+)\]$ ]]; then section=${BASH_REMATCH[1]}
  elif [[ $line =~ ^([^=]+)=(.*)$ ]]; then
    k=${BASH_REMATCH[1]%% *} v=${BASH_REMATCH[2]# }
    cfg[$section.$k]=$v
  fi
done < c.ini
for k in "${!cfg[@]}"; do echo "$k=${cfg[$k]}"; done | sort

#### an env file
cat > .env <<'E'
# settings
DB_HOST=localhost
DB_PASS="p@ss word"
export API_KEY='abc=123'
EMPTY=
E
set -a; . ./.env; set +a
sh -c 'echo "$DB_HOST|$DB_PASS|$API_KEY|${EMPTY-unset}"'
while IFS='=' read -r key value; do
  [[ $key =~ ^[A-Z_]+$ ]] && echo "$key: ${value//\"/}"
done < .env
export $(grep -v '^#' .env | grep -E '^DB_HOST' | xargs); printenv DB_HOST

#### csv
cat > d.csv <<'C'
name,qty,price
apple,3,50
pear,2,75
fig,10,5
C
total=0
{ read -r header; echo "columns: $header"
while IFS=, read -r name qty price; do
  line=$((qty * price)); total=$((total + line))
  printf '%-6s %3d\n' "$name" "$line"
done; } < d.csv
echo "total $total"
tail -n +2 d.csv | sort -t, -k2,2n | cut -d, -f1 | paste -sd' ' -
column() { cut -d, -f"$1" d.csv | tail -n +2; }
column 2 | paste -sd+ - | { read -r e; echo "$((e))"; }
grep -c , d.csv; head -n 1 d.csv | tr , '\n' | nl | sed 's/^ *//; s/\t/ /'

#### tests of files
touch empty; echo data > full; mkdir dir; ln -s full link; ln -s nosuch broken; chmod +x full
for t in -e -f -d -s -r -x -L -h; do
  printf '%s:' "$t"
  for f in empty full dir link broken nosuch; do [ $t "$f" ] && printf ' %s' "$f"; done
  echo
done
[[ full -nt nosuch ]] && echo newer; [[ full -ef link ]] && echo same
touch -d '2020-01-01' old; [ full -nt old ] && echo newer; [ old -ot full ] && echo older
[ -t 0 ] || echo no terminal
[[ -p /dev/stdin || ! -t 1 ]] && echo piped
[ ! -e nosuch ] && echo absent; [ -z "$(ls dir)" ] && echo 'empty dir'

#### temporary files and cleanup
set -euo pipefail
tmp=$(mktemp)
tmpd=$(mktemp -d "${TMPDIR:-/tmp}/work.XXXXXX")
cleanup() { local code=$?; rm -rf "$tmp" "$tmpd"; echo "cleaned ($code)"; }
trap cleanup EXIT
echo data > "$tmp"; [ -s "$tmp" ] && echo has data
[[ $tmpd == */work.?????? && -d $tmpd ]] && echo named
touch "$tmpd/a b"; ls "$tmpd"
false

#### lock by directory
lock=my.lock
acquire() { if mkdir "$lock" 2>/dev/null; then echo $$ > "$lock/pid"; trap 'rm -rf "$lock"; echo released' EXIT; else echo "locked by $( [ -s "$lock/pid" ] && echo someone )"; return 1; fi; }
acquire && echo got it
(acquire) || echo second failed
set -C; : > once; (: > once) 2>/dev/null || echo noclobber; : >| once && echo forced; set +C

#### globbing
mkdir g; cd g; touch a.txt b.txt c.md .hidden 'sp ace.txt' '[x]'; mkdir sub; touch sub/d.txt
echo *.txt; echo *.none; echo [ab].txt; echo ?.md; echo .h*; echo */*.txt; echo '[x]' "[x]"
for f in *.txt; do [ -e "$f" ] || continue; printf '<%s>' "$f"; done; echo
shopt -s nullglob; files=(*.none); echo "${#files[@]}"; shopt -u nullglob
shopt -s dotglob; echo *d*; shopt -u dotglob
shopt -s globstar; echo **/*.txt; shopt -u globstar
shopt -s extglob
echo !(*.txt); echo @(a|b).txt; echo *.@(md|none)
arr=(*.txt); echo "${#arr[@]} ${arr[0]}"
set -- *.md; [ -e "$1" ] && echo "$1"
echo {a,b}.txt {a,z}.txt; x='*.md'; echo $x "$x"
(shopt -s failglob; echo *.zzz) 2>/dev/null; echo $?

#### finding files
mkdir -p p/src p/build; touch p/src/{main,util}.c p/src/main.h p/build/main.o 'p/src/a b.c'
find p -name '*.c' | sort
find p -type f -not -path '*/build/*' | wc -l | tr -d ' '
find p -type d -name src -print0 | xargs -0 -n1 basename
find p -name '*.c' -print0 | while IFS= read -r -d '' f; do echo "file: ${f##*/}"; done | sort
find p -name '*.o' -exec rm {} \; ; find p -name '*.o' | wc -l | tr -d ' '
find p -type f \( -name '*.h' -o -name 'util*' \) -exec basename {} \; | sort
find p -maxdepth 1 -mindepth 1 | sort
find p -type f -name '*.c' -exec sh -c 'for f; do echo "${f##*/}"; done' _ {} + | sort
find p -empty -type d; find . -name script.sh -newer /nosuch 2>/dev/null; echo $?

#### renaming many
touch img_{1..3}.jpeg 'My File.TXT' old-name.bak
for f in *.jpeg; do mv -- "$f" "${f%.jpeg}.jpg"; done
for f in *' '*; do mv "$f" "${f// /_}"; done
for f in *.TXT; do mv "$f" "$(basename "$f" .TXT | tr A-Z a-z).txt"; done
for f in *.bak; do cp "$f" "${f/old/new}"; done
i=0; for f in img_*.jpg; do printf -v n 'photo-%03d.jpg' $((++i)); mv "$f" "$n"; done
ls | grep -v script.sh

#### text with sed and grep
cat > log.txt <<'L'
2024-01-01 10:00:00 INFO start
2024-01-01 10:00:05 ERROR disk full on /dev/sda
2024-01-01 10:01:00 WARN slow
2024-01-02 09:00:00 ERROR timeout after 30s
L
grep ERROR log.txt | cut -d' ' -f4-
grep -c ERROR log.txt; grep -v INFO log.txt | wc -l | tr -d ' '; grep -n WARN log.txt | cut -d: -f1
grep -oE '[0-9]{2}:[0-9]{2}' log.txt | sort -u; grep -E 'disk|timeout' log.txt | sed -E 's/.*(ERROR) (.*)/\2 [\1]/'
sed -n '2p' log.txt | tr -s ' ' '\n' | head -n 3; sed '/INFO/d; s/ERROR/E/' log.txt | cut -c21-
cut -d' ' -f3 log.txt | sort | uniq -c | sort -k1,1nr -k2 | sed 's/^ *//'
while read -r d t level msg; do [[ $level == ERROR ]] && echo "$d: $msg"; done < log.txt
sed -i 's/WARN/WARNING/' log.txt; grep -o WARNING log.txt; sed -n '$=' log.txt
tail -n 1 log.txt | sed 's/^\(.*\) \(.*\) ERROR.*/\1/'; grep -q FATAL log.txt || echo none
grep -A1 start log.txt | tail -n1 | cut -c1-10; sed -e '1i\
header' -e '$a\
footer' log.txt | sed -n '1p;$p'

#### pipelines with sort, uniq and cut
printf '%s\n' banana apple cherry apple banana apple > w
sort w | uniq -c | sort -rn | while read -r n word; do echo "$word: $n"; done
sort w | uniq -d | paste -sd, -; sort -u w | tac | head -n 1; sort w | uniq -u
paste -d: <(sort -u w) <(seq 3); join <(printf '1 a\n2 b\n') <(printf '1 x\n2 y\n')
tr a-z n-za-m <<< hello; seq 1 10 | paste -sd+ - ; seq 10 | sed -n '3,5p' | tr '\n' ' '; echo
comm -3 <(echo a) <(echo b) | tr -d '\t'; nl -ba <<< x | tr -s ' \t' ' '; seq 3 | tee t1 | wc -l | tr -d ' '; cat t1 | head -c 3
echo "a1b22" | tr -cd 0-9; echo; echo aabbcc | tr -s a-c; echo 'x y' | tr ' ' '\n' | sort -r | xargs
expand <<< $'a\tb'; printf 'b 2\na 10\n' | sort -k2n; split -l 2 w part.; ls part.* | xargs

#### xargs
printf '%s\n' a b c | xargs echo got; printf '%s\n' 1 2 3 4 5 | xargs -n 2 echo
printf '%s\n' x y | xargs -I{} echo 'item {} here'; echo 'a  b' | xargs; printf 'a b\0c\0' | xargs -0 -n1 printf '<%s>'; echo
seq 3 | xargs -n1 sh -c 'echo "n=$0"'; printf '' | xargs -r echo never; echo $?
echo '"q uoted" plain' | xargs -n1; seq 2 | xargs -I % sh -c 'exit %'; echo $?
find . -name 'script.sh' | xargs basename; echo 1 2 3 | xargs -n1 -P2 echo | sort | paste -sd' ' -

#### permissions and sizes
umask 022; echo 12345 > f; chmod 640 f; stat -c '%a %s' f; ls -l f | cut -c1-10
chmod u+x,g-r f; stat -c %A f; mkdir -m 700 d; stat -c %a d; (umask 077; : > p; stat -c %a p)
[ -x f ] && echo exec; wc -c < f | tr -d ' '; size=$(stat -c %s f); ((size > 5)) && echo big
test -w f && echo writable; truncate -s 10 f; wc -c < f | tr -d ' '; cp -p f g; stat -c %a g
du -b f | cut -f1; printf 'x' >> f; cmp() { diff -q "$1" "$2" > /dev/null && echo same || echo differ; }; cmp f g; cp f g; cmp f g

#### links and paths
mkdir -p a/b; echo t > a/b/f; ln -s b/f a/l; readlink a/l; cat a/l; realpath a/l | sed 's/.*\/a/a/'
dirname a/b/f; basename a/b/f; basename a/b/f.txt .txt; dirname f; dirname /; basename /a/
(cd a/b && pwd | sed 's/.*\/a/a/'); cd a; cd - > /dev/null; pushd a > /dev/null; popd > /dev/null; cd a/b/../..; ls -d a
ln a/b/f hard; [ a/b/f -ef hard ] && echo linked; rm a/b/f; [ -L a/l ] && [ ! -e a/l ] && echo dangling; cat hard
rel=a/./b/../b; realpath "$rel" | sed 's/.*\/a/a/'; cd /; pwd; cd ..; pwd

#### backup with dates
f=data.txt; echo 1 > "$f"
stamp=$(date -d '2024-03-05 14:07:09' +%Y%m%d-%H%M%S); cp "$f" "$f.$stamp.bak"; ls data*
date -d '2024-02-28 +2 days' +%F; date -d @0 -u +%Y-%m-%dT%H:%M:%SZ; date -u -d '2024-01-01' +%s
[[ $(date +%F) =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] && echo today
printf '%(%Y)T\n' -1 | grep -cE '^[0-9]{4}$'; printf -v now '%(%s)T' -1; ((now > 1600000000)) && echo epoch
printf '%(%F %T)T\n' 86399; TZ=UTC printf '%(%H)T\n' 3600
start=$(date +%s); end=$(date +%s); ((end - start < 5)) && echo quick
for k in 1 2 3; do touch "b.$k"; done; ls b.* | sort -r | tail -n +3 | xargs rm; ls b.*
SECONDS=100; ((SECONDS >= 100)) && echo counting; d=$(($(date -d 2024-03-01 +%s) - $(date -d 2024-02-01 +%s))); echo "$((d / 86400)) days"
