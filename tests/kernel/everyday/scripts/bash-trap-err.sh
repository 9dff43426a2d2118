# Report the failing command.
set -eE
trap 'echo "failed with $? in ${FUNCNAME[0]:-main}"' ERR
step() { echo "step $1"; [ "$1" -lt 3 ]; }
for i in 1 2 3 4; do step "$i"; done
echo never
