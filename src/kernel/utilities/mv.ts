/** Implements the `mv` utility. */
import { Errno } from "../Errno.ts"
import { FileType } from "../Stat.ts"
import type { Program } from "../System.ts"
import { mayReplace } from "./shared/confirm.ts"
import { removeTree } from "./rm.ts"
import { backUp, readBackup } from "./shared/backups.ts"
import { copyTree } from "./shared/copyTree.ts"
import { resolveTargets } from "./shared/resolveTargets.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/**
 * `mv [-bfinuvT] [-S SUFFIX] [-t DIRECTORY] SOURCE... TARGET`: renames files, or copies and removes them between file systems. Source:
 * mv(1).
 */
export const mv: Program = defineUtility(
  "mv",
  "f|force i|interactive n|no-clobber u v|verbose t|target-directory: T|no-target-directory update:: b backup:: S|suffix:",
  async (io) => {
    const { system } = io
    const backup = readBackup(io)
    for (const [from, to] of resolveTargets(io)) {
      const source = system.stat(from, { follow: false })
      if (typeof source === "number") {
        io.warn(`cannot stat '${from}'`, source)
        continue
      }
      const target = system.stat(to, { follow: false })
      if (typeof target === "object") {
        if (
          io.lastOf("f", "i", "n")?.[0] === "n" ||
          ((io.has("u") || io.has("update")) && target.modified >= source.modified)
        ) continue
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
      if (!await mayReplace(io, to, "overwrite", "f", "n")) continue
      if (backup !== undefined && !backUp(io, to, backup)) continue
      let result = system.rename(from, to)
      if (result === -Errno.EXDEV) {
        const moved = await copyTree(io, from, to, { force: true, preserve: true, recursive: true })
        if (!moved || !await removeTree(io, from, { recursive: true, verbose: false })) continue
        result = 0
      }
      if (result === -Errno.EINVAL) io.warn(`cannot move '${from}' to a subdirectory of itself, '${to}'`)
      else if (result < 0) io.warn(`cannot move '${from}' to '${to}'`, result)
      else if (io.has("v")) io.print(`renamed '${from}' -> '${to}'\n`)
    }
  },
)
