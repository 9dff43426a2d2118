# Takes addresses apart, builds queries, encodes and decodes.
parse() { [[ $1 =~ ^([a-z]+)://(([^:@/]+)(:([^@/]*))?@)?([^:/?#]+)(:([0-9]+))?([^?#]*)(\?([^#]*))?(#(.*))?$ ]] || { echo "bad $1"; return 1; }
  printf '%s|' "${BASH_REMATCH[1]}" "${BASH_REMATCH[3]-}" "${BASH_REMATCH[6]}" "${BASH_REMATCH[8]:-80}" "${BASH_REMATCH[9]:-/}" "${BASH_REMATCH[11]}" "${BASH_REMATCH[13]}"; echo; }
parse http://example.com; parse 'https://u:p@h.example:8443/a/b?x=1&y=2#top'; parse nothing
decode() { local s=${1//+/ }; printf '%b\n' "${s//%/\\x}"; }
encode() { local s=$1 o= c i; for ((i = 0; i < ${#s}; i++)); do c=${s:i:1}; case $c in [a-zA-Z0-9.~_-]) o+=$c ;; *) printf -v c '%%%02X' "'$c"; o+=$c ;; esac; done; echo "$o"; }
decode 'a%20b%2Fc+d%3D1'; encode 'a b/c=d&e'
declare -A q; while IFS='=' read -r -d '&' k v; do q[$k]=$(decode "$v"); done <<< 'name=Ann+Lee&city=S%C3%A3o&'; echo "${q[name]}, ${q[city]}"
grep -oE 'https?://[^ )>"]+' -rh docs README.md logs | sort -u
