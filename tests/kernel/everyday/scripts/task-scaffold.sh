# Make a new module with its test from a template.
set -eu
name=invoice
Name=${name^}
mkdir -p "src/$name" "tests/$name"
for kind in model service; do
cat > "src/$name/$kind.js" <<EOF
// $Name $kind
export class ${Name}${kind^} {
  constructor() { this.name = \`${name}\`; }
}
EOF
done
printf 'import { %sModel } from "../../src/%s/model.js"\n' "$Name" "$name" > "tests/$name/model.test.js"
find src/$name tests/$name -type f | sort | xargs wc -l | sed 's/^ *//'
cat src/$name/service.js
