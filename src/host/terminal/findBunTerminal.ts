/**
 * Makes an engine of Bun's own terminals.
 *
 * Bun reads a terminal as fast as it can, so the terminal's output is suspended (tcflow(3)) while the consumer is
 * behind.
 */
import type { ByteReader, ByteWriter } from "../../shell/SpawnedProcess.ts"
import { type BunApi, bunApi, killChild } from "../runtimes/bunApi.ts"
import { ExitState, exitStatusOf } from "../ExitState.ts"
import type { Host } from "../Host.ts"
import { nodeProcess } from "../nodeProcess.ts"
import { bunTerminalFlow, type SetFlow } from "./libc.ts"
import { makeMasterWriter } from "./makeMasterWriter.ts"
import type { TerminalEngine } from "./TerminalEngine.ts"

/** Output beyond this suspends the terminal, and less than that resumes it. */
const [suspendBytes, resumeBytes] = [262_144, 65_536]

class BunReader implements ByteReader {
  readonly #pieces: Array<Uint8Array> = []
  readonly #setFlow: (flows: boolean) => void
  readonly #close: () => void
  #bytes = 0
  #suspended = false
  #ended = false
  #waiting: ((bytes: Uint8Array | undefined) => void) | undefined

  constructor(setFlow: (flows: boolean) => void, close: () => void) {
    this.#setFlow = setFlow
    this.#close = close
  }

  push(bytes: Uint8Array): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting !== undefined) return waiting(bytes)
    if (this.#ended) return
    // Bun may reuse its buffer.
    this.#pieces.push(bytes.slice())
    this.#bytes += bytes.length
    if (this.#bytes > suspendBytes) this.#flow(false)
  }

  end(): void {
    this.#ended = true
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.(undefined)
  }

  read(done: (bytes: Uint8Array | undefined) => void): void {
    const piece = this.#pieces.shift()
    if (piece === undefined) {
      if (this.#ended) done(undefined)
      else this.#waiting = done
      return
    }
    this.#bytes -= piece.length
    if (this.#bytes < resumeBytes) this.#flow(true)
    done(piece)
  }

  release(): void {
    this.#pieces.length = 0
    this.#bytes = 0
    this.#flow(true)
    this.end()
    this.#close()
  }

  #flow(flows: boolean): void {
    if (this.#suspended !== flows) return
    this.#suspended = !flows
    this.#setFlow(flows)
  }
}

/** Index of the controlling terminal of a process, from `/proc/PID/stat` (proc(5), `tty_nr`); 0 or more. */
const terminalOf = (host: Host, pid: number): number | undefined => {
  const [, fields] = /\) (.*)/.exec(host.readText(`/proc/${pid}/stat`) ?? "") ?? []
  const device = Number(fields?.split(" ")[4] ?? 0)
  const [major, minor] = [(device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xfff00)]
  // Unix98 terminals have the majors 136 to 143.
  return major >= 136 && major <= 143 ? (major - 136) * 256 + minor : undefined
}

/** The input of a process that has ended. */
const noInput: ByteWriter = { write: () => Promise.resolve(false), end: () => Promise.resolve() }

/** A terminal's master among this program's descriptors, and its index. */
interface MasterEnd {
  readonly fd: number
  readonly index: number
}

/**
 * Finds the master of a process among the descriptors of this program, by its index, which no other open terminal has.
 * New descriptors would not identify it, because another thread may close and open some meanwhile, with the same
 * numbers. `undefined` for a process that has already ended: it takes no input, and only the output that the kernel
 * holds is left.
 */
const findMaster = (host: Host, pid: number): MasterEnd | undefined => {
  const own = terminalOf(host, pid)
  if (own === undefined) return undefined
  for (const fd of host.readNames("/proc/self/fd")) {
    const [, index] = /^tty-index:\s*(\d+)/m.exec(host.readText(`/proc/self/fdinfo/${fd}`) ?? "") ?? []
    if (index !== undefined && Number(index) === own) return { fd: Number(fd), index: own }
  }
  return undefined
}

const makeEngine = (bun: BunApi, setFlow: SetFlow): TerminalEngine | undefined => {
  const fs = nodeProcess()?.getBuiltinModule("node:fs")
  if (fs === undefined) return undefined
  const withTerminal = (path: string, use: (fd: number) => void): void => {
    try {
      // Does not become the terminal of this program: without NOCTTY a session leader would get it.
      const fd = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_NOCTTY | fs.constants.O_NONBLOCK)
      try {
        use(fd)
      } finally {
        fs.closeSync(fd)
      }
    } catch {
      // The terminal is gone.
    }
  }
  return {
    name: "bun",
    spawn: (host, { args, argv0, cwd, environment, file, size: { cols, rows } }) => {
      const state = new ExitState()
      // deno-lint-ignore prefer-const -- the reader is made before the process
      let master: MasterEnd | undefined
      let closed = false
      let close: (() => void) | undefined
      const reader = new BunReader((flows) => {
        if (master !== undefined && !closed) withTerminal(`/dev/pts/${master.index}`, (fd) => setFlow(fd, flows))
      }, () => {
        closed = true
        child.terminal?.close()
      })
      const child = bun.spawn({
        cmd: [file, ...args],
        ...(argv0 === undefined ? undefined : { argv0 }),
        ...(cwd === undefined ? undefined : { cwd }),
        env: environment,
        terminal: {
          cols,
          rows,
          data: (_, bytes) => reader.push(bytes),
          exit: (terminal) => {
            closed = true
            reader.end()
            // Otherwise Bun keeps one of its descriptors. A program that closed its terminal would be hung up before it ends.
            if (!state.hasEnded) close = () => terminal.close()
            else terminal.close()
          },
        },
        onExit: (_, code, signal) => {
          state.settle(exitStatusOf(code, signal, host.os))
          close?.()
        },
      })
      const { terminal } = child
      if (terminal === undefined) {
        child.kill("SIGKILL")
        throw new Error("this version of Bun has no terminals")
      }
      master = findMaster(host, child.pid)
      return {
        pid: child.pid,
        stdout: reader,
        stderr: undefined,
        stdin: master === undefined
          ? noInput
          : makeMasterWriter(master.fd, () => closed || terminal.closed || state.hasEnded),
        onExit: state.onExit,
        kill: (signal) => state.hasEnded ? undefined : killChild(child, signal),
        setRef: (ref) => ref ? child.ref() : child.unref(),
        resize: (size) => {
          if (!closed && !terminal.closed) terminal.resize(size.cols, size.rows)
        },
      }
    },
  }
}

/** Finds Bun's engine; `undefined` on another runtime, and where output cannot be suspended. */
export const findBunTerminal = (): TerminalEngine | undefined => {
  const [bun, setFlow] = [bunApi(), bunTerminalFlow()]
  return bun === undefined || setFlow === undefined ? undefined : makeEngine(bun, setFlow)
}
