/**
 * The user that this process belongs to.
 *
 * @module
 */
import { attempt, granted, ownDeno, ownProcess } from "./ownProcess.ts"

let known: { readonly user: string | undefined } | undefined

const find = (): string | undefined => {
  const process = ownProcess()
  if (process === undefined) return undefined
  const deno = ownDeno()
  const os = process.getBuiltinModule("node:os")
  // The system's own answer: a variable such as USER says what its parent wanted.
  const info = granted(deno, "sys", { kind: "userInfo" }) ? attempt(() => os.userInfo()) : undefined
  if (info !== undefined && info.username !== "") return info.username
  // A container may run as a user without a name.
  const uid = granted(deno, "sys", { kind: "uid" }) ? attempt(() => process.getuid?.()) : undefined
  return uid === undefined ? undefined : `${uid}`
}

/**
 * The name of the user that this process runs as, its number where it has no name; `undefined` where it cannot be told: in
 * an edge isolate, and on Deno without permission.
 */
export const currentUser = (): string | undefined => (known ??= { user: find() }).user
