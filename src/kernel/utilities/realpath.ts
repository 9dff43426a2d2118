/** Implements the `realpath` and `readlink` utilities, which print resolved paths and the targets of links. */
import { Errno, errnoText } from "../Errno.ts"
import type { Program } from "../System.ts"
import { type AllowMissing, relativePath, resolvePath } from "./shared/paths.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"

const missingOf = (io: UtilityIo): AllowMissing | undefined =>
  io.has("e") ? "none" : io.has("m") ? "all" : io.has("f") ? "last" : undefined

/** The absolute path without `.` and `..`, whose links are not followed. */
const withoutLinks = ({ system }: UtilityIo, path: string, missing: AllowMissing): string | number => {
  const parts: Array<string> = []
  for (const name of (path.startsWith("/") ? path : `${system.cwd}/${path}`).split("/")) {
    if (name === "..") parts.pop()
    else if (name !== "" && name !== ".") parts.push(name)
  }
  const whole = `/${parts.join("/")}`
  const stat = system.stat(whole)
  return typeof stat === "number" && missing === "none" ? stat : whole
}

/**
 * `realpath [-emsqz] [--relative-to=DIRECTORY] FILE...`: prints absolute paths without links. Source: realpath(1).
 */
export const realpath: Program = defineUtility(
  "realpath",
  "e|canonicalize-existing m|canonicalize-missing s|strip|no-symlinks q|quiet z|zero L P relative-to:",
  (io) => {
    const missing = missingOf(io) ?? "last"
    for (const path of io.operands) {
      const real = path === ""
        ? -Errno.ENOENT
        : io.has("s")
        ? withoutLinks(io, path, missing)
        : resolvePath(io.system, path, missing)
      if (typeof real === "number") {
        if (!io.has("q")) io.printError(`${path === "" ? "''" : path}: ${errnoText(real)}`)
        io.exitCode = 1
        continue
      }
      const base = io.value("relative-to")
      io.printLine(base === undefined ? real : relativePath(io.system, base, real))
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
        if (io.has("v")) io.warn(path, target)
        io.exitCode = 1
      } else if (io.has("n") && io.operands.length === 1) io.print(target)
      else io.printLine(target)
    }
  },
  { minOperands: 1 },
)
