/* Made by debian/rules for each machine: where Lua looks for modules. */
#define DEB_HOST_MULTIARCH "wasm32-wasi"
