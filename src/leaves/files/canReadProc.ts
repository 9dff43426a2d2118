/**
 * Tells whether this process can find the place of an open file in `/proc`.
 *
 * @module
 */
import type * as NodeFs from "node:fs"

/** Deno reads `/proc` only with all permissions, and asks the user without them. */
const hasAllPermissions = (): boolean => {
  const deno: unknown = Reflect.get(globalThis, "Deno")
  if (typeof deno !== "object" || deno === null) return true
  const permissions: unknown = Reflect.get(deno, "permissions")
  if (typeof permissions !== "object" || permissions === null) return false
  const query: unknown = Reflect.get(permissions, "querySync")
  if (typeof query !== "function") return false
  return ["read", "write"].every((name) => {
    const status: unknown = Reflect.apply(query, permissions, [{ name }])
    return typeof status === "object" && status !== null && "state" in status && status.state === "granted"
  })
}

/** Whether `/proc/self/fd` is there and may be read. */
export const canReadProc = (fs: typeof NodeFs): boolean => {
  if (!hasAllPermissions()) return false
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
