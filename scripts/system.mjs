/**
 * Programs that test suites need beside the runtimes. On Debian they are installed when the caller asks for that;
 * elsewhere, and without asking, suites that lack something are left out, and named.
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { delimiter, join } from "node:path"
import { prepareWine, wineIsReady, winePrograms } from "./wine.mjs"

/**
 * @typedef {object} Suite
 * @property {string} name as the last lines of a run say it
 * @property {ReadonlyArray<string>} [files] globs of its test files, which are left out with it; default: none, where the
 *   tests ask for themselves what the system can do
 * @property {boolean} [onlyAll] whether `npm run test:all` alone runs it
 * @property {ReadonlyArray<NodeJS.Platform>} [platforms] where it can run at all; default: everywhere
 * @property {Readonly<Record<string, string>>} programs what it needs on PATH, and the Debian package of each
 * @property {() => ReadonlyArray<string>} [folders] where else its programs may be; default: nowhere
 * @property {() => boolean} [isPrepared] whether that which no package brings is there
 * @property {() => string | undefined} [prepare] builds it, once the programs are there; answers why it cannot
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

/** Programs that build C for WASI, with the Debian package of each. */
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
    files: ["tests/leaves/local/windows/{windows,contract}.test.ts"],
    onlyAll: true,
    platforms: ["linux"],
    programs: winePrograms,
    isPrepared: wineIsReady,
    prepare: prepareWine,
  },
  {
    name: "the PostgreSQL journal",
    files: ["tests/journal/stores/postgres/server/*.test.ts"],
    platforms: ["linux", "darwin"],
    programs: { initdb: "postgresql", pg_ctl: "postgresql" },
    folders: postgresFolders,
  },
  {
    name: "isolated commands",
    files: ["tests/leaves/isolated/**/*.test.ts"],
    platforms: ["linux"],
    programs: {
      bwrap: "bubblewrap",
      setpriv: "util-linux",
      flock: "util-linux",
      perl: "perl-base",
      script: "bsdutils",
    },
  },
  {
    name: "the witness of what starts behind a policy",
    files: ["tests/policy/witness/!(straceLog).test.ts"],
    platforms: ["linux"],
    programs: {
      ...{ strace: "strace", bwrap: "bubblewrap", bash: "bash", cc: "gcc", git: "git", mawk: "mawk" },
      // What scripts of every day call, so that both sides have it.
      ...{ bc: "bc", column: "bsdextrautils", file: "file", jq: "jq", make: "make", rg: "ripgrep" },
      ...{ unzip: "unzip", xxd: "xxd", zip: "zip" },
    },
  },
  {
    name: "the network of isolated commands",
    files: ["tests/leaves/isolated/{network,programs/*}.test.ts", "tests/cli/isolated*.test.ts"],
    platforms: ["linux"],
    programs: {
      bwrap: "bubblewrap",
      perl: "perl-base",
      socat: "socat",
      curl: "curl",
      git: "git",
      openssl: "openssl",
      pip3: "python3-pip",
    },
  },
  {
    name: "terminals",
    files: [
      "tests/host/terminal/{engines,promises,storm}.test.ts",
      "tests/terminal/{session,Terminals,journal,leaves}.test.ts",
    ],
    platforms: ["linux"],
    programs: {
      "bash": "bash",
      "vim": "vim",
      "less": "less",
      "top": "procps",
      "python3": "python3",
      "ssh-keygen": "openssh-client",
    },
  },
  {
    name: "small tools beside Debian's",
    platforms: ["linux"],
    programs: { file: "file", getopt: "util-linux", hexdump: "bsdextrautils", strings: "binutils", tree: "tree" },
  },
  { name: "searches with ripgrep", platforms: ["linux", "darwin"], programs: { rg: "ripgrep" } },
  {
    name: "commands in containers",
    files: [
      "tests/agent/container.test.ts",
      "tests/leaves/container/{contract.deno,files.deno,podman/*,terminal.deno}.test.ts",
      "tests/terminal/container.deno.test.ts",
    ],
    platforms: ["linux"],
    programs: { podman: "podman", runc: "runc", busybox: "busybox-static" },
    folders: () => ["/usr/sbin"],
  },
  {
    name: "commands and files over SSH",
    files: [
      "tests/leaves/ssh/smoke.test.ts",
      "tests/leaves/ssh/{commands,connection,contract,files,logins,loss/loss,sftp/reconnect}.deno.test.ts",
    ],
    platforms: ["linux"],
    programs: {
      "sshd": "openssh-server",
      "ssh-keygen": "openssh-client",
      "dropbear": "dropbear-bin",
      "busybox": "busybox-static",
    },
    folders: () => ["/usr/sbin"],
  },
  { name: "WASI programs built from C", platforms: ["linux"], programs: wasiPrograms, folders: wasiFolders },
  {
    name: "a sandbox in a browser's page",
    files: ["tests/docs/try/page.node.test.ts", "tests/kernel/edge/browser/browser.node.test.ts"],
    onlyAll: true,
    platforms: ["linux"],
    programs: { chromium: "chromium" },
  },
]

