# Read one value of an INI file.
ini_get() {
  awk -F ' *= *' -v section="[$2]" -v key="$3" '
    /^\[/ { on = ($0 == section); next }
    on && $1 == key { print $2; found = 1; exit }
    END { exit !found }' "$1"
}
ini_get config/app.ini server port
ini_get config/app.ini database port
ini_get config/app.ini cache size || echo "no size ($?)"
