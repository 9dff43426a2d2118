# Search only in some types of files.
rg -l --sort path -t js 'require' .
rg -l --sort path -t py import
rg --files -g '*.md' --sort path
