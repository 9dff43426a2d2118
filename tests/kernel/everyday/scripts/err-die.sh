# Die with a message and a code.
die() { echo "error: ${1:-failed}" >&2; exit "${2:-1}"; }
require() { command -v "$1" > /dev/null || die "$1 is needed" 69; }
require awk
require sed
[ -f package.json ] || die "no package.json"
require frobnicate-3000
echo never
