# Find TODOs by ripgrep.
rg -n --sort path 'TODO|FIXME' src docs README.md
echo "--"
rg -c --sort path TODO .
