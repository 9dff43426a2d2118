/** Implements the `rmdir` utility, which removes empty directories. */
import { Errno } from "../Errno.ts"
import type { Program } from "../System.ts"
import { defineUtility } from "./shared/defineUtility.ts"
import { dirName } from "./shared/paths.ts"

/** `rmdir [-pv] DIRECTORY...`: removes empty directories. Source: rmdir(1). */
export const rmdir: Program = defineUtility("rmdir", "p|parents v|verbose ignore-fail-on-non-empty", (io) => {
  for (const operand of io.operands) {
    for (let path = operand; path !== "." && path !== "/"; path = dirName(path)) {
      if (io.has("v")) io.print(`rmdir: removing directory, '${path}'\n`)
      const result = io.system.removeDirectory(path)
      if (result < 0 && !(result === -Errno.ENOTEMPTY && io.has("ignore-fail-on-non-empty"))) {
        io.warn(`failed to remove '${path}'`, result)
      }
      if (result < 0 || !io.has("p")) break
    }
  }
}, { minOperands: 1 })
