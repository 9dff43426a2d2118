# Indirect variables and eval.
for env in dev prod; do eval "url_$env=http://$env.local"; done
for env in dev prod; do v=url_$env; echo "${!v}"; done
echo "${!url_@}"
cmd='echo "a  b" | tr -s " "'; eval "$cmd"
declare -p url_dev
