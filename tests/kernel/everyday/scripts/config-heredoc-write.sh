# Write a configuration by here-documents.
port=9000
cat > service.conf <<EOF
[service]
port = $port
home = \$HOME
path = $(basename src/api)
EOF
cat >> service.conf <<-'EOF'
	tabs = removed
	raw = $port
	EOF
cat service.conf
