# Dependencies that are not pinned.
jq -r '.dependencies + .devDependencies | to_entries[] | "\(.key) \(.value)"' package.json | while read -r name range; do
  case $range in
    ^*) echo "$name: minor updates of ${range#^}" ;;
    ~*) echo "$name: patches of ${range#\~}" ;;
    [0-9]*) echo "$name: pinned" ;;
  esac
done | sort
