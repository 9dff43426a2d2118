/**
 * Checks whether this process may read and write every path: only then does Deno read `/proc` without asking the user.
 */

/** Whether no permission of the runtime is missing; `true` on Bun and Node. */
export const canReadAnything = (): boolean => {
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
