/** Implements the `realpath` and `readlink` utilities, which print resolved paths and the targets of links. */
import { Errno, errnoText } from "../Errno.ts"
import type { Program } from "../System.ts"
import { type AllowMissing, pathFrom, resolvePath } from "./shared/paths.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"

const missingOf = (io: UtilityIo): AllowMissing | undefined =>
  io.has("e") ? "none" : io.has("m") ? "all" : io.has("f") ? "last" : undefined

/** Whether a path is a directory or below it. */
const isWithin = (directory: string, path: string): boolean =>
  path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`)

/**
 * `realpath [-emsqzLP] [--relative-to=DIRECTORY] [--relative-base=DIRECTORY] FILE...`: prints absolute paths without links.
 * Source: realpath(1).
 */
export const realpath: Program = defineUtility(
  "realpath",
  "e|canonicalize-existing m|canonicalize-missing s|strip|no-symlinks q|quiet z|zero L|logical P|physical relative-to: " +
    "relative-base:",
  (io) => {
    const missing = missingOf(io) ?? "last"
    const mode = io.lastOf("s", "L", "P")?.[0] ?? "P"
    const resolve = (path: string): string | number => {
      if (path === "") return -Errno.ENOENT
      const found = resolvePath(io.system, path, missing, mode === "P")
      // With -L, `..` is resolved before links.
      return mode === "L" && typeof found === "string" ? resolvePath(io.system, found, missing) : found
    }
    const directoryOf = (option: string): string | undefined => {
      const path = io.value(option)
      if (path === undefined) return undefined
      const found = resolve(path)
      if (typeof found === "number") return io.fail(path === "" ? "''" : path, found)
      return missing === "none" && !io.isDirectory(found) ? io.fail(path, -Errno.ENOTDIR) : found
    }
    const base = directoryOf("relative-base")
    const given = io.has("relative-to") ? directoryOf("relative-to") : base
    // A directory outside of the base leaves paths absolute, other than those in it.
    const to = base === undefined || given === undefined || isWithin(base, given) ? given : undefined
    for (const path of io.operands) {
      const real = resolve(path)
      if (typeof real === "number") {
        if (!io.has("q")) io.printError(`${path === "" ? "''" : path}: ${errnoText(real)}`)
        io.exitCode = 1
        continue
      }
      io.printLine(to === undefined || (base !== undefined && !isWithin(base, real)) ? real : pathFrom(to, real))
    }
  },
  { minOperands: 1 },
)

/** `readlink [-femnqz] FILE...`: prints the targets of links, or resolved paths. Source: readlink(1). */
export const readlink: Program = defineUtility(
  "readlink",
  "f|canonicalize e|canonicalize-existing m|canonicalize-missing n|no-newline q|quiet s|silent v|verbose z|zero",
  (io) => {
    const missing = missingOf(io)
    for (const path of io.operands) {
      const target = missing === undefined ? io.system.readlink(path) : resolvePath(io.system, path, missing)
      if (typeof target === "number") {
        if (io.lastOf("v", "q", "s")?.[0] === "v") io.warn(path, target)
        io.exitCode = 1
      } else if (io.has("n") && io.operands.length === 1) io.print(target)
      else io.printLine(target)
    }
  },
  { minOperands: 1 },
)
