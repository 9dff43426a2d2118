/**
 * What `find -printf` shows.
 *
 * Source: find(1).
 *
 * @module
 */
import { FileType } from "../../Stat.ts"
import { unescape } from "../shared/unescape.ts"
import { formatMode, ownerOf, typeLetter } from "../shared/modes.ts"
import { strftime } from "../../strftime.ts"
import type { UtilityIo } from "../shared/utility.ts"
import { dirName } from "../shared/paths.ts"
import type { WalkEntry } from "../shared/walk.ts"
import type { Predicate } from "./Expression.ts"

/** `-printf`. */
export const printfAction = (io: UtilityIo, format: string): Predicate => {
  const text = format.replace(/\\([^])/g, (all, letter: string) => letter === "0" ? "\0" : unescape(all).value)
  const own = ownerOf(io.system.env)
  const field = (found: WalkEntry, letter: string, sub: string): string => {
    const { depth, name, path, stat } = found
    switch (letter) {
      case "p":
        return path
      case "f":
        return name
      case "h":
        return path.includes("/") ? dirName(path) : "."
      case "P":
        return depth === 0 ? "" : path.split("/").slice(-depth).join("/")
      case "H":
        return depth === 0 ? path : path.split("/").slice(0, -depth).join("/")
      case "s":
        return `${stat.size}`
      case "d":
        return `${depth}`
      case "m":
        return stat.mode.toString(8)
      case "M":
        return formatMode(stat)
      case "y":
        return typeLetter(stat) === "-" ? "f" : typeLetter(stat)
      case "n":
        return `${stat.links}`
      case "i":
        return `${stat.inode}`
      case "l": {
        const target = stat.type === FileType.symbolicLink ? io.system.readlink(path) : ""
        return typeof target === "string" ? target : ""
      }
      case "u":
        return own.user
      case "g":
        return own.group
      case "U":
      case "G":
        return "0"
      case "t":
        return strftime("%a %b %e %H:%M:%S.%N0 %Y", stat.modified, io.system.env.get("TZ"))
      case "T":
      case "A":
      case "C": {
        const when = letter === "T" ? stat.modified : letter === "A" ? stat.accessed : stat.changed
        const format = sub === "@"
          ? "%s.%N0"
          : sub === "+"
          ? "%Y-%m-%d+%H:%M:%S.%N0"
          : sub === "S"
          ? "%S.%N0"
          : sub === "T"
          ? "%T.%N0"
          : `%${sub}`
        return strftime(format, when, io.system.env.get("TZ"))
      }
      case "%":
        return "%"
      default:
        return `%${letter}`
    }
  }
  return (found) => {
    io.print(text.replace(/%(-?)([0-9]*)([TAC][^]|[^])/g, (_all, left: string, width: string, what: string) => {
      const shown = field(found, what[0] ?? "", what.slice(1))
      const size = Math.min(1024, Number(width))
      return left === "" ? shown.padStart(size) : shown.padEnd(size)
    }))
    return true
  }
}
