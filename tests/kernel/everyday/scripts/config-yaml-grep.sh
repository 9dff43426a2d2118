# Read values of YAML without a parser.
grep -E '^\s+image:' config/deploy.yaml | awk '{ print $2 }' | while IFS=: read -r image tag; do
  echo "${image##*/} is at $tag"
done
sed -nE 's/^ *replicas: ([0-9]+)/\1/p' config/deploy.yaml
