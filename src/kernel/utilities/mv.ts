/** Implements the `mv` utility. */
import { Errno } from "../Errno.ts"
import { FileType } from "../Stat.ts"
import type { Program } from "../System.ts"
import { copyTree } from "./shared/copyTree.ts"
import { resolveTargets } from "./shared/resolveTargets.ts"
import { defineUtility, type UtilityIo } from "./shared/defineUtility.ts"
import { joinPath } from "./shared/paths.ts"

/**
 * `mv [-finuvT] [-t DIRECTORY] SOURCE... TARGET`: renames files, or copies and removes them between file systems. Source: mv(1).
 *
 * @stability stable
 */
export const mv: Program = defineUtility(
  "mv",
  "f|force i|interactive n|no-clobber u v|verbose t|target-directory: T|no-target-directory update::",
  async (io) => {
    const { system } = io
    for (const [from, to] of resolveTargets(io)) {
      const source = system.stat(from, { follow: false })
      if (typeof source === "number") {
        io.warn(`cannot stat '${from}'`, source)
        continue
      }
      const target = system.stat(to, { follow: false })
      if (typeof target === "object") {
        if (io.has("n") || ((io.has("u") || io.has("update")) && target.modified >= source.modified)) continue
        if (target.inode === source.inode && target.device === source.device) {
          io.warn(`'${from}' and '${to}' are the same file`)
          continue
        }
        const isDirectory = source.type === FileType.directory
        if (isDirectory !== (target.type === FileType.directory)) {
          io.warn(
            isDirectory
              ? `cannot overwrite non-directory '${to}' with directory '${from}'`
              : `cannot overwrite directory '${to}' with non-directory`,
          )
          continue
        }
      }
      let result = system.rename(from, to)
      if (result === -Errno.EXDEV) {
        const moved = await copyTree(io, from, to, {
          follow: false,
          force: true,
          noClobber: false,
          preserve: true,
          recursive: true,
          update: false,
          verbose: false,
        })
        if (!moved) continue
        result = await removeTree(io, from)
      }
      if (result === -Errno.EINVAL) io.warn(`cannot move '${from}' to a subdirectory of itself, '${to}'`)
      else if (result < 0) io.warn(`cannot move '${from}' to '${to}'`, result)
      else if (io.has("v")) io.print(`renamed '${from}' -> '${to}'\n`)
    }
  },
)

/** Removes a tree; returns 0 or an errno. */
const removeTree = async (io: UtilityIo, path: string): Promise<number> => {
  await io.flushAndYield()
  const stat = io.system.stat(path, { follow: false })
  if (typeof stat === "number") return stat
  if (stat.type !== FileType.directory) return io.system.unlink(path)
  const entries = io.system.list(path)
  if (typeof entries === "number") return entries
  for (const { name } of entries) {
    const result = await removeTree(io, joinPath(path, name))
    if (result < 0) return result
  }
  await io.flushAndYield()
  return io.system.removeDirectory(path)
}
