# The statuses of a pipeline.
false | true | (exit 3) | true
echo "${PIPESTATUS[@]}"
set -o pipefail
grep nothing README.md | wc -l; echo "status $?"
if ! cat missing 2> /dev/null | sort > /dev/null; then echo "failed as it should"; fi
! false; echo $?
