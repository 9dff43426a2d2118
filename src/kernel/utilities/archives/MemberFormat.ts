/** Formats members as `tar -tv` and `tar -cvv` list them. */
import type { TarEntry } from "../../fs/tar.ts"
import { formatMode } from "../../modes.ts"
import { FileType } from "../../Stat.ts"
import { strftime } from "../../strftime.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"

const fileTypes = {
  fifo: FileType.unknown,
  file: FileType.regularFile,
  folder: FileType.directory,
  hardLink: FileType.regularFile,
  link: FileType.symbolicLink,
  other: FileType.unknown,
} as const

/** Formats the lines of one archive: the column of sizes grows with what it has to hold. */
export class MemberFormat {
  readonly #io: UtilityIo
  /** Width of owner and size. */
  #width = 19

  constructor(io: UtilityIo) {
    this.#io = io
  }

  format(entry: TarEntry, size: number = entry.size): string {
    const name = entry.path + (entry.type === "folder" ? "/" : "")
    if (this.#io.options.all.filter(([option]) => option === "v").length < (this.#io.has("t") ? 1 : 2)) return name
    const { gid = 0, group = "", uid = 0, user = "" } = entry.owner ?? {}
    const numeric = this.#io.has("numeric-owner")
    const owner = `${numeric || user === "" ? uid : user}/${numeric || group === "" ? gid : group}`
    const sizeText = `${entry.type === "file" ? size : 0}`
    this.#width = Math.max(this.#width, owner.length + 1 + sizeText.length)
    const nothing = { accessed: 0n, changed: 0n, device: 0, inode: 0, links: 1, modified: 0n, size: 0 }
    const letters = formatMode({ ...nothing, mode: entry.mode, type: fileTypes[entry.type] })
    const mode = entry.type === "hardLink" ? `h${letters.slice(1)}` : letters
    const time = strftime("%Y-%m-%d %H:%M", entry.modified, this.#io.zone)
    const arrow = entry.type === "link"
      ? ` -> ${entry.target}`
      : entry.type === "hardLink"
      ? ` link to ${entry.target}`
      : ""
    return `${mode} ${owner}${sizeText.padStart(this.#width - owner.length)} ${time} ${name}${arrow}`
  }
}
