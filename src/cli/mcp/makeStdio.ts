/** Adapts the program's own stdin, stdout and stderr to Effect's `Stdio` service, for the MCP server. */
import * as Effect from "effect/Effect"
import { type PlatformError, systemError } from "effect/PlatformError"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stdio from "effect/Stdio"
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../../base/bytes.ts"
import { inputStream } from "../commandInput.ts"
import type { CliProcess, OutputFd } from "../CliProcess.ts"
import type { OutputWriter } from "../ProcessOutput.ts"
import type { UsageError } from "../UsageError.ts"

const broken = (method: string, description: string): PlatformError =>
  systemError({ _tag: "Unknown", module: "Stdio", method, description })

/** Opens stdin, which is released with the scope; a read in progress is abandoned. */
export const makeStdio = (
  cli: CliProcess,
  output: OutputWriter,
): Effect.Effect<Stdio.Stdio, UsageError, Scope.Scope> =>
  Effect.map(inputStream(cli, "-"), (input) => {
    const sink = (fd: OutputFd) => () =>
      Sink.forEach((text: string | Uint8Array) =>
        output.write(fd, typeof text === "string" ? encodeUtf8(text) : text).pipe(
          Effect.mapError(({ code }) => broken("write", code)),
        )
      )
    return Stdio.make({
      args: Effect.succeed([]),
      stdin: Stream.mapError(input, ({ message }) => broken("read", message)),
      stdout: sink(1),
      stderr: sink(2),
    })
  })
