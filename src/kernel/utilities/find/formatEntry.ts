/** Makes the function that formats an entry by the directives of `find -printf`. Source: find(1). */
import { FileType, type Stat } from "../../Stat.ts"
import { strftime } from "../../strftime.ts"
import { formatMode, idsOf, ownerOf, typeLetter } from "../../modes.ts"
import { diskSpace } from "../shared/diskSpace.ts"
import { dirName } from "../shared/paths.ts"
import { decodeEscapes } from "../../shell/builtins/escapes.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import type { WalkEntry } from "../shared/walk.ts"

export const linkTarget = ({ path, stat }: WalkEntry, io: UtilityIo): string => {
  const target = stat.type === FileType.symbolicLink ? io.system.readlink(path) : ""
  return typeof target === "string" ? target : ""
}

const halfYearNanos = 15_778_476_000_000_000n

/** A line as `ls -dils` prints it. */
export const formatListing = (entry: WalkEntry, io: UtilityIo): string => {
  const { path, stat } = entry
  const now = io.system.now()
  const isRecent = stat.modified <= now && stat.modified > now - halfYearNanos
  const time = strftime(isRecent ? "%b %e %H:%M" : "%b %e  %Y", stat.modified, io.zone)
  const { group, user } = ownerOf(io.system.env, stat)
  const target = linkTarget(entry, io)
  const numbers = `${`${stat.inode}`.padStart(9)} ${`${Math.ceil(diskSpace(stat) / 1024)}`.padStart(6)}`
  const owner = `${`${stat.links}`.padStart(3)} ${user.padEnd(8)} ${group.padEnd(8)} ${`${stat.size}`.padStart(8)}`
  const name = path.replace(/[ \\"]/g, "\\$&")
  return `${numbers} ${formatMode(stat)} ${owner} ${time} ${name}${target === "" ? "" : ` -> ${target}`}\n`
}

/** Directives without an argument. */
const directives: Readonly<Record<string, (entry: WalkEntry, io: UtilityIo) => string>> = {
  "%": () => "%",
  d: ({ depth }) => `${depth}`,
  f: ({ name }) => name,
  G: ({ stat }) => idsOf(stat).group,
  g: ({ stat }, io) => ownerOf(io.system.env, stat).group,
  H: ({ depth, path }) => depth === 0 ? path : path.split("/").slice(0, -depth).join("/"),
  h: ({ path }) => path.includes("/") ? dirName(path) : ".",
  i: ({ stat }) => `${stat.inode}`,
  l: (entry, io) => linkTarget(entry, io),
  M: ({ stat }) => formatMode(stat),
  m: ({ stat }) => stat.mode.toString(8),
  n: ({ stat }) => `${stat.links}`,
  P: ({ depth, path }) => depth === 0 ? "" : path.split("/").slice(-depth).join("/"),
  p: ({ path }) => path,
  s: ({ stat }) => `${stat.size}`,
  t: ({ stat }, io) => strftime("%a %b %e %H:%M:%S.%N0 %Y", stat.modified, io.zone),
  U: ({ stat }) => idsOf(stat).user,
  u: ({ stat }, io) => ownerOf(io.system.env, stat).user,
  y: ({ stat }) => typeLetter(stat) === "-" ? "f" : typeLetter(stat),
}

/** Directives of a time, which a conversion of strftime follows. */
const times: Readonly<Record<string, (stat: Stat) => bigint>> = {
  A: (stat) => stat.accessed,
  C: (stat) => stat.changed,
  T: (stat) => stat.modified,
}

/** Conversions of times that strftime does not have, or that show fractions of a second here. */
const timeFormats: Readonly<Record<string, string>> = {
  "@": "%s.%N0",
  "+": "%Y-%m-%d+%H:%M:%S.%N0",
  S: "%S.%N0",
  T: "%T.%N0",
}

export const makeFormatter = (io: UtilityIo, format: string): (entry: WalkEntry) => string => {
  const text = decodeEscapes(format)
  return (entry) =>
    text.replace(/%(-?)([0-9]*)([TAC][^]|[^])/g, (_all, left: string, width: string, directive: string) => {
      const [letter = "", conversion = ""] = [directive[0], directive.slice(1)]
      const time = times[letter]?.(entry.stat)
      const shown = time === undefined
        ? directives[letter]?.(entry, io) ?? `%${letter}`
        : strftime(timeFormats[conversion] ?? `%${conversion}`, time, io.zone)
      const size = Math.min(1024, Number(width))
      return left === "" ? shown.padStart(size) : shown.padEnd(size)
    })
}
