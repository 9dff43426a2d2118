# A library of functions that is sourced.
mkdir lib
cat > lib/log.sh <<'EOF'
log() { printf '[%s] %s\n' "$1" "${*:2}"; }
[[ ${BASH_SOURCE[0]} != "$0" ]] && echo "loaded"
LIB_VERSION=2
EOF
. lib/log.sh
log info version "$LIB_VERSION"
source lib/missing.sh 2> /dev/null || echo "no such library"
type -t log
