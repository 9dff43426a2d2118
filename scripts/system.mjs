/**
 * What test suites need of the system beside the runtimes. On Debian it is installed when that is allowed; elsewhere,
 * and where it is not, those suites are left out, and named.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { delimiter, join } from "node:path"
import { prepareWine, winePrograms } from "./wine.mjs"

/**
 * @typedef {object} Suite
 * @property {string} name as the last lines of a run say it
 * @property {ReadonlyArray<string>} [files] globs of its test files, which are left out with it; default: none, where the
 *   tests ask for themselves what the system can do
 * @property {ReadonlyArray<NodeJS.Platform>} [platforms] where it can run at all; default: everywhere
 * @property {Readonly<Record<string, string>>} programs what it needs on PATH, and the Debian package of each
 * @property {() => ReadonlyArray<string>} [folders] where else its programs may be; default: nowhere
 * @property {() => string | undefined} [prepare] builds what no package brings, once the programs are there; answers why
 *   it cannot
 */

/** Where Debian keeps the programs of PostgreSQL's server: beside each other in several versions, and not on PATH. */
export const postgresFolders = () => {
  const root = "/usr/lib/postgresql"
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  return versions.map((version) => join(root, version, "bin"))
}

/** Where Debian keeps what programs for WASI are linked with: a C library, and what clang's own code needs. */
export const wasiFolders = () => {
  const root = "/usr/lib"
  const compilers = existsSync(root) ? readdirSync(root).filter((name) => name.startsWith("llvm-")) : []
  const runtimes = compilers.flatMap((compiler) => {
    const clang = join(root, compiler, "lib", "clang")
    return existsSync(clang) ? readdirSync(clang).map((version) => join(clang, version, "lib", "wasi")) : []
  })
  return [join(root, "wasm32-wasi"), ...runtimes]
}

/** What C programs for WASI are built with, and the Debian package of each. */
export const wasiPrograms = {
  "clang": "clang",
  "wasm-ld": "lld",
  "llvm-ar": "llvm",
  "crt1-command.o": "wasi-libc",
  "libclang_rt.builtins-wasm32.a": "libclang-rt-dev-wasm32",
}

/** @type {ReadonlyArray<Suite>} */
export const suites = [
  { name: "resource limits", platforms: ["linux"], programs: { prlimit: "util-linux" } },
  { name: "code in Python", platforms: ["linux", "darwin"], programs: { python3: "python3" } },
  { name: "processes that left their tree", platforms: ["linux"], programs: { setsid: "util-linux" } },
  {
    name: "the Windows leaf, under Wine",
    files: ["tests/leaves/local/windows/windows.test.ts"],
    platforms: ["linux"],
    programs: winePrograms,
    prepare: prepareWine,
  },
  {
    name: "the PostgreSQL journal",
    files: ["tests/journal/postgres.test.ts", "tests/journal/postgres/server/*.test.ts"],
    platforms: ["linux", "darwin"],
    programs: { initdb: "postgresql", pg_ctl: "postgresql" },
    folders: postgresFolders,
  },
  { name: "WASI programs built from C", platforms: ["linux"], programs: wasiPrograms, folders: wasiFolders },
  {
    name: "a sandbox in a browser's page",
    files: ["tests/kernel/edge/browser/node.test.ts"],
    platforms: ["linux"],
    programs: { chromium: "chromium" },
  },
]

/**
 * What the slow suite builds real programs with: clang 14 builds CPython; the others need setjmp(3), for which clang 19 is
 * the first that Debian 12 has.
 *
 * @type {Suite}
 */
export const slowSuite = {
  name: "real programs in the kernel",
  files: ["tests/slow/**"],
  platforms: ["linux"],
  programs: {
    ...wasiPrograms,
    "clang-19": "clang-19",
    "wasm-ld-19": "lld-19",
    "19/lib/wasi/libclang_rt.builtins-wasm32.a": "libclang-rt-19-dev-wasm32",
    "dpkg-source": "dpkg-dev",
    "python3.11": "python3.11",
    "bison": "bison",
    "gcc": "gcc",
    "make": "make",
  },
  folders: () => [...wasiFolders(), "/usr/lib/llvm-19/lib/clang"],
}

/** @param {Suite} suite */
const missingOf = ({ folders = () => [], programs }) => {
  const places = [...folders(), ...(process.env["PATH"] ?? "").split(delimiter)].filter((folder) => folder !== "")
  return Object.entries(programs).filter(([program]) => !places.some((folder) => existsSync(join(folder, program))))
}

/** Installs Debian packages where this is Debian and we may: as root, or by a sudo that asks for no password. */
const installPackages = (/** @type {ReadonlyArray<string>} */ packages) => {
  if (packages.length === 0 || !existsSync("/usr/bin/apt-get")) return
  const sudo = process.getuid?.() === 0 ? [] : ["sudo", "-n"]
  const apt = (/** @type {ReadonlyArray<string>} */ args) => {
    const [program = "apt-get", ...rest] = [...sudo, "apt-get", "-qq", ...args]
    spawnSync(program, rest, {
      stdio: ["ignore", "ignore", 2],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    })
  }
  apt(["update"])
  // One by one: a package that is not to be had keeps no other away. What counts is what is there afterwards.
  for (const name of packages) apt(["install", "-y", "--no-install-recommends", name])
}

/**
 * Brings what the suites need, as far as it can be had, and says which suites must stay out and why.
 *
 * @param {ReadonlyArray<Suite>} [wanted] default: all of them
 * @returns {ReadonlyArray<{ readonly suite: Suite, readonly why: string }>}
 */
export const prepareSystem = (wanted = suites) => {
  const possible = wanted.filter((suite) => suite.platforms?.includes(process.platform) ?? true)
  installPackages([...new Set(possible.flatMap(missingOf).map(([, name]) => name))])
  return wanted.flatMap((suite) => {
    if (!possible.includes(suite)) return [{ suite, why: `not on ${process.platform}` }]
    const missing = missingOf(suite).map(([program]) => program)
    const why = missing.length > 0 ? `${missing.join(", ")} not here` : suite.prepare?.()
    return why === undefined ? [] : [{ suite, why }]
  })
}
