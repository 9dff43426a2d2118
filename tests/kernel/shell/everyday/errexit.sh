#### set -e: which failures end a script
t() { bash -c "set -e; $1; echo survived" 2>/dev/null; echo "$? $1"; }
t 'false'
t 'false || true'
t 'false && true'
t 'true && false'
t '! false'
t '! true'
t 'if false; then :; fi'
t 'while false; do :; done'
t 'until true; do :; done'
t '(false)'
t '(false) || true'
t '{ false; }'
t 'false | true'
t 'true | false'
t '! { false; }'
t 'x=$(false)'
t 'x=$(false) || true'
t 'echo $(false)'
t 'echo "$(false)" x'
t 'local x=$(false)'
t 'export x=$(false)'
t ': ${x:=$(false)}'
t '[[ a == b ]]'
t '[ a = b ]'
t '((0))'
t '((0)) || :'
t 'let 0'
t 'eval false'
t 'eval "false || true"'
t 'nosuch'
t './nosuch'
t 'cd /nosuch'
t '>/nosuch/x'
t 'true >/nosuch/x'
t 'test -f nosuch'

#### set -e: functions and compounds
t() { bash -c "set -e; f() { $1; echo after; }; $2; echo survived" 2>/dev/null; echo "$? [$1] [$2]"; }
t false f
t false 'f || true'
t false 'f && true'
t false 'if f; then :; fi'
t false '! f'
t false 'x=$(f)'
t false 'f | cat'
t false '(f)'
t 'return 1' f
t 'return 1' 'f || echo caught'
t 'false || return 2' f
t '(exit 3)' f
t '(exit 3) || true' f
t 'for i in 1 2; do false; done' f
t 'case x in x) false ;; esac' f
t 'if true; then false; fi' f
t '{ false; } || true' f
t 'while :; do false; break; done' f
t 'false && true' f
t 'true && false' f
t '[[ x == y ]]' 'f; true'
t 'local v=$(false)' f
t 'local v; v=$(false)' f
t 'set +e; false' f

#### set -e: subshells and substitutions
t() { bash -c "set -e; $1; echo survived" 2>/dev/null; echo "$? $1"; }
t '(set +e; false; echo on)'
t 'x=$(false; echo kept); echo $x'
t 'shopt -s inherit_errexit; x=$(false; echo kept); echo $x'
t '(false; echo no) || echo caught'
t '( (false) ; echo no )'
t 'x=`false`; echo no'
t 'cat <(false)'
t 'cat < <(false; echo x)'
t '{ false; echo no; } | cat'
t 'set -o pipefail; { false; echo no; } | cat'
t 'set -o pipefail; false | cat || echo caught'
t 'false & wait $!'
t 'false & wait'
t 'bash -c "exit 3"'
t 'bash -c "exit 3" || true'
t 'read x < /dev/null'
t 'trap "echo trapped" EXIT; false'
t 'trap "echo err" ERR; false'
t 'trap "exit 9" ERR; false'
t 'trap "echo err" ERR; false || true'
t 'exec 3</nosuch'
t 'source /nosuch'
t '. ./nosuch || true'
t 'command false'
t 'builtin false'
t 'a=(1 2); unset "a[9]"'
t 'shift 5'
t 'i=0; ((i++)); echo "$i"'
t 'i=0; ((++i)); echo "$i"'
t 'i=0; i=$((i+1)); echo $i'
t 'grep x /dev/null; true'

#### the status that ends a script
t() { { bash -c "$1"; echo "$? $1"; } 2>/dev/null; }
t 'exit'
t 'false; exit'
t 'exit 7'
t 'exit 256'
t 'exit -1'
t 'exit abc'
t '(exit 3); exit $?'
t 'trap "exit 4" EXIT; exit 3'
t 'trap "false" EXIT; exit 3'
t 'trap "echo \$?" EXIT; false'
t 'set -u; echo $x'
t 'set -e; f() { return 8; }; f'
t ': ${x?}'
t 'readonly r=1; r=2; echo on'
t 'readonly r=1
r=2
echo on'
t 'echo $((1/0)); echo on'
t 'echo $((1/0))
echo on'
t 'kill -TERM $$'
t 'kill -INT $$'
t 'nosuch'
t 'touch f; ./f'
t '/'
t 'if'
t 'echo a; )'
t 'f() { exit 5; }; f; echo no'
t 'f() { exit 5; }; $(f); echo on $?'
t 'f() { exit 5; }; f | cat; echo on ${PIPESTATUS[0]}'
t 'return 3'
t 'break; echo on $?'
t 'exec true; echo no'
t 'exec nosuch; echo no'
t 'exec 2>/dev/null; exec nosuch || echo no'
t '{ exit 6; }; echo no'
t '(exit 6)'
t 'while :; do exit 2; done'
t 'wait 1'
t 'set -e; ! true; echo on'
t 'cd a b c'
t 'test 1 -eq x'
t '[ ]'
t '[[ 1 -eq 1+ ]]'

#### conditions and their status
t() { "$@"; echo "$? $*"; } 2>/dev/null
t test; t test ''; t test x; t test -n; t test ! x; t test ! ''; t test a = a; t test a != a
t test 1 -lt 2; t test 2 -lt 1; t test -z ''; t test x -a ''; t test '' -o x; t test '(' x ')'
t test -e /; t test -d /; t test -f /; t test ! -f /; t test a '<' b; t test b '>' c; t test x = x -a y = y
t [ x ]; t [ -n x ]; t [ 1 -ge 1 ]; t [ ! 1 -gt 2 ]; t test -n = ; t test = = =; t test '!' = '!'
t test ! ! x; t test -a / ; t test -o errexit; t test -v HOME; t test -v NOSUCH; t test -v 'a[0]'
[[ x ]]; echo $?; [[ '' ]]; echo $?; [[ ! x ]]; echo $?; [[ x && '' ]]; echo $?; [[ '' || x ]]; echo $?
[[ ! x || y && z ]]; echo $?; [[ ( x ) && ! ( '' ) ]]; echo $?; [[ 10 -gt 9 ]]; echo $?; [[ 10 > 9 ]]; echo $?
[[ a = [a-c] ]]; echo $?; [[ a = "[a-c]" ]]; echo $?; p='[a-c]'; [[ a = $p ]]; echo $?; [[ a = "$p" ]]; echo $?
[[ 1+1 -eq 2 ]]; echo $?; x=5; [[ x -gt 4 ]]; echo $?; [[ -z $nosuch ]]; echo $?; [[ $nosuch = '' ]]; echo $?

#### the value of a pipeline
f() { "$@"; echo "$? ${PIPESTATUS[*]}"; }
true | true; echo "$? ${PIPESTATUS[*]}"
false | true; echo "$? ${PIPESTATUS[*]}"
(exit 2) | (exit 3); echo "$? ${PIPESTATUS[*]}"
! false | true; echo "$?"
set -o pipefail
(exit 2) | (exit 3) | true; echo "$? ${PIPESTATUS[*]}"
(exit 2) | true | true; echo "$? ${PIPESTATUS[*]}"
! (exit 2) | true; echo "$?"
seq 100000 | head -n 1; echo "$? ${PIPESTATUS[*]}"
yes | head -n 1 > /dev/null; echo "${PIPESTATUS[*]}"
if (exit 4) | true; then echo t; else echo "f $?"; fi
x=$(false | true); echo $?; st=("${PIPESTATUS[@]}"); echo "${#st[@]}"
false; echo "${PIPESTATUS[*]}"; [[ a ]]; echo "${PIPESTATUS[*]}"; ((0)); echo "${PIPESTATUS[*]}"
