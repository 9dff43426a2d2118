# Apply a patch of a here-document that adds a file.
patch -p1 <<'PATCH'
--- /dev/null
+++ b/src/lib/time.js
@@ -0,0 +1,2 @@
+exports.now = () => 0;
+exports.zone = "UTC";
--- a/docs/api.md
+++ b/docs/api.md
@@ -1,4 +1,5 @@
 # API
 
+Version 2.
 `GET /users` lists users.
 `POST /orders` makes an order.
PATCH
cat src/lib/time.js
head -4 docs/api.md
