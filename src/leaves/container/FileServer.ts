/** Calls the shell program that serves files in a container, over the pipes of one client of an engine. */
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { concatBytes, emptyBytes, encodeUtf8 } from "../../base/bytes.ts"
import { BackendError } from "../files/FileBackend.ts"
import type { HostProcess } from "../../host/Host.ts"
import { encodeCall, type FileCall, fileSlots } from "./fileServerScript.ts"
import { codeOfMessage } from "./codeOfMessage.ts"
import { ReportReader } from "./ReportReader.ts"
import { closeMillis } from "./runEngine.ts"
import { readText } from "../../host/runToEnd.ts"

/** Result of a call. */
export interface FileReply {
  readonly bytes: Uint8Array
  /** The rest of the line after `ok `. */
  readonly text: string
}

const lostServerCode = "HOSTLOST"

/** Time that a call may take; its server is ended afterwards. */
const maxMillis = ({ name }: FileCall): number =>
  name === "tree" ? 3_600_000 : name === "close" || name === "discard" ? 10_000 : 120_000

/** Time that an interruption waits for the reply of its call. */
const patienceMillis = 3_000

/** Number of bytes that a reply may have: a process in the container may write to the output of the server. */
const maxBytes = ({ name, words }: FileCall): number =>
  name === "list" ? 268_435_456 : name === "read" ? Number(words[3]) : name === "open" ? Number(words[4]) : 65_536

const details: Readonly<Record<string, readonly [code: string, detail: string]>> = {
  EDANGLING: ["ENOENT", "it is a dangling link"],
  EMOVED: ["ENOTCAPABLE", "its folder was moved or removed during the write; write it again"],
}

const errorOf = (report: string): BackendError => {
  const [kind, first = ""] = report.split(" ")
  if (kind !== "no") return codeOfMessage(report.slice("text ".length))
  const [code, detail] = details[first] ?? [first, undefined]
  return new BackendError(code, detail)
}

const isSuccess = (report: string | undefined): boolean => report === "ok" || report?.startsWith("ok ") === true

/** One server. Its calls are made one after the other. */
export class FileServer {
  readonly #process: HostProcess
  readonly #out: ReportReader
  readonly #lock = Semaphore.makeUnsafe(1)
  readonly #token: string = crypto.randomUUID()
  readonly #free: Array<number> = [...fileSlots]
  /** Resolves with the exit code of the client and what it wrote to stderr. */
  readonly ended: Promise<{ readonly exitCode: number; readonly text: string }>
  #hasEnded = false
  #report: string | undefined
  #loss = "the container, or the client of its engine, has ended"

  constructor(process: HostProcess) {
    const { stderr, stdin, stdout } = process
    if (stdout === undefined || stdin === undefined) throw new Error("a file server needs pipes")
    this.#process = process
    this.#out = new ReportReader(stdout, 0, {
      onReport: (report) => {
        this.#report = report
        this.#out.end()
      },
    })
    const exited = new Promise<number>((resolve) => process.onExit(({ exitCode }) => resolve(exitCode)))
    this.ended = Promise.all([exited, readText(stderr)]).then(([exitCode, text]) => {
      this.#hasEnded = true
      return { exitCode, text }
    })
    void stdin.write(encodeUtf8(`${this.#token}\n`))
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  takeSlot(): number | undefined {
    return this.#hasEnded ? undefined : this.#free.shift()
  }

  /** Returns a descriptor to the server after its file has been closed. */
  giveSlot(slot: number): void {
    this.#free.push(slot)
  }

  /**
   * Makes a call with input bytes. An interruption waits for the reply, which would otherwise be taken for the next call's,
   * and ends the server if none comes: its container may be paused. `undo` is called when an interrupted call succeeds.
   */
  call(call: FileCall, body: Uint8Array = emptyBytes, undo?: FileCall): Effect.Effect<FileReply, BackendError> {
    return this.#lock.withPermit(Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const exchange = this.#exchange(call, body)
        const giveUp = async (): Promise<void> => {
          const timer = setTimeout(() => this.#process.kill("SIGKILL"), patienceMillis)
          const { report } = await exchange
          clearTimeout(timer)
          if (undo !== undefined && isSuccess(report)) await this.#exchange(undo, emptyBytes)
        }
        return restore(Effect.promise(() => exchange)).pipe(
          Effect.onInterrupt(() => Effect.promise(giveUp)),
          Effect.flatMap(({ bytes, report }) => {
            if (report === undefined) return Effect.fail(new BackendError(lostServerCode, this.#loss))
            return isSuccess(report)
              ? Effect.succeed({ bytes, text: report.slice("ok ".length) })
              : Effect.fail(errorOf(report))
          }),
        )
      })
    ))
  }

  async #exchange(call: FileCall, body: Uint8Array): Promise<{ bytes: Uint8Array; report: string | undefined }> {
    if (this.#hasEnded) return { bytes: emptyBytes, report: undefined }
    const id = crypto.randomUUID()
    this.#report = undefined
    this.#out.begin(id)
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), maxMillis(call))
    void this.#process.stdin?.write(concatBytes([encodeUtf8(encodeCall(this.#token, id, call)), body]))
    const pieces: Array<Uint8Array> = []
    let left = maxBytes(call)
    for (;;) {
      const bytes = await new Promise<Uint8Array | undefined>((resolve) => this.#out.read(resolve))
      if (bytes === undefined) break
      left -= bytes.length
      if (left < 0) {
        this.#loss = "the response is longer than requested: a process in the container writes to its file server"
        break
      }
      pieces.push(bytes.slice())
    }
    clearTimeout(timer)
    // A server that does not reply gets no further requests.
    if (this.#report === undefined) {
      this.#hasEnded = true
      this.#process.kill("SIGKILL")
      void this.#process.stdin?.end()
      // Reading the pipe to its end closes it.
      this.#out.release()
    }
    return { bytes: concatBytes(pieces), report: this.#report }
  }

  /** Ends the client; the server removes the files that were not committed. */
  async close(): Promise<void> {
    void this.#process.stdin?.end()
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), closeMillis)
    this.#out.release()
    await this.ended
    clearTimeout(timer)
  }
}
