# Here-documents: quoted, indented, nested in functions and loops, as input of programs.
name="O'Brien & Sons" items=(pen ink "note pad")
render() {
	cat <<-END
		Dear $name,
		you bought ${#items[@]} things:
		$(for i in "${!items[@]}"; do printf '  %d. %s\n' $((i + 1)) "${items[i]^}"; done)
		Total: \$$(awk 'BEGIN { printf "%.2f", 1.5 * 3 }')
	END
}
render
cat <<'RAW' | sed 's/@NAME@/World/'
$HOME stays, `this` too, @NAME@ does not \n
RAW
while read -r k v; do echo "$v=$k"; done <<LIST
one 1
two ${#name}
LIST
cat <<A; cat <<B
first $((1 + 1))
A
second ${name%% *}
B
tr a-z A-Z <<< "here ${items[-1]}"
wc -l << "EOF"
a
b
EOF
