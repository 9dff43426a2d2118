# Run steps, stop at the first failure, print a summary.
steps=() ; codes=()
step() { local name=$1; shift; "$@" > "/tmp/$name.out" 2>&1; local c=$?; steps+=("$name"); codes+=("$c"); return $c; }
step lint grep -rq 'debugger' src || true
step json jq -e .name package.json
step tests bash -c 'echo "3 tests"; exit 1' || failed=tests
for i in "${!steps[@]}"; do printf '%-6s %s\n' "${steps[i]}" "$([ "${codes[i]}" -eq 0 ] && echo ok || echo "failed (${codes[i]})")"; done
[ -z "${failed:-}" ] || { echo "see /tmp/$failed.out:"; cat "/tmp/$failed.out"; exit 1; }
