/**
 * CPython 3.11 for WASI, from Debian's source, as `Tools/wasm` of CPython builds it: without a patch.
 *
 * Source: https://github.com/python/cpython/blob/3.11/Tools/wasm/README.md
 *
 * @module
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { cache, run, sourceOf } from "./debian.mjs"

/** A native one of the same version takes part in the build. */
const native = "/usr/bin/python3.11"

/** What no program here imports, and what needs what WASI has not. */
const leftOut = [
  "test",
  "tests",
  "idlelib",
  "tkinter",
  "turtledemo",
  "ensurepip",
  "lib2to3",
  "__pycache__",
]

/** What it is made with, for the digest. */
export const recipe = () => readFileSync(fileURLToPath(import.meta.url), "utf8")

/**
 * Builds it: `python.wasm`, its library in `lib`, and the tests of the library in `test`. Minutes.
 *
 * @param {string} into a folder that is made
 */
export const buildPython = (into) => {
  const { folder } = sourceOf("python3.11")
  const work = join(cache, "work", "python")
  const done = join(work, "done")
  rmSync(work, { recursive: true, force: true })
  mkdirSync(done, { recursive: true })
  run(work, join(folder, "configure"), [
    "-C",
    "--host=wasm32-unknown-wasi",
    "--build=x86_64-linux-gnu",
    `--with-build-python=${native}`,
    "--disable-ipv6",
    "--without-pymalloc",
  ], {
    // Nothing of this system is there for WASI.
    PKG_CONFIG_LIBDIR: "/nonexistent",
    PKG_CONFIG_PATH: "",
    CONFIG_SITE: join(folder, "Tools", "wasm", "config.site-wasm32-wasi"),
    CC: "clang --target=wasm32-wasi",
    CXX: "clang++ --target=wasm32-wasi",
    AR: "llvm-ar",
    RANLIB: "llvm-ranlib",
    LDSHARED: "wasm-ld",
  })
  run(work, "make", ["-j2"])
  run(work, "llvm-strip", ["-o", join(done, "python.wasm"), "python.wasm"])
  const library = join(done, "lib")
  cpSync(join(folder, "Lib"), library, {
    recursive: true,
    filter: (name) => !leftOut.some((folder) => name.endsWith(`/${folder}`)),
  })
  const built = join(
    work,
    "build",
    readdirSync(join(work, "build")).find((name) => name.startsWith("lib.")) ??
      "",
  )
  for (
    const name of readdirSync(built).filter((name) => name.startsWith("_sysconfigdata"))
  ) {
    // Debian's patches leave the platform out of the name that is looked for.
    cpSync(join(built, name), join(library, name.replace("__wasi_", "__")))
  }
  // It looks for this folder to know where it is installed.
  mkdirSync(join(library, "lib-dynload"))
  // Read-only where it is mounted: what is not compiled now is compiled at each start.
  run(library, native, [
    "-m",
    "compileall",
    "-q",
    "--invalidation-mode",
    "unchecked-hash",
    ".",
  ])
  cpSync(join(folder, "Lib", "test"), join(done, "test"), { recursive: true })
  renameSync(done, into)
  rmSync(work, { recursive: true, force: true })
}
