/** Reads owner names, disk space and folder order from the host, for scripts whose programs run on the host. */
import type * as NodeFs from "node:fs"
import { accountNames } from "../../base/accountNames.ts"
import { nodeBuiltins } from "../../base/nodeBuiltins.ts"
import type { HostEntry } from "./HostFiles.ts"
import { toHostEntry, toStat } from "./nodeErrors.ts"
import type { Stat } from "../Stat.ts"

/** On macOS the file does not list the user of this process. */
const readUsers = (fs: typeof NodeFs): Map<number, string> => {
  const users = accountNames(fs, "/etc/passwd")
  try {
    const own = nodeBuiltins()?.getBuiltinModule("node:os").userInfo()
    if (own !== undefined && !users.has(own.uid)) users.set(own.uid, own.username)
  } catch {
    // The user has no name, or Deno lacks the permission to read it.
  }
  return users
}

/** Makes the conversion of a stat of the host with its owner and blocks. The names are read when one is asked for. */
export const makeDetailedStat = (fs: typeof NodeFs): (stat: NodeFs.BigIntStats) => Stat => {
  const owners = new Map<string, Stat["owner"]>()
  let users: Map<number, string> | undefined
  let groups: Map<number, string> | undefined
  const ownerOf = (uid: number, gid: number): Stat["owner"] => {
    users ??= readUsers(fs)
    groups ??= accountNames(fs, "/etc/group")
    return { uid, gid, user: users.get(uid) ?? `${uid}`, group: groups.get(gid) ?? `${gid}` }
  }
  return (stat) => {
    const key = `${stat.uid}:${stat.gid}`
    const owner = owners.get(key) ?? ownerOf(Number(stat.uid), Number(stat.gid))
    owners.set(key, owner)
    return { ...toStat(stat), blocks: Number(stat.blocks), owner }
  }
}

/** Lists a folder in its own order; `readdirSync` of Node sorts. */
export const listInOrder = (fs: typeof NodeFs, path: string): ReadonlyArray<HostEntry> => {
  const folder = fs.opendirSync(path, { bufferSize: 1_024 })
  const entries: Array<HostEntry> = []
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) entries.push(toHostEntry(entry))
  } finally {
    folder.closeSync()
  }
  return entries
}
