# A small build tool: rules with dependencies, rebuilt only when a source is newer.
set -euo pipefail
mkdir -p out
declare -A deps=([out/all.js]="src/lib/db.js src/lib/logger.js" [out/config.json]="config/default.json config/production.json")
is_stale() {
  local target=$1; shift
  [[ -e $target ]] || return 0
  local d
  for d in "$@"; do [[ $d -nt $target ]] && return 0; done
  return 1
}
build() {
  local target
  for target in $(printf '%s\n' "${!deps[@]}" | sort); do
    # shellcheck disable=SC2086
    if is_stale "$target" ${deps[$target]}; then
      echo "build $target"
      case $target in
        *.js) { for f in ${deps[$target]}; do echo "// $f"; cat "$f"; done; } > "$target" ;;
        *.json) jq -s 'reduce .[] as $c ({}; . * $c)' ${deps[$target]} > "$target" ;;
      esac
    else
      echo "fresh $target"
    fi
  done
}
build
build
touch -d '+5 seconds' src/lib/db.js
build
jq -c . out/config.json
grep -c '' out/all.js
