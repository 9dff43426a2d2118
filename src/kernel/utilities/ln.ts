/** Implements the `ln` utility, which creates hard and symbolic links. */
import type { Program, System } from "../System.ts"
import { FileType } from "../Stat.ts"
import { backUp, readBackup } from "./shared/backups.ts"
import { mayReplace } from "./shared/confirm.ts"
import { resolveTargets } from "./shared/resolveTargets.ts"
import { defineUtility } from "./shared/defineUtility.ts"
import { baseName, dirName, relativePath, resolvePath } from "./shared/paths.ts"

const isSameName = (system: System, one: string, two: string): boolean =>
  baseName(one) === baseName(two) &&
  resolvePath(system, dirName(one), "none") === resolvePath(system, dirName(two), "none")

/** `ln [-bfinrsvTLP] [-S SUFFIX] [-t DIRECTORY] TARGET... LINK`: creates links. Source: ln(1). */
export const ln: Program = defineUtility(
  "ln",
  "s|symbolic f|force n|no-dereference r|relative v|verbose t|target-directory: T|no-target-directory L|logical P|physical " +
    "i|interactive b backup:: S|suffix:",
  async (io) => {
    const { system } = io
    const backup = readBackup(io)
    const follows = io.lastOf("L", "P")?.[0] === "L"
    const pairs = io.operands.length === 1 && !io.has("t")
      ? [[io.operands[0] ?? "", baseName(io.operands[0] ?? "")] as const]
      : resolveTargets(io)
    for (const [from, to] of pairs) {
      if (!await mayReplace(io, to, "replace", "f")) continue
      const what = io.has("s") ? "symbolic link" : "hard link"
      const known = system.stat(to, { follow: false })
      if (typeof known === "object" && (io.has("f") || io.has("i") || backup !== undefined)) {
        const source = io.has("s") ? undefined : system.stat(from, { follow: false })
        const isSame = typeof source === "object" && source.inode === known.inode && source.device === known.device
        if (isSame && (source.links === 1 || isSameName(system, from, to))) {
          io.warn(`'${from}' and '${to}' are the same file`)
          continue
        }
        if (backup !== undefined) {
          if (!backUp(io, to, backup)) continue
        } else if (known.type !== FileType.directory) system.unlink(to)
      }
      const stat = io.has("s") ? undefined : system.stat(from, { follow: follows })
      if (typeof stat === "number") {
        io.warn(`failed to access '${from}'`, stat)
        continue
      }
      if (stat?.type === FileType.directory) {
        io.warn(`${from}: hard link not allowed for directory`)
        continue
      }
      const target = io.has("s") && io.has("r") ? relativePath(system, dirName(to), from) : from
      const named = follows && !io.has("s") ? resolvePath(system, from, "none") : from
      const result = io.has("s")
        ? system.symlink(target, to)
        : typeof named === "number"
        ? named
        : system.link(named, to)
      if (result < 0) io.warn(`failed to create ${what} '${to}'`, result)
      else if (io.has("v")) io.print(`'${to}' ${io.has("s") ? "->" : "=>"} '${target}'\n`)
    }
  },
)
