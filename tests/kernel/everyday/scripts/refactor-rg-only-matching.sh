# List the modules that are required.
rg -oN --no-filename 'require\("([^"]+)"\)' -r '$1' src -g '*.js' | sort | uniq -c | sort -k1,1nr -k2
