/** Declares an engine, one way to start a process on a pseudo-terminal. */
import type { TerminalSize } from "../../command/Terminal.ts"
import type { Host, HostProcess, SpawnRequest } from "../Host.ts"

/** A process to start on a terminal, with its complete environment. */
export interface TerminalRequest extends SpawnRequest {
  readonly size: TerminalSize
  readonly environment: Readonly<Record<string, string>>
}

/**
 * An engine. Its processes have one output, which is read only when it is pulled; a write resolves when the terminal
 * has taken the bytes; `resize` sets the size, and the kernel sends SIGWINCH. The process leads a session that has this
 * terminal.
 */
export interface TerminalEngine {
  readonly name: "bun" | "node-pty" | "conpty" | "zigpty"
  readonly spawn: (host: Host, request: TerminalRequest) => HostProcess | Promise<HostProcess>
}

/** End of input for a program that reads lines (VEOF of termios(3)): a terminal has no other. */
export const endOfInput: Uint8Array = Uint8Array.of(4)
