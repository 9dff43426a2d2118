# Snake case to camel case and back.
echo 'my_variable_name other_name' | sed -E 's/_([a-z])/\U\1/g'
echo 'myVariableName HTTPServer' | sed -E 's/([a-z])([A-Z])/\1_\2/g' | tr 'A-Z' 'a-z'
echo 'hello world' | sed 's/\b./\u&/g'
