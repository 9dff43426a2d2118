# The help of a script from its comments.
cat > tool.sh <<'EOF'
#!/bin/bash
## tool: does things
## usage: tool [-v] FILE
##   -v  more output
# not shown
echo "$@"
EOF
sed -n 's/^## \{0,1\}//p' tool.sh
awk '/^##/ { n++ } END { print n " lines" }' tool.sh
