# Runs the targets of a simple Makefile in the order of their dependencies.
cat > Makefile <<'MK'
all: lint test
	@echo all done

lint: src/index.js
	@echo "linting $<"

test: build
	@echo testing
	@ls tests | wc -l

build:
	@mkdir -p dist && cp src/index.js dist/
MK
declare -A done_targets
run_target() {
  local target=$1 line deps
  [[ ${done_targets[$target]-} ]] && return
  deps=$(sed -n "s/^$target:[[:space:]]*//p" Makefile)
  if ! grep -q "^$target:" Makefile; then
    [[ -e $target ]] || { echo "no rule for $target" >&2; exit 2; }
    return
  fi
  for line in $deps; do run_target "$line"; done
  done_targets[$target]=1
  echo "== $target"
  while IFS= read -r line; do
    line=${line#$'\t'}; line=${line#@}
    line=${line//\$</${deps%% *}}
    bash -c "$line"
  done < <(awk -v t="$target" '$0 ~ "^" t ":" {on=1; next} /^[^\t]/ {on=0} on && /^\t/' Makefile)
}
run_target "${1:-all}"
run_target missing || true
echo "status $?"
