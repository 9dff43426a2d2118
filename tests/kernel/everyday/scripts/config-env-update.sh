# Set a variable in a .env file, or add it.
set_env() {
  local key=$1 value=$2 file=${3:-.env}
  if grep -q "^$key=" "$file"; then sed -i "s|^$key=.*|$key=$value|" "$file"; else echo "$key=$value" >> "$file"; fi
}
set_env DB_HOST db.prod/main
set_env LOG_LEVEL warn
grep -E '^(DB_HOST|LOG_LEVEL)=' .env
grep -c . .env
