/**
 * Finds the home folders of this machine's users.
 *
 * Source: passwd(5).
 */
import type { Host } from "../../host/Host.ts"

const maxBytes = 1024 * 1024

/** Their canonical paths, this program's first. Users of other name services are not found. */
export const findHomes = (host: Host): ReadonlyArray<string> => {
  const head = host.readHead("/etc/passwd", maxBytes)
  const lines = head === undefined ? [] : new TextDecoder().decode(head).split("\n")
  const named = [host.variable("HOME"), ...lines.map((line) => line.split(":")[5])]
  const homes = named.flatMap((path) => path?.startsWith("/") === true ? host.realPath(path) ?? [] : [])
  return [...new Set(homes)].filter((path) => host.fileKind(path) === "directory")
}
