/**
 * Scripts in which bash runs a command although none stands where commands stand, and other ways to a program that no list
 * has. `touch`, `evil`, `id` and `sh` are in no list. Not all have to be refused: what starts nothing may run.
 */

/** Those of the issue that this construction closes: each got through every list of before. */
const found: ReadonlyArray<string> = [
  "M=m; ((touch M + ${#a[)]}))",
  "touch=1; m=1; ((touch m + ${#a[)]}))",
  "touch=1; m=1; echo $( ((touch m + ${#a[)]})) ); f() { ((touch m + ${#a[)]})); }; f",
  "((touch ./m + ${#a[)]}))",
  "((touch /tmp/m + ${#a[)]})); : $( ((touch ./m + ${#a[)]})) )",
  "((touch m + ${#a[)]}))",
  "echo $( ((touch m + ${#a[)]})) )",
  "eval '((touch m + ${#a[)]}))'",
  "trap '((touch m + ${#a[)]}))' EXIT",
  "f() { ((touch m + ${#a[)]})); }; f",
  "declare -A a; a['((touch m + ${#a[)]}))']=1; echo ${a[((touch m + ${#a[)]}))]}",
  ": ${a[0]:=x}; declare -A a; : ${a['x[$(touch m)]']}",
  "declare -A a; unset \"a\"; : ${a['x[$(touch m)]']}",
  ...["declare", "export", "local", "typeset", "readonly"].flatMap((word) => [
    `touch=1; M=1; ${word} a[\ntouch M\n]=1`,
    `f() { touch=1; M=1; ${word} a[\ntouch M\n]=1; }; f`,
  ]),
  ...["r", "v", "f"].map((blank) => `awk $'BEGIN{\\${blank}/"/;system("touch m");#"/\\n}'`),
  "declare -A a['$(touch m)']=1",
  "f() { local -A a['$(touch m)']=1; }; f",
]

/** Of the same kind, with arguments: what mawk takes for blanks. */
export const evaluatedWords: ReadonlyArray<ReadonlyArray<string>> = ["\r", "\v", "\f", "\u00a0", "\b"].map(
  (blank) => ["awk", `BEGIN{${blank}/"/;system("touch m");#"/\n}`],
)

/** What bash evaluates twice, or as arithmetic. */
const arithmetic: ReadonlyArray<string> = [
  "x='a[$(evil)]'; echo $((x)) $((1 + x)) $((${x}))",
  "x='a[$(evil)]'; ((x)); let x; let 'y = x'",
  "x='a[$(evil)]'; [[ x -eq 1 ]]; [[ $x -lt 1 ]]; [ \"$x\" -eq 1 ]",
  "x='a[$(evil)]'; echo ${z[x]} ${z[$x]}; z[x]=1; z[$x]=1; z+=([x]=1)",
  "x='a[$(evil)]'; s=abc; echo ${s:x} ${s:0:x} ${s:$x}",
  "x='a[$(evil)]'; for ((i = x; i < x; i += x)); do ls; done",
  "x='a[$(evil)]'; declare -i n=x; n=$x; n+=x; typeset -i m; m='a[$(evil)]'",
  "x='a[$(evil)]'; case 1 in $((x))) ls ;; esac; ls {1..$((x))}",
  "echo $((evil=1, `evil`, 0)) $[`evil`] $((a[`evil`]++))",
  "read 'a[$(evil)]' <<< 1; read -a 'a[$(evil)]' <<< 1; read -r x 'b[`evil`]' <<< '1 2'",
  "printf -v 'a[$(evil)]' %s x; printf -v a['$(evil)'] x; printf '%d' 'a[$(evil)]'",
  "mapfile -C evil -c 1 x <<< a; mapfile -C 'evil;' -c 1 x <<< a; readarray -C evil -c1 <<< a",
  "[[ -v a['$(evil)'] ]]; [[ -v 'a[$(evil)]' ]]; test -v 'a[$(evil)]'; [ -v a['`evil`'] ]",
  "[[ -R 'a[$(evil)]' ]]; unset 'a[$(evil)]'; unset -v a['$(evil)']; a=(1); unset a[\"\\$(evil)\"]",
  "declare -n r='a[$(evil)]'; echo $r; r=1; r+=1; unset r; declare -n r=PATH; r=/tmp; ls",
  "x='a[$(evil)]'; echo ${!x}; x='!x[$(evil)]'; echo ${!x@Q}; x=PATH; echo ${!x}",
  "x='$(evil)'; echo ${x@P} \"${x@P}\" ${x@E} ${x@A}; x='\\$(evil)'; echo ${x@P}; PS1='`evil`'; echo ${PS1@P}",
  "x='$(evil)'; eval echo $x; eval \"echo $x\"; eval eval 'echo `evil`'; y=eval; $y evil",
  "PS4='$(evil)'; set -x; ls; PS4='`evil`' ls; set -o xtrace; : x",
  "wait -p 'a[$(evil)]' -n; getopts x 'a[$(evil)]' -x; coproc evil; coproc 'a[$(evil)]' { ls; }",
]

