/** Finds the name of the user that this process runs as. */
import { accountNames } from "../base/accountNames.ts"
import { resultOrUndefined } from "../base/resultOrUndefined.ts"
import { findDeno, findProcess, isGranted } from "./runtimeProcess.ts"

let known: { readonly user: string | undefined } | undefined

const find = (): string | undefined => {
  const process = findProcess()
  if (process === undefined) return undefined
  const deno = findDeno()
  // Asks the system: Bun takes the name from the variable USER, which the parent process sets.
  const canAsk = !("Bun" in globalThis) && isGranted(deno, "sys", { kind: "userInfo" })
  const info = canAsk ? resultOrUndefined(() => process.getBuiltinModule("node:os").userInfo()) : undefined
  if (info !== undefined && info.username !== "") return info.username
  // A container may run as a user without a name.
  const uid = isGranted(deno, "sys", { kind: "uid" }) ? resultOrUndefined(() => process.getuid?.()) : undefined
  if (uid === undefined) return undefined
  return (deno === undefined ? accountNames(process.getBuiltinModule("node:fs"), "/etc/passwd").get(uid) : undefined) ??
    `${uid}`
}

/**
 * The name of the user that this process runs as, its number where it has no name; `undefined` if it is unknown: in an edge
 * isolate, and on Deno without permission.
 */
export const currentUser = (): string | undefined => (known ??= { user: find() }).user
