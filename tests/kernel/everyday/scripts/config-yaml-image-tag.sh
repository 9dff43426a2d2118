# Set the tag of one image.
new=2.0.0-rc1
sed -i -E "s|(image: .*/shop-api):.*|\1:$new|" config/deploy.yaml
grep -n image config/deploy.yaml
awk '/^ *replicas:/ { sub(/[0-9]+/, 5) } { print }' config/deploy.yaml > d && mv d config/deploy.yaml
grep replicas config/deploy.yaml
