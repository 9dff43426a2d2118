#### the script's own directory
#!/usr/bin/env bash
set -euo pipefail
SCRIPT_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
readonly SCRIPT_DIR
cd "$SCRIPT_DIR"
echo "in $(basename "$SCRIPT_DIR" | sed 's/[0-9].*/N/; s/work/N/')"
ls script.sh

#### the script's own directory, with links followed
#!/bin/bash
set -e
SOURCE="${BASH_SOURCE[0]}"
while [ -L "$SOURCE" ]; do
  DIR="$(cd -P "$(dirname "$SOURCE")" >/dev/null 2>&1 && pwd)"
  SOURCE="$(readlink "$SOURCE")"
  [[ $SOURCE != /* ]] && SOURCE="$DIR/$SOURCE"
done
DIR="$(cd -P "$(dirname "$SOURCE")" >/dev/null 2>&1 && pwd)"
[ -f "$DIR/script.sh" ] && echo "found $(basename "$SOURCE")"

#### a library found beside the script
set -euo pipefail
mkdir -p lib
cat > lib/log.sh <<'LIB'
# shellcheck shell=bash
[[ -n ${_LOG_SH:-} ]] && return 0
_LOG_SH=1
log::info() { printf '[INFO] %s (%s)\n' "$*" "${FUNCNAME[1]}"; }
log::die() { printf '[FATAL] %s\n' "$*" >&2; exit 1; }
LIB
here="$(dirname "$(realpath "${BASH_SOURCE[0]}")")"
# shellcheck source=lib/log.sh
source "$here/lib/log.sh"
source "$here/lib/log.sh"
main() {
  log::info "started with $# arguments"
  log::die "stopping"
}
main "$@"

#### whether it runs or is sourced
cat > part.sh <<'P'
main() { echo "main: $1"; }
if [[ "${BASH_SOURCE[0]}" == "${0}" ]]; then
  main direct
else
  echo sourced
fi
P
bash part.sh
. ./part.sh
main called
(return 0 2>/dev/null) && echo yes || echo no

#### the name of the program in its usage
set -u
PROGNAME=${0##*/}
usage() {
  cat <<USAGE
Usage: ${PROGNAME} [-h] [-o FILE] INPUT...

Options:
  -h        show this help
  -o FILE   write to FILE (default: ${DEFAULT_OUT:-stdout})
USAGE
}
usage
usage | wc -l
usage >&2
exit 64

#### an error handler that says where
set -Eeuo pipefail
on_error() {
  local code=$? line=$1 cmd=$2
  echo "error: line $line: '$cmd' exited with $code" >&2
  exit "$code"
}
trap 'on_error $LINENO "$BASH_COMMAND"' ERR
step() {
  echo "step $1"
  [ "$1" -lt 3 ]
}
step 1
step 2
step 3
echo not reached

#### a stack trace
set -Eeuo pipefail
trace() {
  local i
  echo "failed: ${BASH_COMMAND}"
  for ((i = 1; i < ${#FUNCNAME[@]}; i++)); do
    echo "  at ${FUNCNAME[i]} (${BASH_SOURCE[i]##*/}:${BASH_LINENO[i-1]})"
  done
}
trap trace ERR
inner() { false; }
outer() {
  inner
}
outer

#### a stack trace with caller
die() {
  local frame=0
  echo "die: $*"
  while caller $frame; do ((frame++)); done
  exit 3
}
check() {
  [ -e "$1" ] || die "no $1"
}
run() { check /nosuch; }
run

#### requirements are checked
set -euo pipefail
require() {
  local missing=()
  for cmd in "$@"; do
    command -v "$cmd" >/dev/null 2>&1 || missing+=("$cmd")
  done
  if ((${#missing[@]})); then
    echo "missing: ${missing[*]}" >&2
    return 1
  fi
  echo "all there"
}
require sed grep sort
require sed nosuch-a nosuch-b || echo "status $?"

#### the version of bash is checked
if ((BASH_VERSINFO[0] < 4)); then
  echo "bash 4 or newer is needed" >&2
  exit 1
fi
[[ ${BASH_VERSION} =~ ^([0-9]+)\.([0-9]+) ]] && echo "version ${BASH_REMATCH[1]}.${BASH_REMATCH[2]}"
if [[ ${BASH_VERSINFO[0]} -gt 5 || ( ${BASH_VERSINFO[0]} -eq 5 && ${BASH_VERSINFO[1]} -ge 1 ) ]]; then echo modern; fi
echo "${#BASH_VERSINFO[@]}"

#### variables of the shell that scripts ask
set -u
[[ $OSTYPE == linux* ]] && echo linux
case "$(uname -s)" in ?*) echo has a name;; esac
[ "$EUID" -eq 0 ] && [ "$UID" = "$(id -u)" ] && echo root
[ -n "$HOSTNAME" ] && echo host
[ "$HOSTNAME" = "$(hostname)" ] && echo same host
[[ $SHELL == */* ]] && echo shell
[[ $$ -gt 0 && $PPID -ge 0 && $BASHPID -eq $$ ]] && echo ids
(( $BASHPID != $$ )) || echo same
( [[ $BASHPID -ne $$ ]] && echo other )
[[ $SECONDS -lt 60 ]] && echo seconds
[[ $EPOCHSECONDS -gt 1600000000 ]] && echo epoch
[[ $EPOCHREALTIME == *.?????? ]] && echo real
[[ $RANDOM != "$RANDOM" || $RANDOM != "$RANDOM" ]] && echo random
[[ ${GROUPS[0]} =~ ^[0-9]+$ ]] && echo groups
[[ -n $HOSTTYPE && -n $MACHTYPE && -n $BASH ]] && echo kinds
[[ $SHLVL -ge 1 ]] && echo level

#### options are asked and put back
case $- in *e*) echo on;; *) echo off;; esac
set -e
[[ $- == *e* ]] && echo on
[[ :$SHELLOPTS: == *:errexit:* ]] && echo listed
old=$(set +o)
set +e -f
echo *
eval "$old"
echo s*
[[ -o errexit ]] && echo back
shopt -s nullglob
[[ :$BASHOPTS: == *:nullglob:* ]] && echo listed
restore=$(shopt -p nullglob)
shopt -u nullglob
eval "$restore"
echo [x]*none
shopt -q nullglob && echo again

#### unset variables stop a script
set -u
echo "${maybe-default}" "${maybe:-}" "${maybe+set}"
count() { echo "$#"; }
count "$@"
arr=()
echo "${arr[@]}" "${#arr[@]}"
(echo "$nosuch")
echo "status $?"
(echo "${arr[3]}")
echo "status $?"
echo "$gone"
echo not reached

#### arguments that must be there
greet() {
  local name=${1:?name is needed}
  echo "hello $name"
}
greet world
(greet)
echo $?
: "${HOME:?}"
: "${TARGET_DIR:=build}"
echo "$TARGET_DIR"
: "${NOSUCH_VARIABLE:?must be set}"
echo no

#### strict mode with IFS
#!/bin/bash
set -euo pipefail
IFS=$'\n\t'
names='a b
c d'
for n in $names; do echo "<$n>"; done
joined="${names//$'\n'/, }"
echo "$joined"
args=(--one "two words" three)
printf '%s\n' "${args[*]}"

#### pipefail and what comes of it
set -o pipefail
false | true; echo $?
true | false | true; echo $?
(exit 3) | (exit 4) | true; echo $? "${PIPESTATUS[@]}"
set +o pipefail
(exit 3) | (exit 4) | true; echo $? 
ls nosuch 2>/dev/null | cat; echo "${PIPESTATUS[0]}" $?
if ! grep -q x <<< abc | cat; then echo none; fi
yes | head -n 2 | tr -d '\n'; echo " ${PIPESTATUS[*]}"

#### a debug switch
DEBUG=${DEBUG:-0}
debug() { if [ "$DEBUG" = 1 ]; then echo "debug: $*" >&2; fi; }
debug hidden
DEBUG=1 debug shown
debug hidden again
DEBUG=1
debug shown again
run() { echo "+ $*"; "$@"; }
run printf '%s-%s\n' a b
DRY_RUN=yes
maybe() { ${DRY_RUN:+echo would run:} "$@"; }
maybe rm -rf build
unset DRY_RUN
maybe echo real

#### xtrace on purpose
set -x
a="x y"
echo "$a" 'q"z' >/dev/null
[ -n "$a" ]
[[ $a == x* && -n $a ]]
for i in 1 2; do : $i; done
((a2 = 3 + 4))
f() { local v=$1; }
f 'a b'
{ set +x; } 2>/dev/null
echo done
PS4='line ${LINENO}: '
set -x
echo z
