# Sub-commands that are found by name, with help made of comments.
mkdir -p plugins
for p in list add remove; do
  cat > "plugins/$p" <<SH
#!/bin/bash
# help: ${p}s things
echo "$p got \$# arguments: \$*"
SH
  chmod +x "plugins/$p"
done
cmd_version() { echo 1.0; }
main() {
  local sub=${1:-help}; shift || true
  if declare -F "cmd_$sub" > /dev/null; then "cmd_$sub" "$@"
  elif [[ -x plugins/$sub ]]; then "plugins/$sub" "$@"
  else
    echo "commands:"
    for f in plugins/*; do printf '  %-8s %s\n' "${f##*/}" "$(sed -n 's/^# help: //p' "$f")"; done
    [[ $sub == help ]]
  fi
}
main version; main add 1 2; main; main bogus; echo "status $?"
PATH=$PWD/plugins:$PATH; list x; hash -r; type -P remove | sed "s,$PWD,.,"
