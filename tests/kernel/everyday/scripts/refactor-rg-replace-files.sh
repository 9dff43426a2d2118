# Find by ripgrep, replace by sed.
rg -l -0 'module\.exports' src | xargs -0 sed -i -E 's/^module\.exports = (.*);$/export default \1;/'
rg -n --sort path 'export default' src
