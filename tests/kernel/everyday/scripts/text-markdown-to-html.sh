# A small Markdown converter.
awk '
function inline(s) { s = gensub(/\*\*([^*]+)\*\*/, "<b>\\1</b>", "g", s); s = gensub(/`([^`]+)`/, "<code>\\1</code>", "g", s); return gensub(/\[([^]]+)\]\(([^)]+)\)/, "<a href=\"\\2\">\\1</a>", "g", s) }
/^```/ { code = !code; print code ? "<pre>" : "</pre>"; next }
code { gsub(/&/, "\\&amp;"); gsub(/</, "\\&lt;"); print; next }
/^- / { if (!list) { print "<ul>"; list = 1 } print "<li>" inline(substr($0, 3)) "</li>"; next }
list { print "</ul>"; list = 0 }
/^#+ / { n = index($0, " ") - 1; printf "<h%d>%s</h%d>\n", n, inline(substr($0, n + 2)), n; next }
NF { print "<p>" inline($0) "</p>" }
END { if (list) print "</ul>" }' README.md
