/** The part of Deno's interface that the bench uses, so that one `tsc` checks all three runtimes. */
declare namespace Deno {
  interface CommandOptions {
    args?: ReadonlyArray<string>
    stdin?: "null" | "piped"
    stdout?: "null" | "piped"
    stderr?: "null" | "piped"
    signal?: AbortSignal
  }
  interface CommandStatus {
    readonly success: boolean
    readonly code: number
  }
  interface CommandOutput extends CommandStatus {
    readonly stdout: Uint8Array
    readonly stderr: Uint8Array
  }
  interface ChildProcess {
    readonly stdout: ReadableStream<Uint8Array>
    readonly stderr: ReadableStream<Uint8Array>
    readonly status: Promise<CommandStatus>
  }
  class Command {
    constructor(file: string, options?: CommandOptions)
    output(): Promise<CommandOutput>
    spawn(): ChildProcess
  }
}
