# Strict mode in subshells.
( set -e; false; echo never ); echo "errexit $?"
( set -u; echo "$nothing" ) 2> /dev/null; echo "nounset $?"
( set -o pipefail; false | true ); echo "pipefail $?"
( set -e; false || true; if false; then :; fi; ! true; echo reached )
( set -euo pipefail; grep nothing README.md | head -1; echo never ); echo "grep $?"
