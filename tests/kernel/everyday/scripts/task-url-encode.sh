# Encode and decode URLs.
encode() {
  local LC_ALL=C s=$1 out= c i
  for ((i = 0; i < ${#s}; i++)); do
    c=${s:i:1}
    case $c in [a-zA-Z0-9.~_-]) out+=$c ;; *) printf -v c '%%%02X' "'$c"; out+=$c ;; esac
  done
  echo "$out"
}
decode() { local s=${1//+/ }; printf '%b\n' "${s//%/\\x}"; }
encode 'a b&c=1/2?'
decode 'x%20y%2Fz+w'
url='https://user@host.example:8443/p/a?q=1#top'
[[ $url =~ ^([a-z]+)://([^/:]+)(:([0-9]+))?(/[^?#]*)?(\?([^#]*))? ]] && printf '%s|' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" "${BASH_REMATCH[4]}" "${BASH_REMATCH[5]}" "${BASH_REMATCH[7]}"; echo
