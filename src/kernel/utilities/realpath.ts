import type { Program } from "../System.ts"
import { type Missing, relativePath, resolvePath } from "./shared/paths.ts"
import { utility } from "./shared/utility.ts"

/** `realpath [-emsqz] [--relative-to=FOLDER] FILE...`: paths without links. Source: realpath(1). */
export const realpath: Program = utility(
  "realpath",
  "e|canonicalize-existing m|canonicalize-missing s|strip|no-symlinks q|quiet z|zero L P relative-to:",
  (io) => {
    if (io.operands.length === 0) return io.missingOperand()
    const missing: Missing = io.has("e") ? "none" : io.has("m") ? "all" : "last"
    for (const path of io.operands) {
      const real = path === "" ? -44 : resolvePath(io.system, path, missing)
      if (typeof real === "number") {
        if (!io.has("q")) {
          io.say(
            `${path === "" ? "''" : path}: ${
              real === -44
                ? "No such file or directory"
                : real === -54
                ? "Not a directory"
                : "Too many levels of symbolic links"
            }`,
          )
        }
        io.status = 1
        continue
      }
      const base = io.value("relative-to")
      io.out.putText((base === undefined ? real : relativePath(io.system, base, real)) + (io.has("z") ? "\0" : "\n"))
    }
  },
)

/** `readlink [-femnqz] FILE...`: what a link says, or where it leads. Source: readlink(1). */
export const readlink: Program = utility(
  "readlink",
  "f|canonicalize e|canonicalize-existing m|canonicalize-missing n|no-newline q|quiet s|silent v|verbose z|zero",
  (io) => {
    if (io.operands.length === 0) return io.missingOperand()
    const missing: Missing | undefined = io.has("e") ? "none" : io.has("m") ? "all" : io.has("f") ? "last" : undefined
    io.operands.forEach((path, index) => {
      const target = missing === undefined ? io.system.readlink(path) : resolvePath(io.system, path, missing)
      if (typeof target === "number") {
        if (io.has("v")) io.warn(path, target)
        io.status = 1
        return
      }
      const last = index === io.operands.length - 1
      io.out.putText(target + (io.has("n") && last && io.operands.length === 1 ? "" : io.has("z") ? "\0" : "\n"))
    })
  },
)
