# Ripgrep leaves out what git ignores.
mkdir .git
rg -l leftPad . ; echo "exit $?"
rg -l --no-ignore leftPad .
rg --hidden -l --sort path DB_PORT
rg -uu -l --sort path DB_PORT