/** Other ways from a shell to a program. */
const doors: ReadonlyArray<string> = [
  "PROMPT_COMMAND=evil; PROMPT_COMMAND='evil' bash -i; PROMPT_COMMAND=(evil); ls",
  "shopt -s expand_aliases\nalias ls=evil\nls\nalias 'x=ls;evil'\nx\nalias -g y=evil\ny",
  "echo evil > env; BASH_ENV=env bash -c ls; ENV=env sh -i; export BASH_ENV=env; env ls",
  "ls() { evil; }; ls; function env { evil; }; env; command() { evil; }; command ls",
  "command evil; command -p evil; command -v evil; command -V evil; builtin evil; builtin command evil",
  "(exec -a ls evil); (exec -c evil); (exec -l evil); exec env evil",
  "env -S 'evil a'; env -S'evil'; env --split-string='evil a'; env - evil; env -u x evil; env -C . evil; env A=1 evil",
  "echo evil | xargs; echo evil | xargs -I% %; echo a | xargs -n1 evil; xargs -a list evil; echo 'evil' | xargs env",
  "find . -exec evil {} +; find . -exec env evil ';'; find . -execdir evil ';'; find . -ok evil ';'; find . -fprint x",
  "nohup evil; timeout 1 evil; timeout -s KILL 1 evil; nice evil; setsid evil; stdbuf -o0 evil; flock x evil; flock x -c evil",
  "cat <<< $(evil); cat <<E\n$(evil) `evil` $((a[$(evil)])) ${x:-$(evil)}\nE\ncat <<'E'\n$(evil)\nE",
  "cat <(evil) > >(evil); ls 2> >(evil); diff <(evil) <(id); exec 3< <(evil); cat <&3",
  "trap evil EXIT; trap evil DEBUG; ls; trap 'evil' ERR; false; trap 'evil' RETURN; f() { :; }; f; trap evil 0",
  "exec 3<>/dev/tcp/127.0.0.1/80; echo x > /dev/udp/127.0.0.1/80; cat < /dev/tcp/localhost/22",
  "echo '#!/bin/sh' > x; chmod +x x; ./x; . ./x; source x; $PWD/x; PATH=. x; PATH=$PWD:$PATH; x",
  "mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit; git init -q .; echo '[alias] x = !evil' >> .git/config; git x",
  "IFS=X; c=evilXa; $c; IFS=/; d=.//evil; $d; IFS=$' \\t\\n'; c='evil a'; $c; c=(evil a); \"${c[@]}\"",
  "hash -p /bin/evil ls; ls; enable -n echo; echo x; enable -f ./x.so x; declare -fx ls; export -f f",
  'set -- evil; $1; "$@"; $*; ${@:1}; ${1}; ${1:0:4}; ${x:-evil}; ${x:=evil}; $\'evil\'; ev"il"; e\\vil',
  "compgen -C evil x; complete -C evil x; bind -x '\"a\":evil'; fc -s evil; history -s evil; jobs -x evil; bg; fg",
  "printf 'evil\\n' | while read -r l; do $l; done; while read l; do eval $l; done <<< evil; select x in evil; do $x; break; done <<< 1",
  "time evil; ! evil; evil & wait; { evil; }; (evil); if evil; then :; fi; case x in x) evil;; esac; until evil; do break; done",
  "echo evil | sh; echo evil | bash -s; sh -c evil; bash <<< evil; dash -c evil; python3 -c 'import os'; perl -e 1; busybox sh -c evil",
  "git -c alias.x='!evil' x; git --exec-path=. x; GIT_PAGER=evil git log; git log --output=x; git grep -Oevil x; git difftool -x evil",
  "tar cf x . --checkpoint=1 --checkpoint-action=exec=evil; tar cf x . -I evil; sort --compress-program=evil x; split --filter=evil x",
  "sed 's/x/evil/e' x; sed '1e evil' x; awk 'BEGIN { \"evil\" | getline; system(\"evil\"); print 1 | \"evil\" }'; find . -exec sed '1e evil' {} +",
  "f() { evil; }; readonly -f f; f; declare -f f; unset -f f; f; evil() { ls; }; evil; unset -f evil; evil; (evil() { :; }); evil",
  'for x in evil id; do $x; "$x"; command $x; env $x; done; for PATH in .; do ls; done; x=ls; x+=evil; $x',
  "{evil,a}; {,evil}; e{v,}il; [e]vil; ?vil; */evil; ~/evil; ~+/evil; $(echo evil); `echo evil`; $(printf '\\145vil')",
  "exec {fd}> f; exec 9< f; cat <&9; exec 1> f; /dev/fd/9; /proc/self/exe; /proc/self/fd/9; . /dev/fd/9; . /dev/stdin <<< evil",
  "LD_PRELOAD=./x.so ls; export LD_PRELOAD=./x.so; ls; env LD_PRELOAD=./x.so ls; LD_AUDIT=x ls; GCONV_PATH=. ls; SHELLOPTS=xtrace PS4='$(evil)' env ls",
  "set -o posix; set -k; ls PATH=.; set -a; PATH=.; shopt -s extglob; case evil in @(evil)) $_ ;; esac; shopt -s lastpipe; echo evil | read x; $x",
]

/** All of them. */
export const evaluations: ReadonlyArray<string> = [...found, ...arithmetic, ...doors]
