/** The files of a work tree as patches leave them, held until all of them apply. */
import { FileType } from "../../../Stat.ts"
import { encodeLossless } from "../../../../base/surrogateEscape.ts"
import { lstat, maxFileBytes, readFileIfExists, removeEmptyParents, writeBytes } from "../repository/files.ts"
import { fatal } from "../GitError.ts"
import { modes } from "../repository/objects.ts"
import type { Session } from "../Session.ts"
import { joinLines, linesOf } from "../diff/textLines.ts"

/** The content of a file; that of a link is its target. */
export interface PatchedFile {
  readonly lines: ReadonlyArray<string>
  readonly mode: number
}

export class PatchedFiles {
  readonly #git: Session
  readonly #top: string
  /** What becomes of each path; `undefined`: it is removed. */
  readonly #planned = new Map<string, PatchedFile | undefined>()
  #held = 0

  /** `top`: the folder in which paths start. */
  constructor(git: Session, top: string) {
    this.#git = git
    this.#top = top
  }

  get paths(): Iterable<string> {
    return this.#planned.keys()
  }

  #absolute(path: string): string {
    return `${this.#top}/${path}`
  }

  /** Whether a name on the way is a link, or will be one: a patch must not reach what is behind it. */
  isBeyondLink(path: string): boolean {
    const parts = path.split("/")
    return parts.some((_, count) => {
      const above = parts.slice(0, count).join("/")
      if (count === 0) return false
      if (this.#planned.has(above)) return this.#planned.get(above)?.mode === modes.link
      return lstat(this.#git.system, this.#absolute(above))?.type === FileType.symbolicLink
    })
  }

  /** Whether anything has this name, a folder too. */
  exists(path: string): boolean {
    return this.#planned.has(path)
      ? this.#planned.get(path) !== undefined
      : lstat(this.#git.system, this.#absolute(path)) !== undefined
  }

  async read(path: string): Promise<PatchedFile | undefined> {
    if (this.#planned.has(path)) return this.#planned.get(path)
    const { system } = this.#git
    const stat = lstat(system, this.#absolute(path))
    if (stat?.type === FileType.symbolicLink) {
      const target = system.readlink(this.#absolute(path))
      return typeof target === "string" ? { lines: linesOf(encodeLossless(target)), mode: modes.link } : undefined
    }
    if (stat?.type !== FileType.regularFile) return undefined
    const bytes = await readFileIfExists(system, this.#absolute(path))
    if (bytes === undefined) return undefined
    this.#hold(bytes.length)
    return { lines: linesOf(bytes), mode: (stat.mode & 0o100) === 0 ? modes.file : modes.executable }
  }

  plan(path: string, file: PatchedFile | undefined): void {
    this.#planned.set(path, file)
  }

  #hold(bytes: number): void {
    this.#held += bytes
    if (this.#held > maxFileBytes) {
      fatal(`the patched files are larger than ${maxFileBytes} bytes, which git holds in memory`)
    }
  }

  /** Removes and writes what is planned. */
  async write(): Promise<void> {
    const { system } = this.#git
    for (const [path, file] of this.#planned) {
      if (file !== undefined) continue
      system.unlink(this.#absolute(path))
      removeEmptyParents(system, this.#absolute(path), this.#top)
    }
    for (const [path, file] of this.#planned) {
      if (file === undefined) continue
      const whole = this.#absolute(path)
      system.unlink(whole)
      const bytes = joinLines(file.lines)
      await writeBytes(system, whole, file.mode === modes.link ? new Uint8Array() : bytes, file.mode & 0o777 | 0o666)
      if (file.mode === modes.link) {
        system.unlink(whole)
        const made = system.symlink(new TextDecoder().decode(bytes), whole)
        if (made < 0) fatal(`unable to create symlink ${path}`)
      }
      await this.#git.pause()
    }
  }
}
