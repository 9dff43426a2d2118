# Merge the configuration for production over the default.
jq -s '.[0] * .[1]' config/default.json config/production.json | tee merged.json
echo "port is $(jq .server.port merged.json)"
