/** Implements the `ln` utility, which creates hard and symbolic links. */
import type { Program } from "../System.ts"
import { FileType } from "../Stat.ts"
import { resolveTargets } from "./shared/resolveTargets.ts"
import { defineUtility } from "./shared/defineUtility.ts"
import { baseName, dirName } from "./shared/paths.ts"
import { relativePath } from "./shared/paths.ts"

/** `ln [-sfnrvTLP] [-t DIRECTORY] TARGET... LINK`: creates links. Source: ln(1). */
export const ln: Program = defineUtility(
  "ln",
  "s|symbolic f|force n|no-dereference r|relative v|verbose t|target-directory: T|no-target-directory L P i b",
  (io) => {
    const { system } = io
    const pairs = io.operands.length === 1 && !io.has("t")
      ? [[io.operands[0] ?? "", baseName(io.operands[0] ?? "")] as const]
      : resolveTargets(io)
    for (const [from, to] of pairs) {
      const what = io.has("s") ? "symbolic link" : "hard link"
      const known = system.stat(to, { follow: false })
      if (typeof known === "object" && io.has("f")) {
        const source = io.has("s") ? undefined : system.stat(from, { follow: false })
        if (typeof source === "object" && source.inode === known.inode && source.device === known.device) {
          io.warn(`'${from}' and '${to}' are the same file`)
          continue
        }
        if (known.type !== FileType.directory) system.unlink(to)
      }
      const stat = io.has("s") ? undefined : system.stat(from, { follow: io.has("L") })
      if (typeof stat === "number") {
        io.warn(`failed to access '${from}'`, stat)
        continue
      }
      if (stat?.type === FileType.directory) {
        io.warn(`${from}: hard link not allowed for directory`)
        continue
      }
      const target = io.has("s") && io.has("r") ? relativePath(system, dirName(to), from) : from
      const result = io.has("s") ? system.symlink(target, to) : system.link(from, to)
      if (result < 0) io.warn(`failed to create ${what} '${to}'`, result)
      else if (io.has("v")) io.print(`'${to}' ${io.has("s") ? "->" : "=>"} '${target}'\n`)
    }
  },
)
