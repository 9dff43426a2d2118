# Read a .env file without running it.
declare -A env
while IFS='=' read -r key value || [[ -n $key ]]; do
  [[ $key =~ ^[[:space:]]*(#|$) ]] && continue
  value=${value%\"}; value=${value#\"}
  value=${value%\'}; value=${value#\'}
  env[$key]=$value
done < .env
for key in $(printf '%s\n' "${!env[@]}" | sort); do echo "$key -> ${env[$key]}"; done
