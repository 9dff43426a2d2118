# Traps in functions, subshells and on several signals, and what survives where.
cleanup() { echo "cleanup $1 (status $?)"; }
trap 'cleanup outer' EXIT
( trap 'cleanup inner' EXIT; echo in subshell; exit 3 )
echo "subshell gave $?"
trap 'echo "caught USR1"' USR1
kill -USR1 $$
trap -p | sort
f() { trap 'echo "return of ${FUNCNAME[0]}"' RETURN; echo in f; trap - RETURN; }
f
trap 'echo "line $LINENO: $BASH_COMMAND"' ERR
false
! true
if false; then :; fi
false || echo handled
trap - ERR
bash -c 'trap "echo term; exit 7" TERM; kill $$; echo not reached'
echo "child $?"
set -e
grep -q nothing README.md && echo yes
echo "still here"
