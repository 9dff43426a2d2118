/**
 * Finds the name of the user that this process runs as.
 *
 * @module
 */
import { findDeno, findProcess, isGranted, resultOrUndefined } from "./runtimeProcess.ts"

let known: { readonly user: string | undefined } | undefined

const find = (): string | undefined => {
  const process = findProcess()
  if (process === undefined) return undefined
  const deno = findDeno()
  const os = process.getBuiltinModule("node:os")
  // Asks the system: a variable such as USER has what the parent process set.
  const info = isGranted(deno, "sys", { kind: "userInfo" }) ? resultOrUndefined(() => os.userInfo()) : undefined
  if (info !== undefined && info.username !== "") return info.username
  // A container may run as a user without a name.
  const uid = isGranted(deno, "sys", { kind: "uid" }) ? resultOrUndefined(() => process.getuid?.()) : undefined
  return uid === undefined ? undefined : `${uid}`
}

/**
 * The name of the user that this process runs as, its number where it has no name; `undefined` where it cannot be told: in
 * an edge isolate, and on Deno without permission.
 */
export const currentUser = (): string | undefined => (known ??= { user: find() }).user
