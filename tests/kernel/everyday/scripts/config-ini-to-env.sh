# Make variables of an INI file.
section=
while IFS= read -r line; do
  line=${line%%[#;]*}
  case $line in
    '['*']') section=${line:1:-1} ;;
    *=*)
      key=${line%%=*}; value=${line#*=}
      key=${key//[[:space:]]/}; value=${value# }
      printf '%s_%s=%q\n' "${section^^}" "${key^^}" "$value" ;;
  esac
done < config/app.ini
