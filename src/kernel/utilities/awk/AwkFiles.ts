/** Holds the files, pipes and commands that an awk program reads and writes, by the text that names them. */
import { Errno, errnoText } from "../../Errno.ts"
import { binaryToText } from "../../binaryString.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import { Output } from "../shared/Output.ts"
import { waitFor } from "../shared/spawn.ts"
import { RecordReader } from "./RecordReader.ts"
import type { Redirection } from "./Syntax.ts"

interface OpenOutput {
  readonly output: Output
  /** `undefined` for standard output and error, which stay open. */
  readonly fd: number | undefined
  readonly pid: number | undefined
}

interface OpenInput {
  readonly reader: RecordReader
  readonly pid: number | undefined
}

const maxOpen = 256

export class AwkFiles {
  readonly #io: UtilityIo
  readonly #outputs = new Map<string, OpenOutput>()
  readonly #inputs = new Map<string, OpenInput>()

  constructor(io: UtilityIo) {
    this.#io = io
  }

  #checkCount(): void {
    if (this.#outputs.size + this.#inputs.size >= maxOpen) {
      this.#io.fail(`more than ${maxOpen} files and pipes are open`)
    }
  }

  /** Writes the pending text of all outputs. */
  async flush(): Promise<void> {
    await this.#io.err.flush()
    await this.#io.out.flush()
    for (const { output } of this.#outputs.values()) await output.flush()
  }

  /** Starts a command by the shell with one of its ends of a pipe; returns the other end and the process. */
  async #start(command: string, end: 0 | 1): Promise<readonly [fd: number, pid: number]> {
    const { system } = this.#io
    await this.flush()
    const pipe = system.pipe()
    if (typeof pipe === "number") return this.#io.fail(command, pipe)
    const [theirs, ours] = end === 0 ? pipe : [pipe[1], pipe[0]]
    const fds: ReadonlyArray<readonly [number, number]> = end === 0
      ? [[0, theirs], [1, 1], [2, 2]]
      : [[0, 0], [1, theirs], [2, 2]]
    const pid = system.spawn({ program: "sh", args: ["sh", "-c", binaryToText(command)], fds })
    system.close(theirs)
    if (pid > 0) return [ours, pid]
    system.close(ours)
    return this.#io.fail(`cannot start sh for '${binaryToText(command)}': ${errnoText(pid)}`)
  }

  /** The output of a redirection, opened when it is first used. */
  async #open(to: Redirection["to"], name: string): Promise<OpenOutput> {
    const io = this.#io
    this.#checkCount()
    if (to === "|") {
      const [fd, pid] = await this.#start(name, 0)
      return { output: new Output(io.system, fd), fd, pid }
    }
    if (name === "/dev/stdout") return { output: io.out, fd: undefined, pid: undefined }
    if (name === "/dev/stderr") return { output: io.err, fd: undefined, pid: undefined }
    const path = binaryToText(name)
    const fd = io.system.open(path, { write: true, create: true, truncate: to === ">", flags: to === ">>" ? 1 : 0 })
    if (fd < 0) return io.fail(`cannot redirect to ${path}`, fd)
    return { output: new Output(io.system, fd), fd, pid: undefined }
  }

  /** Writes a binary string. */
  async write(to: Redirection["to"], name: string, text: string): Promise<void> {
    const key = `${to === "|" ? "|" : ">"}${name}`
    let open = this.#outputs.get(key)
    if (open === undefined) {
      open = await this.#open(to, name)
      this.#outputs.set(key, open)
    }
    open.output.putBinary(text)
    if (open.output.isFull || open.output === this.#io.err) await open.output.flush()
  }

  /** The reader of a file or of a command's output; `undefined` where a file cannot be opened. */
  async reader(from: "file" | "command", name: string): Promise<RecordReader | undefined> {
    const key = `${from === "file" ? "<" : "|"}${name}`
    const known = this.#inputs.get(key)
    if (known !== undefined) return known.reader
    this.#checkCount()
    if (from === "command") {
      const [fd, pid] = await this.#start(name, 1)
      const reader = new RecordReader(this.#io, fd, binaryToText(name))
      this.#inputs.set(key, { reader, pid })
      return reader
    }
    const path = binaryToText(name)
    const fd = name === "-" || name === "/dev/stdin" ? 0 : this.#io.system.open(path, { read: true })
    if (fd < 0) return undefined
    const reader = new RecordReader(this.#io, fd, path)
    this.#inputs.set(key, { reader, pid: undefined })
    return reader
  }

  /**
   * Closes the file or command with a name. Returns the exit code of a command, 0 for a file, -1 if none with this name
   * is open.
   */
  async close(name: string): Promise<number> {
    let result = -1
    for (const key of [`<${name}`, `|${name}`]) {
      const input = this.#inputs.get(key)
      if (input === undefined) continue
      this.#inputs.delete(key)
      input.reader.close()
      result = input.pid === undefined ? 0 : await waitFor(this.#io, input.pid)
    }
    for (const key of [`>${name}`, `|${name}`]) {
      const output = this.#outputs.get(key)
      if (output === undefined) continue
      this.#outputs.delete(key)
      await output.output.flush()
      if (output.fd !== undefined) this.#io.system.close(output.fd)
      result = output.pid === undefined ? 0 : await waitFor(this.#io, output.pid)
    }
    return result
  }

  /** Writes the pending text of one output or of all; returns -1 if the name is not open. */
  async flushNamed(name: string | undefined): Promise<number> {
    const named = name === undefined ? undefined : this.#outputs.get(`>${name}`) ?? this.#outputs.get(`|${name}`)
    if (name !== undefined && name !== "" && named === undefined) return -1
    if (named === undefined) await this.flush()
    else await named.output.flush()
    return 0
  }

  /** Runs a command by the shell; its exit code. */
  async run(command: string): Promise<number> {
    await this.flush()
    const { system } = this.#io
    const pid = system.spawn({ program: "sh", args: ["sh", "-c", binaryToText(command)] })
    return pid > 0 ? await waitFor(this.#io, pid) : pid === -Errno.ENOENT ? 127 : 126
  }

  /** Closes everything, and waits for the commands. */
  async end(): Promise<void> {
    await this.flush()
    for (const key of [...this.#outputs.keys(), ...this.#inputs.keys()]) await this.close(key.slice(1))
  }
}
