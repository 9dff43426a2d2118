/** Checks whether this process can find the path of an open file in `/proc`. */
import type * as NodeFs from "node:fs"
import { canReadAnything } from "../../base/canReadAnything.ts"

export const canReadProc = (fs: typeof NodeFs): boolean => {
  if (!canReadAnything()) return false
  try {
    const handle = fs.openSync("/", "r")
    try {
      return fs.readlinkSync(`/proc/self/fd/${handle}`) === "/"
    } finally {
      fs.closeSync(handle)
    }
  } catch {
    return false
  }
}