/**
 * Compilers that the slow suite builds real programs with: clang 14 builds CPython; the others need setjmp(3), for which clang 19 is
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

/** Seconds that another apt may hold its locks. */
const lockSeconds = 300

const pause = (/** @type {number} */ millis) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)

/** Runs apt-get as root, or by a sudo that asks for no password; waits while another one holds its locks. */
const apt = (/** @type {ReadonlyArray<string>} */ args) => {
  const sudo = process.getuid?.() === 0 ? [] : ["sudo", "-n"]
  // The option covers dpkg's lock and, since apt 2.0, not that of the lists: there apt fails at once.
  const words = [...sudo, "apt-get", "-qq", "-o", `DPkg::Lock::Timeout=${lockSeconds}`, ...args]
  const [program = "apt-get", ...rest] = words
  for (let waited = 0;; waited += 5) {
    const { status, stderr } = spawnSync(program, rest, {
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C.UTF-8" },
    })
    const isLocked = status !== 0 && /could not get lock|unable to lock/i.test(stderr ?? "")
    if (!isLocked || waited >= lockSeconds) {
      if (status !== 0) process.stderr.write(stderr ?? "")
      return
    }
    if (waited === 0) process.stderr.write("Waiting for another apt to end ...\n")
    pause(5_000)
  }
}

/** Installs Debian packages where this is Debian. */
const installPackages = (/** @type {ReadonlyArray<string>} */ packages) => {
  if (packages.length === 0 || !existsSync("/usr/bin/apt-get")) return
  process.stderr.write(`Installing ${packages.join(", ")} ...\n`)
  apt(["update"])
  // One by one: a package that is not to be had keeps no other away. What counts is what is there afterwards.
  for (const name of packages) apt(["install", "-y", "--no-install-recommends", name])
}

/**
 * Says which suites must stay out and why. With `install` it first brings what they need, as far as that can be had.
 *
 * @param {ReadonlyArray<Suite>} [wanted] default: all of them
 * @param {{ readonly install?: boolean }} [options] `install`: change the system. Default: `false`
 * @returns {ReadonlyArray<{ readonly suite: Suite, readonly why: string }>}
 */
export const prepareSystem = (wanted = suites, { install = false } = {}) => {
  const possible = wanted.filter((suite) => suite.platforms?.includes(process.platform) ?? true)
  if (install) installPackages([...new Set(possible.flatMap(missingOf).map(([, name]) => name))])
  /** @param {Suite} suite */
  const whyNot = (suite) => {
    if (!possible.includes(suite)) return `not on ${process.platform}`
    const missing = missingOf(suite).map(([program]) => program)
    if (missing.length > 0) return `${missing.join(", ")} not here`
    if (suite.isPrepared?.() === true) return undefined
    return install ? suite.prepare?.() : suite.prepare === undefined ? undefined : "not installed"
  }
  return wanted.flatMap((suite) => {
    const why = whyNot(suite)
    return why === undefined ? [] : [{ suite, why }]
  })
}
