# Code blocks of a markdown file.
awk '/^```/ { inside = !inside; next } inside' README.md
sed -n '/^```sh/,/^```$/{/^```/d;p}' README.md | wc -l
