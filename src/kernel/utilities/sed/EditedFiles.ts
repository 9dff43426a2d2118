/** Reads the lines of the files that `sed` edits, and writes the edited text to stdout or over the files. */
import { textToBinary } from "../../binaryString.ts"
import { FileType } from "../../Stat.ts"
import type { Later } from "../../System.ts"
import { Input } from "../shared/Input.ts"
import { Output } from "../shared/Output.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { baseName, dirName, joinPath } from "../shared/paths.ts"
import { UtilityExit } from "../shared/UtilityExit.ts"

/** The edited files, as one stream or, with `-s` and `-i`, each separately. */
export class EditedFiles {
  readonly #io: UtilityIo
  readonly #paths: Array<string>
  readonly #end: number
  /** The suffix of the backups of files edited in place; `undefined` if files are not edited in place. */
  readonly inPlace: string | undefined
  readonly #separate: boolean
  #input: Input | undefined
  #out: Output
  #target = { fd: -1, mode: 0, path: "", temporary: "" }
  /** Whether the last line returned ended with a newline. */
  terminated = true
  path = "-"
  /** Called before the first line of each file, if files are edited separately. */
  onSeparate: () => void = () => {}

  constructor(io: UtilityIo, paths: ReadonlyArray<string>) {
    this.#io = io
    this.#paths = paths.length === 0 ? ["-"] : [...paths]
    this.#end = io.terminator()
    this.inPlace = io.value("i")
    this.#separate = io.has("s") || this.inPlace !== undefined
    this.#out = io.out
  }

  /** Whether another line follows, in this file or in a later one, which is opened. */
  async #hasMore(): Promise<boolean> {
    for (;;) {
      if (this.#input !== undefined) {
        if (await this.#input.fill()) return true
        this.#input.close()
        this.#input = undefined
      }
      if (!this.#open()) return false
    }
  }

  #open(): boolean {
    for (let path = this.#paths.shift(); path !== undefined; path = this.#paths.shift()) {
      const stat = path === "-" ? undefined : this.#io.system.stat(path)
      if (stat !== undefined && typeof stat !== "number" && stat.type === FileType.directory) {
        throw new UtilityExit(
          4,
          this.inPlace === undefined
            ? `read error on ${path}: Is a directory`
            : `couldn't edit ${path}: not a regular file`,
        )
      }
      const fd = path === "-" ? 0 : this.#io.system.open(path, { read: true })
      if (fd < 0) {
        this.#io.warn(`can't read ${path}`, fd)
        continue
      }
      this.#input = new Input(this.#io, fd, path, this.#end)
      if (this.inPlace !== undefined && typeof stat === "object") this.#openTarget(path, stat.mode)
      if (this.#separate) this.onSeparate()
      return true
    }
    return false
  }

  #openTarget(path: string, mode: number): void {
    const temporary = joinPath(dirName(path), `.sed-${this.#io.system.pid}-${this.#io.system.monotonic()}`)
    const fd = this.#io.system.open(temporary, { create: true, exclusive: true, mode, write: true })
    if (fd < 0) this.#io.fail(`couldn't open temporary file ${temporary}`, fd)
    this.#target = { fd, mode, path, temporary }
    this.#out = new Output(this.#io.system, fd)
  }

  async #replaceTarget(): Promise<void> {
    const { fd, mode, path, temporary } = this.#target
    if (fd < 0) return
    const { system } = this.#io
    await this.#out.flush()
    system.close(fd)
    system.setMode(temporary, mode)
    this.#target = { ...this.#target, fd: -1 }
    this.#out = this.#io.out
    if (this.inPlace !== undefined && this.inPlace !== "") {
      const name = baseName(path)
      const backup = this.inPlace.includes("*") ? this.inPlace.replaceAll("*", name) : name + this.inPlace
      system.rename(path, backup.includes("/") ? backup : joinPath(dirName(path), backup))
    }
    const moved = system.rename(temporary, path)
    if (moved < 0) this.#io.fail(`cannot rename ${temporary}`, moved)
  }

  /** Removes the temporary file of an edit that failed. */
  abandon(): void {
    if (this.#target.fd >= 0) this.#io.system.unlink(this.#target.temporary)
  }

  async end(): Promise<void> {
    this.#input?.close()
    this.#input = undefined
    await this.#replaceTarget()
  }

  next(): Later<string | undefined> {
    const input = this.#input
    // Most lines are buffered already.
    if (input !== undefined && input.start < input.limit) {
      const line = input.line()
      this.terminated = input.terminated
      this.path = input.path
      return line
    }
    return this.#advance()
  }

  async #advance(): Promise<string | undefined> {
    for (;;) {
      if (this.#input !== undefined) {
        const line = await this.#input.line()
        if (line !== undefined) {
          this.terminated = this.#input.terminated
          this.path = this.#input.path
          return line
        }
        await this.end()
      }
      if (!this.#open()) return undefined
    }
  }

  /** Whether the line is the last one, as `$` means it. */
  isLast(): Later<boolean> {
    const input = this.#input
    if (input !== undefined && input.start < input.limit) return false
    if (!this.#separate) return this.#hasMore().then((more) => !more)
    return input === undefined ? true : Promise.resolve(input.fill()).then((more) => !more)
  }

  /** Writes to the output, or to the file that is edited in place. */
  put(text: string): void {
    this.#out.putBinary(text)
  }

  name(): string {
    return textToBinary(this.path)
  }

  flush(): Later<void> {
    return this.#out.isFull ? this.#out.flush() : undefined
  }
}
